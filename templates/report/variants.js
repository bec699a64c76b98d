/* What was measured: the variants of the document, why each won or lost, and the table that
 * can be sorted, filtered, searched and opened. */
"use strict";

/* ---- reading ---- */

/* What is not the run's own way: "huge pages, compiler clang". */
function environmentText(environment) {
  const parts = [],
    word = (key, usual) =>
      textOf(environment, key) && textOf(environment, key) !== usual ? textOf(environment, key) : "";
  if (word("pages", "small")) parts.push(`${word("pages", "small")} pages`);
  if (word("start", "warm")) parts.push(`${word("start", "warm")} start`);
  if (word("background", "idle")) parts.push(`${word("background", "idle")} load beside`);
  if (word("compiler", "")) parts.push(`compiler ${word("compiler", "")}`);
  if (word("flags", "")) parts.push(`flags '${word("flags", "")}'`);
  if (numberOf(environment, "threads") > 1) parts.push(`${numberOf(environment, "threads")} threads`);
  if (numberOf(environment, "smt") > 1) parts.push(`${numberOf(environment, "smt")} hardware threads per core`);
  if (word("schedule", "")) parts.push(`schedule ${word("schedule", "")}`);
  return parts.join(", ");
}

function timeOf(json) {
  const time = get(json, "time_ns"),
    median = numberOf(time, "median");
  return median === null
    ? null
    : scaled({ ...exactly(median), low: numberOf(time, "low") ?? 0, high: numberOf(time, "high") ?? Infinity }, 1e-9);
}

function variantOf(json, index, searched) {
  const plan = textOf(json, "plan"),
    around = environmentText(get(json, "environment")),
    outcome = textOf(json, "outcome") || "unknown";
  const time = timeOf(json);
  return {
    json,
    index,
    plan,
    around,
    outcome,
    time,
    ran: outcome === "ok" && time !== null,
    name: [plan || "as written", around].filter(Boolean).join(", "),
    gain: index ? quantityOf(json, "gain") : exactly(1),
    atLeast: (numberOf(json, "at_least_ns") ?? 0) * 1e-9,
    gbs: quantityOf(json, "analysis", "bandwidth_gbs"),
    latency: quantityOf(json, "analysis", "latency_ns"),
    closing: searched > 0 && index >= searched,
    detail: textOf(json, "detail"),
    limit: textOf(json, "analysis", "cause", "sentence"),
  };
}

function kindOf(report, variant) {
  if (variant.index === 0) return "written";
  if (variant.index === report.best) return "winner";
  if (!variant.ran) return variant.outcome === "stopped" ? "stopped" : "failed";
  if (variant.around) return "environment";
  const gain = variant.gain;
  return gain && gain.low > 1 ? "faster" : gain && gain.high < 1 ? "slower" : "same";
}

/* What the rest of the page is made from. `best`: 0 = nothing was faster. */
function readReport(document) {
  const searched = numberOf(document, "searched") ?? 0;
  const variants = listOf(document, "variants")
    .filter(isObject)
    .map((json, i) => variantOf(json, i, searched));
  const best = get(document, "best"),
    types = listOf(document, "kernel", "arrays").map((array) => textOf(array, "type"));
  const report = {
    document,
    variants,
    copies: Math.max(1, numberOf(document, "machine", "copies") ?? 1),
    best: Math.max(
      0,
      variants.findIndex(
        (v) =>
          v.index && best && v.plan === textOf(best, "plan") && v.around === environmentText(get(best, "environment")),
      ),
    ),
    single: types.some((type) => type.includes("float")) && !types.some((type) => type.includes("double")),
  };
  for (const variant of variants) variant.kind = kindOf(report, variant);
  return report;
}

/* ---- why ---- */

const failures = {
  "wrong-result": "Its results are not those of the kernel as written",
  "not-built": "It could not be built",
  crashed: "It crashed",
  "timed-out": "It ran into the time limit",
  interrupted: "Interrupted before it was measured",
  stopped: "Given up because it is slow",
};

function failureText(report, variant) {
  const written = report.variants[0],
    more =
      variant.outcome === "stopped" && variant.atLeast > 0
        ? `: a call takes longer than ${seconds(variant.atLeast)}${written.ran ? `, as written ${seconds(written.time.value)}` : ""}`
        : variant.detail
          ? ` (${variant.detail})`
          : "";
  return `${failures[variant.outcome] || sentence(variant.outcome).slice(0, -1)}${more}.`;
}
function tieText(report, variant) {
  const ties = get(report.document, "ties"),
    winner = textOf(ties, "winner");
  const tie = listOf(ties, "compared").find((one) => textOf(one, "plan") === variant.plan),
    ratio = quantityOf(tie ?? null, "time_ratio");
  if (tie && variant.index !== report.best)
    return ratio
      ? ` Timed in turn with ${winner === report.variants[report.best].plan ? "the winner" : winner}, it takes ${digits(ratio.value)} times as long (${ratioRange(ratio)}).`
      : "";
  return "";
}
function comparisonText(report, variant) {
  const gain = variant.gain,
    best = report.best ? report.variants[report.best].gain : null;
  if (!gain) return "It was not compared with the kernel as written.";
  if (gain.high < 1) return `Slower: it takes ${plain(1 / gain.value, 2)} times as long as written.`;
  if (gain.low <= 1) return "No difference from the kernel as written beyond the noise.";
  if (best && gain.high < best.low)
    return `Faster than as written, but it takes ${plain(best.value / gain.value, 2)} times as long as the winner.`;
  return report.best
    ? "Faster than as written."
    : "Faster than as written by its own time, but not beyond the noise when timed in turn.";
}
function winnerText(report, variant) {
  const fastest = textOf(report.document, "ties", "winner");
  const simpler =
    fastest && fastest !== variant.plan
      ? ` It is the smallest change of those that cannot be told apart from the fastest, ${fastest}.`
      : "";
  const gain = variant.gain;
  if (gain && !gain.believed) return `The machine was too busy for its gain to be believed.${simpler}`;
  return `Won${isGain(gain) ? `: ${times(gain.value)} as fast as written` : ""}, with equal results.${simpler}`;
}
function whyText(report, variant) {
  if (!variant.ran) return failureText(report, variant);
  if (variant.index === 0) return "The kernel as written: all others are compared with it.";
  if (variant.index === report.best) return winnerText(report, variant);
  if (variant.around) return `Another environment, not another source. ${comparisonText(report, variant)}`;
  const advice = listOf(report.document, "advice").find(
    (one) => variant.plan && textOf(one, "tried_plan") === variant.plan && textOf(one, "outcome"),
  );
  return (
    comparisonText(report, variant) +
    tieText(report, variant) +
    (advice ? ` Tried for ${textOf(advice, "transformation")}: ${textOf(advice, "outcome")}.` : "")
  );
}

/* ---- diffs ---- */

/* "0-12 40 3": lines by their place in the document's table of lines. */
function diffLines(document, plan) {
  const lines = listOf(document, "code", "lines"),
    ranges = textOf(document, "code", "diffs", plan),
    found = [];
  for (const range of ranges.split(" ").filter(Boolean)) {
    const ends = range.split("-").map(Number),
      last = ends[ends.length - 1];
    for (let i = ends[0]; i <= last && i < lines.length; i++) found.push(asText(lines[i]));
  }
  return found;
}
const lineKind = (line) =>
  /^(\+\+\+|---|@@|\\)/.test(line) ? "meta" : line[0] === "+" ? "add" : line[0] === "-" ? "del" : "same";

function diffNode(lines, name) {
  return el(
    "pre.diff",
    { tabindex: "0", role: "region", "aria-label": `The C of ${name} as a difference to the original` },
    el(
      "code",
      null,
      lines.map((line) => el(`span.${lineKind(line)}`, null, `${line}\n`)),
    ),
  );
}

/* ---- the table ---- */

const filterNames = [
  ["winner", "winner"],
  ["faster", "faster"],
  ["same", "no difference"],
  ["slower", "slower"],
  ["stopped", "stopped"],
  ["failed", "failed"],
  ["environment", "other environments"],
];
const columnsOf = [
  ["order", "No."],
  ["time", "One call"],
  ["gain", "Gain"],
  ["plan", "Plan"],
];
const windowSize = 50;

const sortKeys = {
  order: (variant) => variant.index,
  time: (variant) => (variant.ran ? variant.time.value : null),
  gain: (variant) => (variant.ran && variant.gain ? variant.gain.value : null),
  plan: (variant) => variant.plan,
};
/* What has no such figure stands behind all others, either way. */
function compareBy(key, down) {
  return (a, b) => {
    const x = sortKeys[key](a),
      y = sortKeys[key](b);
    if (x === null || y === null) return x === y ? a.index - b.index : x === null ? 1 : -1;
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a.index - b.index;
  };
}

function gainCell(variant) {
  if (!variant.ran) return el("span.quiet", null, variant.outcome);
  if (!variant.gain) return el("span.quiet", null, "not compared");
  const range = ratioRange(variant.gain);
  return [el("b", null, times(variant.gain.value)), range && el("small", null, ` ${range}`)];
}
function timeCell(variant) {
  if (!variant.ran) return "";
  const spread = (variant.time.high - variant.time.low) / variant.time.value / 2;
  return [
    seconds(variant.time.value),
    spread > 0 && Number.isFinite(spread) && el("small", null, ` \u00b1${percent(spread)}`),
  ];
}

/* What an opened row shows. */
function openedNode(report, variant) {
  const lines = diffLines(report.document, variant.plan),
    refused = textOf(report.document, "code", "refused", variant.plan);
  const missing = refused
    ? `Its C could not be written: ${refused}`
    : "This session does not hold its C; \u2018inflight apply FILE.c --plan\u2019 with this plan writes it.";
  return [
    el("p.narrow", null, whyText(report, variant)),
    variant.ran && el("p.narrow", null, "One call: ", timeCell(variant)),
    variant.plan && el("p", null, "Plan: ", copyable(variant.plan, "plan")),
    paragraph(variant.limit),
    listOf(variant.json, "queues").length > 0 && resourcesNode(report, variant.json, `Resources of ${variant.name}`),
    variant.plan && (lines.length ? diffNode(lines, variant.plan) : paragraph(missing, "quiet")),
  ];
}

class VariantTable {
  constructor(report) {
    this.report = report;
    this.state = { sort: "-gain", filter: "", find: "" };
    this.limit = windowSize;
    this.rows = new Map();
    this.node = this.build();
    this.render();
  }

  build() {
    this.heads = columnsOf.map(([key, title]) =>
      el(
        "th",
        { scope: "col", class: key === "time" ? "time" : null },
        el("button.sort", { type: "button", onclick: () => this.toggleSort(key) }, title),
      ),
    );
    this.table = el(
      "table.variants",
      null,
      el("caption.unseen", null, "All measured variants"),
      el("thead", null, el("tr", null, this.heads, el("th.why", { scope: "col" }, "Why it won or lost"))),
    );
    this.find = el("input", {
      type: "search",
      id: "find",
      autocomplete: "off",
      placeholder: "plan or reason",
      oninput: () => this.change({ find: this.find.value }),
    });
    this.filters = filterNames
      .map(([kind, name]) => [kind, name, this.report.variants.filter((v) => v.kind === kind).length])
      .filter(([, , count]) => count)
      .map(([kind, name, count]) =>
        el(
          "button.filter",
          {
            type: "button",
            "aria-pressed": "false",
            "data-kind": kind,
            onclick: () => this.change({ filter: this.state.filter === kind ? "" : kind }),
          },
          `${name} `,
          el("small", null, count),
        ),
      );
    this.status = el("span", { id: "shown", role: "status" });
    this.more = el(
      "p",
      null,
      el("button", { type: "button", onclick: () => this.showMore(windowSize) }, `Show ${windowSize} more`),
      " ",
      el("button", { type: "button", onclick: () => this.showMore(Infinity) }, "Show all"),
    );
    return [
      el(
        "div.filters",
        { role: "search", "aria-label": "Variants" },
        el("label", { for: "find" }, "Find "),
        this.find,
        this.filters,
        this.status,
      ),
      this.table,
      this.more,
    ];
  }

  row(variant) {
    let row = this.rows.get(variant.index);
    if (row) return row;
    const button = el(
      "button.open",
      {
        type: "button",
        "aria-expanded": "false",
        "aria-label": `Details of variant ${variant.index}`,
        onclick: () => this.toggle(variant),
      },
      "Details",
    );
    row = el(
      `tbody.${variant.kind}`,
      { id: `v${variant.index}` },
      el(
        "tr",
        null,
        el("th.number", { scope: "row" }, variant.index),
        el("td.number.time", null, timeCell(variant)),
        el("td.number", null, gainCell(variant)),
        el(
          "td.plan",
          null,
          el("code", null, variant.plan || "as written"),
          variant.around && [" ", chip(variant.around)],
          " ",
          button,
        ),
        el("td.why", null, variant.kind === "winner" && el("b.mark", null, "winner "), whyText(this.report, variant)),
      ),
    );
    this.rows.set(variant.index, row);
    return row;
  }

  matching() {
    const words = this.state.find.toLowerCase(),
      { filter } = this.state;
    const hit = (v) =>
      (!filter || v.kind === filter) &&
      (!words || `${v.name}\n${whyText(this.report, v)}`.toLowerCase().includes(words));
    const down = this.state.sort[0] === "-";
    return this.report.variants.filter(hit).sort(compareBy(down ? this.state.sort.slice(1) : this.state.sort, down));
  }

  render() {
    const found = this.matching(),
      shown = found.slice(0, this.limit),
      { sort, filter } = this.state;
    for (const body of [...this.table.tBodies]) body.remove();
    this.table.append(...shown.map((variant) => this.row(variant)));
    this.heads.forEach((head, i) => {
      if (sort.replace("-", "") === columnsOf[i][0])
        head.setAttribute("aria-sort", sort[0] === "-" ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    for (const button of this.filters) button.setAttribute("aria-pressed", String(button.dataset.kind === filter));
    this.more.hidden = shown.length === found.length;
    const all = this.report.variants.length;
    this.status.textContent =
      shown.length < all
        ? `${shown.length === found.length ? found.length : `${shown.length} of ${found.length}`}${found.length < all ? ` of ${all}` : ""} shown`
        : "";
  }

  change(state) {
    Object.assign(this.state, state);
    this.limit = state.limit || windowSize;
    this.render();
    this.remember();
  }
  toggleSort(key) {
    const { sort } = this.state,
      first = key === "gain" ? "-gain" : key;
    this.change({ sort: sort === first ? (first[0] === "-" ? key : `-${key}`) : first });
  }
  showMore(count) {
    this.limit += count;
    this.render();
  }

  toggle(variant, open) {
    const row = this.row(variant),
      button = row.querySelector("button.open"),
      now = open ?? button.getAttribute("aria-expanded") !== "true";
    if (now && row.rows.length === 1)
      row.append(el("tr.opened", null, el("td", { colspan: "5" }, openedNode(this.report, variant))));
    if (row.rows.length > 1) row.rows[1].hidden = !now;
    button.setAttribute("aria-expanded", String(now));
  }
  /* From a picture or the address: shown whatever is filtered. */
  open(index) {
    const variant = this.report.variants[index];
    if (!variant) return;
    this.toggle(variant, true);
    if (!this.row(variant).isConnected) {
      Object.assign(this.state, { filter: "", find: "" });
      this.limit = Infinity;
      this.find.value = "";
      this.render();
    }
    this.row(variant).scrollIntoView({ block: "center" });
    this.row(variant).querySelector("button.open").focus({ preventScroll: true });
  }

  remember() {
    const parts = Object.entries(this.state)
      .filter(([key, value]) => value && !(key === "sort" && value === "-gain"))
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    try {
      history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : "#variants");
    } catch {
      /* pages from disk may not be allowed to */
    }
  }
  /* "#sort=-gain&filter=failed&find=tile&open=3" */
  follow(fragment) {
    if (!fragment.includes("=")) return;
    for (const part of fragment.split("&")) {
      const at = part.indexOf("="),
        key = part.slice(0, at);
      let value = "";
      if (at < 0) continue;
      try {
        value = decodeURIComponent(part.slice(at + 1));
      } catch {
        continue;
      }
      if (key === "sort" && Object.hasOwn(sortKeys, value.replace(/^-/, ""))) this.state.sort = value;
      if (key === "filter" || key === "find") this.state[key] = value;
      if (key === "open" && /^\d+$/.test(value)) this.open(Number(value));
    }
    this.find.value = this.state.find;
    this.render();
  }
}
