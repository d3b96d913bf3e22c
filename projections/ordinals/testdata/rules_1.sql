-- Tables of the projection ordinals: which Bitcoin blocks of the ordinals feed count, and the steps that apply and
-- revert them.
--
-- source_seq is the event of the log that a row comes from.
--
-- Columns without a comment of their own:
--   height: Bitcoin height; field block_identifier/index of the feed
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   block_hash: hash of the Bitcoin block, 32 bytes in the order that explorers show; field block_identifier/hash of
--     the feed

-- The blocks that are applied now, at most one at each height. Heights have gaps, because the feed does not send blocks
-- without inscriptions. A block may come after higher ones.
CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL, -- the event that holds its content
    step        bigint NOT NULL, -- the step that applied it
    size        bigint NOT NULL, -- bytes of the event
    block_index int    NOT NULL, -- position in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The steps, numbered without gaps: kind 1 applies a block, -1 reverts one. No two blocks of one height are ever
-- applied at the same time, and a step reverts only a block that is applied.
CREATE TABLE {schema}.step (
    step        bigint   NOT NULL, -- number of the step, from 1
    height      bigint   NOT NULL,
    source_seq  bigint   NOT NULL, -- the event that caused the step
    block_seq   bigint   NOT NULL, -- the event that holds the block's content
    block_size  bigint   NOT NULL, -- bytes of that event
    block_index int      NOT NULL, -- position in its list under apply
    kind        smallint NOT NULL, -- 1 applies the block, -1 reverts it
    block_hash  bytea    NOT NULL,
    CONSTRAINT step_pkey PRIMARY KEY (step),
    CONSTRAINT step_kind_check CHECK (kind IN (1, -1))
);

-- The faults of the feed.
CREATE TABLE {schema}.anomaly (
    source_seq bigint NOT NULL,
    height     bigint NOT NULL,
    kind       text   NOT NULL, -- 'unknown_rollback': of a block that is not applied; 'replaced': applied over another without rollback
    pointer    text   NOT NULL, -- JSON pointer of the block in the body of event source_seq
    block_hash bytea  NOT NULL,
    CONSTRAINT anomaly_pkey PRIMARY KEY (source_seq, pointer)
);
