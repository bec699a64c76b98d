/* Sorting, filtering, copying, and the C of variants. The page is whole without it. */
(function () {
  "use strict";
  var table = document.getElementById("table");
  var data = JSON.parse(document.getElementById("data").textContent);
  var rows = table ? Array.prototype.slice.call(table.tBodies) : [];
  var state = { sort: "", filter: "", find: "" };

  /* ---- sorting ---- */

  function planOf(row) {
    var code = row.querySelector("td.plan code");
    return code ? code.textContent : "";
  }

  function keyOf(row, key) {
    if (key === "plan") return planOf(row);
    var value = row.getAttribute("data-" + key);
    return value === null ? null : Number(value);
  }

  /* What has no such figure stands behind all others, either way. */
  function compare(a, b, key, down) {
    var x = keyOf(a, key), y = keyOf(b, key);
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    var order = x < y ? -1 : x > y ? 1 : 0;
    return down ? -order : order;
  }

  function sort(spec) {
    var down = spec.charAt(0) === "-", key = down ? spec.slice(1) : spec, found = false;
    if (!table) return;
    Array.prototype.forEach.call(table.querySelectorAll("button.sort"), function (button) {
      var mine = button.getAttribute("data-sort") === key, cell = button.parentNode;
      found = found || mine;
      if (mine) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    if (!found) return;
    state.sort = spec;
    rows.sort(function (a, b) {
      return compare(a, b, key, down) ||
        Number(a.getAttribute("data-order")) - Number(b.getAttribute("data-order"));
    });
    rows.forEach(function (row) { table.appendChild(row); });
  }

  /* ---- filtering ---- */

  function filter() {
    var words = state.find.toLowerCase(), shown = 0;
    rows.forEach(function (row) {
      var hit = (!state.filter || row.className === state.filter) &&
        (!words || row.firstElementChild.textContent.toLowerCase().indexOf(words) >= 0);
      row.hidden = !hit;
      shown += hit ? 1 : 0;
    });
    Array.prototype.forEach.call(document.querySelectorAll("button.filter"), function (button) {
      button.setAttribute("aria-pressed", String(button.getAttribute("data-filter") === state.filter));
    });
    var status = document.getElementById("shown");
    if (status) status.textContent = shown === rows.length ? "" : shown + " of " + rows.length + " shown";
  }

  /* ---- the C of a variant ---- */

  /* "0-12 40 3": lines by their place in the table of lines. */
  function diffLines(index) {
    var lines = [];
    String(data.diffs[index] || "").split(" ").forEach(function (range) {
      var ends = range.split("-"), first = Number(ends[0]), last = Number(ends[ends.length - 1]);
      for (var i = first; range && i <= last && i < data.lines.length; i++) lines.push(data.lines[i]);
    });
    return lines;
  }

  function kindOf(line) {
    if (/^(\+\+\+|---|@@|\\)/.test(line)) return "meta";
    return line.charAt(0) === "+" ? "add" : line.charAt(0) === "-" ? "del" : "";
  }

  function diffElement(index) {
    var pre = document.createElement("pre");
    pre.className = "diff";
    diffLines(index).forEach(function (line) {
      var kind = kindOf(line), part = document.createTextNode(line);
      if (kind) {
        part = document.createElement("span");
        part.className = kind;
        part.textContent = line;
      }
      pre.appendChild(part);
      pre.appendChild(document.createTextNode("\n"));
    });
    return pre;
  }

  function toggle(row) {
    var button = row.querySelector("button.open");
    if (!button) return;
    var open = button.getAttribute("aria-expanded") !== "true", line = row.rows[1];
    if (open && !line) {
      line = row.insertRow();
      var cell = line.insertCell();
      line.className = "code";
      cell.colSpan = 5;
      cell.appendChild(diffElement(button.getAttribute("data-diff")));
    }
    line.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Hide C" : "Show C";
  }

  /* ---- copying ---- */

  function said(button, text) {
    var before = button.textContent;
    button.textContent = text;
    window.setTimeout(function () { button.textContent = before; }, 1200);
  }

  /* Pages from disk may not be allowed to use the clipboard: then an old way is taken. */
  function copyOldWay(text) {
    var area = document.createElement("textarea"), done = false;
    area.value = text;
    document.body.appendChild(area);
    area.select();
    try { done = document.execCommand("copy"); } catch (e) { done = false; }
    document.body.removeChild(area);
    return done;
  }

  function copy(button) {
    var row = button.closest("tbody");
    var text = button.hasAttribute("data-copy") ? button.getAttribute("data-copy") : row ? planOf(row) : "";
    function old() { said(button, copyOldWay(text) ? "Copied" : "Select it by hand"); }
    if (navigator.clipboard && window.isSecureContext)
      navigator.clipboard.writeText(text).then(function () { said(button, "Copied"); }, old);
    else
      old();
  }

  /* ---- events ---- */

  function remember() {
    var parts = [];
    ["sort", "filter", "find"].forEach(function (key) {
      if (state[key]) parts.push(key + "=" + encodeURIComponent(state[key]));
    });
    try { history.replaceState(null, "", parts.length ? "#" + parts.join("&") : "#variants"); } catch (e) { /* from disk: not allowed everywhere */ }
  }

  function pressed(button) {
    if (button.classList.contains("copy")) copy(button);
    if (button.classList.contains("open")) toggle(button.closest("tbody"));
    if (button.classList.contains("sort")) {
      var key = button.getAttribute("data-sort");
      sort(state.sort === key ? "-" + key : state.sort === "-" + key ? key : key === "gain" ? "-gain" : key);
      remember();
    }
    if (button.classList.contains("filter")) {
      var kind = button.getAttribute("data-filter");
      state.filter = state.filter === kind ? "" : kind;
      filter();
      remember();
    }
  }

  /* "#sort=-gain&filter=failed&find=tile&open=3" */
  function follow() {
    location.hash.slice(1).split("&").forEach(function (part) {
      var at = part.indexOf("="), key = part.slice(0, at), value = "";
      if (at < 0) return;
      try { value = decodeURIComponent(part.slice(at + 1)); } catch (e) { return; }
      if (key === "sort") sort(value);
      if (key === "filter" || key === "find") { state[key] = value; filter(); }
      if (key === "open") {
        var row = document.getElementById("v" + value);
        if (row && rows.indexOf(row) >= 0) toggle(row);
      }
    });
    var find = document.getElementById("find");
    if (find) find.value = state.find;
  }

  /* A mark of a figure leads to its variant. */
  function marked(event) {
    var mark = event.target.closest("svg.plot g"), title = mark && mark.querySelector("title");
    var found = title && /^try (\d+):/.exec(title.textContent);
    var row = found && document.getElementById("v" + found[1]);
    if (row) { row.hidden = false; row.scrollIntoView({ block: "center" }); }
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button) pressed(button);
    else if (event.target.closest("svg.plot")) marked(event);
  });
  var filters = document.querySelector(".filters"), find = document.getElementById("find");
  if (filters) filters.hidden = false;
  if (find) find.addEventListener("input", function () { state.find = find.value; filter(); remember(); });
  window.addEventListener("beforeprint", function () {
    Array.prototype.forEach.call(document.querySelectorAll("details"), function (item) { item.open = true; });
  });
  window.addEventListener("hashchange", follow);
  sort("-gain");
  follow();
})();
