// Links from an identifier, wherever it stands, to what the API knows of it.

import { element } from "./dom.js";
import { link } from "./location.js";

const principal = /^S[0-9A-HJKMNP-TV-Z]{27,40}(?:\.[a-zA-Z][a-zA-Z0-9_-]*)?(?:::[\x21-\x7e]+)?$/;
const hash = /^0x[0-9a-f]{64}$/;
const inscription = /^[0-9a-f]{64}i[0-9]+$/;
const bitcoin = /^(?:(?:bc|tb|bcrt)1[0-9a-z]{6,87}|[13mn2][1-9A-HJ-NP-Za-km-z]{25,34})$/;
const whole = /^[0-9]{1,16}$/;

// Hashes of bytes and of states, which name nothing that can be looked up.
const digests = /(?:^|_)(?:sha256|uri_hash|key_hash|digest|root|state_index_root|consensus_hash|parent_consensus_hash|signer_signature_hash|vtxindex|vrf_seed|miner_signature)$/;
const heights = /^(?:height|block_height|read_height|min_height|parent_height|mined_height)$/;
const bitcoinHeights = /^(?:burn_block_height|burn_height|bitcoin_height)$/;
const names = /^(?:name|fqn|full_name)$/;

// target returns the place that an identifier leads to; undefined for anything else. name is that of its column or member, and
// row the other values beside it.
export function target(name, value, row = {}) {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > 300) return undefined;
  if (principal.test(text)) {
    const id = row.token_id;
    return link({ q: name === "contract_id" && whole.test(String(id ?? "")) ? `${text}#${id}` : text });
  }
  if (hash.test(text)) return digests.test(name) ? undefined : link({ q: text });
  if (inscription.test(text)) return link({ q: text });
  if (/address|owner|sender|recipient/.test(name) && bitcoin.test(text)) return link({ q: text });
  if (whole.test(text)) {
    if (heights.test(name)) return link({ path: `/extended/v2/blocks/${text}` });
    if (bitcoinHeights.test(name)) return link({ path: `/extended/v2/burn-blocks/${text}` });
    if (/(?:^|_)seq$/.test(name) && text !== "0") return link({ seq: text });
  }
  if (names.test(name) && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(text)) return link({ q: text });
  return undefined;
}

// identified returns the content of an element as a link, if it is an identifier that leads somewhere.
export function identified(name, value, row, text = String(value)) {
  const href = target(name, value, row);
  return href ? element("a", { href, class: "id" }, text) : text;
}

const segment = "[^/?]+";
const patterns = [
  [`^/extended/v[123]/(?:blocks|block/by_height)/(${segment})$`, (id) => [["its transactions", `/extended/v3/blocks/${id}/transactions`]]],
  [`^/extended/v2/burn-blocks/(${segment})$`, (id) => [["its blocks", `/extended/v2/burn-blocks/${id}/blocks`]]],
  [`^/extended/v[13]/(?:tx|transactions)/(0x[0-9a-f]{64})$`, (id) => [["its events", `/extended/v3/transactions/${id}/events`]]],
  [`^/extended/v[123]/(?:address|addresses|principals)/(${segment})/`, (id) => [
    ["its transactions", `/extended/v3/principals/${id}/transactions`],
    ["its fungible tokens", `/extended/v3/principals/${id}/balances/ft`],
    ["its non-fungible tokens", `/extended/v3/principals/${id}/balances/nft`],
    ...(id.includes(".") ? [["the contract", `/extended/v1/contract/${id}`]] : []),
  ]],
  [`^/extended/v[13]/(?:contract|smart-contracts)/(${segment})$`, (id) => [
    ["its prints", `/extended/v1/contract/${id}/events`],
    ["its transactions", `/extended/v3/principals/${id}/transactions`],
    ["the fungible token", `/metadata/v1/ft/${id}`],
  ]],
  [`^/metadata/v1/(?:ft|nft|sft)/(${segment})`, (id) => [["the contract", `/extended/v1/contract/${id}`]]],
  [`^/ordinals/v1/inscriptions/(${segment})$`, (id) => [["its locations", `/ordinals/v1/inscriptions/${id}/transfers`]]],
  [`^/ordinals/v1/brc-20/tokens/(${segment})$`, (id) => [["its holders", `/ordinals/v1/brc-20/tokens/${id}/holders`]]],
  [`^/v1/names/(${segment})$`, (id) => [["its subdomains", `/v1/names/${id}/subdomains`]]],
  [`^/bns/v2/names/(${segment})$`, (id) => [["its history", `/bns/v2/names/${id}/history`]]],
].map(([pattern, paths]) => [new RegExp(pattern), paths]);

// onward returns paths that go on from a path, each with what it leads to.
export function onward(path) {
  for (const [pattern, paths] of patterns) {
    const match = path.split("?")[0].match(pattern);
    if (match) return paths(match[1]).filter(([, to]) => to !== path);
  }
  return [];
}
