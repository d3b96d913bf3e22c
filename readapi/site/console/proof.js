// The check in the browser that the log has an event (docs/auditing.md). It trusts no hash that the server sends: it
// computes each hash itself.

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// canVerify reports whether the browser lets this page compute hashes. Browsers allow that only on https and on
// localhost.
export const canVerify = () => globalThis.crypto?.subtle !== undefined;

export const digestOf = (bytes) => sha256(bytes);

// rootOf returns the root that an audit path leads to (RFC 9162 section 2.1.3.2). It returns undefined when the path
// cannot be that of a leaf with this index in a tree of this size.
export async function rootOf(leafHash, index, size, path) {
  if (index < 0n || index >= size) return undefined;
  let [node, fn, sn] = [leafHash, index, size - 1n];
  for (const sibling of path) {
    if (sn === 0n) return undefined;
    if ((fn & 1n) === 1n || fn === sn) {
      node = await sha256(Uint8Array.of(1), sibling, node);
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      node = await sha256(Uint8Array.of(1), node, sibling);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n ? node : undefined;
}

// parseLeaf parses a leaf record of version 1 (docs/log-format.md). It throws an Error if the record is malformed.
export function parseLeaf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== 1) throw new Error(`the leaf record has version ${view.getUint8(0)}; this page reads only version 1`);
  const leaf = { seq: view.getBigInt64(1), receivedAt: view.getBigInt64(9), size: view.getBigInt64(17), digest: bytes.subarray(25, 57) };
  let at = 57;
  for (const name of ["source", "path", "contentType", "origin"]) {
    const end = at + 4 + view.getUint32(at);
    if (end > bytes.length) throw new Error("the leaf record ends too early");
    leaf[name] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(at + 4, end));
    at = end;
  }
  if (at !== bytes.length) throw new Error("the leaf record has bytes after its end");
  return leaf;
}

// differs returns the name of a field in which an event and its leaf record disagree; undefined when they agree.
function differs(leaf, event) {
  const micros = BigInt(Date.parse(event.received_at.slice(0, 19) + "Z")) * 1000n + BigInt(event.received_at.slice(20, 26));
  for (const [name, recorded, stated] of [
    ["position", leaf.seq, BigInt(event.seq)], ["size", leaf.size, BigInt(event.size)], ["digest", "0x" + hex(leaf.digest), event.sha256],
    ["time", leaf.receivedAt, micros], ["path", leaf.path, event.path], ["source", leaf.source, event.source],
    ["content type", leaf.contentType, event.content_type], ["origin", leaf.origin, event.origin ?? ""],
  ]) {
    if (recorded !== stated) return name;
  }
  return undefined;
}

// parseNote parses a checkpoint: a signed note whose text is origin, size and root (c2sp.org/tlog-checkpoint).
export function parseNote(note) {
  const end = note.indexOf("\n\n");
  if (end < 0) throw new Error("the checkpoint has no signatures");
  const text = note.slice(0, end + 1);
  const [origin, size, root] = text.split("\n");
  if (!origin || !/^[0-9]+$/.test(size ?? "") || !root) throw new Error("the checkpoint has no origin, size and root");
  const signatures = note.slice(end + 2).split("\n").filter(Boolean).map((line) => {
    const [, name, blob] = line.match(/^\u2014 (\S+) (\S+)$/) ?? [];
    if (!name) throw new Error("the checkpoint has a malformed signature");
    return { name, blob: base64(blob) };
  });
  return { text, origin, size: BigInt(size), root: base64(root), signatures };
}

// isSigned reports whether a note is signed with a verifier key (c2sp.org/signed-note); undefined when the browser
// cannot check the signature.
export async function isSigned(note, key) {
  const [, name, id, blob] = key.trim().match(/^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/) ?? [];
  if (!name) throw new Error("the server’s key is malformed");
  const material = base64(blob);
  if (material[0] !== 1) return undefined; // not Ed25519
  let ed25519;
  try {
    ed25519 = await crypto.subtle.importKey("raw", material.subarray(1), "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error.name === "NotSupportedError") return undefined;
    throw error;
  }
  const text = new TextEncoder().encode(note.text);
  for (const signature of note.signatures) {
    if (signature.name !== name || hex(signature.blob.subarray(0, 4)) !== id) continue;
    return crypto.subtle.verify("Ed25519", ed25519, signature.blob.subarray(4), text);
  }
  return false;
}

// verify checks a proof step by step, from the bytes to the signature. Each step has a text and ok: true, false, or
// undefined if it could not be checked. body is the digest of the bytes, or undefined when they were not read; key is
// the log's verifier key.
export async function verify({ event, body, proof, key }) {
  const steps = [];
  const step = (ok, text) => steps.push({ ok, text });
  try {
    if (body === undefined) step(undefined, "The bytes were not read, so that their SHA-256 was not compared.");
    else if ("0x" + hex(body) === event.sha256) step(true, "The bytes have the SHA-256 that the event states.");
    else step(false, `The bytes have the SHA-256 0x${hex(body)}, and the event states another.`);

    const record = base64(proof.leaf);
    const difference = differs(parseLeaf(record), event);
    if (difference) step(false, `The leaf record states another ${difference} than the event.`);
    else step(true, "The leaf record states the event, and this SHA-256.");

    const leafHash = await sha256(Uint8Array.of(0), record);
    if (equal(leafHash, base64(proof.leaf_hash))) step(true, `The leaf record hashes to ${hex(leafHash).slice(0, 16)}….`);
    else step(false, "The leaf record does not hash to the leaf hash.");

    const [index, size] = [BigInt(proof.index), BigInt(proof.size)];
    const root = index === BigInt(event.seq) - 1n ? await rootOf(leafHash, index, size, proof.hashes.map(base64)) : undefined;
    if (root && equal(root, base64(proof.root))) step(true, `${proof.hashes.length} ${proof.hashes.length === 1 ? "hash leads" : "hashes lead"} from leaf ${index} to the root of the tree of ${size}.`);
    else step(false, `The ${proof.hashes.length} hashes do not lead from leaf ${index} to the root of the tree of ${size}.`);

    if (!proof.checkpoint) {
      step(false, "There is no checkpoint of this tree.");
      return steps;
    }
    const note = parseNote(proof.checkpoint);
    if (root && equal(note.root, root) && note.size === size) step(true, `The checkpoint of ${note.origin} has this root and this size.`);
    else step(false, `The checkpoint of ${note.origin} has another root or size.`);

    const valid = key === undefined ? undefined : await isSigned(note, key);
    if (valid) step(true, "The checkpoint is signed with the key that this server states.");
    else step(valid, valid === undefined ? "This browser could not check the signature of the checkpoint." : "The checkpoint is not signed with the key that this server states.");
  } catch (error) {
    step(false, `The proof can’t be read: ${error.message}.`);
  }
  return steps;
}

// holds reports whether no step failed.
export const holds = (steps) => steps.every((step) => step.ok !== false);
