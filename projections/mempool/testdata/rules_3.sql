-- Tables of the projection mempool: the transactions that nodes have announced, and their outcome.
--
-- source_seq is the event of the log that a row came from.
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
--   txid: transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
--   nonce: nonce of the sender, or in mined of the account
--   sponsor_nonce: nonce of the sponsor; null without one
--   sender: address that signs
--   sponsor: address that pays the fee; null if the sender does
--   raw_tx: the serialised transaction (SIP-005)
--   account: address of the sender or sponsor

-- Announced transactions, with their status on the canonical chain. Mined transactions stay until their block is too
-- deep to be reverted, see horizon.
CREATE TABLE {schema}.transaction (
    source_seq     bigint   NOT NULL, -- the announcement that last made it pending
    receipt_time   bigint   NOT NULL, -- of that announcement, in Unix seconds
    receipt_height bigint   NOT NULL, -- height of the tip at that time; -1 without one
    dropped_seq    bigint,            -- the event with which a node dropped it after that; null if none did
    mined_height   bigint,            -- the canonical block that contains it
    mined_burn_height bigint,         -- Bitcoin height of the same block
    taken_height   bigint,            -- the lowest canonical block that uses one of its nonces for another transaction
    expired_height bigint,            -- the block at which it was too old
    changed_seq    bigint   NOT NULL, -- the event that last changed the row
    pointer        int      NOT NULL, -- /<pointer> in the body of event source_seq
    size           int      NOT NULL, -- bytes
    type_id        smallint NOT NULL, -- payload id (SIP-005)
    fee            numeric  NOT NULL, -- µSTX, paid by the sponsor when there is one
    nonce          numeric  NOT NULL,
    sponsor_nonce  numeric,
    amount         numeric,           -- of a token transfer, in µSTX
    status         text     NOT NULL, -- the first that holds of: mined, taken, dropped by a node, expired, pending
    dropped_status text,              -- the node's reason for the drop: as a status, or as it came if it is not known
    sender         text     NOT NULL,
    sponsor        text,
    recipient      text,              -- of a token transfer
    contract_id    text,              -- called or deployed
    txid           bytea    NOT NULL,
    dropped_for    bytea,             -- the transaction that replaces it, as a node says with the drop; null if it named none
    taken_by       bytea,             -- the transaction of block taken_height
    raw_tx         bytea    NOT NULL,
    CONSTRAINT transaction_pkey PRIMARY KEY (txid),
    CONSTRAINT transaction_status_check CHECK (status IN ('pending', 'mined', 'dropped_replace_by_fee', 'dropped_replace_across_fork',
        'dropped_too_expensive', 'dropped_stale_garbage_collect', 'dropped_problematic', 'dropped')),
    CONSTRAINT transaction_mined_check CHECK ((status = 'mined') = (mined_height IS NOT NULL))
);
-- To find the transactions whose nonces a block uses.
CREATE INDEX transaction_nonce_idx ON {schema}.transaction (sender, nonce);
CREATE INDEX transaction_sponsor_nonce_idx ON {schema}.transaction (sponsor, sponsor_nonce) WHERE sponsor IS NOT NULL;
-- To find the transactions that a reverted block had changed.
CREATE INDEX transaction_mined_idx ON {schema}.transaction (mined_height) WHERE mined_height IS NOT NULL;
CREATE INDEX transaction_taken_idx ON {schema}.transaction (taken_height) WHERE taken_height IS NOT NULL;
CREATE INDEX transaction_expired_idx ON {schema}.transaction (expired_height) WHERE expired_height IS NOT NULL;
-- To find the transactions that are too old, and those of deep blocks.
CREATE INDEX transaction_receipt_height_idx ON {schema}.transaction (receipt_height) WHERE status = 'pending';
CREATE INDEX transaction_receipt_idx ON {schema}.transaction (receipt_time, txid) WHERE status = 'pending';
CREATE INDEX transaction_mined_burn_idx ON {schema}.transaction (mined_burn_height) WHERE mined_burn_height IS NOT NULL;

-- Nonces that recent canonical blocks have used: one row for the sender of each transaction, and one for its sponsor.
CREATE TABLE {schema}.mined (
    source_seq  bigint  NOT NULL, -- the event with the block
    height      bigint  NOT NULL,
    burn_height bigint  NOT NULL, -- of the block
    nonce       numeric NOT NULL,
    account     text    NOT NULL,
    txid        bytea   NOT NULL,
    CONSTRAINT mined_pkey PRIMARY KEY (txid, account, nonce, height)
);
CREATE INDEX mined_nonce_idx ON {schema}.mined (account, nonce);
CREATE INDEX mined_height_idx ON {schema}.mined (height);
CREATE INDEX mined_burn_height_idx ON {schema}.mined (burn_height);

-- The canonical blocks.
CREATE TABLE {schema}.block (
    source_seq        bigint NOT NULL,
    height            bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- At most one row: transactions and nonces of blocks with a lower Bitcoin height are forgotten.
CREATE TABLE {schema}.horizon (
    source_seq      bigint NOT NULL, -- the event that last raised it
    forgotten_below bigint NOT NULL, -- Bitcoin height
    single          boolean NOT NULL DEFAULT true CHECK (single), -- always true: there is one row
    CONSTRAINT horizon_pkey PRIMARY KEY (single)
);

-- The number of transactions by status and type, except for mined ones.
CREATE TABLE {schema}.counter (
    source_seq bigint   NOT NULL, -- the event that last changed it
    n          bigint   NOT NULL, -- number of transactions
    type_id    smallint NOT NULL, -- payload id (SIP-005)
    status     text     NOT NULL, -- as in transaction
    CONSTRAINT counter_pkey PRIMARY KEY (status, type_id)
);

-- Indexes for readers: a build makes them at its end.

CREATE INDEX transaction_fee_idx ON {schema}.transaction (fee, txid) WHERE status = 'pending';
CREATE INDEX transaction_size_idx ON {schema}.transaction (size, txid) WHERE status = 'pending';
CREATE INDEX transaction_sender_idx ON {schema}.transaction (sender, receipt_time, txid) WHERE status = 'pending';
CREATE INDEX transaction_sponsor_idx ON {schema}.transaction (sponsor, receipt_time, txid) WHERE status = 'pending' AND sponsor IS NOT NULL;
CREATE INDEX transaction_recipient_idx ON {schema}.transaction (recipient, receipt_time, txid) WHERE status = 'pending' AND recipient IS NOT NULL;
CREATE INDEX transaction_contract_idx ON {schema}.transaction (contract_id, receipt_time, txid) WHERE status = 'pending' AND contract_id IS NOT NULL;
CREATE INDEX transaction_changed_idx ON {schema}.transaction (changed_seq);
CREATE INDEX transaction_dropped_idx ON {schema}.transaction (receipt_time, txid) WHERE status NOT IN ('pending', 'mined');
