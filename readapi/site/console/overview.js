// The overview: panels that refresh every few seconds while the page is visible.

import { address, errorText, readJSON, readText } from "./api.js";
import { announce, byID, element, facts, keyed, setLink, setText } from "./dom.js";
import { ago, clock, count, duration, moment, perSecond, some } from "./format.js";
import { showHistory } from "./history.js";
import { link } from "./location.js";
import { parseNote } from "./proof.js";

const interval = 3000;      // milliseconds between refreshes
const absentRetry = 60_000; // milliseconds until the page asks again for what this server does not have
const rateWindow = 15_000;  // milliseconds over which a rate is measured
const quarantinePage = 20;
const quarantineMax = 200;

let timer;
let refresh = null; // AbortController of the refresh in flight
let wanted = false; // whether the view is the overview
let paused = false;
let quarantineLimit = quarantinePage;

// overview starts the refreshes, or stops them.
export function overview(visible) {
  wanted = visible;
  next(0);
}

export function prepareOverview() {
  document.addEventListener("visibilitychange", () => next(0));
  byID("pause").addEventListener("click", () => {
    paused = !paused;
    byID("pause").setAttribute("aria-pressed", String(paused));
    next(0);
  });
}

const mayRefresh = () => wanted && !paused && document.visibilityState === "visible";

function next(delay) {
  clearTimeout(timer);
  if (!mayRefresh()) {
    refresh?.abort();
    refresh = null;
    if (paused) setText(byID("looked"), byID("looked").textContent.replace(/, every .*/, ""));
    return;
  }
  if (!refresh) timer = setTimeout(refreshAll, delay);
}

// refreshAll reads all panels, and schedules the next refresh.
async function refreshAll() {
  const mine = refresh = new AbortController();
  const { signal } = mine;
  await Promise.all([
    panel("log", signal, showLog), panel("history", signal, showHistory), panel("checkpoint", signal, showCheckpoint), panel("projections", signal, showProjections),
    panel("nodes", signal, showNodes), panel("quarantine", signal, showQuarantine), panel("feed-faults", signal, showFeedFaults),
  ]);
  if (refresh !== mine) return;
  refresh = null;
  setText(byID("looked"), `Refreshed at ${clock(Date.now())}, every ${interval / 1000} s`);
  next(interval);
}

const readTimes = {}; // when each panel was last read

// panel refreshes a panel. It shows an error above the previous contents.
async function panel(id, signal, show) {
  const section = byID(id);
  const problem = section.querySelector(".problem");
  try {
    await show(section.querySelector(".content"), signal);
    readTimes[id] = Date.now();
    if (!problem.hidden) announce(`${section.querySelector("h2").textContent} can be read again.`);
    problem.hidden = true;
    setText(problem, "");
  } catch (error) {
    if (signal.aborted) return;
    setText(problem, errorText(error) + (readTimes[id] ? ` What is shown is of ${clock(readTimes[id])}.` : ""));
    problem.hidden = false;
  }
  section.classList.toggle("old", !problem.hidden);
}

const absentUntil = {}; // when to ask again for what this server does not have, by name

// readOr reads what a server may not have. When the answer has the status absent, it calls show, and does not ask again
// for a while. It returns undefined when there is nothing new to show.
async function readOr(name, read, absent, show) {
  if (absentUntil[name] > Date.now()) return undefined;
  try {
    return await read();
  } catch (error) {
    if (error.status !== absent) throw error;
    absentUntil[name] = Date.now() + absentRetry;
    show();
    return undefined;
  }
}

const samples = new Map(); // recent values of each counter, by name

// rateOf adds a sample of a counter and returns its increase per second; undefined until there are two samples.
function rateOf(name, n) {
  const now = performance.now();
  const recent = (samples.get(name) ?? []).filter((l) => now - l.at < rateWindow && l.n <= n);
  recent.push({ at: now, n });
  samples.set(name, recent);
  const first = recent[0];
  return now - first.at < 500 ? undefined : (n - first.n) * 1000 / (now - first.at);
}

const figures = (...pairs) => element("dl", { class: "figures" }, pairs.map(([id, name]) => element("div", {}, element("dt", {}, name), element("dd", { id }, "–"))));

const received = new Map(); // the time at which the newest event was received, by its seq

// receivedAt returns the time at which an event was received; undefined for an empty log.

async function receivedAt(seq, signal) {
  if (seq < 1) return undefined;
  if (!received.has(seq)) {
    received.clear();
    received.set(seq, (await readJSON(`/audit/v1/events/${seq}`, signal)).received_at);
  }
  return received.get(seq);
}

async function showLog(content, signal) {
  const { strata, chain_tip: tip, server_version: version } = await readJSON("/extended/v1/status", signal);
  const newest = await receivedAt(strata.log_size, signal);
  if (!content.firstChild) {
    content.append(figures(["log-size", "events"], ["log-rate", "events a second"], ["log-newest", "newest event"], ["log-tip", "block at the tip"]),
      element("ul", { id: "log-problems", class: "quarantine" }),
      ...["log-differing", "log-accepted"].map((id) => element("p", { id, class: id === "log-differing" ? "reason" : "about", hidden: true })));
    byID("network").title = version;
  }
  const rate = rateOf("log", strata.log_size);
  setText(byID("network"), strata.network);
  setText(byID("log-rate"), rate === undefined ? "–" : perSecond(rate).replace("/s", ""));
  setText(byID("log-newest"), newest ? ago(newest) : "none");
  byID("log-newest").title = newest ? moment(newest) : "";
  setLink(byID("log-tip"), tip ? count(tip.block_height) : "none", tip && link({ path: `/extended/v2/blocks/${tip.block_height}` }));
  setLink(byID("log-size"), count(strata.log_size), strata.log_size > 0 && link({ seq: String(strata.log_size) }));
  showProblems(strata.problems ?? []);
  showDifferences(byID("log-differing"), "differing from the node", strata.node?.differing_accounts, strata.node?.differences.filter((d) => !d.acceptance));
  showDifferences(byID("log-accepted"), "differing from the node as accepted", strata.node?.accepted_accounts, strata.node?.differences.filter((d) => d.acceptance));
}

// showProblems lists what is missing or foreign in the log, with what mends it.
function showProblems(problems) {
  keyed(byID("log-problems"), problems, (p) => p.about, (p) => element("li", { "data-problem": p.about },
    element("p", { class: "reason" }), element("p", { class: "about" })), (item, p) => {
    setText(item.querySelector(".reason"), p.message);
    setText(item.querySelector(".about"), p.mend);
    tell("The log", p.message);
  });
}

// showDifferences says how many accounts differ from a node, and names the first ones that the server tells.
function showDifferences(line, how, accounts = 0, differences = []) {
  line.hidden = accounts === 0;
  const names = [...new Set(differences.map((d) => d.account))].join(", ");
  setText(line, `${some(accounts, "account", "accounts")} ${how}${names && ": "}${names}`);
}

let covered = {}; // the last checkpoint, and the time of its newest event

async function showCheckpoint(content, signal) {
  const text = await readOr("checkpoint", () => readText("/audit/v1/log/checkpoint", signal), 404,
    () => content.replaceChildren(element("p", { class: "about" }, "There is no checkpoint: this server does not show its log, or has not signed anything yet.")));
  if (text === undefined) return;
  if (covered.text === text) {
    if (covered.until) setText(byID("checkpoint-until"), ago(covered.until));
    return;
  }
  const note = parseNote(text);
  const size = Number(note.size);
  const until = size > 0 ? (await readJSON(`/audit/v1/events/${size}`, signal)).received_at : undefined;
  covered = { text, until };
  content.replaceChildren(
    element("dl", { class: "figures" },
      element("div", {}, element("dt", {}, "events signed"), element("dd", { id: "checkpoint-size" }, count(size))),
      until && element("div", {}, element("dt", {}, "newest of them"), element("dd", { id: "checkpoint-until", title: moment(until) }, ago(until)))),
    facts(
      ["Origin", element("span", { class: "code", id: "checkpoint-origin" }, note.origin)],
      ["Signed by", "the log" + note.signatures.filter((s) => s.name !== note.origin).map((s) => `, ${s.name}`).join("")],
    ),
    element("p", { class: "about" }, element("a", { href: address("/audit/v1/log/checkpoint") }, "The signed note")),
  );
}

const badge = () => element("span", { class: "badge" });

function setBadge(node, text, kind) {
  setText(node, text);
  node.className = "badge " + kind;
}

const states = new Map(); // states of projections and nodes, by name

// tell announces a state that has changed since the last refresh.
function tell(name, state) {
  const before = states.get(name);
  states.set(name, state);
  if (before !== undefined && before !== state) announce(`${name} is ${state}.`);
}

const nameOf = (p) => `${p.name} v${p.version}`;
const cell = (name, label, ...children) => element("td", { role: "cell", "data-label": label, "data-is": name }, children);

async function showProjections(content, signal) {
  const { projections } = await readJSON("/audit/v1/projections", signal);
  let body = content.querySelector("tbody");
  if (!body) {
    const head = (text, kind) => element("th", { scope: "col", role: "columnheader", class: kind }, text);
    body = element("tbody", { role: "rowgroup" });
    content.replaceChildren(element("table", { role: "table", class: "stacked", "aria-labelledby": "projections-title" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head("Version"), head("State"), head("Folds"), head("Position", "number"), head("Behind", "number"), head("Block", "number"), head("Quarantined", "number"))),
      body));
  }
  keyed(body, projections, (p) => `${p.name}_v${p.version}`, projectionRow, updateProjection);
}

function projectionRow(p) {
  return element("tr", { role: "row", "data-version": `${p.name}_v${p.version}` },
    element("th", { scope: "row", role: "rowheader" }, element("span", { class: "title" }, p.name, element("span", { class: "quiet" }, ` v${p.version}`)), " ", badge()),
    cell("state", "State", badge(), element("div", { class: "build", hidden: true },
      element("progress", { "aria-label": `Progress of ${nameOf(p)}` }), element("span", { class: "quiet pace" })), element("p", { class: "reason", hidden: true })),
    cell("input", "Folds"),
    ...[["position", "Position"], ["lag", "Behind"], ["height", "Block"], ["quarantined", "Quarantined"]].map(([name, label]) => {
      const node = cell(name, label);
      node.className = "number";
      return node;
    }));
}

function updateProjection(row, p) {
  const part = (name) => row.querySelector(`[data-is=${name}]`);
  const role = p.active ? "active" : p.previous ? "previous" : "";
  setBadge(row.querySelector("th .badge"), role, role === "active" ? "strong" : "");
  row.querySelector("th .badge").hidden = role === "";
  setBadge(part("state").querySelector(".badge"), p.state, { live: "good", failed: "bad", building: "busy" }[p.state] ?? "");
  tell(`${nameOf(p)}${role && ", " + role + ","}`, p.state);
  setText(part("input"), p.input);
  setText(part("position"), count(p.position));
  setText(part("lag"), p.lag === 0 ? "0" : `${count(p.lag)}, ${duration(p.lag_seconds)}`);
  setLink(part("height"), p.block_height === null ? "–" : count(p.block_height), p.block_height !== null && link({ path: `/extended/v2/blocks/${p.block_height}` }));
  setText(part("quarantined"), count(p.quarantined));
  const reason = row.querySelector(".reason");
  reason.hidden = p.error === null;
  setText(reason, p.error ?? "");

  const build = row.querySelector(".build");
  const observed = rateOf(nameOf(p), p.position);
  build.hidden = p.lag === 0 || p.state === "failed" || (p.state !== "building" && p.lag < 1000);
  if (build.hidden) return;
  const progress = build.querySelector("progress");
  progress.max = p.head;
  progress.value = p.position;
  const rate = observed > 0 ? observed : p.rate && Math.min(p.rate, p.throttle ?? Infinity);
  const eta = observed > 0 ? p.lag / observed : p.eta_seconds;
  setText(build.querySelector(".pace"), [
    `${Math.floor(p.position / p.head * 100)} %`, rate ? perSecond(rate) : "", eta ? `${duration(eta)} left` : "", p.throttle === null ? "" : `at most ${perSecond(p.throttle)}`,
  ].filter(Boolean).join(" · "));
}

async function showNodes(content, signal) {
  const pool = await readOr("nodes", () => readJSON("/proxy/v1/nodes", signal), 503,
    () => content.replaceChildren(element("p", { class: "about" }, "No pool of nodes is configured. The flag ", element("code", {}, "--nodes"), " configures one.")));
  if (!pool) return;
  let list = content.querySelector("ul");
  if (!list) {
    list = element("ul", { class: "nodes" });
    content.replaceChildren(list);
  }
  keyed(list, pool.nodes, (n) => n.name, nodeItem, updateNode);
}

const nodeItem = (n) => element("li", { "data-node": n.name },
  element("div", { class: "title" }, n.name, " ", badge()), element("p", { class: "facts-line" }), element("p", { class: "reason", hidden: true }));

function updateNode(item, n) {
  setBadge(item.querySelector(".badge"), n.state, { serving: "good", lagging: "busy", syncing: "busy", ahead: "busy", unasked: "" }[n.state] ?? "bad");
  tell(`Node ${n.name}`, n.state);
  item.querySelector(".badge").title = `since ${moment(n.since)}`;
  setText(item.querySelector(".facts-line"), [
    n.stacks_tip_height < 0 ? "height unknown" : `block ${count(n.stacks_tip_height)}`,
    n.lag > 0 ? `${some(n.lag, "block", "blocks")} behind` : "",
    n.in_flight === undefined ? "" : `${some(n.in_flight, "request", "requests")} under way`, n.queued > 0 ? `${count(n.queued)} waiting` : "", `${n.state} for ${duration((Date.now() - Date.parse(n.since)) / 1000)}`,
  ].filter(Boolean).join(" · "));
  const reason = item.querySelector(".reason");
  reason.hidden = !n.error;
  setText(reason, n.error ?? "");
}

const feedFaultsMost = 20;

// The faults of the ordinals feed. Most servers have none, and no panel.
async function showFeedFaults(content, signal) {
  const { results, cursor } = await readJSON(`/audit/v1/feed-anomalies?limit=${feedFaultsMost}`, signal);
  content.closest("section").hidden = results.length === 0;
  content.replaceChildren(
    element("ul", { class: "quarantine" }, results.map((f) => element("li", {},
      element("a", { href: link({ seq: String(f.source_seq), pointers: [f.pointer] }) }, `event ${count(f.source_seq)}`), " ",
      element("code", {}, f.kind), ` at Bitcoin block ${count(f.block_height)}`,
      f.ticker !== undefined && [": ", element("code", {}, `${f.available_balance} ${f.ticker}`), " of ", element("code", {}, f.address)]))),
    element("p", { class: "more" }, cursor.next !== null && ["There are more at ", element("a", { href: address("/audit/v1/feed-anomalies") }, "/audit/v1/feed-anomalies"), "."]));
}

async function showQuarantine(content, signal) {
  const { results, cursor } = await readJSON(`/audit/v1/quarantine?order=desc&limit=${quarantineLimit}`, signal);
  if (results.length === 0) {
    content.replaceChildren(element("p", { class: "about" }, "Every event could be read."));
    return;
  }
  let list = content.querySelector("ul");
  if (!list) {
    list = element("ul", { class: "quarantine" });
    content.replaceChildren(
      element("p", { class: "about" }, "Events that a projection could not read, the newest first. They are in the log, but their effect is missing from that version."),
      list, element("p", { class: "more" }));
  }
  keyed(list, results, (q) => `${q.seq} ${q.projection} ${q.version} ${q.pointer}`, quarantineItem, (item, q) => setText(item.querySelector("time"), ago(q.at)));
  tell("The newest event in quarantine", `event ${results[0].seq}`);
  const more = content.querySelector(".more");
  const can = cursor.next !== null && quarantineLimit < quarantineMax;
  if (can && !more.firstChild) {
    more.append(element("button", { type: "button", class: "plain", onclick: () => {
      quarantineLimit = Math.min(quarantineMax, quarantineLimit + 2 * quarantinePage);
      next(0);
    } }, "Show older ones"));
  } else if (!can) {
    more.replaceChildren();
    if (cursor.next !== null) more.append("There are older ones at ", element("a", { href: address("/audit/v1/quarantine") }, "/audit/v1/quarantine"), ".");
  }
}

const quarantineItem = (q) => element("li", {},
  element("div", {}, element("a", { href: link({ seq: String(q.seq), pointers: [q.pointer] }) }, `event ${count(q.seq)}`), " ",
    element("code", {}, q.path), q.pointer && [" at ", element("code", {}, q.pointer)]),
  element("p", { class: "reason" }, q.reason),
  element("p", { class: "facts-line" }, `${q.projection} v${q.version} · `, element("time", { datetime: q.at, title: moment(q.at) })));
