-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Balances of STX as of the newest block. Key: account. Index: account, and (balance DESC, account) for the richest.
CREATE VIEW api.stx_balances AS
SELECT
    h.account, -- principal
    h.balance, -- µSTX, including locked ones; above zero
    coalesce((
        SELECT CASE WHEN l.unlock_height > b.burn_block_height AND coalesce(CASE l.pox_version WHEN 1 THEN b.pox_v1_unlock_height
            WHEN 2 THEN b.pox_v2_unlock_height WHEN 3 THEN b.pox_v3_unlock_height WHEN 4 THEN b.pox_v4_unlock_height END > b.burn_block_height, true)
            THEN l.amount ELSE 0 END
        FROM (SELECT * FROM {schema}.stx_lock x WHERE x.account = h.account ORDER BY x.height DESC, x.position DESC LIMIT 1) l,
            (SELECT * FROM {schema}.block ORDER BY height DESC LIMIT 1) b), 0) AS locked, -- µSTX locked by stacking at the newest block
    h.sent, -- µSTX that events moved out, ever
    h.received, -- µSTX that events moved in, ever
    h.fees, -- µSTX paid as fees, ever
    h.rewards, -- µSTX received as a miner, ever
    h.n AS changes, -- number of changes of the balance: balance_changes.n of the last one
    h.height, -- height of the Stacks block with the last change
    h.source_seq, -- position in the log of the event with that block
    h.id AS holding -- number of the account and asset, for balance_changes
FROM {schema}.holding h
WHERE h.asset = 'stx' AND h.balance > 0;

-- Balances of fungible tokens (SIP-010) as of the newest block: the holders of each token. Key: (account, asset). Indexes:
-- (account, asset), and (asset, balance DESC, account) for the largest holders.
CREATE VIEW api.ft_balances AS
SELECT
    h.asset, -- asset identifier: contract, two colons, name of the token
    h.account, -- principal
    h.balance, -- base units; above zero
    h.sent, -- base units that events moved out, ever
    h.received, -- base units that events moved in, ever
    h.n AS changes, -- number of changes of the balance: balance_changes.n of the last one
    h.height, -- height of the Stacks block with the last change
    h.source_seq, -- position in the log of the event with that block
    h.id AS holding -- number of the account and asset, for balance_changes
FROM {schema}.holding h
WHERE h.kind = 'ft' AND h.balance > 0;

-- Every change of every balance, in the order of execution: the ledger. Key: (account, asset, n). Indexes: (account, asset), (holding,
-- height, n) and height. Few of many changes are found at once with holding = (SELECT holding FROM api.stx_balances WHERE …).
CREATE VIEW api.balance_changes AS
SELECT
    l.account, -- principal
    l.asset, -- stx, or the asset identifier of a fungible or non-fungible token
    l.n, -- number among the changes of the account and asset, from 1
    l.height, -- height of the Stacks block
    l.tx_index, -- index of the transaction in the block's list; null for rewards of miners
    l.delta, -- the change: µSTX, base units, 1 or -1
    l.balance, -- after the change
    l.cause, -- type of the event, fee or miner_reward
    l.pointer, -- JSON pointer of the cause in the body of the log's event source_seq
    l.source_seq, -- position in the log of the event with the block
    l.holding -- number of the account and asset: stx_balances.holding and ft_balances.holding
FROM {schema}.ledger l;

-- Supply and number of holders of each asset after each block that changed them. Key: (asset, height). The row with the
-- greatest height up to a block counts there.
CREATE VIEW api.supplies AS
SELECT
    a.asset, -- stx, or the asset identifier
    a.kind, -- stx, ft or nft
    a.height, -- height of the Stacks block
    a.minted - a.burned + a.rewards AS supply, -- base units; number of tokens if non-fungible
    a.minted, -- minted by events, ever
    a.burned, -- burned by events, ever
    a.rewards, -- µSTX that miners received as coinbases, ever
    a.holders, -- number of accounts with a balance above zero
    a.source_seq -- position in the log of the event with the block
FROM {schema}.asset a;

-- Owners of non-fungible tokens (SIP-009) as of the newest block. Key: (asset, value_hash_bytes). Indexes: (asset,
-- value_hash_bytes), owner.
CREATE VIEW api.nft_holdings AS
SELECT
    c.asset, -- asset identifier: contract, two colons, name of the token
    '0x' || encode(c.value, 'hex') AS value, -- id of the token: serialised Clarity value (SIP-005)
    c.owner, -- principal
    c.n AS events, -- number of events of the token: nft_transfers.n of the last one
    c.height, -- height of the Stacks block with the last event
    c.value AS value_bytes, -- as value
    c.value_hash AS value_hash_bytes, -- SHA-256 of value_bytes, for filters: sha256('\x…')
    c.source_seq -- position in the log of the event with that block
FROM {schema}.nft_custody c
WHERE c.owner IS NOT NULL;

-- What happened to each non-fungible token. Key: (asset, value_hash_bytes, n). Indexes: (asset, value_hash_bytes, n), height.
CREATE VIEW api.nft_transfers AS
SELECT
    e.asset, -- asset identifier: contract, two colons, name of the token
    '0x' || encode(e.value, 'hex') AS value, -- id of the token: serialised Clarity value (SIP-005)
    e.n, -- number among the events of the token, from 1
    e.height, -- height of the Stacks block
    e.tx_index, -- index of the transaction in the block's list
    e.event_index, -- index in the transaction
    CASE e.cause WHEN 'nft_transfer_event' THEN 'transfer' WHEN 'nft_mint_event' THEN 'mint' ELSE 'burn' END AS kind, -- transfer, mint or burn
    e.sender, -- principal; null for a mint
    e.recipient, -- principal that owns it from then on; null for a burn
    e.value AS value_bytes, -- as value
    e.value_hash AS value_hash_bytes, -- SHA-256 of value_bytes, for filters
    e.pointer, -- JSON pointer of the event in the body of the log's event source_seq
    e.source_seq -- position in the log of the event with the block
FROM {schema}.nft_event e;

-- Locks of STX by stacking, after each change. Key: (account, height, position). The last row of an account counts, up to
-- unlock_height. Indexes: account, height, unlock_height.
CREATE VIEW api.stx_locks AS
SELECT
    l.account, -- principal
    l.height, -- height of the Stacks block
    l.position, -- order of execution within the block
    l.amount, -- µSTX locked in total from then on
    l.unlock_height, -- Bitcoin height at which the lock ends
    l.pox_version, -- 1 for the contract pox, 2 for pox-2, and so on
    l.cause, -- stx_lock_event, or handle-unlock, which ends the lock early
    '0x' || encode(l.txid, 'hex') AS txid, -- transaction id
    l.pointer, -- JSON pointer of the cause in the body of the log's event source_seq
    l.source_seq -- position in the log of the event with the block
FROM {schema}.stx_lock l;

-- Balances of STX as of the Stacks block at a height, as in stx_balances. Filter by account.
CREATE FUNCTION api.stx_balances_at(at_height bigint) RETURNS TABLE (
    account text, balance numeric, locked numeric, sent numeric, received numeric, fees numeric, rewards numeric, changes bigint, height bigint, source_seq bigint
) LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT l.account, l.balance,
        coalesce((
            SELECT CASE WHEN k.unlock_height > b.burn_block_height AND coalesce(CASE k.pox_version WHEN 1 THEN b.pox_v1_unlock_height
                WHEN 2 THEN b.pox_v2_unlock_height WHEN 3 THEN b.pox_v3_unlock_height WHEN 4 THEN b.pox_v4_unlock_height END > b.burn_block_height, true)
                THEN k.amount ELSE 0 END
            FROM (SELECT * FROM {schema}.stx_lock x WHERE x.account = l.account AND x.height <= at_height ORDER BY x.height DESC, x.position DESC LIMIT 1) k,
                (SELECT * FROM {schema}.block y WHERE y.height <= at_height ORDER BY y.height DESC LIMIT 1) b), 0),
        l.received - l.fees + l.rewards - l.balance, l.received, l.fees, l.rewards, l.n::bigint, l.height, l.source_seq
    FROM {schema}.holding h
    CROSS JOIN LATERAL (
        SELECT h.account, x.* FROM {schema}.entry x WHERE x.holding = h.id AND x.height <= at_height ORDER BY x.height DESC, x.n DESC LIMIT 1
    ) l
    WHERE h.asset = 'stx' AND l.balance > 0
$$;

-- Balances of fungible tokens as of the Stacks block at a height, as in ft_balances. Filter by asset or account.
CREATE FUNCTION api.ft_balances_at(at_height bigint) RETURNS TABLE (
    asset text, account text, balance numeric, sent numeric, received numeric, changes bigint, height bigint, source_seq bigint
) LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT h.asset, h.account, l.balance, l.received - l.fees + l.rewards - l.balance, l.received, l.n::bigint, l.height, l.source_seq
    FROM {schema}.holding h
    CROSS JOIN LATERAL (
        SELECT * FROM {schema}.entry x WHERE x.holding = h.id AND x.height <= at_height ORDER BY x.height DESC, x.n DESC LIMIT 1
    ) l
    WHERE h.kind = 'ft' AND l.balance > 0
$$;

-- Owners of non-fungible tokens as of the Stacks block at a height, as in nft_holdings. Filter by asset and value_hash_bytes.
CREATE FUNCTION api.nft_holdings_at(at_height bigint) RETURNS TABLE (
    asset text, value text, owner text, events bigint, height bigint, value_bytes bytea, value_hash_bytes bytea, source_seq bigint
) LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT c.asset, '0x' || encode(c.value, 'hex'), e.recipient, e.n, e.height, c.value, c.value_hash, e.source_seq
    FROM {schema}.nft_custody c
    CROSS JOIN LATERAL (
        SELECT * FROM {schema}.nft_event x WHERE x.asset = c.asset AND x.value_hash = c.value_hash AND x.height <= at_height ORDER BY x.n DESC LIMIT 1
    ) e
    WHERE e.recipient IS NOT NULL
$$;

-- Supply and number of holders of each asset as of the Stacks block at a height, as in supplies. Filter by asset.
CREATE FUNCTION api.supplies_at(at_height bigint) RETURNS TABLE (
    asset text, kind text, height bigint, supply numeric, minted numeric, burned numeric, rewards numeric, holders bigint, source_seq bigint
) LANGUAGE sql STABLE ROWS 1000 AS $$
    SELECT DISTINCT ON (a.asset) a.asset, a.kind, a.height, a.minted - a.burned + a.rewards, a.minted, a.burned, a.rewards, a.holders, a.source_seq
    FROM {schema}.asset a
    WHERE a.height <= at_height
    ORDER BY a.asset, a.height DESC
$$;
