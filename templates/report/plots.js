/* The pictures: charts in SVG that are drawn for the width there is, and whose marks
 * answer to the pointer, to a finger and to the arrow keys. */
"use strict";

/* ---- axes ---- */

function linearTicks(low, high, about) {
  const rough = (high - low) / about,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(i * step);
  return ticks;
}
function logTicks(low, high, about) {
  const ticks = [],
    decades = Math.log10(high / low);
  const steps = decades > about ? [1] : decades > about / 3 ? [1, 3] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const step of steps)
      if (step * 10 ** power >= low && step * 10 ** power <= high) ticks.push(step * 10 ** power);
  return ticks.length > 1 ? ticks : linearTicks(low, high, about);
}
/* A function from values to pixels. */
function scaleOf(axis, from, to) {
  const f = axis.log ? Math.log : (x) => x,
    low = f(axis.low),
    high = f(axis.high);
  return (value) => from + ((f(value) - low) / (high - low)) * (to - from);
}
/* Axis around the values, with some room; a spread of nothing is widened. */
function axisAround(values, axis) {
  const known = values.filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
  let low = Math.min(...known),
    high = Math.max(...known);
  if (axis.log) return { ...axis, low: low / 1.6, high: high * 1.6 };
  if (axis.zero) low = Math.min(0, low);
  const room = Math.max(0.08 * (high - low), 0.02 * Math.abs(high), 1e-12);
  return { ...axis, low: axis.zero && low === 0 ? 0 : low - room, high: high + room };
}

/* ---- the frame ---- */

function frameOf(chart, width) {
  const narrow = width < 480,
    left = narrow ? 46 : 58,
    bottom = 44,
    top = 10,
    right = 14;
  const height = Math.round(chart.height || (narrow ? 0.85 : 0.6) * width);
  const frame = { width, height, left, top, right: width - right, bottom: height - bottom, narrow };
  frame.x = scaleOf(chart.x, frame.left, frame.right);
  frame.y = scaleOf(chart.y, frame.bottom, frame.top);
  frame.inside = (x, y) => x >= chart.x.low && x <= chart.x.high && y >= chart.y.low && y <= chart.y.high;
  return frame;
}
function ticksOf(axis, about) {
  const ticks = axis.whole
    ? linearTicks(axis.low, axis.high, about).filter(Number.isInteger)
    : axis.log
      ? logTicks(axis.low, axis.high, about)
      : linearTicks(axis.low, axis.high, about);
  return ticks.filter((at) => at >= axis.low && at <= axis.high);
}
function drawAxes(chart, frame) {
  const g = svg("g.axes");
  for (const at of ticksOf(chart.x, frame.narrow ? 4 : 7)) {
    const x = frame.x(at);
    g.append(
      svg("line.grid", { x1: x, x2: x, y1: frame.top, y2: frame.bottom }),
      svg("text", { x, y: frame.bottom + 16, "text-anchor": "middle" }, plain(at, 6)),
    );
  }
  for (const at of ticksOf(chart.y, 6)) {
    const y = frame.y(at);
    g.append(
      svg("line.grid", { x1: frame.left, x2: frame.right, y1: y, y2: y }),
      svg("text", { x: frame.left - 6, y: y + 4, "text-anchor": "end" }, plain(at, 6) + (chart.y.unit || "")),
    );
  }
  g.append(
    svg("path.frame", { d: `M${frame.left} ${frame.top}V${frame.bottom}H${frame.right}` }),
    svg(
      "text.name",
      { x: (frame.left + frame.right) / 2, y: frame.height - 6, "text-anchor": "middle" },
      chart.x.label,
    ),
    svg(
      "text.name",
      {
        x: 12,
        y: (frame.top + frame.bottom) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 12 ${Math.round((frame.top + frame.bottom) / 2)})`,
      },
      chart.y.label,
    ),
  );
  return g;
}

/* ---- marks ---- */

const shapes = {
  dot: (x, y, r) => svg("circle.filled", { cx: x, cy: y, r }),
  ring: (x, y, r) => svg("circle.hollow", { cx: x, cy: y, r }),
  diamond: (x, y, r) =>
    svg("path.filled", {
      d: `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
    }),
  square: (x, y, r) => svg("rect.filled", { x: x - r, y: y - r, width: 2 * r, height: 2 * r }),
  down: (x, y, r) => svg("path.filled", { d: `M${x - 1.2 * r} ${y - r}h${2.4 * r}l${-1.2 * r} ${2 * r}z` }),
  cross: (x, y, r) => svg("path.hollow", { d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` }),
};

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/* The interval of a point along one axis: a line with caps; an end beyond the frame has
 * none. */
function drawInterval(frame, point, along) {
  const q = point[along === "x" ? "xq" : "yq"];
  if (!q || !(q.low < q.high)) return null;
  const [from, to] = along === "x" ? [frame.left, frame.right] : [frame.bottom, frame.top];
  const least = Math.min(from, to),
    most = Math.max(from, to);
  const pixel = (v, end) => (Number.isFinite(v) && v > -1e300 ? frame[along](v) : end);
  const low = pixel(q.low > 0 || !point.log ? q.low : -Infinity, from),
    high = pixel(q.high, to);
  const a = clamp(Number.isFinite(low) ? low : from, least, most),
    b = clamp(Number.isFinite(high) ? high : to, least, most);
  const across = frame[along === "x" ? "y" : "x"](point[along === "x" ? "y" : "x"]),
    cap = 3;
  const capAt = (at, end) =>
    end !== at ? "" : along === "x" ? `M${at} ${across - cap}v${2 * cap}` : `M${across - cap} ${at}h${2 * cap}`;
  return svg("path.interval", {
    d: (along === "x" ? `M${a} ${across}H${b}` : `M${across} ${a}V${b}`) + capAt(a, low) + capAt(b, high),
  });
}
function drawPoints(frame, points) {
  const g = svg("g");
  for (const point of points)
    g.append(fill(svg(`g.c-${point.colour}`), [drawInterval(frame, point, "x"), drawInterval(frame, point, "y")]));
  for (const point of points)
    g.append(
      fill(svg(`g.c-${point.colour}`), [shapes[point.mark](frame.x(point.x), frame.y(point.y), point.size || 4)]),
    );
  return g;
}
/* Through points of values; what lies outside of the frame is cut off by the chart. */
function drawLine(frame, values, kind) {
  return svg(`path.${kind}`, {
    d: values.map(([x, y], i) => `${i ? "L" : "M"}${frame.x(x).toFixed(1)} ${frame.y(y).toFixed(1)}`).join(""),
  });
}

/* ---- charts ---- */

/* chart: { id, title, how, label, x, y, legend, points, lines(frame) -> nodes }. */
function drawChart(chart, width) {
  const frame = frameOf(chart, width),
    clip = `${chart.id}-clip`;
  const picture = svg(
    "svg.plot",
    { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": chart.label },
    svg(
      "defs",
      null,
      svg(
        "clipPath",
        { id: clip },
        svg("rect", {
          x: frame.left,
          y: frame.top,
          width: frame.right - frame.left,
          height: frame.bottom - frame.top,
        }),
      ),
    ),
    drawAxes(chart, frame),
    svg("g", { "clip-path": `url(#${clip})` }, chart.lines(frame)),
    drawPoints(frame, chart.points),
  );
  return {
    picture,
    places: chart.points.map((point) => ({
      x: frame.x(point.x),
      y: frame.y(point.y),
      tip: point.tip,
      variant: point.variant,
    })),
    width: frame.width,
  };
}

/* Horizontal bars in groups, a scale for all: { id, label, groups: [{ title, rows: [{ name,
 * bars: [{ colour, parts: [values], text, tip }] }] }] }. */
function drawBars(chart, width) {
  const rows = chart.groups.flatMap((group) => group.rows),
    places = [];
  const most = Math.max(...rows.flatMap((row) => row.bars.map((bar) => bar.parts.reduce((a, b) => a + b, 0))), 1e-12);
  const nameWidth = Math.min(0.3 * width, 12 + 7.2 * Math.max(...rows.map((row) => row.name.length)));
  const textWidth = 76,
    scale = (width - nameWidth - textWidth) / most,
    thick = 13,
    g = svg("g");
  let y = 4;
  for (const group of chart.groups) {
    g.append(svg("text.group", { x: 0, y: y + 13 }, group.title));
    y += 22;
    for (const row of group.rows) {
      g.append(
        svg("text", { x: nameWidth - 8, y: y + (row.bars.length * thick) / 2 + 4, "text-anchor": "end" }, row.name),
      );
      for (const bar of row.bars) {
        let x = nameWidth;
        bar.parts.forEach((part, i) => {
          g.append(
            svg(`rect.${i ? "light" : "filled"}.c-${bar.colour}`, { x, y, width: part * scale, height: thick - 2 }),
          );
          x += part * scale;
        });
        g.append(svg("text.value", { x: x + 5, y: y + thick - 3 }, bar.text));
        places.push({ x: (nameWidth + x) / 2, y: y + thick / 2, box: [0, y, width, y + thick], tip: bar.tip });
        y += thick;
      }
      y += 7;
    }
    y += 6;
  }
  return {
    picture: svg("svg.plot", { viewBox: `0 0 ${width} ${Math.ceil(y)}`, role: "img", "aria-label": chart.label }, g),
    places,
    width,
  };
}

/* ---- answering ---- */

/* The nearest place to a point of the picture. */
function nearest(places, x, y) {
  let best = null,
    least = 26 ** 2;
  for (const place of places) {
    if (place.box) {
      if (y >= place.box[1] && y < place.box[3]) return place;
      continue;
    }
    const apart = (place.x - x) ** 2 + (place.y - y) ** 2;
    if (apart < least) [best, least] = [place, apart];
  }
  return best;
}

/* A picture that is drawn anew when its width changes, with a tip for the mark that is
 * pointed at. Keys: left and right walk through the marks, Enter opens the variant. */
function interactive(chart, draw, openVariant) {
  const tip = el("div.tip", { role: "status", hidden: true });
  const stage = el("div.picture", {
    tabindex: "0",
    role: "group",
    "aria-label": `${chart.title}: the arrow keys read the marks`,
  });
  let drawn = null,
    ring = null,
    at = -1;
  const show = (place) => {
    tip.hidden = !place;
    ring?.remove();
    ring = null;
    if (!place) return;
    const factor = drawn.picture.clientWidth / drawn.width || 1;
    tip.replaceChildren(...place.tip.map((line, i) => el(i ? "div" : "b", null, line)));
    if (!place.box) drawn.picture.append((ring = svg("circle.ring", { cx: place.x, cy: place.y, r: 9 })));
    const right = place.x > drawn.width / 2;
    tip.style.left = right ? "auto" : `${place.x * factor + 14}px`;
    tip.style.right = right ? `${(drawn.width - place.x) * factor + 14}px` : "auto";
    tip.style.top = `${Math.max(0, place.y * factor - 10)}px`;
  };
  const pointed = (event) => {
    const box = drawn.picture.getBoundingClientRect(),
      factor = drawn.width / box.width;
    return nearest(drawn.places, (event.clientX - box.left) * factor, (event.clientY - box.top) * factor);
  };
  const open = (place) => place && place.variant !== undefined && openVariant(place.variant);
  stage.addEventListener("pointermove", (event) => show(pointed(event)));
  stage.addEventListener("pointerleave", () => show(null));
  stage.addEventListener("click", (event) => open(pointed(event)));
  stage.addEventListener("blur", () => show(null));
  stage.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key],
      count = drawn.places.length;
    if (step && count) show(drawn.places[(at = (at + step + (at < 0 && step < 0 ? 1 : 0) + count) % count)]);
    else if (event.key === "Enter") open(drawn.places[at]);
    else if (event.key === "Escape") show(null);
    else return;
    event.preventDefault();
  });
  stage.redraw = (width) => {
    drawn = draw(chart, width);
    stage.replaceChildren(drawn.picture, tip);
  };
  return stage;
}

function legendOf(items) {
  return el(
    "ul.legend",
    null,
    items
      .filter(Boolean)
      .map(({ mark, colour, text }) =>
        el(
          "li",
          null,
          fill(svg(`svg.mark.c-${colour}`, { viewBox: "0 0 24 14", "aria-hidden": "true" }), [
            shapes[mark] ? shapes[mark](12, 7, 4.5) : svg(`path.${mark}`, { d: "M1 7H23" }),
          ]),
          el("span", null, text),
        ),
      ),
  );
}

/* A figure. `id` is that of its address. */
function figureOf(chart, draw, openVariant) {
  const stage = interactive(chart, draw, openVariant);
  const figure = el(
    "figure",
    { id: `figure-${chart.id}` },
    el("h3", null, chart.title),
    stage,
    el("figcaption", null, el("p", null, chart.how), legendOf(chart.legend)),
  );
  figure.redraw = stage.redraw;
  return figure;
}

/* ---- bandwidth and latency ---- */

const interpolated = (points, gbs) => {
  if (!points.length || gbs > points[points.length - 1].gbs) return null;
  if (gbs <= points[0].gbs) return points[0].latency;
  const i = points.findIndex((point) => gbs <= point.gbs),
    a = points[i - 1],
    b = points[i];
  const share = (gbs - a.gbs) / (b.gbs - a.gbs),
    mix = (end) => a.latency[end] + share * (b.latency[end] - a.latency[end]);
  return { ...a.latency, value: mix("value"), low: mix("low"), high: mix("high") };
};

/* The machine's curve for this mix of reads and writes. */
function curveOf(report) {
  const share = quantityOf(report.document, "baseline", "analysis", "read_share")?.value ?? 1;
  const distance = (curve) =>
    Math.abs((numberOf(curve, "read_share") ?? 1) - share) + (get(curve, "nontemporal") && share >= 0.25 ? 1 : 0);
  const curves = listOf(report.document, "profile", "curves").filter((curve) => listOf(curve, "points").length);
  if (!curves.length) return null;
  const best = curves.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  const points = listOf(best, "points")
    .map((point) => ({ gbs: numberOf(point, "gbs"), latency: quantityOf(point, "latency_ns") }))
    .filter((point) => point.gbs !== null && point.latency);
  return points.length ? { points, share: numberOf(best, "read_share") ?? 1 } : null;
}

/* Bytes in flight (GB/s x ns) when the queues of all loaded cores are full. */
function queueBytes(report, level) {
  const profile = get(report.document, "profile"),
    limit = get(profile, level === 1 ? "l1_mshrs" : "l2_mshrs");
  const entries = quantityOf(limit, "used");
  if (!entries) return null;
  const cache = listOf(profile, "levels").find((one) => numberOf(one, "level") === level);
  const sharing =
    textOf(limit, "scope") && textOf(limit, "scope") !== "core"
      ? Math.max(1, numberOf(cache, "cores_sharing") ?? 1)
      : 1;
  const line = numberOf(profile, "transfer_bytes") || numberOf(profile, "line_bytes") || 64;
  return { entries, bytes: (entries.value * line * report.copies) / sharing };
}

function variantTip(variant, ...lines) {
  const gain =
    variant.index && variant.gain
      ? `${ratioText(variant.gain)} as fast as written`
      : variant.index
        ? variant.outcome
        : "";
  return [`${variant.index}: ${variant.name}`, gain, ...lines].filter(Boolean);
}
const markOf = (report, variant, counted) =>
  variant.index === 0
    ? { mark: "diamond", colour: "written", size: 6 }
    : variant.index === report.best
      ? { mark: counted ? "dot" : "ring", colour: "winner", size: 6 }
      : { mark: counted ? "dot" : "ring", colour: "other", size: 3.5 };

/* Variants worth a place by their traffic: what was counted, as written and the winner. */
const placed = (report) => report.variants.filter((v) => v.ran && (v.gbs || v.index === 0 || v.index === report.best));

function memoryPoints(report, curve) {
  return placed(report)
    .map((variant) => {
      const { gbs, counted } = bandwidthOf(report, variant);
      const latency = counted && variant.latency ? variant.latency : gbs && interpolated(curve.points, gbs.value);
      return (
        gbs &&
        latency && {
          ...markOf(report, variant, counted),
          x: gbs.value,
          y: latency.value,
          xq: gbs,
          yq: counted ? latency : null,
          variant: variant.index,
          tip: variantTip(
            variant,
            `${counted ? "" : "about "}${digits(gbs.value)} GB/s at ${digits(latency.value)} ns`,
          ),
        }
      );
    })
    .filter(Boolean);
}
function memoryChart(report) {
  const curve = curveOf(report);
  if (!curve) return null;
  const points = memoryPoints(report, curve);
  if (!points.length) return null;
  const x = axisAround([...curve.points.map((p) => p.gbs), ...points.map((p) => p.x)], {
    label: "bandwidth through memory, all loaded cores (GB/s)",
    zero: true,
  });
  const near = (q) => [q.value, Math.max(q.low, 0.85 * q.value), Math.min(q.high, 1.15 * q.value)];
  const y = axisAround([...curve.points.flatMap((p) => near(p.latency)), ...points.map((p) => p.y)], {
    label: "latency of memory (ns)",
  });
  const queues = [1, 2]
    .map((level) => ({ level, ...queueBytes(report, level) }))
    .filter((queue) => queue.bytes > x.low * y.low && queue.bytes / y.high < x.high);
  const band = (frame) =>
    svg("path.band", {
      d: `M${[
        ...curve.points.map((p) => [p.gbs, Math.max(p.latency.low, y.low)]),
        ...curve.points.map((p) => [p.gbs, Math.min(p.latency.high, y.high)]).reverse(),
      ]
        .map(([a, b]) => `${frame.x(a)} ${frame.y(b)}`)
        .join("L")}Z`,
    });
  return {
    id: "memory",
    title: "Bandwidth and latency",
    x,
    y,
    points,
    label: `Latency of memory over bandwidth, with ${plural(points.length, "variant")} as marks`,
    how: "A kernel moves right and up along the machine\u2019s curve as it draws more from memory. On a dashed line all entries of that queue (MSHRs) are taken: only fewer misses, or misses that wait elsewhere, lead past it. Left of the line there is room for more misses in flight.",
    lines: (frame) => [
      band(frame),
      drawLine(
        frame,
        curve.points.map((p) => [p.gbs, p.latency.value]),
        "line.c-memory",
      ),
      queues.map((queue) =>
        drawLine(
          frame,
          Array.from({ length: 41 }, (_, i) => y.low + (i / 40) * (y.high - y.low)).map((ns) => [queue.bytes / ns, ns]),
          `dash.c-l${queue.level}`,
        ),
      ),
    ],
    legend: [
      { mark: "line", colour: "memory", text: `this machine, ${plain(100 * curve.share)} % reads` },
      ...queues.map((queue) => ({
        mark: "dash",
        colour: `l${queue.level}`,
        text: `L${queue.level} miss queue full: ${plain(queue.entries.value, 2)} MSHRs per core${queue.entries.high === Infinity ? " or more" : ""}`,
      })),
      ...markLegend(points),
    ],
  };
}
function markLegend(points) {
  const has = (colour, mark) => points.some((p) => p.colour === colour && (!mark || p.mark === mark));
  return [
    has("written") && { mark: "diamond", colour: "written", text: "the kernel as written" },
    has("winner", "dot") && { mark: "dot", colour: "winner", text: "the winner" },
    has("winner", "ring") && { mark: "ring", colour: "winner", text: "the winner, about: its traffic was not counted" },
    has("other") && { mark: "dot", colour: "other", text: "other variants whose traffic was counted" },
  ];
}

/* ---- traffic of a variant ---- */

const callBytes = (variant) => scaled(product(variant.gbs, variant.time), 1e9);
function commonSteps(a, b) {
  const steps = new Set(a.split(" "));
  return b.split(" ").filter((step) => step && steps.has(step)).length;
}
/* Bytes through memory of one call of all copies: counted, or those of the counted variant
 * with most steps in common; then the low end is each line of the data once. */
function bytesOf(report, variant) {
  if (variant.gbs) return { bytes: callBytes(variant), counted: true };
  const counted = report.variants.filter((v) => v.ran && v.gbs);
  if (!counted.length) return { bytes: null, counted: false };
  const other = counted.reduce((a, b) =>
    commonSteps(b.plan, variant.plan) > commonSteps(a.plan, variant.plan) ? b : a,
  );
  const bytes = callBytes(other),
    data = report.copies * (numberOf(report.document, "kernel", "footprint_bytes") ?? 0);
  return { bytes: { ...bytes, low: data > 0 ? Math.min(bytes.low, data) : bytes.low }, counted: false };
}
function bandwidthOf(report, variant) {
  const { bytes, counted } = bytesOf(report, variant);
  return { gbs: counted ? variant.gbs : bytes && scaled(quotient(bytes, variant.time), 1e-9), counted };
}

/* ---- roofline ---- */

function peaksOf(report) {
  const profile = get(report.document, "profile"),
    all = report.copies === numberOf(profile, "cores");
  const prefix = (all ? "all_" : "") + (report.single ? "single_" : "");
  const peaks = [
    ["flops_scalar", "one element at a time"],
    ["flops_simd_unfused", "vectors"],
    ["flops_simd", "vectors with fused multiply-add"],
  ].map(([key, text]) => ({
    value: (numberOf(profile, prefix + key, "value") ?? 0) * (all ? 1 : report.copies) * 1e-9,
    text,
  }));
  const top = Math.max(...peaks.map((peak) => peak.value));
  return peaks.filter((peak) => peak.value > 0 && (peak.value === top || peak.value < 0.98 * top));
}
/* GB/s that memory, or a full queue of lines from memory, lets through. */
function slopesOf(report) {
  const queues = listOf(report.document, "baseline", "queues"),
    of = (name) => queues.find((q) => textOf(q, "resource") === name);
  const memory = numberOf(of("memory"), "limit", "value");
  const found =
    memory > 0 ? [{ value: memory, colour: "memory", mark: "line", text: `memory: ${digits(memory)} GB/s` }] : [];
  for (const level of [1, 2]) {
    const carries = quantityOf(of(`l${level}_mshrs`), "carries_gbs");
    if (carries && carries.value > 0 && (!memory || carries.value < memory))
      found.push({
        value: carries.value,
        colour: `l${level}`,
        mark: "dash",
        text: `L${level} miss queue full: ${digits(carries.value)} GB/s${carries.high === Infinity ? " or more" : ""}`,
      });
  }
  return found;
}
function roofPoints(report, flops) {
  return placed(report)
    .map((variant) => {
      const { bytes, counted } = bytesOf(report, variant);
      const rate = flops ? scaled(quotient(flops, variant.time), 1e-9) : bandwidthOf(report, variant).gbs;
      const x = flops ? quotient(flops, bytes) : scaled(bytes, 1e-6);
      if (!x || !rate || !(x.value > 0) || !(rate.value > 0)) return null;
      const about = counted ? "" : "about ";
      return {
        ...markOf(report, variant, counted),
        x: x.value,
        y: rate.value,
        xq: x,
        yq: rate,
        log: true,
        variant: variant.index,
        tip: variantTip(
          variant,
          flops
            ? `${si(1e9 * rate.value, "FLOP/s")} at ${about}${plain(x.value)} FLOP per byte`
            : `${about}${digits(rate.value)} GB/s, ${si(1e6 * x.value, "B")} per call`,
        ),
      };
    })
    .filter(Boolean);
}
function roofChart(report) {
  const work = scaled(quantityOf(report.document, "kernel", "flops"), report.copies),
    flops = work && work.value > 0 ? work : null;
  const points = roofPoints(report, flops),
    slopes = slopesOf(report),
    peaks = flops ? peaksOf(report) : [];
  if (!points.length || !slopes.length) return null;
  const top = Math.max(...peaks.map((peak) => peak.value), 0),
    near = (q) => [Math.max(q.low, q.value / 3), Math.min(q.high, q.value * 3)];
  const x = axisAround([...points.flatMap((p) => near(p.xq)), ...(top ? slopes.map((s) => top / s.value) : [])], {
    log: true,
    label: flops ? "arithmetic intensity (FLOP per byte of memory)" : "moved through memory by one call (MB)",
  });
  const y = axisAround(
    [...points.flatMap((p) => near(p.yq)), ...(top ? peaks.map((p) => p.value) : slopes.map((s) => s.value))],
    { log: true, label: flops ? "performance of all copies (GFLOP/s)" : "bandwidth (GB/s)" },
  );
  const slope = (frame, s) =>
    top
      ? drawLine(
          frame,
          [
            [x.low, x.low * s.value],
            [top / s.value, top],
          ],
          `${s.mark}.c-${s.colour}`,
        )
      : drawLine(
          frame,
          [
            [x.low, s.value],
            [x.high, s.value],
          ],
          `${s.mark}.c-${s.colour}`,
        );
  const steepest = Math.max(...slopes.map((s) => s.value));
  const level = (frame, p) =>
    drawLine(
      frame,
      [
        [Math.max(x.low, p.value / steepest), p.value],
        [x.high, p.value],
      ],
      `${p.value === top ? "line" : "dotted"}.c-compute`,
    );
  const from = points.find((p) => p.variant === 0),
    to = points.find((p) => report.best && p.variant === report.best);
  return {
    id: "roof",
    title: flops ? "Roofline with the ceilings of the miss queues" : "Bytes and bandwidth",
    x,
    y,
    points,
    label: `${flops ? "GFLOP/s over FLOP per byte" : "Bandwidth over bytes per call"}, with ceilings and ${plural(points.length, "variant")} as marks`,
    how: flops
      ? "Up is faster, right is less traffic for the same arithmetic. Memory sets the slope, the core the flat top; the dashed slopes are what a full miss queue lets through. A mark on a slope must move right; one far below all lines is held up by something else, such as latency."
      : "This kernel does no floating-point arithmetic, so bandwidth stands over bytes: left is less traffic, up is faster, until memory or a full miss queue is the ceiling.",
    lines: (frame) => [
      slopes.map((s) => slope(frame, s)),
      peaks.map((p) => level(frame, p)),
      from && to
        ? drawLine(
            frame,
            [
              [from.x, from.y],
              [to.x, to.y],
            ],
            "way.c-winner",
          )
        : null,
    ],
    legend: [
      ...slopes,
      ...peaks.map((p) => ({
        mark: p.value === top ? "line" : "dotted",
        colour: "compute",
        text: `${p.text}: ${si(1e9 * p.value, "FLOP/s")}`,
      })),
      ...markLegend(points),
    ],
  };
}

/* ---- the course of the search ---- */

const courseLooks = {
  written: { mark: "diamond", colour: "written", size: 6, text: "the kernel as written" },
  winner: { mark: "dot", colour: "winner", size: 6, text: "the winner" },
  environment: { mark: "square", colour: "l2", size: 4, text: "another environment, not another source" },
  stopped: { mark: "down", colour: "l1", size: 4, text: "given up as slow: at most this fast" },
  failed: { mark: "cross", colour: "failed", size: 4, text: "failed: wrong results, crash, not built" },
  tried: { mark: "dot", colour: "other", size: 3.5, text: "tried" },
};
function coursePoint(report, variant) {
  const look = courseLooks[variant.kind] ? variant.kind : "tried";
  const written = report.variants[0],
    limit = variant.atLeast > 0 && written.ran ? written.time.value / variant.atLeast : 0;
  const y = variant.ran ? variant.gain?.value : look === "stopped" ? limit : 0;
  return y === undefined || y === null
    ? null
    : {
        ...courseLooks[look],
        look,
        x: variant.index,
        y,
        yq: variant.ran && variant.index ? variant.gain : null,
        variant: variant.index,
        tip: variantTip(variant, variant.ran ? `${seconds(variant.time.value)} per call` : ""),
      };
}
function courseChart(report) {
  const points = report.variants.map((variant) => coursePoint(report, variant)).filter(Boolean);
  if (points.length < 3 || !report.variants[0].ran) return null;
  const most = Math.max(...points.map((p) => p.y)),
    ends = points.map((p) => (p.yq ? Math.min(p.yq.high, 1.25 * most) : p.y));
  const closing = report.variants.find((v) => v.closing),
    last = report.variants.length - 1;
  const steps = [];
  let best = 1;
  for (const variant of report.variants) {
    steps.push([variant.index, best]);
    if (variant.ran && variant.gain && variant.kind !== "environment") best = Math.max(best, variant.gain.value);
    steps.push([variant.index, best]);
  }
  return {
    id: "course",
    title: "The course of the search",
    points,
    x: { label: "number of the variant", low: -0.5, high: last + 0.5, whole: true },
    y: { label: "gain over the kernel as written", unit: "x", low: 0, high: 1.08 * Math.max(...ends, 1) },
    label: `Gain of each of ${plural(report.variants.length, "variant")} in the order of the search, with the best so far`,
    how: `One mark for each variant in the order in which it was tried, with its 95 % interval; the line is the best so far.${closing ? " Right of the dotted line the search had ended: those are closing measurements." : ""}`,
    lines: (frame) => [
      drawLine(
        frame,
        [
          [-0.5, 1],
          [last + 0.5, 1],
        ],
        "dotted.c-written",
      ),
      drawLine(frame, steps, "line.c-winner"),
      closing && closing.index
        ? drawLine(
            frame,
            [
              [closing.index - 0.5, 0],
              [closing.index - 0.5, 1e6],
            ],
            "dotted.c-other",
          )
        : null,
    ],
    legend: [
      { mark: "line", colour: "winner", text: "the best so far" },
      ...Object.entries(courseLooks)
        .filter(([look]) => points.some((p) => p.look === look))
        .map(([, look]) => look),
    ],
  };
}

/* ---- traffic of each array ---- */

const arraysMax = 8;

function arrayBytes(traffic, name, level, levels) {
  const line = numberOf(traffic, "line_bytes") ?? 64,
    parts = [0, 0];
  for (const array of listOf(traffic, "arrays").filter((one) => textOf(one, "name") === name)) {
    parts[0] += line * (numberOf(array, "levels", level, "fills_lines", "value") ?? 0);
    parts[1] += line * (numberOf(array, "levels", level, "writebacks_lines", "value") ?? 0);
    if (level === levels - 1) parts[1] += line * (numberOf(array, "nontemporal_lines", "value") ?? 0);
  }
  return parts;
}
function trafficBars(report) {
  const written = get(report.variants[0]?.json ?? null, "traffic"),
    levels = listOf(written, "levels").length;
  if (!levels || !listOf(written, "arrays").length) return null;
  const found = report.best ? get(report.variants[report.best].json, "traffic") : null;
  const winner = listOf(found, "levels").length === levels ? found : null;
  const total = (name) => arrayBytes(written, name, levels - 1, levels).reduce((a, b) => a + b, 0);
  const names = [...new Set(listOf(written, "arrays").map((array) => textOf(array, "name")))]
    .sort((a, b) => total(b) - total(a))
    .slice(0, arraysMax);
  const bar = (traffic, colour, who, name, level) => {
    const parts = arrayBytes(traffic, name, level, levels),
      both = parts[0] + parts[1];
    return {
      colour,
      parts,
      text: si(both, "B"),
      tip: [`${name}, ${who}`, `${si(parts[0], "B")} read`, `${si(parts[1], "B")} written back`],
    };
  };
  const groups = Array.from({ length: levels }, (_, i) => levels - 1 - i).map((level) => ({
    title: level === levels - 1 ? `memory to L${level + 1}` : `L${level + 2} to L${level + 1}`,
    rows: names.map((name) => ({
      name,
      bars: [
        bar(written, "written", "as written", name, level),
        ...(winner ? [bar(winner, "winner", "the winner", name, level)] : []),
      ],
    })),
  }));
  return {
    id: "traffic",
    title: "Traffic of each array",
    groups,
    label: `Bytes moved by one call for each array; through memory as written: ${names.map((name) => `${name} ${si(total(name), "B")}`).join(", ")}`,
    how: "Bytes that one call of one copy moves for each array across each border between caches, one scale for all; what is written back is lighter. What is long at memory is where moving less helps most.",
    legend: [
      { mark: "square", colour: "written", text: "the kernel as written" },
      winner ? { mark: "square", colour: "winner", text: "the winner" } : null,
    ],
  };
}

/* ---- all of them ---- */

function picturesOf(report, openVariant) {
  const charts = [memoryChart, roofChart, courseChart].map((make) => make(report)).filter(Boolean);
  const figures = charts.map((chart) => figureOf(chart, drawChart, openVariant)),
    bars = trafficBars(report);
  if (bars) figures.push(figureOf(bars, drawBars, openVariant));
  return figures;
}

/* Drawn for a wide or a narrow page, and again when that changes. */
function drawFigures(figures) {
  const narrow = matchMedia("(max-width: 46rem)");
  const draw = () => figures.forEach((figure) => figure.redraw(narrow.matches ? 380 : 640));
  narrow.addEventListener("change", draw);
  draw();
}
