import { Refusal } from "./refusal.js";

/** Where a page begins, as query parameters: at a cursor, or after a number of rows. Empty for the first page. */
export interface Place {
  cursor?: string;
  offset?: number;
}

/** Asks for the page at a place: (at) => api.GET("/extended/v3/blocks", { params: { query: { limit: 30, ...at } } }). */
export type Ask<Page> = (at: Place) => Promise<{ data?: Page; error?: unknown; response: Response }>;

/**
 * Goes through the pages of a list, from the first that is asked for to the last. It follows the cursors of lists that
 * have them, and counts rows in others.
 */
export async function* pages<Page extends object>(ask: Ask<Page>): AsyncGenerator<Page, void, undefined> {
  for (let at: Place | undefined = {}; at; ) {
    const { data, error, response } = await ask(at);
    if (data === undefined) throw await Refusal.of(response, error ?? null);
    yield data;
    at = after(at, data as Record<string, unknown>);
  }
}

/** Goes through the rows of a list whose pages have them in the member results. */
export async function* rows<Row>(ask: Ask<{ results: Row[] }>): AsyncGenerator<Row, void, undefined> {
  for await (const page of pages(ask)) yield* page.results;
}

/** The place of the next page; undefined after the last. Lists of blocks and accounts call the page of older rows the previous one. */
function after(at: Place, page: Record<string, unknown>): Place | undefined {
  const next = (cursor: unknown): Place | undefined => (typeof cursor === "string" && cursor !== "" ? { cursor } : undefined);
  if (typeof page.cursor === "object" && page.cursor !== null) return next((page.cursor as { next?: unknown }).next);
  for (const name of ["prev_cursor", "next_cursor"]) if (name in page) return next(page[name]);
  if (at.cursor !== undefined) return undefined; // its last page has no cursor
  const list = Object.values(page).find((member) => Array.isArray(member)) as unknown[] | undefined;
  const offset = Number(page.offset ?? 0) + (list?.length ?? 0);
  const more = (list?.length ?? 0) > 0 && (typeof page.total !== "number" || offset < page.total);
  return more ? { offset } : undefined;
}
