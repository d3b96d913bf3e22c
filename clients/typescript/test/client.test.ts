import assert from "node:assert/strict";
import { test } from "node:test";
import { broadcast, checkProof, createStrata, fetchProof, follow, pages, Refusal, rows } from "../src/index.js";

// The server that the environment names. Strata's own tests start one; see docs/clients.md.
const url = process.env.STRATA_URL ?? "";
const options = { skip: url ? false : "STRATA_URL names no server", timeout: 20_000 };

test("each of the ways to page leads to every row once", options, async () => {
  const { api } = createStrata(url);
  const heights: number[] = [];
  for await (const block of rows((at) => api.GET("/extended/v3/blocks", { params: { query: { limit: 3, ...at } } }))) heights.push(block.height);
  const again: number[] = [];
  for await (const block of rows((at) => api.GET("/extended/v2/blocks", { params: { query: { limit: 3, ...at } } }))) again.push(block.height);
  assert.ok(heights.length >= 10);
  assert.deepEqual(heights, heights.map((_, i) => heights[0]! - i));
  assert.deepEqual(again, heights);
  let [counted, total] = [0, 0];
  const height = heights[1]!;
  for await (const page of pages((at) => api.GET("/extended/v1/tx/block_height/{height}", { params: { path: { height }, query: { limit: 1, ...at } } }))) {
    counted += page.results.length;
    total = page.total;
  }
  assert.equal(counted, total);
});

test("a stream that is broken off is resumed, and no block is missed", options, async () => {
  let connections = 0;
  const breaking = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (++connections > 1 || !response.body) return response;
    let left = 6000;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (chunk.length > left) {
          controller.enqueue(chunk.subarray(0, left));
          controller.error(new Error("broken off"));
        } else controller.enqueue(chunk);
        left -= chunk.length;
      },
    });
    return new Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers });
  };
  const strata = createStrata(url, { fetch: breaking });
  const chain = new Map<number, string>();
  for await (const { event, data, position } of follow(strata, "/stream/v1/blocks", { from: "log=0" })) {
    assert.match(position, /^log=\d+/);
    if (event !== "block") continue;
    assert.ok(chain.size === 0 || chain.has(data.height - 1), `block ${data.height} came after a gap`);
    chain.set(data.height, data.index_block_hash);
    if (data.height >= 12 && connections > 1) break;
  }
  assert.ok(chain.size >= 10 && connections > 1);
});

test("what has not changed is not sent again", options, async () => {
  const statuses: number[] = [];
  const strata = createStrata(url, {
    fetch: async (request) => {
      const response = await fetch(request);
      statuses.push(response.status);
      return response;
    },
  });
  const ask = () => strata.api.GET("/extended/v2/blocks/{height_or_hash}", { params: { path: { height_or_hash: "2" } } });
  const [first, second] = [await ask(), await ask()];
  assert.deepEqual(statuses, [200, 304]);
  assert.equal(first.data?.height, 2);
  assert.deepEqual(second.data, first.data);
});

test("what was broadcast is found by whoever reads after it", options, async () => {
  const strata = createStrata(url);
  const { txId } = await broadcast(strata, Buffer.from(process.env.STRATA_TRANSACTION_TYPESCRIPT ?? "", "hex"), AbortSignal.timeout(15_000));
  const { data } = await strata.api.GET("/extended/v3/transactions/{tx_id}", { params: { path: { tx_id: txId } } });
  assert.equal(data?.tx_id, txId);
  assert.equal(data?.status, "pending");
});

test("a proof is checked with the key alone, and whatever is changed in it is refused", options, async () => {
  const key = process.env.STRATA_LOG_KEY ?? "";
  const file = await fetchProof(createStrata(url), 7);
  const proven = await checkProof(file, key);
  assert.equal(proven.seq, 7);
  assert.match(proven.path, /^(\/new_|strata:)/);
  for (let i = 0; i < file.length; i += 7) {
    const other = String.fromCharCode(file.charCodeAt(i) ^ 1);
    if (file[i] === "\n" || other === "\n") continue;
    const changed = file.slice(0, i) + other + file.slice(i + 1);
    const got = await checkProof(changed, key).catch(() => undefined);
    if (got) assert.deepEqual(got, proven, `byte ${i} is changed`);
  }
});

test("a refusal says what the server said", options, async () => {
  const { api } = createStrata(url);
  const list = rows((at) => api.GET("/extended/v2/blocks/{height_or_hash}/transactions", { params: { path: { height_or_hash: "newest" }, query: at } }));
  await assert.rejects(list.next(), (error: unknown) => error instanceof Refusal && error.status === 400 && error.said.includes("height_or_hash"));
});
