/* The page of an inflight.metrics-result/1: the largest loss first, then the trees of
 * metrics, of one column with bars, of several side by side. */
"use strict";

/* ---- reading ---- */

const isShare = (metric) => textOf(metric, "unit") === "share";
const unitOf = (metric) =>
  isShare(metric) ? `%${textOf(metric, "of") ? ` of ${textOf(metric, "of")}` : ""}` : textOf(metric, "unit");
const tenths = (share) => (100 * share).toFixed(1);
const metricsOf = (column) => listOf(column, "metrics").filter(isObject);
const metricNamed = (column, name) => metricsOf(column).find((metric) => textOf(metric, "name") === name);
const labelOf = (column) => textOf(column, "label") || "counts";
const shownModels = (column) => listOf(column, "models").filter((model) => get(model, "shown") === true);

function metricValue(metric) {
  const q = quantityOf(metric, "value");
  if (!q) return get(metric, "absent") === true ? "NA" : "?";
  return isShare(metric) ? tenths(q.value) : si(q.value, "");
}
function metricRange(metric) {
  const q = quantityOf(metric, "value"),
    one = isShare(metric) ? tenths : (value) => si(value, "");
  if (!q || q.low === q.high) return "";
  return q.high === Infinity
    ? `${one(q.low)} or more`
    : q.low === -Infinity
      ? `at most ${one(q.high)}`
      : `${one(q.low)} to ${one(q.high)}`;
}
function depthOf(column, metric) {
  let depth = 0;
  for (let at = metric; textOf(at, "parent") && depth < 20; depth++) at = metricNamed(column, textOf(at, "parent"));
  return depth;
}
/* What is to be minded, or why it is not known. */
function remarkOf(metric) {
  const share = numberOf(metric, "counted_share");
  return [
    textOf(metric, "why"),
    get(metric, "tied") === true && "tied within its interval",
    get(metric, "out_of_range") === true && "out of range",
    quantityOf(metric, "value") && share > 0 && share < 0.9 && `counted ${percent(share)} of the time`,
    get(metric, "estimated") === true && quantityOf(metric, "value") && "estimated",
  ]
    .filter(Boolean)
    .join("; ");
}

/* ---- trees ---- */

function nameCell(column, metric, dominant) {
  const cell = el("th", { scope: "row" }, dominant && "\u25b8 ", textOf(metric, "name"));
  cell.style.paddingLeft = `${1.1 * depthOf(column, metric)}rem`;
  return cell;
}
/* Rows with a heading where a group begins. */
function groupedRows(metrics, columns, row) {
  let group = "";
  return metrics.flatMap((metric) => {
    const begins = textOf(metric, "group") && textOf(metric, "group") !== group;
    group = textOf(metric, "group");
    return [
      begins && el("tr.group", null, el("th", { colspan: columns, scope: "colgroup" }, group)),
      row(metric),
    ].filter(Boolean);
  });
}
/* [title, class, content]; a column of which nothing is known is left out. */
const singleColumns = [
  ["Value", "number", metricValue],
  ["Unit", "unit", unitOf],
  ["95 %", "", (metric) => metricRange(metric) && el("small", null, metricRange(metric))],
  [
    "Share",
    "",
    (metric) =>
      isShare(metric) &&
      textOf(metric, "of") &&
      quantityOf(metric, "value") &&
      shareBar(quantityOf(metric, "whole") || quantityOf(metric, "value")),
  ],
  [
    "Of all",
    "",
    (metric) =>
      textOf(metric, "of") === "parent" &&
      quantityOf(metric, "whole") &&
      `${tenths(quantityOf(metric, "whole").value)} % of all`,
  ],
  ["Remark", "mind", remarkOf],
];
function singleRow(column, columns, metric) {
  const dominant = get(metric, "dominant") === true;
  return el(
    `tr${dominant ? ".dominant" : ""}`,
    null,
    nameCell(column, metric, dominant),
    columns.map(([, kind, content]) => el(kind ? `td.${kind}` : "td", null, content(metric))),
  );
}
function heatCell(column, name, losses) {
  const metric = metricNamed(column, name);
  if (!metric) return el("td.number", null, "-");
  const q = quantityOf(metric, "value"),
    range = metricRange(metric),
    mark = get(metric, "dominant") !== true ? "" : get(metric, "tied") === true ? "~ " : "\u25b8 ";
  const cell = el(
    "td.number.heat",
    { title: textOf(metric, "why") || null },
    mark,
    metricValue(metric),
    get(metric, "out_of_range") === true && " !",
    range && [el("br"), el("small", null, range)],
  );
  if (q && losses && isShare(metric) && textOf(metric, "of"))
    cell.style.backgroundColor = `rgb(${get(metric, "useful") === true ? "20 150 90" : "205 50 60"} / ${(0.35 * withinShare(q.value)).toFixed(2)})`;
  return cell;
}
function treeTable(columns, column, model) {
  const name = textOf(model, "name"),
    single = columns.length === 1,
    earlier = columns.slice(0, columns.indexOf(column));
  const rows = metricsOf(column).filter(
    (metric) =>
      textOf(metric, "model") === name &&
      (single ||
        (!earlier.some((one) => metricNamed(one, textOf(metric, "name"))) &&
          columns.some((one) => quantityOf(metricNamed(one, textOf(metric, "name")) ?? null, "value")))),
  );
  if (!rows.length) return null;
  const known = singleColumns.filter(([, , content]) => rows.some(content));
  const heads = single ? ["Metric", ...known.map(([title]) => title)] : ["Metric", "Unit", ...columns.map(labelOf)];
  const row = single
    ? (metric) => singleRow(column, known, metric)
    : (metric) =>
        el(
          "tr",
          null,
          nameCell(column, metric, false),
          el("td.unit", null, unitOf(metric)),
          columns.map((one) => heatCell(one, textOf(metric, "name"), get(model, "losses") === true)),
        );
  const title = textOf(model, "title") || name,
    caption = `${title}, ${labelOf(column)}`;
  return el(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table.metrics",
      null,
      el("caption.unseen", null, caption),
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          heads.map((head) => el("th", { scope: "col" }, head)),
        ),
      ),
      el("tbody", null, groupedRows(rows, heads.length, row)),
    ),
  );
}
function treeSections(columns) {
  const anywhere = new Set(columns.flatMap((column) => shownModels(column).map((model) => textOf(model, "name"))));
  return columns
    .flatMap((column, i) =>
      listOf(column, "models")
        .filter((model) => anywhere.has(textOf(model, "name")))
        .map((model, m) => {
          const node = treeTable(columns, column, model);
          return (
            node &&
            section(
              `model${i}-${m}`,
              textOf(model, "title") || textOf(model, "name"),
              paragraph(textOf(model, "about"), "quiet"),
              node,
            )
          );
        }),
    )
    .filter(Boolean);
}

/* ---- the answer ---- */

function answerSection(columns) {
  const ways = columns
    .flatMap((column) =>
      shownModels(column).map((model) => {
        const way = metricsOf(column).filter(
          (metric) => textOf(metric, "model") === textOf(model, "name") && get(metric, "dominant") === true,
        );
        return (
          way.length > 0 && [
            el(
              "p.lead",
              null,
              el("b", null, way.map((metric) => textOf(metric, "name")).join(" \u203a ")),
              " ",
              el("small", null, `${labelOf(column)}, ${textOf(model, "title")}`),
            ),
            paragraph(textOf(way[way.length - 1], "about"), "quiet"),
          ]
        );
      }),
    )
    .filter(Boolean);
  return ways.length > 0 && section("answer", "Largest loss", ways);
}

/* ---- under roofs ---- */

const levelLooks = { L1: "l1", L2: "l2", L3: "other", memory: "memory" };
const flopsNames = { scalar: "one element at a time", simd: "vectors", fma: "vectors with fused multiply-add" };
/* A mark this many times right of all else would only squeeze the picture. */
const farRight = 10;

/* Those under the roofs of the first that have a place. */
function roofColumns(document) {
  const columns = listOf(document, "columns"),
    roofs = (one) =>
      JSON.stringify([
        get(one, "machine"),
        get(one, "cores"),
        listOf(one, "levels").map((level) => get(level, "roof_gbs")),
      ]);
  const found = listOf(document, "roofline")
    .map((roof, i) => ({ roof, label: labelOf(columns[i] ?? null) }))
    .filter(
      ({ roof }) =>
        numberOf(roof, "flops_per_s", "value") > 0 && (quantityOf(roof, "ai") || quantityOf(roof, "ai_memory")),
    );
  return found.filter(({ roof }) => roofs(roof) === roofs(found[0].roof));
}
function metricsRoofPoints(found, right) {
  const looks = [
    ["dot", "written"],
    ["square", "winner"],
    ["diamond", "failed"],
    ["down", "compute"],
  ];
  return found.flatMap(({ roof, label }, i) =>
    ["ai", "ai_memory"]
      .map((key) => {
        const x = quantityOf(roof, key),
          y = scaled(quantityOf(roof, "flops_per_s"), 1e-9),
          [mark, colour] = looks[i % looks.length],
          whose = key === "ai" ? "L1\u2019s bytes" : "memory\u2019s bytes";
        if (!x || !(x.value > 0) || x.value >= right) return null;
        return {
          mark: key === "ai" ? mark : "ring",
          colour,
          size: 5.5,
          x: x.value,
          y: y.value,
          xq: x,
          yq: y,
          log: true,
          text: `${label}, by ${whose}`,
          tip: [label, `${si(1e9 * y.value, "FLOP/s")} at ${plain(x.value)} FLOP per byte, by ${whose}`],
        };
      })
      .filter(Boolean),
  );
}
function metricsRoofChart(found) {
  const first = found[0].roof;
  const slopes = listOf(first, "levels")
    .map((level) => ({
      value: numberOf(level, "roof_gbs", "value"),
      colour: levelLooks[textOf(level, "level")] || "other",
      mark: "line",
      name: textOf(level, "level"),
    }))
    .filter((slope) => slope.value > 0);
  const node = numberOf(first, "memory_gbs", "value");
  if (node > 0 && !slopes.some((slope) => slope.value === node))
    slopes.push({ value: node, colour: "memory", mark: "dash", name: "memory, all its bytes" });
  const peaks = listOf(first, "flops")
    .map((one) => ({
      value: (numberOf(one, "roof_flops_per_s", "value") ?? 0) * 1e-9,
      text: flopsNames[textOf(one, "kind")] || textOf(one, "kind"),
    }))
    .filter((peak) => peak.value > 0);
  if (!slopes.length || !peaks.length) return null;
  const top = Math.max(...peaks.map((peak) => peak.value)),
    ridges = slopes.map((slope) => top / slope.value);
  const right = farRight * Math.max(...ridges, ...found.map(({ roof }) => quantityOf(roof, "ai")?.value ?? 0)),
    points = metricsRoofPoints(found, right);
  const x = axisAround([...ridges, ...points.map((p) => p.x)], {
    log: true,
    label: "arithmetic intensity (FLOP per byte)",
  });
  const y = axisAround([...peaks.map((peak) => peak.value), ...points.map((p) => p.y)], {
    log: true,
    label: "GFLOP/s",
  });
  const steepest = Math.max(...slopes.map((slope) => slope.value)),
    lineOf = (peak) => (peak.value === top ? "line" : "dotted");
  return {
    id: "roofline",
    title: `Roofs of ${textOf(first, "machine")}, ${plural(numberOf(first, "cores") ?? 1, "core")}`,
    x,
    y,
    points,
    label: "Roofline: GFLOP/s over FLOP per byte, both logarithmic",
    how: "Right is more arithmetic for each byte, up is more of it per second. Filled marks stand at the bytes that loads and stores ask of L1, hollow ones at those through memory. How much of a level is used, the sentences below say, not the distance to its slope.",
    lines: (frame) => [
      slopes.map((slope) =>
        drawLine(
          frame,
          [
            [x.low, x.low * slope.value],
            [top / slope.value, top],
          ],
          `${slope.mark}.c-${slope.colour}`,
        ),
      ),
      peaks.map((peak) =>
        drawLine(
          frame,
          [
            [Math.max(x.low, peak.value / steepest), peak.value],
            [x.high, peak.value],
          ],
          `${lineOf(peak)}.c-compute`,
        ),
      ),
    ],
    legend: [
      ...slopes.map((slope) => ({
        ...slope,
        text: `${slope.name}: ${si(1e9 * slope.value, "B/s")}, ridge ${digits(top / slope.value)}`,
      })),
      ...peaks.map((peak) => ({
        mark: lineOf(peak),
        colour: "compute",
        text: `${peak.text}: ${si(1e9 * peak.value, "FLOP/s")}`,
      })),
      ...points,
    ],
  };
}
function rooflineSection(document, figures) {
  const found = roofColumns(document),
    chart = found.length > 0 && metricsRoofChart(found);
  if (!chart) return null;
  figures.push(figureOf(chart, drawChart, () => {}));
  const left = listOf(document, "columns").length - found.length;
  return section(
    "roofline",
    "Roofline",
    figures[0],
    itemList(found.map(({ roof, label }) => `${label}: ${textOf(roof, "sentence")}.`)),
    left > 0 && paragraph(`${left} left out: without FLOP/s and bytes, or under other roofs.`, "quiet"),
    details("What the roofs are", false, itemList(listOf(found[0].roof, "notes").map(asText))),
  );
}

/* ---- what is beside ---- */

function notesSection(columns) {
  const little = columns
    .map((column) => {
      const q = quantityOf(column, "little_lines_per_core"),
        counted = quantityOf(metricNamed(column, "L1_in_flight_all") ?? null, "value");
      return (
        q &&
        paragraph(
          `${labelOf(column)}: by Little\u2019s law ${plain(q.value)} lines per core are in flight${counted ? `; counted: ${plain(counted.value)}` : ""}.`,
          "note",
        )
      );
    })
    .filter(Boolean);
  const missing = (column) =>
    listOf(column, "models")
      .filter((model) => get(model, "computed") !== true && listOf(model, "missing").length)
      .map(
        (model) => `${textOf(model, "title")}: not computed without ${listOf(model, "missing").map(asText).join(", ")}`,
      );
  const notes = columns
    .map((column) => [labelOf(column), [...listOf(column, "notes").map(asText), ...missing(column)]])
    .filter(([, list]) => list.length);
  return (
    (notes.length > 0 || little.length > 0) &&
    section(
      "notes",
      "Notes",
      notes.map(([label, list]) => [el("h3", null, label), itemList(list)]),
      little,
    )
  );
}
function formulasSection(columns) {
  const seen = new Set(),
    sets = columns.filter(
      (column) => !seen.has(textOf(column, "definition", "name")) && seen.add(textOf(column, "definition", "name")),
    );
  return section(
    "formulas",
    "Formulas",
    sets.map((column) =>
      details(
        textOf(column, "definition", "title"),
        false,
        el(
          "dl.reasons",
          null,
          metricsOf(column).map((metric) => [
            el("dt", null, el("code", null, `${textOf(metric, "name")} = ${textOf(metric, "formula")}`)),
            el(
              "dd",
              null,
              textOf(metric, "about"),
              textOf(metric, "source") && el("small", null, ` From: ${textOf(metric, "source")}`),
            ),
          ]),
        ),
      ),
    ),
  );
}

/* ---- the page ---- */

function metricsHead(columns) {
  const chips = columns.map((column) => {
    const took = quantityOf(column, "seconds");
    return [
      chip(`${labelOf(column)}: ${textOf(column, "definition", "title")}${took ? `, ${seconds(took.value)}` : ""}`),
      " ",
    ];
  });
  return el("div", null, el("h1", null, columns.map(labelOf).join(" and ")), el("p", null, chips));
}
function metricsPage(document) {
  const columns = listOf(document, "columns").filter(isObject),
    figures = [];
  const named = [
    [answerSection(columns), "Largest loss"],
    [rooflineSection(document, figures), "Roofline"],
    ...treeSections(columns).map((node) => [node, node.querySelector("h2").textContent]),
    [notesSection(columns), "Notes"],
    [formulasSection(columns), "Formulas"],
  ].filter(([node]) => node);
  const nav = el(
    "nav",
    { "aria-label": "Sections" },
    named.map(([node, name]) => el("a", { href: `#${node.id}` }, name)),
  );
  return {
    nodes: [
      el("header", null, el("p", null, el("b.brand", null, "inflight"), " metrics")),
      el(
        "main",
        null,
        metricsHead(columns),
        nav,
        named.map(([node]) => node),
      ),
    ],
    rest: () => drawFigures(figures),
    follow: () => {},
  };
}
