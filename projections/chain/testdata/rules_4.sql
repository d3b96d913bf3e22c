-- Tables of the projection chain. Blocks, transactions and events are written once, when their block is received,
-- whether or not it is canonical, and never changed. One narrow table says which blocks are canonical, so that a
-- reorganisation rewrites no more rows than it has blocks.
--
-- source_seq is the event of the log that a row came from. For a block, and for everything in it, it is also the
-- key of the block: 8 bytes in each row instead of the 32 of index_block_hash. A row that refers to a block of another
-- event does so with the column block_seq.

CREATE TABLE {schema}.block (
    source_seq                 bigint   NOT NULL,
    first_seq                  bigint   NOT NULL DEFAULT 0, -- the first announcement; source_seq has the most complete one
    height                     bigint   NOT NULL,
    size                       bigint   NOT NULL, -- bytes of the event
    burn_block_height          bigint   NOT NULL,
    burn_block_time            bigint   NOT NULL, -- unix seconds
    block_time                 bigint,            -- unix seconds; null before Nakamoto
    tenure_height              bigint,
    parent_burn_block_height   bigint,
    parent_burn_block_time     bigint,
    pox_v1_unlock_height       bigint,
    pox_v2_unlock_height       bigint,
    pox_v3_unlock_height       bigint,
    pox_v4_unlock_height       bigint,
    cycle_number               bigint,            -- the upcoming reward cycle, in the block that computes its signer set
    execution_cost_read_count   bigint  NOT NULL, -- sums over the block's transactions
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    tx_count                   int      NOT NULL,
    event_count                int      NOT NULL,
    interface_count            int      NOT NULL DEFAULT 0, -- deployed contracts whose interface the node sent
    parent_microblock_sequence int      NOT NULL,
    attached                   boolean  NOT NULL, -- all ancestors down to the root are known
    nakamoto                   boolean  NOT NULL,
    index_block_hash           bytea    NOT NULL,
    parent_index_block_hash    bytea    NOT NULL,
    block_hash                 bytea    NOT NULL,
    parent_block_hash          bytea    NOT NULL,
    burn_block_hash            bytea    NOT NULL,
    parent_burn_block_hash     bytea,
    consensus_hash             bytea,             -- 20 bytes; null if the node did not send it
    -- The latest sortition that the block's tenure has seen: its own, or that of the last tenure-extend. If the Bitcoin
    -- block of that sortition is orphaned, so is this block.
    burn_view                  bytea,
    miner_txid                 bytea    NOT NULL,
    parent_microblock_hash     bytea    NOT NULL,
    signer_bitvec              bytea,
    signer_signature_hash      bytea,
    miner_signature            bytea,
    signer_signatures          bytea[],
    CONSTRAINT block_pkey PRIMARY KEY (source_seq),
    CONSTRAINT block_index_block_hash_key UNIQUE (index_block_hash)
);
CREATE INDEX block_parent_idx ON {schema}.block (parent_index_block_hash);
-- After a reorganisation of Bitcoin, the best remaining candidate is searched from the top.
CREATE INDEX block_height_idx ON {schema}.block (height, burn_block_height);
CREATE INDEX block_burn_block_hash_idx ON {schema}.block (burn_block_hash);
CREATE INDEX block_detached_idx ON {schema}.block (parent_index_block_hash) WHERE NOT attached;

-- The canonical block at each height.
CREATE TABLE {schema}.canonical (
    height     bigint NOT NULL,
    block_seq  bigint NOT NULL,
    source_seq bigint NOT NULL, -- the event that made it canonical
    CONSTRAINT canonical_pkey PRIMARY KEY (height),
    CONSTRAINT canonical_block_seq_key UNIQUE (block_seq)
);

-- Announcements of blocks that lack something: those less complete than the block's source_seq, and those that show by
-- themselves that events were left out, because a successful token transfer has none.
CREATE TABLE {schema}.narrow_copy (
    source_seq       bigint NOT NULL,
    tx_count         int    NOT NULL,
    event_count      int    NOT NULL,
    index_block_hash bytea  NOT NULL,
    CONSTRAINT narrow_copy_pkey PRIMARY KEY (source_seq)
);

-- Fields of events that nobody decodes. They are counted in the log, whether or not a
-- block is canonical, so that a reorganisation changes nothing.
CREATE TABLE {schema}.unknown_field (
    first_seq  bigint NOT NULL, -- the first event with it
    source_seq bigint NOT NULL, -- the last one
    events     bigint NOT NULL,
    path       text   COLLATE "C" NOT NULL, -- /new_block#/transactions/*/fresh; '(others)' for all beyond 500 paths
    CONSTRAINT unknown_field_pkey PRIMARY KEY (path)
);

-- Missing blocks that known blocks wait for. Normally empty.
CREATE TABLE {schema}.gap (
    height                  bigint NOT NULL, -- of the first block that waits
    source_seq              bigint NOT NULL, -- its event
    parent_index_block_hash bytea  NOT NULL, -- the missing block
    CONSTRAINT gap_pkey PRIMARY KEY (parent_index_block_hash)
);

-- The linear list of steps that all other projections fold. Numbered 1, 2, 3, … without gaps, and append-only.
CREATE TABLE {schema}.step (
    step             bigint   NOT NULL,
    height           bigint   NOT NULL, -- of the block; for a record, of the tip, or -1 without one
    block_seq        bigint   NOT NULL, -- the event with the block's content or the record; the first announcement of a Bitcoin block
    block_size       bigint   NOT NULL, -- bytes of that event
    source_seq       bigint   NOT NULL, -- the event that caused the step
    kind             smallint NOT NULL, -- 1 apply, -1 revert, 0 take a record
    index_block_hash bytea    NOT NULL, -- of the block of this height
    -- The kind of a record: 1 fetched data, 2 a node's mempool, 3 a Bitcoin block that joins the followed fork, 4 a
    -- Bitcoin block that leaves it, 5 attachments of a node; null for blocks.
    record           smallint,
    CONSTRAINT step_pkey PRIMARY KEY (step),
    CONSTRAINT step_kind_check CHECK (kind IN (1, 0, -1)),
    CONSTRAINT step_record_check CHECK ((record IS NULL) = (kind <> 0) AND record BETWEEN 1 AND 5)
);

CREATE TABLE {schema}.burn_block (
    height                 bigint  NOT NULL,
    source_seq             bigint  NOT NULL, -- the first announcement
    changed_seq            bigint  NOT NULL, -- the event that last changed canonical
    size                   bigint  NOT NULL, -- bytes of the first announcement
    burn_amount            numeric NOT NULL, -- satoshi
    canonical              boolean NOT NULL, -- on the Bitcoin fork that the node followed last
    burn_block_hash        bytea   NOT NULL,
    consensus_hash         bytea   NOT NULL, -- empty if the node did not send it
    parent_burn_block_hash bytea,            -- null if the node did not send it
    CONSTRAINT burn_block_pkey PRIMARY KEY (burn_block_hash, consensus_hash)
);
CREATE INDEX burn_block_height_idx ON {schema}.burn_block (height);
CREATE INDEX burn_block_consensus_hash_idx ON {schema}.burn_block (consensus_hash);

CREATE TABLE {schema}.transaction (
    source_seq          bigint  NOT NULL,
    tx_index            int     NOT NULL, -- in the block's list
    execution_index     int     NOT NULL, -- in the order of execution
    event_count         int     NOT NULL,
    microblock_sequence int,              -- null for anchored transactions
    type_id             smallint,         -- payload id (SIP-005); null for operations that came from Bitcoin
    nonce               numeric,          -- null for operations that came from Bitcoin
    sponsor_nonce       numeric,
    fee                 numeric NOT NULL, -- µSTX, paid by the sponsor when there is one
    execution_cost_read_count   bigint  NOT NULL,
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    txid                bytea   NOT NULL,
    status              text    NOT NULL,
    sender              text,             -- null for a rejected operation from Bitcoin whose sender is unknown
    sponsor             text,
    contract_id         text,             -- called or deployed
    function_name       text,             -- called
    raw_result          bytea   NOT NULL, -- Clarity value
    raw_tx              bytea   NOT NULL, -- 0x00 for operations that came from Bitcoin
    microblock_hash     bytea,
    vm_error            text,
    burnchain_op        text,             -- JSON as the node sent it
    CONSTRAINT transaction_pkey PRIMARY KEY (source_seq, tx_index)
);

-- Committed events of successful transactions, numbered from 0 within each transaction.
CREATE TABLE {schema}.event (
    source_seq          bigint   NOT NULL,
    tx_index            int      NOT NULL,
    event_index         int      NOT NULL,
    pointer             int      NOT NULL, -- /events/<pointer> in the body of event source_seq
    unlock_height       bigint,            -- stx_lock_event: burn block height
    amount              numeric,
    type                text     NOT NULL, -- stx_transfer_event, …
    asset_identifier    text,              -- ft_*, nft_*
    contract_identifier text,              -- contract_event, stx_lock_event
    topic               text,              -- contract_event
    sender              text,              -- also locked_address of stx_lock_event
    recipient           text,
    value               bytea,             -- nft_*, contract_event: Clarity value
    memo                bytea,             -- stx_transfer_event
    CONSTRAINT event_pkey PRIMARY KEY (source_seq, tx_index, event_index)
);

-- Contracts whose deployment succeeded.
CREATE TABLE {schema}.contract (
    source_seq      bigint   NOT NULL,
    tx_index        int      NOT NULL,
    clarity_version smallint,           -- null if the transaction leaves it to the epoch
    contract_id     text     NOT NULL,
    source_code     text     NOT NULL,
    interface       text,               -- JSON as the node sent it; null if it sent none
    CONSTRAINT contract_pkey PRIMARY KEY (contract_id, source_seq, tx_index)
);

-- Microblocks (Stacks 2.0 to 2.4), streamed or first seen inside the block that confirms them.
CREATE TABLE {schema}.microblock (
    source_seq              bigint NOT NULL,
    sequence                int    NOT NULL,
    tx_count                int    NOT NULL,
    microblock_hash         bytea  NOT NULL,
    microblock_parent_hash  bytea  NOT NULL,
    parent_index_block_hash bytea  NOT NULL, -- the anchored block that the stream extends
    CONSTRAINT microblock_pkey PRIMARY KEY (microblock_hash, parent_index_block_hash)
);

-- The microblocks that each block confirms. Sibling blocks may confirm the same one.
CREATE TABLE {schema}.microblock_confirmation (
    source_seq      bigint NOT NULL,
    sequence        int    NOT NULL,
    microblock_hash bytea  NOT NULL,
    CONSTRAINT microblock_confirmation_pkey PRIMARY KEY (source_seq, microblock_hash)
);

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
CREATE INDEX transaction_txid_idx ON {schema}.transaction (txid);
CREATE INDEX microblock_parent_idx ON {schema}.microblock (parent_index_block_hash, sequence);
CREATE INDEX microblock_confirmation_hash_idx ON {schema}.microblock_confirmation (microblock_hash);
