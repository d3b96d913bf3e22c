// Reads of the API that serves this page.

// The page is at <root>console/, wherever that is.
const root = new URL("../", import.meta.url);

const patience = 15_000; // milliseconds

// Failure is an answer that is none: status is 0 when there was no answer at all.
export class Failure extends Error {
  constructor(path, status, said) {
    super(said);
    this.path = path;
    this.status = status;
  }
}

// inWords says what went wrong.
export const inWords = (error) => (error instanceof Failure ? `Could not read ${error.path}: ${error.message}.` : `Something is wrong in this page: ${error.message}.`);

// address is where a path of the API is. It never leads to another server, whatever the path.
export const address = (path) => new URL("./" + path.replace(/^\/+/, ""), root).href;

async function get(path, signal) {
  const signals = [AbortSignal.timeout(patience)];
  if (signal) signals.push(signal);
  try {
    return await fetch(address(path), { signal: AbortSignal.any(signals), redirect: "error" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(path, 0, error.name === "TimeoutError" ? `no answer within ${patience / 1000} s` : "the server can’t be reached");
  }
}

// whole reads what take takes of an answer.
async function whole(path, signal, take) {
  const response = await get(path, signal);
  if (!response.ok) throw new Failure(path, response.status, await refusal(response));
  try {
    return await take(response);
  } catch (error) {
    if (signal?.aborted || error instanceof Failure) throw error;
    throw new Failure(path, 0, `the answer can’t be read: ${error.message}`);
  }
}

async function refusal(response) {
  const text = await response.text().catch(() => "");
  try {
    const said = JSON.parse(text);
    return said.message || said.error || `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}

export const readJSON = (path, signal) => whole(path, signal, (response) => response.json());
export const readText = (path, signal) => whole(path, signal, (response) => response.text());

// readBytes reads no more than most bytes.
export const readBytes = (path, most, signal) => whole(path, signal, async (response) => {
  const parts = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Failure(path, 0, "the body is larger than its event states");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
});
