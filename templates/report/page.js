/* The start: the document that the page holds becomes its nodes. What is painted first
 * needs no more than "document"; "evidence", the bulk, is parsed when that is there. */
"use strict";

const paintMax = 500; /* ms */
const pages = { "inflight.report/1": reportPage, "inflight.metrics-result/1": metricsPage };

const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);

function start() {
  const data = dataOf("document");
  const page = (pages[textOf(data, "schema")] || reportPage)(data);
  const follow = () => {
    const fragment = location.hash.slice(1);
    page.follow(fragment);
    document.getElementById(fragment)?.scrollIntoView();
  };
  let complete = () => {
    complete = () => {};
    Object.assign(data, dataOf("evidence"));
    page.rest();
    follow();
    window.addEventListener("hashchange", follow);
  };
  document.body.append(...page.nodes);
  document.addEventListener("DOMContentLoaded", () => {
    requestAnimationFrame(() => setTimeout(() => complete()));
    setTimeout(() => complete(), paintMax); /* hidden pages have no frames */
  });
  window.addEventListener("beforeprint", () =>
    document.querySelectorAll("details").forEach((item) => {
      item.open = true;
    }),
  );
}
start();
