import type { Middleware } from "openapi-fetch";

const positionHeader = "Strata-Position";
const answersKept = 256;
const answerMax = 1 << 20; // bytes

interface Kept {
  tag: string;
  headers: Headers;
  body: ArrayBuffer;
}

/**
 * Remembers answers, and asks with the ETag of the last one, so that the server sends a body only when it has changed.
 * Later answers reflect at least the position that reflect was given.
 */
export class Session {
  #position = "";
  #answers = new Map<string, Kept>(); // the one that was used last is at the end
  #asked = new WeakMap<Request, Kept>();

  /** Lets every later answer from the tables reflect at least a position, unless it already has to reflect a later one. */
  reflect(position: string): void {
    if (logPosition(position) > logPosition(this.#position)) this.#position = position;
  }

  onRequest: NonNullable<Middleware["onRequest"]> = ({ request }) => {
    if (this.#position && !request.headers.has(positionHeader)) request.headers.set(positionHeader, this.#position);
    const known = request.method === "GET" && !request.headers.has("If-None-Match") ? this.#answers.get(request.url) : undefined;
    if (known) {
      this.#answers.delete(request.url);
      this.#answers.set(request.url, known);
      request.headers.set("If-None-Match", known.tag);
      this.#asked.set(request, known);
    }
    return request;
  };

  onResponse: NonNullable<Middleware["onResponse"]> = async ({ request, response }) => {
    const known = this.#asked.get(request);
    if (known && response.status === 304) {
      const headers = new Headers(known.headers);
      response.headers.forEach((value, name) => headers.set(name, value));
      return new Response(known.body, { status: 200, headers });
    }
    const tag = response.headers.get("ETag") ?? "";
    if (request.method !== "GET" || response.status !== 200 || !tag.startsWith('"')) return undefined;
    const body = await response.arrayBuffer();
    if (body.byteLength <= answerMax) {
      this.#answers.delete(request.url);
      this.#answers.set(request.url, { tag, headers: new Headers(response.headers), body });
      if (this.#answers.size > answersKept) this.#answers.delete(this.#answers.keys().next().value as string);
    }
    return new Response(body, { status: 200, headers: response.headers });
  };
}

/** The number of events in a position; -1 when it has none. */
export function logPosition(position: string): number {
  const digits = /^(?:log=)?([0-9]+)/.exec(position);
  return digits ? Number(digits[1]) : -1;
}
