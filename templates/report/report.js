/* The page of an inflight.report/1: the verdict first, then what it rests on. */
"use strict";

/* ---- the verdict ---- */

/* What was or is to be tried, and what need not be. */
const mainKinds = ["gained", "try", "allow", "no gain", "slower"];
const restKinds = {
  "not recommended": "Not recommended",
  "no use": "No use as long as the limit is what it is",
  "not possible": "Not possible",
};
const sizesText = (kernel) =>
  Object.entries(get(kernel, "sizes") || {})
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
const confidenceKinds = { high: "good", medium: "fair", low: "poor" };
function confidenceNode(word, reason) {
  return (
    word &&
    el("p.confidence", null, chip(`${word} confidence`, confidenceKinds[word] || "fair"), reason && ` ${reason}`)
  );
}
function gainNode(gain) {
  if (!gain) return null;
  const range = ratioRange(gain);
  return el(
    "p.gain",
    null,
    el("b", null, times(gain.value)),
    range && el("span", null, `95 %: ${range}`),
    range && gainBar(gain),
  );
}
function copyLine(name, text) {
  return text && el("div.line", null, el("dt", null, name), el("dd", null, copyable(text, name.toLowerCase())));
}

function heroFacts(document) {
  const compiler = get(document, "compiler");
  return [
    textOf(document, "machine", "name"),
    textOf(document, "machine", "load"),
    textOf(compiler, "version") || textOf(compiler, "name"),
    numberOf(document, "session") > 0 && `session ${numberOf(document, "session")}`,
    dateText(textOf(document, "date")),
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
}
function heroNode(document) {
  const verdict = get(document, "verdict"),
    headline = capital(textOf(verdict, "headline")),
    noise = textOf(verdict, "noise"),
    note = textOf(document, "machine", "note"),
    limit = capital(textOf(verdict, "limit")),
    why = capital(textOf(verdict, "why")),
    reason = textOf(verdict, "confidence_reason"); /* the interval stands beside the gain already */
  return el(
    `section.hero.${textOf(verdict, "kind")}`,
    { "aria-labelledby": "verdict", id: "top" },
    el(headline.length > 60 ? "h1.long" : "h1", { id: "verdict" }, headline),
    gainNode(quantityOf(verdict, "gain")),
    confidenceNode(textOf(verdict, "confidence"), reason.startsWith("95 %") ? "" : reason),
    paragraph(noise, "note"),
    limit && !why.startsWith(limit) && el("p", null, el("b", null, limit)),
    paragraph(sentence(why), "why"),
    textOf(document, "limit_line") && el("p", null, el("code", null, textOf(document, "limit_line"))),
    el("dl.lines", null, copyLine("Next", commandLine(get(verdict, "next")))),
    get(document, "interrupted") === true &&
      el("p.note", null, "Interrupted: this is what was known by then. The same command continues the session."),
    note !== noise && paragraph(note, "note"),
    paragraph(heroFacts(document), "quiet"),
  );
}

/* ---- what was changed ---- */

/* "n=1, 2, 3, ...; integers exactly, ...": many sizes are counted. */
function verifiedText(text) {
  const many = 9,
    end = text.includes(";") ? text.indexOf(";") : text.length,
    sizes = text.slice(0, end).split(", ");
  if (!text) return "";
  return `Results equal those of the kernel as written at ${sizes.length < many ? text : `${sizes.length} sizes${text.slice(end)}`}.`;
}
function changedSection(report) {
  if (!report.best) return null;
  const best = report.variants[report.best],
    lines = diffLines(report.document, best.plan),
    output = textOf(report.document, "output");
  return section(
    "changed",
    "What was changed",
    el("p", null, copyable(best.plan, "plan")),
    paragraph(verifiedText(textOf(report.document, "best", "verified_sizes"))),
    output && el("p", null, "Written to ", el("code", null, output), "."),
    lines.length
      ? diffNode(lines, best.plan)
      : paragraph(
          "This session does not hold its C; \u2018inflight apply FILE.c --plan\u2019 with this plan writes it.",
          "quiet",
        ),
  );
}

/* ---- what was gained ---- */

function gainTile(title, gain, what) {
  if (!gain) return null;
  const claimed = gain.believed && !isNoise(gain);
  return el(
    `div.tile${claimed && gain.value > 1 ? ".good" : ""}`,
    null,
    el("h3", null, title),
    el("p.big", null, gain.believed ? times(gain.value) : "not believed"),
    gain.believed
      ? [
          gainBar(gain),
          paragraph(
            [
              ratioRange(gain) && `95 %: ${ratioRange(gain)}`,
              !claimed && gain.low < gain.high && "not beyond the noise",
            ]
              .filter(Boolean)
              .join("; "),
            "quiet",
          ),
        ]
      : paragraph("The machine was busy; measure again when it is quiet.", "quiet"),
    gain.disturbed >= 0.05 &&
      paragraph(`Others had the processor for ${percent(gain.disturbed)} of the time, which is not counted.`, "quiet"),
    paragraph(what, "quiet"),
  );
}
function environmentsNode(report) {
  const list = listOf(report.document, "environments");
  return (
    list.length > 0 && [
      el("h3", null, "Environments tried"),
      itemList(
        list.map((tried) => {
          const gain = quantityOf(tried, "gain");
          return [
            el("b", null, textOf(tried, "environment")),
            `, ${textOf(tried, "plan") || "as written"}: `,
            gain && `${ratioText(gain)}; `,
            `${textOf(tried, "outcome")}.`,
          ];
        }),
      ),
    ]
  );
}
function inAppNode(report) {
  const app = get(report.document, "in_app");
  if (!isObject(app)) return null;
  if (textOf(app, "sentence"))
    return [el("h3", null, "In the application"), paragraph(`Nothing is claimed: ${textOf(app, "sentence")}.`)];
  const rows = [
    ["The kernel alone", "isolated_gain", "not measured"],
    ["The routine in the application", "routine_gain", "not known"],
    ["The whole program", "program_gain", "not known"],
    ["Expected of the program, from the routine\u2019s share and gain", "expected_gain", "not known"],
  ];
  return [
    el("h3", null, "In the application"),
    paragraph(
      `${textOf(app, "build")} && ${textOf(app, "run")}, by ${plural(numberOf(app, "pairs") ?? 0, "pair")} of runs.`,
    ),
    table(
      "Gains in the application",
      [["What"], ["Gain", "number"], ["95 %"]],
      rows.map(([name, key, absent]) => {
        const gain = quantityOf(app, key);
        return [
          name,
          gain ? times(gain.value) : absent,
          gain ? `${ratioRange(gain)}${isNoise(gain) ? ", not beyond the noise" : ""}` : "",
        ];
      }),
    ),
    textOf(app, "no_routine") && paragraph(`The routine\u2019s gain is not known: ${textOf(app, "no_routine")}.`),
    textOf(app, "why") && [
      paragraph(textOf(app, "why")),
      itemList(listOf(app, "causes").map((cause) => `${textOf(cause, "cause")}: ${textOf(cause, "sentence")}`)),
    ],
  ];
}
function gainsSection(report) {
  const { document } = report;
  if (textOf(document, "command") === "advise") return null;
  const kinds = [
    ["Source", report.best ? report.variants[report.best].gain : null, "The changed C over the kernel as written, timed in turn."],
    [
      "Huge pages",
      quantityOf(document, "environment_gain"),
      "Under the kernel as written. The caller, who allocates, can set them; the source cannot.",
    ],
    [
      "Source and pages together",
      quantityOf(document, "total_gain"),
      "The best plan in the best environment over the kernel as written in its own.",
    ],
  ];
  const tiles = kinds.map(([title, gain, what]) => gainTile(title, gain, what)).filter(Boolean),
    missing = kinds.filter(([, gain]) => !gain).map(([title]) => title.toLowerCase());
  const others = [inAppNode(report), environmentsNode(report)].filter(Boolean);
  if (!tiles.length && !others.length) return null;
  return section(
    "gains",
    "What was gained",
    tiles.length > 0 && el("div.tiles", null, tiles),
    tiles.length > 0 && missing.length > 0 && paragraph(`Not measured: ${missing.join(", ")}.`, "quiet"),
    others,
  );
}

/* ---- what limits the loop ---- */

/* Of a resource, or of what took time. */
const nameOf = (report, key) => textOf(report.document, "names", key) || key;
const resourceUnits = { page_walkers: "walks/s", memory: "B/s", l2_link: "B/s", l3_link: "B/s", arithmetic: "FLOP/s" };
const sharedResources = ["memory"]; /* all others are a core's own */
const leastShown = 0.05;

function useText(name, queue) {
  const counted = quantityOf(queue, "n"),
    limit = quantityOf(queue, "limit"),
    floor = limit && limit.high === Infinity ? "at least " : "";
  if (!resourceUnits[name] && counted)
    return `${plain(counted.value, 2)} of ${limit ? floor + plain(limit.value, 2) : "?"} entries per core`;
  const rate = quantityOf(queue, "rate"),
    unit = resourceUnits[name] || "entries",
    factor = unit === "B/s" ? 1e9 : 1;
  if (!rate) return "";
  return (
    (limit
      ? `${si(rate.value * factor, unit)} of ${floor}${si(limit.value * factor, unit)}`
      : si(rate.value * factor, unit)) + (sharedResources.includes(name) ? "" : " per core")
  );
}
function useShare(use) {
  if (use.low > 1) return "more than there is";
  const end = (share) => (share >= 1 ? "100" : plain(100 * Math.max(0, share), 2));
  return [percent(Math.min(use.value, 1)), use.low < use.high && el("small", null, ` ${end(use.low)} to ${end(use.high)} %`)];
}
function resourceRow(report, queue) {
  const name = textOf(queue, "resource"),
    use = quantityOf(queue, "utilization");
  if (!use) return null;
  const least = quantityOf(queue, "least_s"),
    full = textOf(queue, "fullness");
  return {
    use: use.value,
    cells: [
      nameOf(report, name),
      [shareBar(use, full === "full" ? "full" : use.value >= 0.85 ? "near" : ""), " ", useShare(use)],
      useText(name, queue),
      least ? seconds(least.value) : "",
    ],
  };
}
/* What is hardly used is hidden, though never all of it. */
function resourcesNode(report, measurement, caption) {
  const rows = listOf(measurement, "queues")
    .map((queue) => resourceRow(report, queue))
    .filter(Boolean)
    .sort((a, b) => b.use - a.use);
  if (!rows.length) return null;
  const node = table(
    caption,
    [["Resource"], ["In use", "use"], ["Of the limit", "rate"], ["Least time", "number.least"]],
    rows.map((row) => row.cells),
    "resources",
  );
  const low = [...node.querySelectorAll("tbody tr")].filter((row, i) => i > 0 && rows[i].use < leastShown);
  low.forEach((row) => {
    row.hidden = true;
  });
  const button = el(
    "button",
    {
      type: "button",
      onclick: () => {
        low.forEach((row) => {
          row.hidden = false;
        });
        button.remove();
      },
    },
    `Show all (${low.length} more below ${100 * leastShown} %)`,
  );
  return el("div.group", null, el("h3", null, caption), node, low.length > 0 && button);
}
function evidenceText(report) {
  const baseline = get(report.document, "baseline"),
    written = report.variants[0],
    memory = quantityOf(baseline, "bandwidth_gbs"),
    latency = quantityOf(baseline, "latency_ns"),
    lines = quantityOf(baseline, "occupancy");
  if (!written || !written.ran) return "";
  const range = (q, unit) =>
    `${plain(q.value)}${q.low < q.high && q.high < Infinity ? ` (${plain(Math.max(0, q.low))} to ${plain(q.high)})` : ""}${unit}`;
  return (
    `One call takes ${seconds(written.time.value)}${memory ? ` and draws ${range(memory, " GB/s")} through memory` : ""}${latency ? `, where a line takes ${range(latency, " ns")} to arrive` : ""}` +
    `${lines ? `; on average ${range(lines, "")} lines per core are in flight` : ""}.`
  );
}
function factText(fact) {
  const unit = textOf(fact, "unit") === "share" ? "" : ` ${textOf(fact, "unit")}`,
    value = quantityOf(fact, "value"),
    other = quantityOf(fact, "by_bandwidth");
  const one = (q) =>
    `${plain(q.value)}${unit}${q.low < q.high ? ` (${plain(q.low)} ${q.high === Infinity ? "or more" : `to ${plain(q.high)}`})` : ""}`;
  if (!value) return `not used: ${textOf(fact, "why_not")}`;
  const apart =
    other &&
    (value.low > other.high
      ? ": fewer, so other caches serve some misses, or misses take longer than the profile says"
      : value.high < other.low
        ? ": more, so prefetchers fetch some ahead, or memory answers sooner than the profile says"
        : "");
  return `${one(value)}${textOf(fact, "of") ? ` of ${textOf(fact, "of")}` : ""}${other ? `; by bandwidth and latency ${one(other)}${apart}` : ""}`;
}
function countedNode(report) {
  const counted = get(report.document, "counted"),
    metrics = listOf(counted, "metrics").filter((fact) => quantityOf(fact, "counted"));
  return (
    metrics.length > 0 &&
    el(
      "div.group",
      null,
      el("h3", null, "Hardware counters"),
      table(
        `Counted, by the definitions of ${textOf(counted, "definitions")}`,
        [["Metric"], ["Counted"]],
        metrics.map((fact) => [textOf(fact, "name"), factText(fact)]),
      ),
    )
  );
}
const words = [
  ["Line", "what memory is moved by, mostly 64 bytes, however few of them the loop uses"],
  [
    "MSHR, miss queue",
    "each cache miss holds an entry of a short queue (a miss status handling register) until its line arrives; when all are taken, no further miss can start",
  ],
  [
    "In flight",
    "outstanding misses: bandwidth times latency over the size of a line (Little\u2019s law), the memory-level parallelism of the loop",
  ],
  ["95 %", "the true value lies between both ends with 95 % confidence"],
];
function limitsSection(report) {
  const { document } = report,
    cause = get(document, "cause"),
    limit = textOf(document, "cause", "sentence");
  if (!limit && !report.variants.length) return null;
  return section(
    "limits",
    "What limits the loop",
    paragraph(limit || "How much the kernel moves was not found out.", "lead"),
    cause && confidenceNode(textOf(cause, "confidence"), textOf(cause, "reason")),
    paragraph(evidenceText(report)),
    resourcesNode(report, get(document, "baseline"), "Resources, as written"),
    report.best > 0 && resourcesNode(report, report.variants[report.best].json, "Resources, the winner"),
    countedNode(report),
    details("What these words mean", false, facts(words)),
  );
}

/* ---- advice ---- */

function adviceFigures(advice, kind) {
  const gain = quantityOf(advice, "gain"),
    expected = quantityOf(advice, "expected"),
    most = quantityOf(advice, "most");
  return facts([
    [
      "Measured",
      gain && `${ratioText(gain)} over the kernel as written${kind === "no gain" && gain.low > 1 ? ", by the steps beside it" : ""}`,
    ],
    ["Expected", expected && !gain && times(expected.value, 2)],
    ["At most", (kind === "try" || kind === "allow" || kind === "gained") && most && times(most.value, 2)],
    ["Confidence", textOf(advice, "confidence")],
    ["Outcome", textOf(advice, "outcome")],
  ]);
}
function adviceNode(advice) {
  const kind = textOf(advice, "verdict_text"),
    plan = textOf(advice, "plan");
  return el(
    "li.advice",
    null,
    el(
      "div",
      null,
      el("h3", null, el(`span.verdict.${kind.replace(" ", "-")}`, null, kind), " ", textOf(advice, "transformation")),
      adviceFigures(advice, kind),
    ),
    el(
      "div",
      null,
      paragraph(sentence(textOf(advice, "reason"))),
      plan && el("p", null, copyable(plan, "plan")),
      textOf(advice, "rule") && el("p.rule", null, "rule ", el("code", null, textOf(advice, "rule"))),
    ),
  );
}
function adviceSection(report) {
  const list = listOf(report.document, "advice").filter(isObject),
    of = (...kinds) => list.filter((one) => kinds.includes(textOf(one, "verdict_text")));
  if (!list.length) return null;
  const rest = Object.entries(restKinds).map(([kind, title]) => [title, of(kind)]);
  const first = of(...mainKinds);
  return section(
    "advice",
    "Advice, most promising first",
    first.length ? el("ul.cards", null, first.map(adviceNode)) : paragraph("Nothing is recommended."),
    rest
      .filter(([, some]) => some.length)
      .map(([title, some]) =>
        details(
          `${title} (${some.length}): ${some.map((one) => textOf(one, "transformation")).join(", ")}`,
          false,
          el("ul.cards", null, some.map(adviceNode)),
        ),
      ),
  );
}

/* ---- what was pruned ---- */

function prunedSection(report) {
  const list = listOf(report.document, "pruned").filter(isObject),
    advised = new Set(listOf(report.document, "advice").map((one) => textOf(one, "rule")));
  const own = list.filter((one) => !advised.has(textOf(one, "rule"))),
    groups = new Map();
  for (const one of own)
    groups.set(textOf(one, "reason"), [...(groups.get(textOf(one, "reason")) || []), textOf(one, "plan")]);
  if (!list.length) return null;
  const repeated = list.length - own.length;
  return section(
    "pruned",
    "What was not tried",
    paragraph(
      `${plural(list.length, "candidate")} ${list.length === 1 ? "was" : "were"} pruned without being built.${repeated ? ` ${own.length ? `The reasons of ${repeated}` : "The reasons"} stand under the advice.` : ""}`,
    ),
    own.length > 0 &&
      details(
        `${plural(groups.size, "reason")} for the other ${own.length}`,
        false,
        el(
          "dl.reasons",
          null,
          [...groups].map(([reason, plans]) => [
            el("dt", null, sentence(reason) || "No reason was recorded."),
            el(
              "dd",
              null,
              plans.map((plan, i) => [i > 0 && " ", el("code", null, plan)]),
            ),
          ]),
        ),
      ),
  );
}

/* ---- what is left ---- */

function recordText(rule) {
  const judged = numberOf(rule, "judged") ?? 0,
    broken = numberOf(rule, "broken") ?? 0,
    factor = numberOf(rule, "factor");
  return (
    `rule ${textOf(rule, "rule")}: right ${numberOf(rule, "right") ?? 0} of ${plural(judged, "time")} here${factor !== null && factor < 1 ? `, so it weighs ${digits(factor, 2)} of what it says` : ""}` +
    `${broken ? `; ${broken} of ${plural(numberOf(rule, "bounds") ?? 0, "bound")} exceeded` : ""}`
  );
}
function auditNode(report) {
  const audit = get(report.document, "audit"),
    items = listOf(audit, "pruned").filter((item) => textOf(item, "plan"));
  return (
    textOf(audit, "sentence") && [
      el("h3", null, "Audit of what was pruned"),
      paragraph(textOf(audit, "sentence")),
      itemList(
        items.map((item) => {
          const gain = quantityOf(item, "gain");
          return [
            `${textOf(item, "transformation")} by `,
            el("code", null, textOf(item, "plan")),
            gain && `: ${ratioText(gain)}`,
            get(item, "wrong") === true && ", wrongly pruned",
          ];
        }),
      ),
    ]
  );
}
function leftSection(report) {
  const { document } = report,
    left = get(document, "left"),
    stop = textOf(document, "stop"),
    took = numberOf(document, "seconds"),
    reused = get(document, "reused");
  const record = listOf(document, "record");
  const parts = [
    paragraph(textOf(left, "sentence"), "lead"),
    stop &&
      paragraph(
        `The search ended because ${stop}${took === null ? "" : `, after ${seconds(took)}`} and ${plural(report.variants.length, "variant")}.`,
      ),
    isObject(reused) &&
      paragraph(
        `Reused from earlier sessions: ${plural(numberOf(reused, "measurements") ?? 0, "measurement")}, ${plural(numberOf(reused, "comparisons") ?? 0, "comparison")}.`,
      ),
    auditNode(report),
    record.length > 0 && [
      el("h3", null, "How often these rules were right on this machine"),
      itemList(record.map(recordText)),
    ],
  ];
  return parts.some(Boolean) ? section("left", "What is left to gain", parts) : null;
}

/* ---- where the time went ---- */

function timeSection(report) {
  const time = get(report.document, "time"),
    wall = numberOf(time, "wall_s");
  if (!(wall > 0)) return null;
  const rows = Object.keys(time)
    .filter((key) => textOf(report.document, "names", key) && numberOf(time, key) >= 0.01 * wall)
    .map((key) => ({ name: nameOf(report, key), took: numberOf(time, key), last: key === "other_s" }))
    .sort((a, b) => a.last - b.last || b.took - a.took);
  return section(
    "time",
    "Where the time went",
    table(
      "Time by activity",
      [["What"], ["Time", "number"], ["Share", "use"]],
      rows.map((row) => [
        row.name,
        seconds(row.took),
        [shareBar(exactly(row.took / wall)), " ", percent(row.took / wall)],
      ]),
    ),
    paragraph(`${seconds(wall)} in all.`, "quiet"),
  );
}

/* ---- machine and provenance ---- */

const provenances = {
  clock: "timed here",
  model: "cache model run over the loop\u2019s own accesses",
  papi: "hardware counters",
  probe: "probed on this machine",
  table: "table of CPUs or a published profile",
  source: "counted in the source",
  stepped: "counted by stepping through a smaller call, scaled",
  predicted: "predicted from measured machines",
  derived: "computed from several of these",
  declared: "said by the user",
  recorded: "read from a recorded measurement",
};

function provenancesIn(value, found = new Set()) {
  if (value === null || typeof value !== "object") return found;
  for (const [key, part] of Object.entries(value)) {
    if (key === "provenance" && typeof part === "string") found.add(part);
    else if (key !== "profile" && key !== "variants") provenancesIn(part, found);
  }
  return found;
}
function limitText(limit) {
  const used = quantityOf(limit, "used");
  return used
    ? `${used.high === Infinity ? "at least " : ""}${plain(used.value, 2)} entries per ${textOf(limit, "scope") || "core"}; ${textOf(limit, "source")}`
    : "";
}
function ofMachine(machine, key, unit, factor) {
  const found = quantityOf(machine, key);
  return found
    ? `${unit ? si(found.value * factor, unit) : ""} (${provenances[found.provenance] || "source unknown"})`
    : "";
}
function aboutSection(report) {
  const { document } = report,
    machine = get(document, "machine"),
    profile = get(document, "profile"),
    compiler = get(document, "compiler"),
    traffic = get(document, "baseline", "traffic");
  const used = [...provenancesIn(document)].filter((word) => provenances[word]),
    assumptions = listOf(document, "kernel", "assumptions").map(asText);
  return section(
    "about",
    "Machine and provenance",
    facts([
      ["Machine", textOf(machine, "name")],
      ["Recognised as", textOf(machine, "microarchitecture")],
      ["How", textOf(machine, "recognition")],
      ["Load while timing", textOf(machine, "load")],
      ["L1 miss queue", limitText(get(machine, "l1_mshrs"))],
      ["L2 miss queue", limitText(get(machine, "l2_mshrs"))],
      ["Unloaded latency", ofMachine(machine, "memory_latency_ns", "s", 1e-9)],
      ["Reads, all cores", ofMachine(machine, "node_read_gbs", "B/s", 1e9)],
      [
        "Profile",
        [
          textOf(profile, "source"),
          dateText(textOf(profile, "date")),
          get(machine, "quick_profile") === true && "made quickly, so rougher",
        ]
          .filter(Boolean)
          .join(", "),
      ],
      [
        "Compiler",
        [textOf(compiler, "version"), listOf(compiler, "flags").map(asText).join(" ")].filter(Boolean).join("; "),
      ],
      [
        "Traffic as written",
        [provenances[textOf(traffic, "provenance")], textOf(traffic, "note")].filter(Boolean).join("; "),
      ],
      ["Proofs assume", assumptions.join("; ")],
    ]),
    used.length > 0 &&
      details("Where the figures come from", false, facts(used.map((word) => [word, provenances[word]]))),
  );
}

/* ---- how to reproduce ---- */

function reproduceSection(report) {
  const { document } = report,
    session = numberOf(document, "session"),
    kernel = get(document, "kernel");
  return section(
    "reproduce",
    "How to reproduce",
    el(
      "dl.lines",
      null,
      copyLine("Command", commandLine(["inflight", ...listOf(document, "command_line")])),
      session > 0 && copyLine("As data", `inflight report ${session} --json`),
      listOf(document, "next").map((next) => [
        get(next, "command") && copyLine(textOf(next, "sentence").replace(/:$/, ""), commandLine(get(next, "command"))),
      ]),
    ),
    facts([
      ["Sizes", sizesText(kernel)],
      ["Contents", textOf(kernel, "inputs")],
      ["Date", dateText(textOf(document, "date"))],
      ["Version", `inflight ${textOf(document, "version") || "unknown"}`],
    ]),
    paragraph("This page needs no network and no other file.", "quiet"),
  );
}

/* ---- the page ---- */

function headOf(document) {
  const kernel = get(document, "kernel"),
    line = numberOf(kernel, "line"),
    file = textOf(kernel, "file"),
    sizes = sizesText(kernel);
  return el(
    "header",
    null,
    el(
      "p",
      null,
      el("b.brand", null, "inflight"),
      " ",
      el("code", null, textOf(kernel, "function") || "a loop"),
      file && el("span.quiet", null, ` ${file}${line > 0 ? `:${line}` : ""}`),
      sizes && el("span.quiet", null, ` \u00b7 ${sizes}`),
    ),
  );
}
function variantsSection(report, variantTable) {
  if (report.variants.length < 2) return null;
  return section(
    "variants",
    "Every variant measured",
    paragraph(
      "Gains are over the kernel as written. A plan goes behind \u2018inflight apply FILE.c --plan\u2019; Details shows its C.",
      "quiet",
    ),
    variantTable.node,
  );
}
const navNames = {
  changed: "Changed",
  gains: "Gained",
  limits: "Limit",
  advice: "Advice",
  pictures: "Pictures",
  variants: "Variants",
  pruned: "Not tried",
  left: "Left",
  time: "Time",
  about: "Machine",
  reproduce: "Reproduce",
};

/* The verdict at once; what is below it when that has been painted. */
function reportPage(document) {
  const main = el("main", null, heroNode(document));
  let variantTable = null;
  const rest = () => {
    const report = readReport(document);
    variantTable = new VariantTable(report);
    const figures = picturesOf(report, (index) => variantTable.open(index));
    const sections = [
      changedSection(report),
      gainsSection(report),
      limitsSection(report),
      adviceSection(report),
      figures.length > 0 && section("pictures", "Pictures", figures),
      variantsSection(report, variantTable),
      prunedSection(report),
      leftSection(report),
      timeSection(report),
      aboutSection(report),
      reproduceSection(report),
    ].filter(Boolean);
    fill(main, [
      el(
        "nav",
        { "aria-label": "Sections" },
        sections.map((one) => el("a", { href: `#${one.id}` }, navNames[one.id])),
      ),
      sections,
    ]);
    drawFigures(figures);
  };
  return { nodes: [headOf(document), main], rest, follow: (fragment) => variantTable.follow(fragment) };
}
