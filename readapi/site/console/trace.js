// The trace view: from a pasted text to its readings, from an answer to its rows, from a row to an event.

import { address, errorText, readJSON } from "./api.js";
import { candidates } from "./candidates.js";
import { announce, byID, element, facts } from "./dom.js";
import { showEvent } from "./event.js";
import { count, some } from "./format.js";
import { onward } from "./ids.js";
import { link, place } from "./location.js";
import { rowGroups } from "./rows.js";

const pageRows = 50;

let current = {};      // the place that is shown
let controller = null; // aborts the requests in flight

// forgetTrace clears the state, so that the next showTrace reads everything again.
export function forgetTrace() {
  controller?.abort();
  current = {};
}

// showTrace shows the place in the address. It reads only the sections that have changed; with focus, the first of them
// gets the focus.
export async function showTrace({ focus }) {
  const now = place();
  const before = current;
  current = now;
  controller?.abort();
  controller = new AbortController();
  const { signal } = controller;
  const text = now.q || now.path || (now.seq && `/audit/v1/events/${now.seq}`);
  if (document.activeElement !== byID("asked")) byID("asked").value = text;
  byID("nothing").hidden = text !== "";
  document.title = `${text || "Trace"} · Strata console`;

  const changed = {
    readings: now.q !== before.q || byID("readings").ariaBusy === "true",
    rows: now.path !== before.path || now.cursor !== before.cursor || byID("rows").ariaBusy === "true",
    event: now.seq !== before.seq || now.pointers.join() !== before.pointers?.join() || byID("event").ariaBusy === "true",
  };
  const steps = [
    ["readings", now.q !== "" && now.path === "", (section) => showReadings(section, now, signal)],
    ["rows", now.path !== "", (section) => showRows(section, now, signal)],
    ["event", now.seq !== "", (section) => showEvent(section, now, signal)],
  ];
  const work = [];
  for (const [name, wanted, show] of steps) {
    const section = byID(name);
    if (!wanted) {
      section.hidden = true;
      section.replaceChildren();
      section.ariaBusy = "false";
      continue;
    }
    if (!changed[name] && !section.hidden) continue;
    section.hidden = false;
    section.ariaBusy = "true";
    work.push(fill(section, show, signal));
    const title = section.querySelector("h2");
    if (focus && title) {
      focus = false;
      title.focus({ preventScroll: true });
      title.scrollIntoView({ block: "start" });
    }
  }
  if (!(now.path || now.seq) && work.length === 0 && before.path) byID("asked").focus();
  markRow(now);
  await Promise.all(work);
  markRow(now);
}

// fill fills a section with show, and shows an error in the section.
async function fill(section, show, signal) {
  try {
    await show(section);
  } catch (error) {
    if (signal.aborted) return;
    section.append(element("p", { class: "problem", role: "alert" }, errorText(error)));
  }
  section.ariaBusy = "false";
}

const heading = (section, text) => section.replaceChildren(element("h2", { id: section.id + "-title", tabindex: "-1" }, text));

async function showReadings(section, now, signal) {
  const readings = candidates(now.q);
  heading(section, readings.length === 0 ? "Nothing looks like this" : "This may be");
  if (readings.length === 0) {
    section.append(element("p", {}, "This is not an address, token, id, hash, height or path that the API knows."));
    return announce("Nothing looks like this.");
  }
  if (readings.length === 1) {
    location.replace(link({ q: now.q, path: readings[0].path }));
    return;
  }
  const list = element("ul", { class: "readings" });
  section.append(list);
  const lookups = readings.map(async ({ about, path }) => {
    const finding = element("span", { class: "quiet finding" }, "looking …");
    list.append(element("li", {}, element("a", { href: link({ q: now.q, path }) }, about), element("code", {}, path), finding));
    try {
      const traced = await readJSON(`/audit/v1/trace?limit=1&path=${encodeURIComponent(path)}`, signal);
      const there = traced.status < 400 && traced.rows.length > 0;
      finding.textContent = there ? "found" : traced.status < 400 ? "no rows" : `not found (${traced.status})`;
      finding.classList.toggle("good", there);
      return there;
    } catch (error) {
      if (!signal.aborted) finding.textContent = error.message;
      return false;
    }
  });
  const there = (await Promise.all(lookups)).filter(Boolean).length;
  if (!signal.aborted) announce(`${some(readings.length, "reading", "readings")}, ${there} of them found.`);
}

async function showRows(section, now, signal) {
  heading(section, "Rows behind the answer");
  const target = `/audit/v1/trace?path=${encodeURIComponent(now.path)}&limit=${pageRows}` + (now.cursor ? `&cursor=${encodeURIComponent(now.cursor)}` : "");
  const traced = await readJSON(target, signal);
  section.append(
    facts(
      ["Answer", element("a", { class: "code", href: address(now.path) }, now.path)],
      ["Status", String(traced.status)],
      ["Operation", traced.operation],
      ["Read at", `log ${count(traced.read_at.log)}` + (traced.read_at.height === undefined ? "" : `, block ${count(traced.read_at.height)}`)],
      ["Go on to", traced.status < 400 && onwardLinks(now.path)],
    ),
    ...(traced.rows.length > 0 ? [] : [element("p", {}, traced.status < 400 ? "No row is behind this answer." : "The answer is an error; no row is behind it.")]),
    ...rowGroups(traced, now),
    ...pages(traced, now),
  );
  announce(`${some(traced.rows.length, "row", "rows")} from ${some(traced.events.length, "event", "events")}.`);
}

// onwardLinks returns links to what belongs to the answer; undefined when nothing does.
function onwardLinks(path) {
  const paths = onward(path);
  return paths.length === 0 ? undefined : element("span", { class: "onward" }, paths.map(([about, to]) => element("a", { href: link({ path: to }), title: to }, about)));
}

function pages(traced, now) {
  const first = now.cursor && element("a", { href: link({ q: now.q, path: now.path }) }, "First rows");
  const next = traced.cursor.next && element("a", { href: link({ q: now.q, path: now.path, cursor: traced.cursor.next }) }, "Further rows");
  return first || next ? [element("p", { class: "pages" }, first, next)] : [];
}

// markRow marks the link that leads to the event on the page.
function markRow(now) {
  const here = link(now);
  for (const a of byID("rows").querySelectorAll("a[data-seq]")) {
    if (a.getAttribute("href") === here) a.setAttribute("aria-current", "true");
    else a.removeAttribute("aria-current");
  }
}
