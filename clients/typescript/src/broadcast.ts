import type { Strata } from "./client.js";
import { Refusal } from "./refusal.js";
import { logPosition } from "./session.js";
import { follow } from "./stream.js";

/** A transaction that reads show. */
export interface Broadcasted {
  /** With 0x. */
  txId: string;
  /** One at which reads know the transaction, as pending or mined. */
  position: string;
}

/**
 * Sends a transaction to the node, as SIP-005 encodes it, and waits until the server's tables know it. Every later answer
 * to this client reflects that, whichever process or replica gives it.
 */
export async function broadcast(strata: Strata, transaction: Uint8Array, signal?: AbortSignal): Promise<Broadcasted> {
  const before = await positionOf(strata);
  const request = new Request(`${strata.baseUrl}/v2/transactions`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: new Uint8Array(transaction), // a copy: what a Buffer shows may be a part of a larger one
    signal: signal ?? null,
  });
  const response = await strata.fetch(request);
  if (!response.ok) throw await Refusal.of(response);
  const txId = "0x" + ((await response.json()) as string).replace(/^0x/, "");
  for await (const { event, data, position } of follow(strata, "/stream/v1/mempool", signal ? { from: before, signal } : { from: before })) {
    if (event === "reset" || data.tx_id !== txId) continue;
    const now = await positionOf(strata); // the event may stand before the position that it leads to
    const reached = logPosition(position) > logPosition(now) ? position : now;
    strata.session.reflect(reached);
    return { txId, position: reached };
  }
  throw new Error(`nobody waits any longer for transaction ${txId}`);
}

async function positionOf(strata: Strata): Promise<string> {
  const { response, error } = await strata.api.GET("/extended/v3/mempool/transactions", { params: { query: { limit: 1 } } });
  const position = response.headers.get("Strata-Position");
  if (!response.ok || !position) throw await Refusal.of(response, error ?? "the answer has no Strata-Position");
  return position;
}
