-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.
-- Amounts are in whole tokens.

-- BRC-20 tokens whose deploy is known. Key: ticker. Index: ticker.
CREATE VIEW api.brc20_tokens AS
SELECT
    t.ticker, -- lower case
    t.tick, -- as deployed
    t.id, -- inscription id of the deploy
    t.number, -- number of that inscription; null if the feed does not tell
    t.address, -- Bitcoin address that deployed it
    t.height, -- Bitcoin height of the deploy
    encode(t.txid, 'hex') AS txid, -- transaction of the deploy, hex without 0x
    t.decimals, -- decimals that operations may have
    t.max_supply, -- whole tokens
    t.mint_limit, -- whole tokens for each mint; null for none
    t.minted, -- whole tokens
    t.self_mint, -- only the deployer may mint
    t.holders, -- number of addresses with a balance above zero
    t.tx_count, -- number of operations
    t.source_seq -- position in the log of the event with the deploy
FROM {schema}.token t
WHERE t.height IS NOT NULL;

-- Balances of BRC-20 tokens: the holders of each token. Key: (ticker, address). Indexes: the key, (ticker, total DESC,
-- address), (address, total DESC, ticker).
CREATE VIEW api.brc20_balances AS
SELECT
    b.ticker, -- lower case
    b.address, -- Bitcoin address
    b.total, -- whole tokens: available and transferrable; above zero
    b.available, -- whole tokens that are not inscribed as transfers
    b.transferrable, -- whole tokens inscribed as transfers that were not sent yet
    b.height, -- Bitcoin height of the last change
    b.source_seq -- position in the log of the event with that block
FROM {schema}.balance b
WHERE b.total > 0;

-- BRC-20 operations. Key: (height, tx_index). Indexes: the key, ticker, address, receiver.
CREATE VIEW api.brc20_operations AS
SELECT
    o.height, -- Bitcoin height
    o.tx_index, -- index of the transaction in the block
    encode(o.txid, 'hex') AS txid, -- transaction, hex without 0x
    (ARRAY['deploy', 'mint', 'transfer', 'transfer_send'])[o.kind] AS kind, -- deploy, mint, transfer or transfer_send
    o.ticker, -- lower case
    o.id, -- inscription id
    o.address, -- Bitcoin address that deploys, mints, inscribes or sends
    o.receiver, -- of a send: Bitcoin address, empty if the amount was burnt; null for others
    o.amount, -- whole tokens; null for a deploy
    o.source_seq -- position in the log of the event with the block
FROM {schema}.operation o;
