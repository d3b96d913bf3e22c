import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";
import { Session } from "./session.js";

export interface StrataOptions {
  /** Sends the requests; by default the platform's fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A client of a Strata server. */
export interface Strata {
  /** One method for each HTTP method, with the paths of the description: api.GET("/extended/v3/blocks"). */
  api: Client<paths>;
  /** What is remembered between requests: ETags with their answers, and the position that answers shall reflect. */
  session: Session;
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
}

/** Returns a client of the server at a URL, such as http://127.0.0.1:3999. */
export function createStrata(baseUrl: string, options: StrataOptions = {}): Strata {
  const base = baseUrl.replace(/\/+$/, "");
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const session = new Session();
  const api = createClient<paths>({ baseUrl: base, fetch: send });
  api.use({ onRequest: session.onRequest, onResponse: session.onResponse });
  return { api, session, baseUrl: base, fetch: send };
}
