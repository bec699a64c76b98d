/* The start: the document that the page holds becomes its nodes. */
"use strict";

const pages = { "inflight.report/1": reportPage, "inflight.metrics-result/1": metricsPage };

function start() {
  const data = JSON.parse(document.getElementById("document").textContent);
  const page = (pages[textOf(data, "schema")] || reportPage)(data);
  const follow = () => {
    const fragment = location.hash.slice(1);
    page.follow(fragment);
    document.getElementById(fragment)?.scrollIntoView();
  };
  document.body.append(...page.nodes);
  requestAnimationFrame(() =>
    setTimeout(() => {
      page.rest();
      follow();
      window.addEventListener("hashchange", follow);
    }),
  );
  window.addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((item) => {
      item.open = true;
    }),
  );
}
start();
