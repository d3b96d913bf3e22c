// The last hour, as the server remembers it: a line for each series, without a library. Above it is what an operator should know.

import { readJSON } from "./api.js";
import { element, setText } from "./dom.js";
import { count, duration, perSecond } from "./format.js";

const width = 300;  // units of the drawing, which is stretched to the page
const height = 56;
const readEvery = 9_000; // milliseconds; the server adds a point every ten seconds

const share = (n) => `${Math.round(n * 1000) / 10} %`;
const milliseconds = (n) => (n < 1 ? `${Number((n * 1000).toPrecision(2))} ms` : duration(n));

// The series, with what is drawn of a point. most is the top of the scale where that is fixed.
const series = [
  { id: "events", name: "events a second", of: (p) => p.events, text: (n) => perSecond(n).replace("/s", "") },
  { id: "lag", name: "events behind", of: (p) => p.lag, text: (n) => count(n) },
  { id: "latency", name: "95 % answered within", of: (p) => p.slow, text: milliseconds },
  { id: "hits", name: "answers from the cache", of: (p) => p.hits, text: share, most: 1 },
];

let readAt = -Infinity;

// showHistory shows the series, and reads them anew when there is something new.
export async function showHistory(content, signal) {
  if (performance.now() - readAt < readEvery) return;
  const { points, span, notices = [] } = await readJSON("/console/history.json", signal);
  readAt = performance.now();
  if (!content.firstChild) {
    content.append(element("div", { class: "notices", role: "status" }), element("div", { class: "charts" }, series.map(chart)), element("p", { class: "about" }));
  }
  content.querySelector(".notices").replaceChildren(...notices.map((notice) => element("p", { class: "problem" }, notice)));
  const now = points.length > 0 ? Date.parse(points.at(-1).at) : Date.now();
  for (const s of series) update(content.querySelector(`[data-series=${s.id}]`), s, points, now - span * 1000, now);
  setText(content.querySelector(".about"), points.length === 0 ? "This process has just started; the first point comes after ten seconds."
    : "What this process has seen since it started, an hour at most. How fast answers are and whether they come from the cache, only operators see, at the administration address.");
  if (points.some((p) => p.requests !== undefined)) setText(content.querySelector(".about"), "What this process has seen since it started, an hour at most.");
}

function chart(s) {
  return element("figure", { "data-series": s.id, hidden: true },
    element("figcaption", {}, element("span", { class: "now" }), " ", element("span", { class: "quiet" }, s.name)),
    drawing("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" },
      drawing("path", { class: "area" }), drawing("path", { class: "curve", "vector-effect": "non-scaling-stroke" })),
    element("p", { class: "quiet ends" }, element("span", {}, "an hour ago"), element("span", { class: "peak" }), element("span", {}, "now")));
}

function drawing(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  node.append(...children);
  return node;
}

function update(figure, s, points, from, until) {
  const values = points.map((p) => ({ at: Date.parse(p.at), value: s.of(p) ?? null }));
  const known = values.filter(({ value }) => value !== null);
  figure.hidden = known.length === 0;
  if (figure.hidden) return;
  const peak = Math.max(...known.map(({ value }) => value));
  const top = s.most ?? (peak || 1);
  const x = (at) => (at - from) / (until - from) * width;
  const y = (value) => height - 2 - value / top * (height - 6);
  const { curve, area } = lines(values, x, y);
  figure.querySelector(".curve").setAttribute("d", curve);
  figure.querySelector(".area").setAttribute("d", area);
  const latest = known.at(-1).value;
  setText(figure.querySelector(".now"), s.text(latest));
  setText(figure.querySelector(".peak"), `most ${s.text(peak)}`);
  figure.querySelector("svg").setAttribute("aria-label", `${s.name}: now ${s.text(latest)}, at most ${s.text(peak)} and at least ${s.text(Math.min(...known.map(({ value }) => value)))} in the last hour`);
}

// lines returns the path through the values, and that of the area below it. Both have a gap where a value is not known.
function lines(values, x, y) {
  let curve = "";
  let area = "";
  let run = [];
  const end = () => {
    if (run.length === 0) return;
    if (run.length === 1) run.push({ at: run[0].at - 10_000, value: run[0].value }); // a point of its own is as wide as its interval
    const points = run.map(({ at, value }) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
    curve += `M${points.join("L")}`;
    area += `M${x(run[0].at).toFixed(1)} ${height}L${points.join("L")}L${x(run.at(-1).at).toFixed(1)} ${height}Z`;
    run = [];
  };
  for (const v of values) {
    if (v.value === null) end();
    else run.push(v);
  }
  end();
  return { curve, area };
}
