import { verifyAsync } from "@noble/ed25519";
import type { Strata } from "./client.js";
import { Refusal } from "./refusal.js";

/** An event that a proof shows to be in the log. */
export interface Proven {
  seq: number;
  receivedAt: Date;
  bodySize: number;
  /** Lower-case hex. */
  bodySha256: string;
  source: string;
  path: string;
  contentType: string;
  origin: string;
  /** Number of events that the checkpoint covers. */
  logSize: number;
}

const header = "c2sp.org/tlog-proof@v1";

/**
 * Fetches the proof that an event is in the log, in the format of https://c2sp.org/tlog-proof. It proves something only
 * once checkProof has checked it.
 */
export async function fetchProof(strata: Strata, seq: number): Promise<string> {
  const { data, error, response } = await strata.api.GET("/audit/v1/log/proofs/inclusion", { params: { query: { seq } } });
  if (!data) throw await Refusal.of(response, error ?? null);
  const hashes = data.hashes.map((hash) => `${hash}\n`).join("");
  return `${header}\nextra ${data.leaf}\nindex ${data.index}\n${hashes}\n${data.checkpoint ?? ""}`;
}

/**
 * Checks a proof, without the server: that key, the verifier key of the log, has signed its checkpoint, and that the tree of
 * the checkpoint has the event at its place. It throws when the file proves nothing. Get the key from the operator by
 * another way than the proof.
 */
export async function checkProof(file: string, key: string): Promise<Proven> {
  const end = file.indexOf("\n\n");
  const [first, extra, index, ...path] = file.slice(0, end).split("\n");
  if (end < 0 || first !== header) throw new Error("the file is no proof");
  const leaf = bytes(after(extra, "extra "));
  const at = whole(after(index, "index "));
  const { size, root } = await openCheckpoint(file.slice(end + 2), key);
  const event = parseLeaf(leaf);
  if (event.seq !== at + 1) throw new Error(`the record is that of event ${event.seq}, and the proof that of event ${at + 1}`);
  if (at >= size) throw new Error(`event ${event.seq} is not among the ${size} events of the checkpoint`);
  const reached = await rootOf(await sha256(Uint8Array.of(0), leaf), at, size, path.map(bytes));
  if (!same(reached, root)) throw new Error(`event ${event.seq} is not in the tree of the checkpoint`);
  return { ...event, logSize: size };
}

/** Reads a signed note (https://c2sp.org/signed-note) that holds a checkpoint. */
async function openCheckpoint(note: string, key: string): Promise<{ size: number; root: Uint8Array }> {
  const [name, hash, encoded] = split(key);
  const material = bytes(encoded);
  if (material[0] !== 1 || material.length !== 33) throw new Error("the verifier key is not one of Ed25519");
  const id = (await sha256(utf8(`${name}\n`), material)).subarray(0, 4);
  if (hex(id) !== hash) throw new Error("the verifier key is damaged");
  const end = note.lastIndexOf("\n\n");
  if (end < 0) throw new Error("the checkpoint has no signature");
  const text = note.slice(0, end + 1);
  let signed = false;
  for (const line of note.slice(end + 2).split("\n")) {
    const [dash, by, signature] = line.split(" ");
    if (dash !== "—" || by !== name || !signature) continue;
    const raw = bytes(signature);
    if (raw.length !== 4 + 64 || !same(raw.subarray(0, 4), id)) continue;
    if (!(await verifyAsync(raw.subarray(4), utf8(text), material.subarray(1)))) throw new Error("the signature of the checkpoint is wrong");
    signed = true;
  }
  if (!signed) throw new Error("the checkpoint is not signed with this key");
  const [origin, size, root] = text.split("\n");
  if (origin !== name) throw new Error(`the checkpoint is of the log ${origin}, and the key of ${name}`);
  return { size: whole(size ?? ""), root: bytes(root ?? "") };
}

function split(key: string): [string, string, string] {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(key.trim());
  if (!parts) throw new Error("the verifier key is not <origin>+<hash>+<key>");
  return [parts[1]!, parts[2]!, parts[3]!];
}

/** The root that an audit path leads to: RFC 9162, section 2.1.3.2. */
async function rootOf(leafHash: Uint8Array, index: number, size: number, path: Uint8Array[]): Promise<Uint8Array> {
  let [hash, node, last] = [leafHash, BigInt(index), BigInt(size) - 1n];
  for (const sibling of path) {
    if (sibling.length !== 32) throw new Error("a hash of the proof does not have 32 bytes");
    if (last === 0n) throw new Error("the proof has too many hashes");
    if (node % 2n === 1n || node === last) {
      hash = await sha256(Uint8Array.of(1), sibling, hash);
      while (node % 2n === 0n && node !== 0n) [node, last] = [node >> 1n, last >> 1n];
    } else {
      hash = await sha256(Uint8Array.of(1), hash, sibling);
    }
    [node, last] = [node >> 1n, last >> 1n];
  }
  if (last !== 0n) throw new Error("the proof has too few hashes");
  return hash;
}

/** Reads a leaf record; the server's docs/log-format.md describes it. */
function parseLeaf(leaf: Uint8Array): Omit<Proven, "logSize"> {
  const view = new DataView(leaf.buffer, leaf.byteOffset, leaf.byteLength);
  const fixed = 57;
  if (leaf.length < fixed || leaf[0] !== 1) throw new Error("the leaf record is cut off, or of another version");
  let at = fixed;
  const text = (): string => {
    const length = at + 4 <= leaf.length ? view.getUint32(at) : Infinity;
    if (at + 4 + length > leaf.length) throw new Error("the leaf record is cut off");
    const read = new TextDecoder().decode(leaf.subarray(at + 4, at + 4 + length));
    at += 4 + length;
    return read;
  };
  const event = {
    seq: Number(view.getBigInt64(1)),
    receivedAt: new Date(Number(view.getBigInt64(9) / 1000n)),
    bodySize: Number(view.getBigInt64(17)),
    bodySha256: hex(leaf.subarray(25, fixed)),
    source: text(), path: text(), contentType: text(), origin: text(),
  };
  if (at !== leaf.length) throw new Error("something follows the leaf record");
  return event;
}

function after(line: string | undefined, prefix: string): string {
  if (!line?.startsWith(prefix)) throw new Error(`the proof has no line "${prefix.trim()}"`);
  return line.slice(prefix.length);
}

function whole(text: string): number {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text) || !Number.isSafeInteger(Number(text))) throw new Error(`${JSON.stringify(text)} is no number`);
  return Number(text);
}

function bytes(base64: string): Uint8Array {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) throw new Error("the proof has a text that is no base64");
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (b: Uint8Array): string => Array.from(b, (n) => n.toString(16).padStart(2, "0")).join("");
const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((n, i) => n === b[i]);

async function sha256(...parts: Uint8Array[]): Promise<Uint8Array> {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  parts.reduce((n, p) => (all.set(p, n), n + p.length), 0);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}
