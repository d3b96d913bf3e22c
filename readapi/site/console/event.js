// An event: its record in the log, its bytes, and the proof that the log has it.

import { address, errorText, readBytes, readJSON, readText } from "./api.js";
import { bodyView } from "./body.js";
import { announce, element, facts, unseen } from "./dom.js";
import { bytes, count, moment, some } from "./format.js";
import { link } from "./location.js";
import { canVerify, digestOf, holds, verify } from "./proof.js";

// Bytes of a body above which it is not loaded. An event may have hundreds of megabytes.
const bodyMax = 5_000_000;

// showEvent shows the event that the place now names.
export async function showEvent(section, now, signal) {
  const pointers = now.pointers.filter(Boolean); // the empty pointer names the whole body, which needs no mark
  const title = element("h2", { id: "event-title", tabindex: "-1" }, /^[1-9][0-9]*$/.test(now.seq) ? `Event ${count(now.seq)}` : "Event");
  section.replaceChildren(title);
  const path = `/audit/v1/events/${encodeURIComponent(now.seq)}`;
  const event = await readJSON(path, signal);
  const body = element("div", { class: "part" }, element("h3", {}, "Bytes"), element("p", { class: "about" }, "Reading …"));
  const proof = element("div", { class: "part", id: "proof" }, element("h3", {}, "Proof"), element("p", { class: "about" }, "Reading …"));
  section.append(
    facts(
      ["Posted to", element("span", { class: "code" }, event.path)],
      ["From", element("span", { class: "code" }, event.source)],
      ["Received", moment(event.received_at)],
      ["Size", element("span", { title: some(event.size, "byte", "bytes") }, bytes(event.size))],
      ["Type", event.content_type || "none"],
      ["SHA-256", element("span", { class: "code" }, event.sha256)],
      ["Same bytes as", event.body_seq === null ? undefined : element("a", { href: link({ seq: String(event.body_seq), pointers }) }, `event ${count(event.body_seq)}`)],
    ),
    body, proof,
  );
  const read = await attempt(body, () => showBody(body, event, pointers, signal), signal);
  await attempt(proof, () => showProof(proof, event, read, signal), signal);
}

// attempt shows an error of work in its own part, so that the other parts are shown all the same.
async function attempt(part, work, signal) {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw error;
    part.querySelector(".about")?.remove();
    part.append(element("p", { class: "problem", role: "alert" }, errorText(error)));
    return undefined;
  }
}

// showBody shows the bytes and returns them; it returns undefined when there are too many to load.
async function showBody(part, event, pointers, signal) {
  const about = element("p", { class: "about" },
    element("a", { href: address(event.body) }, `The ${bytes(event.size)} as they were received`),
    pointers.map((pointer, i) => [i === 0 ? "; marked: " : " ", element("code", {}, pointer)]));
  if (event.size > bodyMax) {
    part.querySelector(".about").replaceWith(about, element("p", {}, `Bodies over ${bytes(bodyMax)} are not loaded into this page.`));
    return undefined;
  }
  const read = await readBytes(event.body, event.size, signal);
  const view = bodyView(read, pointers);
  part.querySelector(".about").replaceWith(about, view.element);
  view.reveal();
  return read;
}

// showProof reads the proof of an event, checks it, and shows the steps. read is the bytes, or undefined.
async function showProof(part, event, read, signal) {
  const path = `/audit/v1/log/proofs/inclusion?seq=${event.seq}`;
  let proof;
  try {
    proof = await readJSON(path, signal);
  } catch (error) {
    if (signal.aborted || error.status === 0) throw error;
    part.querySelector(".about").replaceWith(element("p", {}, `There is no proof: ${error.message}.`));
    return;
  }
  const checkpoint = proof.checkpoint && [element("h4", {}, "Checkpoint"), element("pre", { class: "note", tabindex: "0", role: "region", "aria-label": "Checkpoint" }, proof.checkpoint)];
  const source = element("p", { class: "about" }, element("a", { href: address(path) }, "The proof"), " for the tree of ", some(proof.size, "event", "events"), ".");
  if (!canVerify()) {
    part.querySelector(".about").replaceWith(source, element("p", { class: "verdict" },
      "It was not checked: browsers compute hashes for pages from https and from their own machine alone. ", element("code", {}, "strata verify"), " checks the whole log; docs/auditing.md shows how to check a proof by hand."), ...(checkpoint || []));
    return;
  }
  const key = await readText("/audit/v1/log/key", signal).catch((error) => {
    if (signal.aborted) throw error;
    return undefined;
  });
  const steps = await verify({ event, body: read && await digestOf(read), proof, key });
  if (signal.aborted) return;
  const good = holds(steps);
  const verdict = good ? "The proof holds." : "The proof does not hold.";
  part.querySelector(".about").replaceWith(
    element("p", { class: "verdict " + (good ? "good" : "bad") }, verdict),
    element("ul", { class: "steps" }, steps.map(({ ok, text }) => element("li", { class: ok ? "good" : ok === false ? "bad" : "open" }, unseen(ok ? "Right: " : ok === false ? "Wrong: " : "Not checked: "), text))),
    ...(checkpoint || []),
    source,
    element("p", { class: "about" }, "This browser computed all of this. It is worth as much as the checkpoint: compare the checkpoint with one that you have kept, or that a witness has signed."),
  );
  announce(verdict);
}
