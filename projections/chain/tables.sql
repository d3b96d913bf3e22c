-- Tables of the projection chain. Blocks, transactions and events are written once, when their block is received,
-- whether or not it is canonical, and never changed. One narrow table says which blocks are canonical, so that a
-- reorganisation rewrites no more rows than it has blocks.
--
-- source_seq is the event of the log that a row came from. For a block, and for everything in it, it is also the
-- key of the block: 8 bytes in each row instead of the 32 of index_block_hash. A row that refers to a block of another
-- event does so with the column block_seq.
--
-- Columns without a comment of their own:
--   source_seq: position in the log of the event that the row comes from (log.event.seq); also the key of the block
--     and of everything in it
--   height: height of the Stacks block; field block_height of /new_block
--   tx_count: number of transactions in it
--   event_count: number of committed events in it
--   index_block_hash: index block hash, 32 bytes: identifies a Stacks block on all forks (SHA-512/256 of block hash
--     and consensus hash, SIP-005); field index_block_hash of /new_block
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   execution_cost_read_count: reads that the execution of the transaction cost (SIP-006); field
--     execution_cost/read_count
--   execution_cost_read_length: bytes read, as costs of execution (SIP-006)
--   execution_cost_runtime: units of run time, as costs of execution (SIP-006)
--   execution_cost_write_count: writes, as costs of execution (SIP-006)
--   execution_cost_write_length: bytes written, as costs of execution (SIP-006)
--   sequence: number of the microblock in its stream, from 0
--   microblock_hash: hash of the microblock's header, 32 bytes (SIP-005)
--   contract_id: identifier of the contract: address of the deployer, dot, name

-- Blocks as received at /new_block, orphaned ones too: the canonical ones are in canonical.
CREATE TABLE {schema}.block (
    source_seq                 bigint   NOT NULL,
    first_seq                  bigint   NOT NULL DEFAULT 0, -- the first announcement; source_seq has the most complete one
    height                     bigint   NOT NULL,
    size                       bigint   NOT NULL, -- bytes of the event
    burn_block_height          bigint   NOT NULL, -- field burn_block_height
    burn_block_time            bigint   NOT NULL, -- unix seconds
    block_time                 bigint,            -- unix seconds; null before Nakamoto
    tenure_height              bigint, -- number of tenures up to the block (SIP-021); before Nakamoto the node sends the height, or nothing
    parent_burn_block_height   bigint, -- Bitcoin height of the parent block
    parent_burn_block_time     bigint, -- unix seconds; of the Bitcoin block of the parent block; field parent_burn_block_timestamp
    pox_v1_unlock_height       bigint, -- burn block height at which all locks of the contract pox end; field pox_v1_unlock_height
    pox_v2_unlock_height       bigint, -- burn block height at which all locks of pox-2 end
    pox_v3_unlock_height       bigint, -- burn block height at which all locks of pox-3 end
    pox_v4_unlock_height       bigint, -- burn block height at which all locks of pox-4 end
    cycle_number               bigint,            -- the upcoming reward cycle, in the block that computes its signer set
    execution_cost_read_count   bigint  NOT NULL, -- sums over the block's transactions
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    tx_count                   int      NOT NULL,
    event_count                int      NOT NULL,
    interface_count            int      NOT NULL DEFAULT 0, -- deployed contracts whose interface the node sent
    parent_microblock_sequence int      NOT NULL, -- number of the last microblock that the block confirms; field parent_microblock_sequence
    attached                   boolean  NOT NULL, -- all ancestors down to the root are known
    nakamoto                   boolean  NOT NULL, -- the block is of epoch 3.0 or later (SIP-021)
    index_block_hash           bytea    NOT NULL,
    parent_index_block_hash    bytea    NOT NULL, -- index block hash of the parent, 32 bytes
    block_hash                 bytea    NOT NULL, -- hash of the Stacks block's header, 32 bytes (SIP-005); field block_hash of /new_block
    parent_block_hash          bytea    NOT NULL, -- header hash of the parent, 32 bytes
    burn_block_hash            bytea    NOT NULL, -- hash of the Bitcoin block that the block is anchored to, 32 bytes in the order that explorers show
    parent_burn_block_hash     bytea, -- hash of the Bitcoin block of the parent block, 32 bytes
    consensus_hash             bytea,             -- 20 bytes; null if the node did not send it
    -- The latest sortition that the block's tenure has seen: its own, or that of the last tenure-extend. If the Bitcoin
    -- block of that sortition is orphaned, so is this block.
    burn_view                  bytea,
    miner_txid                 bytea    NOT NULL, -- id of the Bitcoin transaction with the block commit, 32 bytes (SIP-007); field miner_txid
    parent_microblock_hash     bytea    NOT NULL, -- hash of the last microblock that the block confirms, 32 bytes; zeros for none; field parent_microblock
    signer_bitvec              bytea, -- which signers the miner rewards, as a serialised bit vector (SIP-021); null before Nakamoto
    signer_signature_hash      bytea, -- what signers sign, 32 bytes (SIP-021); null before Nakamoto
    miner_signature            bytea, -- 65 bytes, recoverable (SIP-021); null before Nakamoto
    signer_signatures          bytea[], -- 65 bytes each, recoverable, in the order of the set of signers (SIP-021); null before Nakamoto
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
    height     bigint NOT NULL, -- height of the Stacks block
    block_seq  bigint NOT NULL, -- the block: block.source_seq
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
    events     bigint NOT NULL, -- number of events with the field
    path       text   COLLATE "C" NOT NULL, -- /new_block#/transactions/*/fresh; '(others)' for all beyond 500 paths
    CONSTRAINT unknown_field_pkey PRIMARY KEY (path)
);

-- Networks and chains, other than the log's, whose events are in the log. The events are in quarantine. Normally empty.
CREATE TABLE {schema}.foreign_network (
    first_seq  bigint NOT NULL, -- the first event of it
    source_seq bigint NOT NULL, -- the last one
    events     bigint NOT NULL, -- number of its events
    network    text   COLLATE "C" NOT NULL, -- such as 'testnet (chain id 0x80000000)', or 'unknown'
    CONSTRAINT foreign_network_pkey PRIMARY KEY (network)
);

-- Missing blocks that known blocks wait for. Normally empty.
CREATE TABLE {schema}.gap (
    height                  bigint NOT NULL, -- of the first block that waits
    source_seq              bigint NOT NULL, -- its event
    parent_index_block_hash bytea  NOT NULL, -- the missing block
    CONSTRAINT gap_pkey PRIMARY KEY (parent_index_block_hash)
);

-- What is left to do for the event after the position, because it is too much for one transaction. Normally empty.
CREATE TABLE {schema}.unfinished (
    source_seq       bigint   NOT NULL, -- the event
    number           bigint   NOT NULL, -- of the row among those of its kind
    -- 1 the block that becomes the tip, 2 the block down to which the chain is reverted before that, if any, 3 the block
    -- that gets the content of the event, if any, 4 a block to attach, 5 a block on the way down from 1, 6 the best tip is to be
    -- chosen after the blocks of 4.
    kind             smallint NOT NULL,
    stage            smallint NOT NULL, -- of kind 1 and 4: how far it is done
    index_block_hash bytea    NOT NULL,
    CONSTRAINT unfinished_pkey PRIMARY KEY (kind, number)
);

-- The linear list of steps that all other projections fold. Numbered 1, 2, 3, … without gaps, and append-only.
CREATE TABLE {schema}.step (
    step             bigint   NOT NULL, -- number of the step
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

-- Bitcoin blocks as announced at /new_burn_block, on all forks.
CREATE TABLE {schema}.burn_block (
    height                 bigint  NOT NULL, -- Bitcoin height; field burn_block_height of /new_burn_block
    source_seq             bigint  NOT NULL, -- the first announcement
    changed_seq            bigint  NOT NULL, -- the event that last changed canonical
    size                   bigint  NOT NULL, -- bytes of the first announcement
    burn_amount            numeric NOT NULL, -- satoshi
    canonical              boolean NOT NULL, -- on the Bitcoin fork that the node followed last
    burn_block_hash        bytea   NOT NULL, -- hash of the Bitcoin block, 32 bytes; field burn_block_hash of /new_burn_block
    consensus_hash         bytea   NOT NULL, -- empty if the node did not send it
    parent_burn_block_hash bytea,            -- null if the node did not send it
    CONSTRAINT burn_block_pkey PRIMARY KEY (burn_block_hash, consensus_hash)
);
CREATE INDEX burn_block_height_idx ON {schema}.burn_block (height);
CREATE UNIQUE INDEX burn_block_followed_idx ON {schema}.burn_block (height) WHERE canonical; -- one of each height
CREATE INDEX burn_block_consensus_hash_idx ON {schema}.burn_block (consensus_hash);

-- The transactions of all blocks, orphaned ones too, as in /new_block#/transactions.
CREATE TABLE {schema}.transaction (
    source_seq          bigint  NOT NULL,
    tx_index            int     NOT NULL, -- in the block's list
    execution_index     int     NOT NULL, -- in the order of execution
    event_count         int     NOT NULL,
    microblock_sequence int,              -- null for anchored transactions
    type_id             smallint,         -- payload id (SIP-005); null for operations that came from Bitcoin
    nonce               numeric,          -- null for operations that came from Bitcoin
    sponsor_nonce       numeric, -- nonce of the sponsor; null without one
    fee                 numeric NOT NULL, -- µSTX, paid by the sponsor when there is one
    execution_cost_read_count   bigint  NOT NULL,
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    txid                bytea   NOT NULL, -- transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
    status              text    NOT NULL, -- success, abort_by_response, abort_by_post_condition and so on; field status
    sender              text,             -- null for a rejected operation from Bitcoin whose sender is unknown
    sponsor             text, -- address that pays the fee; null if the sender does
    contract_id         text,             -- called or deployed
    function_name       text,             -- called
    raw_result          bytea   NOT NULL, -- Clarity value
    raw_tx              bytea   NOT NULL, -- 0x00 for operations that came from Bitcoin
    microblock_hash     bytea, -- of the microblock with the transaction, 32 bytes; null for anchored transactions
    vm_error            text, -- why the execution failed, as the node tells; null if it did not tell
    burnchain_op        text,             -- JSON as the node sent it
    CONSTRAINT transaction_pkey PRIMARY KEY (source_seq, tx_index)
);

-- Committed events of successful transactions, numbered from 0 within each transaction.
CREATE TABLE {schema}.event (
    source_seq          bigint   NOT NULL,
    tx_index            int      NOT NULL,
    event_index         int      NOT NULL, -- index of the event among the committed events of its transaction, from 0
    pointer             int      NOT NULL, -- /events/<pointer> in the body of event source_seq
    unlock_height       bigint,            -- stx_lock_event: burn block height
    amount              numeric, -- µSTX, or base units of the fungible token; null for others
    type                text     NOT NULL, -- stx_transfer_event, …
    asset_identifier    text,              -- ft_*, nft_*
    contract_identifier text,              -- contract_event, stx_lock_event
    topic               text,              -- contract_event
    sender              text,              -- also locked_address of stx_lock_event
    recipient           text, -- principal that receives; null for events without one
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
    source_code     text     NOT NULL, -- Clarity source
    interface       text,               -- JSON as the node sent it with the block or, if it left it out, as a node answered a request for it; null if neither
    interface_seq   bigint,             -- the report with that answer; null if the block had the interface, or nobody has it
    functions       bytea[],            -- keys of the functions in that answer, see contract.Function.Keys; null without interface_seq
    CONSTRAINT contract_pkey PRIMARY KEY (contract_id, source_seq, tx_index)
);

-- Contracts that a transaction called before any event deployed them, such as boot contracts, with the interfaces that nodes answered.
CREATE TABLE {schema}.undeployed (
    source_seq    bigint  NOT NULL, -- the first event with a call that counts
    interface_seq bigint,           -- the report with the interface; null until it comes
    proven        boolean NOT NULL, -- a mined call has reached the contract; otherwise only waiting transactions call it
    key_hash      bytea   NOT NULL, -- SHA-256 of the key of the want for the interface
    contract_id   text    NOT NULL,
    interface     text,             -- JSON as a node answered
    CONSTRAINT undeployed_pkey PRIMARY KEY (contract_id)
);
-- For the number of those that only waiting transactions call, which is bounded.
CREATE INDEX undeployed_unproven_idx ON {schema}.undeployed (contract_id) WHERE NOT proven AND interface_seq IS NULL;

-- The interfaces of such contracts that must be fetched, and when. Folding the report that answers a want deletes its row.
CREATE TABLE {schema}.want (
    source_seq bigint      NOT NULL, -- the event that raised the want, or the last report that failed
    due_at     timestamptz NOT NULL, -- when to fetch
    min_height bigint,               -- always null: an interface never changes, so it may be read at any block
    attempts   int         NOT NULL, -- failures since the want was raised, without waits
    waits      int         NOT NULL, -- failures of nodes (fetch.Waiting), since the last that counted
    priority   smallint    NOT NULL, -- 1 a person asked, 2 a mined call reached the contract, 3 only waiting ones call it, or an attempt failed
    reason     smallint    NOT NULL, -- of the last failure (fetch.Reason)
    severity   smallint    NOT NULL, -- of the last failure (fetch.Severity)
    key_hash   bytea       NOT NULL, -- SHA-256 of the want's key
    kind       text        NOT NULL, -- fetch.Kind
    want       text        NOT NULL, -- JSON, see domain/fetch
    CONSTRAINT want_pkey PRIMARY KEY (key_hash)
);

-- Microblocks (Stacks 2.0 to 2.4), streamed or first seen inside the block that confirms them.
CREATE TABLE {schema}.microblock (
    source_seq              bigint NOT NULL,
    sequence                int    NOT NULL,
    tx_count                int    NOT NULL,
    microblock_hash         bytea  NOT NULL,
    microblock_parent_hash  bytea  NOT NULL, -- hash of the microblock before it, or of the anchored block for the first, 32 bytes
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
CREATE INDEX contract_functions_idx ON {schema}.contract USING gin (functions) WHERE functions IS NOT NULL;
CREATE INDEX want_due_idx ON {schema}.want (kind, priority, due_at);
CREATE INDEX transaction_txid_idx ON {schema}.transaction (txid);
CREATE INDEX microblock_parent_idx ON {schema}.microblock (parent_index_block_hash, sequence);
CREATE INDEX microblock_confirmation_hash_idx ON {schema}.microblock_confirmation (microblock_hash);
