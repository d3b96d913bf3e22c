// What a pasted text may mean, as paths of the API.

const c32 = "[0-9A-HJKMNP-TV-Z]";
const principal = new RegExp(`^(S${c32}{27,40})(?:\\.([a-zA-Z][a-zA-Z0-9_-]*))?(?:::([\\x21-\\x7e]*?))?(?:[#/: ]([0-9]{1,39}))?$`);
const inscription = /^(?:0x)?([0-9a-fA-F]{64})i([0-9]+)$/;
const output = /^(?:0x)?([0-9a-fA-F]{64}):([0-9]+)$/;
const hash = /^(?:0x)?([0-9a-fA-F]{64})$/;
const bitcoin = /^(?:(?:bc|tb|bcrt)1[0-9a-z]{6,87}|[13mn2][1-9A-HJ-NP-Za-km-z]{25,34})$/;
const ticker = /^\S{4,6}$/u;
const name = /^(?:[a-z0-9_+-]+\.)?[a-z0-9_+-]{1,37}\.[a-z0-9_-]{1,19}$/;
const numbered = /^(event|block|burn block|bitcoin block|cycle|bond|inscription|sat)\s*#?\s*(-?[0-9]{1,16})$/i;

// What a number means when it is said.
const numberedPaths = {
  event: ["the event at this position in the log", "/audit/v1/events/"],
  block: ["the block at this height", "/extended/v2/blocks/"],
  "burn block": ["the Bitcoin block at this height", "/extended/v2/burn-blocks/"],
  "bitcoin block": ["the Bitcoin block at this height", "/extended/v2/burn-blocks/"],
  cycle: ["the reward cycle", "/extended/v2/pox/cycles/"],
  bond: ["the bond", "/extended/v3/staking/bonds/"],
  inscription: ["the inscription with this number", "/ordinals/v1/inscriptions/"],
  sat: ["the satoshi with this number", "/ordinals/v1/sats/"],
};

const part = encodeURIComponent;

// candidates returns the readings of a text, the likeliest first. Each has a path, and a description in about.
export function candidates(text) {
  text = text.trim();
  const readings = [];
  const add = (about, path) => readings.push({ about, path });
  if (text === "") return readings;

  const url = pathOf(text);
  if (url) {
    add("this path", url);
    return readings;
  }
  let match = text.match(principal);
  if (match) {
    addPrincipal(match, add);
    return readings;
  }
  if ((match = text.match(inscription))) {
    const id = `${match[1].toLowerCase()}i${match[2]}`;
    add("the inscription", `/ordinals/v1/inscriptions/${id}`);
    add("the locations of the inscription", `/ordinals/v1/inscriptions/${id}/transfers`);
    return readings;
  }
  if ((match = text.match(output))) {
    add("the inscriptions on this output", `/ordinals/v1/inscriptions?output=${match[1].toLowerCase()}:${match[2]}`);
    return readings;
  }
  if ((match = text.match(hash))) {
    const digits = match[1].toLowerCase();
    add("the transaction with this id", `/extended/v1/tx/0x${digits}`);
    add("the block with this hash", `/extended/v2/blocks/0x${digits}`);
    add("the Bitcoin block with this hash", `/extended/v2/burn-blocks/0x${digits}`);
    add("the first inscription of this Bitcoin transaction", `/ordinals/v1/inscriptions/${digits}i0`);
    add("the inscriptions on the first output of this Bitcoin transaction", `/ordinals/v1/inscriptions?output=${digits}:0`);
    if (digits.startsWith("00000000")) add("the inscriptions revealed in the Bitcoin block with this hash", `/ordinals/v1/inscriptions?genesis_block=${digits}`);
    return readings;
  }
  if (bitcoin.test(text)) {
    add("the inscriptions of this address", `/ordinals/v1/inscriptions?address=${part(text)}`);
    add("the BRC-20 balances of this address", `/ordinals/v1/brc-20/balances/${part(text)}`);
    return readings;
  }
  if ((match = text.match(numbered))) {
    const [about, path] = numberedPaths[match[1].toLowerCase()];
    add(about, path + match[2]);
    return readings;
  }
  if (name.test(text)) {
    if (text.split(".").length === 2) add("the name in BNS-V2", `/bns/v2/names/${part(text)}`);
    add("the name or subdomain in the first registry", `/v1/names/${part(text)}`);
    return readings;
  }
  if (text === "latest") add("the newest block", "/extended/v2/blocks/latest");
  if (/^[0-9]{1,16}$/.test(text)) {
    const n = text.replace(/^0+(?=.)/, "");
    add("the block at this height", `/extended/v2/blocks/${n}`);
    if (n !== "0") add("the event at this position in the log", `/audit/v1/events/${n}`);
    add("the Bitcoin block at this height", `/extended/v2/burn-blocks/${n}`);
    if (n.length < 5) add("the reward cycle", `/extended/v2/pox/cycles/${n}`);
    add("the inscription with this number", `/ordinals/v1/inscriptions/${n}`);
    add("the satoshi with this number", `/ordinals/v1/sats/${n}`);
  } else if (/^-[1-9][0-9]{0,15}$/.test(text)) {
    add("the inscription with this number", `/ordinals/v1/inscriptions/${text}`);
  }
  if (ticker.test(text)) add("the BRC-20 token with this ticker", `/ordinals/v1/brc-20/tokens/${part(text)}`);
  return readings;
}

// addPrincipal adds the readings of an account, a contract or a token.
function addPrincipal([, owner, contract, , id], add) {
  const account = contract ? `${owner}.${contract}` : owner;
  if (contract && id !== undefined) {
    add(`the non-fungible token ${id}`, `/metadata/v1/nft/${account}/${id}`);
    add(`the semi-fungible token ${id}`, `/metadata/v1/sft/${account}/${id}`);
    return;
  }
  if (contract) {
    add("the fungible token", `/metadata/v1/ft/${account}`);
    add("the contract", `/extended/v1/contract/${account}`);
  }
  add(contract ? "the STX of the contract" : "the STX of this account", `/extended/v1/address/${account}/stx`);
  add(contract ? "the transactions of the contract" : "the transactions of this account", `/extended/v3/principals/${account}/transactions`);
  add(contract ? "all balances of the contract" : "all balances of this account", `/extended/v1/address/${account}/balances`);
}

// pathOf returns the path of a text that is a path or a URL; undefined for any other text.
function pathOf(text) {
  if (text.startsWith("/")) return text;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.pathname + url.search;
}
