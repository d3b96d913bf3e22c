/** An answer that is an error. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly said: string,
    /** Seconds after which a retry may succeed; undefined when the server names none. */
    readonly retryAfter?: number,
  ) {
    super(`the server answered ${status}: ${said}`);
  }

  /** The error that an answer is, with its body if it was read before. */
  static async of(response: Response, body?: unknown): Promise<Refusal> {
    let said = body;
    if (said === undefined) {
      const text = await response.text();
      try {
        said = JSON.parse(text);
      } catch {
        said = text;
      }
    }
    if (typeof said === "object" && said !== null) {
      const { message, error, reason } = said as { message?: string; error?: string; reason?: string };
      said = message || error || reason || JSON.stringify(said);
    }
    const after = Number(response.headers.get("Retry-After") ?? NaN);
    return new Refusal(response.status, String(said), Number.isFinite(after) ? after : undefined);
  }
}
