import type { Strata } from "./client.js";
import { Refusal } from "./refusal.js";
import type { paths } from "./schema.js";

/** The paths of the streams. */
export type Stream = Extract<keyof paths, `/stream/v1/${string}`>;

type Events<P extends Stream> = paths[P]["get"]["responses"][200]["content"]["text/event-stream"];
type WithPosition<E> = E extends { event: string } ? Omit<E, "id"> & { position: string } : never;

/** An event of a stream. position is where a stream resumes that has seen it. The event end is not shown: the stream resumes. */
export type EventOf<P extends Stream> = Exclude<WithPosition<NonNullable<Events<P>>[number]>, { event: "end" }>;

export interface FollowOptions {
  /** The position to start after: that of an event, or the Strata-Position of any answer. By default the stream starts now. */
  from?: string;
  /** Parameters of the path, such as principal. */
  path?: Record<string, string>;
  /** Parameters of the query, such as topic. */
  query?: Record<string, string>;
  signal?: AbortSignal;
}

const silenceMax = 60_000; // ms; the server sends a comment every 15 seconds
const pauseMin = 2_000;
const pauseMax = 30_000;

/**
 * Follows a stream. It connects again whenever a connection breaks, and resumes after the last event, so that no event is
 * missed. It ends when the signal says so, and throws a Refusal when the server refuses the request.
 */
export async function* follow<P extends Stream>(strata: Strata, stream: P, options: FollowOptions = {}): AsyncGenerator<EventOf<P>, void, undefined> {
  const path = stream.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(options.path?.[name] ?? ""));
  const query = new URLSearchParams(options.query).toString();
  const url = strata.baseUrl + path + (query && `?${query}`);
  let position = options.from ?? "";
  let retry = pauseMin;
  for (let pause = pauseMin; !options.signal?.aborted; pause = Math.min(2 * pause, pauseMax)) {
    const control = new AbortController();
    const stop = () => control.abort();
    options.signal?.addEventListener("abort", stop);
    let silence = setTimeout(stop, silenceMax);
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (position) headers["Last-Event-ID"] = position;
      const response = await strata.fetch(new Request(url, { headers, signal: control.signal }));
      if (!response.ok || !response.body) throw await Refusal.of(response);
      let id = "", event = "", data: string[] = [];
      for await (const line of linesOf(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(stop, silenceMax);
        pause = retry;
        if (line === "") {
          // The position is kept once the event was handled.
          if (event && event !== "end") yield { position: id || position, event, data: JSON.parse(data.join("\n")) } as EventOf<P>;
          position = id || position;
          [id, event, data] = ["", "", []];
          continue;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "id") id = value;
        else if (field === "event") event = value;
        else if (field === "data") data.push(value);
        else if (field === "retry") pause = retry = Math.min(Number(value) || pauseMin, pauseMax);
      }
    } catch (error) {
      if (error instanceof Refusal && error.status < 500 && error.status !== 429) throw error;
      if (error instanceof SyntaxError) throw error; // what is no JSON now is none next time
      if (error instanceof Refusal && error.retryAfter) pause = Math.min(error.retryAfter * 1000, pauseMax);
    } finally {
      clearTimeout(silence);
      options.signal?.removeEventListener("abort", stop);
      control.abort();
    }
    if (!options.signal?.aborted) await sleep(pause, options.signal);
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield line.replace(/\r$/, "");
    }
  } finally {
    reader.cancel().catch(() => undefined); // it may have failed before
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done);
  });
}
