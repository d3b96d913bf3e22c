-- Tables of the projection mempool: what nodes have announced, and what became of it.
--
-- source_seq is the event of the log that a row came from.

-- Each transaction that was announced, once, and how it stands on the canonical chain. Those that are mined stay until
-- their block is so deep that it can't be taken back, see horizon.
CREATE TABLE {schema}.transaction (
    source_seq     bigint   NOT NULL, -- the announcement that it waits since
    receipt_time   bigint   NOT NULL, -- when that was received, in Unix seconds
    receipt_height bigint   NOT NULL, -- the newest block then; -1 when there was none
    dropped_seq    bigint,            -- the event with which a node dropped it; null when none did since
    mined_height   bigint,            -- the canonical block that has it
    mined_burn_height bigint,         -- of the same block
    taken_height   bigint,            -- the lowest canonical block that uses a nonce of it for another transaction
    expired_height bigint,            -- the block at which it was too old
    changed_seq    bigint   NOT NULL, -- the event that last changed what is said of it
    pointer        int      NOT NULL, -- /<pointer> in the body of event source_seq
    size           int      NOT NULL, -- bytes
    type_id        smallint NOT NULL, -- payload id (SIP-005)
    fee            numeric  NOT NULL, -- µSTX, paid by the sponsor when there is one
    nonce          numeric  NOT NULL,
    sponsor_nonce  numeric,
    amount         numeric,           -- of a token transfer, in µSTX
    status         text     NOT NULL, -- mined, else the first that holds of: taken, dropped by a node, expired; else pending
    dropped_status text,              -- what a node said when it dropped it
    sender         text     NOT NULL,
    sponsor        text,
    recipient      text,              -- of a token transfer
    contract_id    text,              -- called or deployed
    txid           bytea    NOT NULL,
    dropped_for    bytea,             -- the transaction for which a node dropped it; null where it named none
    taken_by       bytea,             -- the transaction of block taken_height
    raw_tx         bytea    NOT NULL,
    CONSTRAINT transaction_pkey PRIMARY KEY (txid),
    CONSTRAINT transaction_status_check CHECK (status IN ('pending', 'mined', 'dropped_replace_by_fee', 'dropped_replace_across_fork',
        'dropped_too_expensive', 'dropped_stale_garbage_collect', 'dropped_problematic')),
    CONSTRAINT transaction_mined_check CHECK ((status = 'mined') = (mined_height IS NOT NULL))
);
-- Whose nonces are used by a block.
CREATE INDEX transaction_nonce_idx ON {schema}.transaction (sender, nonce);
CREATE INDEX transaction_sponsor_nonce_idx ON {schema}.transaction (sponsor, sponsor_nonce) WHERE sponsor IS NOT NULL;
-- What a reverted block had changed.
CREATE INDEX transaction_mined_idx ON {schema}.transaction (mined_height) WHERE mined_height IS NOT NULL;
CREATE INDEX transaction_taken_idx ON {schema}.transaction (taken_height) WHERE taken_height IS NOT NULL;
CREATE INDEX transaction_expired_idx ON {schema}.transaction (expired_height) WHERE expired_height IS NOT NULL;
-- What is too old, and what a deep block has.
CREATE INDEX transaction_receipt_height_idx ON {schema}.transaction (receipt_height) WHERE status = 'pending';
CREATE INDEX transaction_receipt_idx ON {schema}.transaction (receipt_time, txid) WHERE status = 'pending';
CREATE INDEX transaction_mined_burn_idx ON {schema}.transaction (mined_burn_height) WHERE mined_burn_height IS NOT NULL;

-- Nonces that canonical blocks have used, of the newest blocks only: one row for the sender of each transaction, and one for
-- its sponsor.
CREATE TABLE {schema}.mined (
    source_seq  bigint  NOT NULL, -- the event with the block
    height      bigint  NOT NULL,
    burn_height bigint  NOT NULL, -- of the block
    nonce       numeric NOT NULL,
    account     text    NOT NULL,
    txid        bytea   NOT NULL,
    CONSTRAINT mined_pkey PRIMARY KEY (txid, account, height)
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

-- One row, once there is something: what was mined with Bitcoin blocks below a height is forgotten.
CREATE TABLE {schema}.horizon (
    source_seq      bigint NOT NULL, -- the event that brought it there
    forgotten_below bigint NOT NULL,
    single          boolean NOT NULL DEFAULT true CHECK (single),
    CONSTRAINT horizon_pkey PRIMARY KEY (single)
);

-- How many transactions there are of each status and kind; none of those that are mined.
CREATE TABLE {schema}.counter (
    source_seq bigint   NOT NULL, -- the event that last changed it
    n          bigint   NOT NULL,
    type_id    smallint NOT NULL,
    status     text     NOT NULL,
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
