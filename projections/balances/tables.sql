-- Tables of the projection balances. Rows are of canonical blocks only. A revert deletes the newest block's rows,
-- which it finds by the indexes *_revert_idx. These indexes grow at their right end only, where inserts cost least.
--
-- Columns without a comment of their own:
--   height: height of the Stacks block that the row comes from; field block_height of /new_block
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   index_block_hash: index block hash, 32 bytes: identifies a Stacks block on all forks (SHA-512/256 of block hash
--     and consensus hash, SIP-005); field index_block_hash of /new_block
--   block_hash: hash of the Stacks block's header, 32 bytes (SIP-005); field block_hash of /new_block
--   burn_block_height: height of the Bitcoin block that the Stacks block is anchored to; field burn_block_height of
--     /new_block
--   account: principal, as text (SIP-005): an address, or the identifier of a contract
--   asset: 'stx', or the asset identifier: contract, two colons, name of the token
--   sent: sum of the amounts that events took from the account, base units
--   received: sum of the amounts that events gave to the account, base units
--   fees: sum of the fees that the account paid, µSTX; 0 for other assets
--   rewards: sum of the rewards that the account received as a miner, µSTX; 0 for other assets
--   balance: base units, including locked STX
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   pointer: JSON pointer of the cause in the body of event source_seq
--   value_hash: SHA-256 of value, 32 bytes
--   value: the token's id, a serialised Clarity value (SIP-005)

-- The canonical blocks that the rows below reflect, with the heights that decide whether a lock is in force.
CREATE TABLE {schema}.block (
    height               bigint NOT NULL,
    source_seq           bigint NOT NULL,
    burn_block_height    bigint NOT NULL,
    -- Burn heights at which all locks of pox-1 to pox-4 end; null until a node announces one.
    pox_v1_unlock_height bigint,
    pox_v2_unlock_height bigint, -- burn height at which all locks of pox-2 end
    pox_v3_unlock_height bigint, -- burn height at which all locks of pox-3 end
    pox_v4_unlock_height bigint, -- burn height at which all locks of pox-4 end
    holdings             int    NOT NULL DEFAULT 0, -- number of holdings up to this block
    signers              int    NOT NULL DEFAULT 0, -- number of signers up to this block
    index_block_hash     bytea  NOT NULL,
    block_hash           bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- What each account has of each asset. The rows are numbered in the order in which accounts come to have something, so that the ledger
-- names them by a number; what a revert takes away leaves its number to the next. All assets of an account are one range.
CREATE TABLE {schema}.holding (
    n          bigint  NOT NULL, -- number of the last change: ledger.n
    height     bigint  NOT NULL, -- of the last change
    source_seq bigint  NOT NULL,
    id         int     NOT NULL, -- from 1, without gaps
    balance    numeric NOT NULL,
    sent       numeric NOT NULL,
    received   numeric NOT NULL,
    fees       numeric NOT NULL,
    rewards    numeric NOT NULL,
    account    text    NOT NULL,
    asset      text    NOT NULL,
    kind       text    NOT NULL, -- 'stx', 'ft' or 'nft'
    CONSTRAINT holding_pkey PRIMARY KEY (account, asset),
    CONSTRAINT holding_id_key UNIQUE (id)
) WITH (fillfactor = 80);

-- Every change of every balance, in the order of execution, with the balance after it: the rows of the view ledger, which says in words
-- what is a number here. The changes of a holding are numbered 1, 2, 3, …: the last number is their count.
CREATE TABLE {schema}.entry (
    height     bigint   NOT NULL,
    source_seq bigint   NOT NULL, -- the event with the block
    holding    int      NOT NULL, -- holding.id
    n          int      NOT NULL, -- number among the changes of the holding, from 1
    tx_index   int,               -- of the transaction in the block; null for miners' rewards
    pointer    int      NOT NULL, -- index of the cause in its list of the event's body
    cause      smallint NOT NULL, -- 1 stx_transfer_event, 2 stx_mint_event, 3 stx_burn_event, 4 ft_transfer_event, 5 ft_mint_event, 6 ft_burn_event, 7 nft_transfer_event, 8 nft_mint_event, 9 nft_burn_event, 10 fee, 11 miner_reward
    delta      numeric  NOT NULL, -- base units: µSTX, units of the token, 1 or -1 for a non-fungible one
    balance    numeric  NOT NULL, -- after this change, including locked STX
    -- Running sums up to and including this change: amounts that events moved in, and for STX the fees paid and the miner's rewards.
    -- What events moved out is received - fees + rewards - balance.
    received   numeric  NOT NULL,
    fees       numeric  NOT NULL,
    rewards    numeric  NOT NULL,
    CONSTRAINT entry_pkey PRIMARY KEY (holding, height, n)
);
CREATE INDEX entry_revert_idx ON {schema}.entry (height);

-- The changes of all balances. Whoever looks for those of one names its holding: WHERE holding = (SELECT id FROM holding WHERE …).
CREATE VIEW {schema}.ledger AS
SELECT
    e.n::bigint AS n, -- number among the changes of the account and asset, from 1
    e.height,
    e.source_seq, -- the event with the block
    e.tx_index, -- of the transaction in the block; null for miners' rewards
    e.delta, -- base units: µSTX, units of the token, 1 or -1 for a non-fungible one
    e.balance, -- after this change, including locked STX
    e.received - e.fees + e.rewards - e.balance AS sent,
    e.received,
    e.fees,
    e.rewards,
    h.account,
    h.asset, -- 'stx', or the asset identifier
    (ARRAY['stx_transfer_event', 'stx_mint_event', 'stx_burn_event', 'ft_transfer_event', 'ft_mint_event', 'ft_burn_event',
        'nft_transfer_event', 'nft_mint_event', 'nft_burn_event', 'fee', 'miner_reward'])[e.cause] AS cause, -- type of the event, 'fee' or 'miner_reward'
    CASE e.cause WHEN 10 THEN '/transactions/' WHEN 11 THEN '/matured_miner_rewards/' ELSE '/events/' END || e.pointer AS pointer, -- JSON pointer of the cause in the body of event source_seq
    e.holding -- holding.id
FROM {schema}.entry e JOIN {schema}.holding h ON h.id = e.holding;

-- What happened to each non-fungible token, numbered from 1.
CREATE TABLE {schema}.nft_event (
    n          bigint NOT NULL, -- number among the events of the token, from 1
    height     bigint NOT NULL,
    source_seq bigint NOT NULL,
    mint       bigint,          -- its number among the mints of the asset; null for others
    position   int    NOT NULL, -- among the events of non-fungible tokens of the block, in the order of execution
    tx_index   int    NOT NULL,
    event_index int    NOT NULL, -- in the transaction
    value_hash bytea  NOT NULL, -- SHA-256 of value: token ids can be too long for an index
    value      bytea  NOT NULL, -- the token's id, a serialised Clarity value
    asset      text   NOT NULL,
    cause      text   NOT NULL, -- type of the event
    sender     text, -- principal that had the token; null when minted
    recipient  text,            -- null when burned
    pointer    text   NOT NULL,
    CONSTRAINT nft_event_pkey PRIMARY KEY (asset, value_hash, n)
);
CREATE INDEX nft_event_revert_idx ON {schema}.nft_event (height);

-- The owner of each non-fungible token.
CREATE TABLE {schema}.nft_custody (
    n          bigint NOT NULL, -- of the last event
    height     bigint NOT NULL,
    source_seq bigint NOT NULL,
    position   int    NOT NULL, -- of that event
    tx_index   int    NOT NULL,
    value_hash bytea  NOT NULL,
    value      bytea  NOT NULL,
    asset      text   NOT NULL,
    owner      text,            -- null when burned
    CONSTRAINT nft_custody_pkey PRIMARY KEY (asset, value_hash)
) WITH (fillfactor = 80);

-- The state of each asset after each block that changed it. The supply is minted - burned + rewards: fees do not
-- change it, as miners receive them.
CREATE TABLE {schema}.asset (
    height     bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    holders    bigint  NOT NULL, -- accounts with a balance above zero
    mints      bigint  NOT NULL, -- events that mint
    minted     numeric NOT NULL, -- base units; number of tokens if non-fungible
    burned     numeric NOT NULL, -- base units; number of tokens if non-fungible
    rewards    numeric NOT NULL, -- new STX that miners received: coinbases, without fees
    asset      text    NOT NULL,
    kind       text    NOT NULL, -- 'stx', 'ft' or 'nft'
    CONSTRAINT asset_pkey PRIMARY KEY (asset, height)
);
CREATE INDEX asset_revert_idx ON {schema}.asset (height);

-- The lock of each account after each change of it. The last row counts.
CREATE TABLE {schema}.stx_lock (
    height        bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    unlock_height bigint   NOT NULL, -- burn block height
    position      int      NOT NULL, -- order of execution within the block
    tx_index      int      NOT NULL,
    pox_version   smallint NOT NULL, -- 1 for the contract pox, 2 for pox-2, …
    amount        numeric  NOT NULL, -- µSTX locked in total until unlock_height
    account       text     NOT NULL,
    cause         text     NOT NULL, -- 'stx_lock_event' or 'handle-unlock', which ends the lock early
    pointer       text     NOT NULL,
    txid          bytea    NOT NULL, -- transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
    CONSTRAINT stx_lock_pkey PRIMARY KEY (account, height, position)
);
CREATE INDEX stx_lock_revert_idx ON {schema}.stx_lock (height);
-- To find the accounts whose lock ends at a Bitcoin block.
CREATE INDEX stx_lock_unlock_idx ON {schema}.stx_lock (unlock_height, account);

-- The accounts that have used a nonce. They are numbered in the order of their first use, so that nonces name them by a number; what a
-- revert takes away leaves its number to the next.
CREATE TABLE {schema}.signer (
    height     bigint NOT NULL, -- of the first use
    source_seq bigint NOT NULL,
    id         int    NOT NULL, -- from 1, without gaps
    account    text   NOT NULL,
    CONSTRAINT signer_pkey PRIMARY KEY (account),
    CONSTRAINT signer_id_key UNIQUE (id)
);

-- The next nonce of each signer after each block in which it used one: the rows of the view nonce, which has the account as text.
CREATE TABLE {schema}.signer_nonce (
    height     bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    signer     int     NOT NULL, -- signer.id
    next_nonce numeric NOT NULL, -- the nonce that the next transaction of the account must have
    CONSTRAINT signer_nonce_pkey PRIMARY KEY (signer, height)
);
CREATE INDEX signer_nonce_revert_idx ON {schema}.signer_nonce (height);

-- The next nonces of all accounts. Whoever looks for that of one names its signer: WHERE signer = (SELECT id FROM signer WHERE …).
CREATE VIEW {schema}.nonce AS
SELECT
    n.height,
    n.source_seq, -- the event with the block
    n.next_nonce, -- the nonce that the next transaction of the account must have
    s.account,
    n.signer -- signer.id
FROM {schema}.signer_nonce n JOIN {schema}.signer s ON s.id = n.signer;

-- Blocks at which a balance became negative, which no chain allows: the log lacks events. This is normal for an archive
-- that begins above genesis.
CREATE TABLE {schema}.negative_balance (
    height     bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    balance    numeric NOT NULL,
    account    text    NOT NULL,
    asset      text    NOT NULL,
    cause      text    NOT NULL, -- of the change that made it negative
    pointer    text    NOT NULL,
    CONSTRAINT negative_balance_pkey PRIMARY KEY (account, asset, height)
);
CREATE INDEX negative_balance_revert_idx ON {schema}.negative_balance (height);

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_index_block_hash_idx ON {schema}.block (index_block_hash);
CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
-- The tokens of an owner in the order of their ids. The index has the first 64 bytes of an id, which can be too long
-- for it.
CREATE INDEX nft_custody_owner_idx ON {schema}.nft_custody (owner, asset, substring(value FROM 1 FOR 64), value_hash) WHERE owner IS NOT NULL;
-- The tokens of an owner in the order of receipt: all of them, and those of an asset.
CREATE INDEX nft_custody_got_idx ON {schema}.nft_custody (owner, height, position) WHERE owner IS NOT NULL;
CREATE INDEX nft_custody_asset_got_idx ON {schema}.nft_custody (owner, asset, height, position) WHERE owner IS NOT NULL;
CREATE UNIQUE INDEX nft_event_mint_idx ON {schema}.nft_event (asset, mint) WHERE mint IS NOT NULL;
-- The holders of an asset, the largest balance first.
CREATE INDEX holding_most_idx ON {schema}.holding (asset, balance DESC, account) WHERE balance > 0;
