/* What the whole page is made with: nodes, reading a document of which nothing is trusted
 * to be there, and numbers as people read them. No string of the document becomes markup. */
"use strict";

/* ---- nodes ---- */

const svgSpace = "http://www.w3.org/2000/svg";

/* Children: nodes or texts; null, undefined, false and "" are left out. */
function fill(node, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false && child !== "")
      node.append(child instanceof Node ? child : String(child));
  return node;
}

/* el("td.number.low", { title: "..." }, "12"); what begins with "on" is a listener. */
function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  return fill(node, children);
}

function svg(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElementNS(svgSpace, tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined)
      node.setAttribute(key, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  return fill(node, children);
}

/* ---- the document ---- */

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const asList = (value) => (Array.isArray(value) ? value : []);
const asText = (value) => (typeof value === "string" ? value : "");
const asNumber = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);

/* get(report, "baseline", "traffic"): null where something on the way is missing. */
function get(object, ...path) {
  for (const key of path) {
    if (object === null || typeof object !== "object" || !Object.hasOwn(object, key)) return null;
    object = object[key];
  }
  return object === undefined ? null : object;
}
const textOf = (object, ...path) => asText(get(object, ...path));
const listOf = (object, ...path) => asList(get(object, ...path));
const numberOf = (object, ...path) => asNumber(get(object, ...path));

/* { value, low, high, believed, provenance }; an end that is missing is open. */
function quantityOf(object, ...path) {
  const found = get(object, ...path),
    value = numberOf(found, "value");
  if (value === null) return null;
  return {
    value,
    low: numberOf(found, "low") ?? -Infinity,
    high: numberOf(found, "high") ?? Infinity,
    believed: get(found, "believed") !== false,
    disturbed: numberOf(found, "disturbed") ?? 0,
    provenance: textOf(found, "provenance"),
  };
}
const exactly = (value) => ({ value, low: value, high: value, believed: true, disturbed: 0, provenance: "" });

/* a / b, from the ends of both. */
function quotient(a, b) {
  if (!a || !b || !(b.value > 0)) return null;
  return {
    ...exactly(a.value / b.value),
    low: Math.max(0, a.low) / b.high,
    high: b.low > 0 ? a.high / b.low : Infinity,
  };
}
const product = (a, b) => ({ ...a, value: a.value * b.value, low: a.low * b.low, high: a.high * b.high });
function scaled(quantity, factor) {
  return (
    quantity && {
      ...quantity,
      value: quantity.value * factor,
      low: quantity.low * factor,
      high: quantity.high * factor,
    }
  );
}

/* ---- numbers ---- */

/* So many significant digits, never an exponent. */
function digits(value, count = 3) {
  if (!Number.isFinite(value) || value === 0) return value === 0 ? "0" : "unlimited";
  const rounded = Number(value.toPrecision(count));
  const places = count - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(20, Math.max(0, places)));
}
/* The same without zeros at the end: for round numbers, such as those of an axis. */
const plain = (value, count = 3) => (Number.isFinite(value) ? String(Number(digits(value, count))) : "unlimited");

const prefixes = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "\u00b5"],
  [1e-9, "n"],
];
const symbols = ["s", "B", "B/s", "FLOP/s", "FLOP", "Hz"];

/* "87.5 GFLOP/s", "114 M walks/s", "459 ms". */
function si(value, unit, count = 3) {
  const size = Math.abs(Number(value.toPrecision(count)));
  const counted = unit === "s" ? prefixes : prefixes.slice(0, 5);
  const [factor, letter] = counted.find(([least]) => size >= least) || counted[counted.length - 1];
  const number = symbols.includes(unit) || letter ? digits(value / factor, count) : plain(value, count);
  if (!unit) return letter ? `${number} ${letter}` : number;
  return symbols.includes(unit) ? `${number} ${letter}${unit}` : `${number} ${letter && letter + " "}${unit}`;
}
const seconds = (value) => (value === 0 ? "0 s" : value >= 60 ? `${plain(value, 3)} s` : si(value, "s"));
const percent = (share) =>
  share > 0 && share < 0.01 ? "below 1 %" : `${plain(100 * share, share < 0.1 ? 1 : share < 10 ? 2 : 3)} %`;

/* Beyond this a ratio is not a statement but the lack of one. */
const ratioMax = 100;
const times = (value, count = 3) => (value > ratioMax ? `more than ${ratioMax}x` : `${digits(value, count)}x`);
const timesEnd = (value) => digits(value, value < 1 ? 2 : 3);

/* "1.92 to 2.10", "10 or more", "" where the interval says nothing beside the value. */
function ratioRange(q) {
  if (!q || (q.low === q.value && q.high === q.value)) return "";
  if (q.high === Infinity) return q.low > 0 ? `${timesEnd(q.low)} or more` : "";
  const high = q.high > ratioMax ? `more than ${ratioMax}` : timesEnd(q.high);
  return `${timesEnd(Math.max(0, q.low))} to ${high}`;
}
function ratioText(q) {
  const range = ratioRange(q);
  return times(q.value) + (range ? ` (${range})` : "");
}
/* Does the interval of a gain hold 1, so that nothing is claimed? */
const isNoise = (q) => q.low <= 1 && q.high >= 1 && q.low < q.high;
const isGain = (q) => Boolean(q) && q.believed && q.low > 1;

function dateText(text) {
  const found = /^(\d+-\d+-\d+)T(\d+:\d+)/.exec(text);
  return found ? `${found[1]} ${found[2]} UTC` : text;
}

/* The words of a command as a shell takes them. */
const shellWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const commandLine = (words) =>
  asList(words)
    .map((word) => shellWord(String(word)))
    .join(" ");

/* ---- small pieces ---- */

const chip = (text, kind) => el(`span.chip${kind ? "." + kind : ""}`, null, text);
const paragraph = (text, kind) => text && el(`p${kind ? "." + kind : ""}`, null, text);
const itemList = (items) =>
  el(
    "ul",
    null,
    items.map((item) => el("li", null, item)),
  );
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const capital = (text) => text && text[0].toUpperCase() + text.slice(1);
const sentence = (text) => text && capital(text) + (/[.!?]$/.test(text) ? "" : ".");

function section(id, title, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}
function details(summary, open, ...children) {
  return el("details", { open }, el("summary", null, summary), ...children);
}
function facts(rows) {
  return el(
    "dl.facts",
    null,
    rows.filter(([, text]) => text).map(([name, text]) => [el("dt", null, name), el("dd", null, text)]),
  );
}
/* Columns: [title, class]; rows: lists of cells, the first of which names its row. */
function table(caption, columns, rows, kind) {
  return el(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": caption },
    el(
      `table${kind ? "." + kind : ""}`,
      null,
      el("caption.unseen", null, caption),
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          columns.map(([title, shape]) => el(`th${shape ? "." + shape : ""}`, { scope: "col" }, title)),
        ),
      ),
      el(
        "tbody",
        null,
        rows.map((cells) =>
          el(
            "tr",
            null,
            cells.map((cell, i) =>
              i ? el(`td${columns[i][1] ? "." + columns[i][1] : ""}`, null, cell) : el("th", { scope: "row" }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/* ---- copying ---- */

/* Pages from disk may not be allowed to use the clipboard: then the old way is taken. */
function copyOldWay(text) {
  const area = el("textarea", { "aria-label": "copied text" });
  area.value = text;
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
  }
}
function copyButton(text, what) {
  const button = el("button.copy", { type: "button" });
  const show = (word) => {
    button.textContent = word;
    button.setAttribute("aria-label", `${word} ${what}: ${text}`);
  };
  const say = (word) => {
    show(word);
    setTimeout(() => show("Copy"), 1200);
  };
  const old = () => say(copyOldWay(text) ? "Copied" : "Select it");
  button.addEventListener("click", () => {
    if (navigator.clipboard && window.isSecureContext)
      navigator.clipboard.writeText(text).then(() => say("Copied"), old);
    else old();
  });
  show("Copy");
  return button;
}
/* Something to type, with its button. */
const copyable = (text, what) => el("span.copyable", null, el("code", null, text), " ", copyButton(text, what));

/* ---- bars ---- */

const withinShare = (value) => Math.min(1, Math.max(0, value));
function place(node, from, to) {
  node.style.left = `${100 * withinShare(from)}%`;
  if (to !== undefined) node.style.width = `${100 * (withinShare(to) - withinShare(from))}%`;
  return node;
}
/* A share with its interval drawn in it. `kind`: a class. */
function shareBar(q, kind) {
  const bar = el(`span.bar${kind ? "." + kind : ""}`, { "aria-hidden": "true" }, place(el("span.fill"), 0, q.value));
  if (q.low < q.high) bar.append(place(el("span.range"), q.low, q.high));
  return bar;
}
/* A gain on a logarithmic scale that holds 1. */
function gainBar(q) {
  const ends = [q.value, 1, Math.max(q.low, 0.1), Math.min(q.high, ratioMax)].filter((x) => x > 0);
  const low = Math.log(Math.min(...ends)) - 0.1,
    high = Math.log(Math.max(...ends)) + 0.1;
  const at = (x) => (Math.log(Math.min(ratioMax, Math.max(x, 0.1))) - low) / (high - low);
  return el(
    "span.gainbar",
    { "aria-hidden": "true" },
    place(el("span.range"), at(q.low), at(q.high)),
    place(el("span.one"), at(1)),
    place(el("span.value"), at(q.value)),
  );
}
