// Requests to the API that serves this page.

// The page is at <root>console/, whatever the root is.
const root = new URL("../", import.meta.url);

const timeout = 15_000; // milliseconds

// Failure is the error of a failed request. Its status is 0 when there was no complete answer.
export class Failure extends Error {
  constructor(path, status, message) {
    super(message);
    this.path = path;
    this.status = status;
  }
}

// errorText describes an error to the user.
export const errorText = (error) => (error instanceof Failure ? `Could not read ${error.path}: ${error.message}.` : `Something is wrong in this page: ${error.message}.`);

// address returns the URL of a path of the API. It never leads to another server, whatever the path.
export const address = (path) => new URL("./" + path.replace(/^\/+/, ""), root).href;

async function get(path, signal) {
  const signals = [AbortSignal.timeout(timeout)];
  if (signal) signals.push(signal);
  try {
    return await fetch(address(path), { signal: AbortSignal.any(signals), redirect: "error" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(path, 0, error.name === "TimeoutError" ? `no answer within ${timeout / 1000} s` : "the server can’t be reached");
  }
}

// read sends a request and returns what consume reads from the response. It throws a Failure for an error status.
async function read(path, signal, consume) {
  const response = await get(path, signal);
  if (!response.ok) throw new Failure(path, response.status, await messageOf(response));
  try {
    return await consume(response);
  } catch (error) {
    if (signal?.aborted || error instanceof Failure) throw error;
    throw new Failure(path, 0, `the answer can’t be read: ${error.message}`);
  }
}

// messageOf returns the message in the body of an error, or its status when there is none.
async function messageOf(response) {
  const text = await response.text().catch(() => "");
  try {
    const body = JSON.parse(text);
    return body.message || body.error || `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}

export const readJSON = (path, signal) => read(path, signal, (response) => response.json());
export const readText = (path, signal) => read(path, signal, (response) => response.text());

// readBytes reads a body of at most max bytes, and throws a Failure for a longer one.
export const readBytes = (path, max, signal) => read(path, signal, async (response) => {
  const parts = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > max) {
      await reader.cancel();
      throw new Failure(path, 0, "the body is larger than its event states");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
});
