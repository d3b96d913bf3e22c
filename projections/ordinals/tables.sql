-- Tables of the projection ordinals: which Bitcoin blocks of the ordinals feed count, and the list of what to do with them.
--
-- source_seq is the event of the log that a row came from.

-- The blocks that are applied now, at most one of each height. Blocks without inscriptions are not sent, so heights have
-- holes; and a block may come after higher ones.
CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL, -- the event that holds its content
    step        bigint NOT NULL, -- that applied it
    size        bigint NOT NULL, -- bytes of the event
    block_index int    NOT NULL, -- in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The steps, numbered without gaps: kind 1 applies a block, -1 takes one back. At no time are two blocks of one height
-- applied, and only what is applied is taken back.
CREATE TABLE {schema}.step (
    step        bigint   NOT NULL,
    height      bigint   NOT NULL,
    source_seq  bigint   NOT NULL, -- the event that caused the step
    block_seq   bigint   NOT NULL, -- the event that holds the block's content
    block_size  bigint   NOT NULL, -- bytes of that event
    block_index int      NOT NULL, -- in its list under apply
    kind        smallint NOT NULL,
    block_hash  bytea    NOT NULL,
    CONSTRAINT step_pkey PRIMARY KEY (step),
    CONSTRAINT step_kind_check CHECK (kind IN (1, -1))
);

-- What the feed did that a feed should not do.
CREATE TABLE {schema}.anomaly (
    source_seq bigint NOT NULL,
    height     bigint NOT NULL,
    kind       text   NOT NULL, -- 'unknown_rollback': of a block that is not applied; 'replaced': by another of its height, without a rollback
    pointer    text   NOT NULL, -- JSON pointer of the block in the body of event source_seq
    block_hash bytea  NOT NULL,
    CONSTRAINT anomaly_pkey PRIMARY KEY (source_seq, pointer)
);
