-- +goose Up

-- The register of projections: which versions exist, the position of each, and which version readers see.
CREATE SCHEMA strata;

-- One row for each version of each projection. The tables of a version are in the schema `<name>_v<version>`.
CREATE TABLE strata.projection (
    name             text        NOT NULL,
    version          int         NOT NULL,
    input            text        NOT NULL, -- 'log', or the schema whose steps the version folds, such as 'chain_v1'
    state            text        NOT NULL DEFAULT 'building',
    -- The last position of the input that the rows reflect. The transaction that writes the rows does a compare-and-set
    -- on this column, so that every event counts exactly once.
    position         bigint      NOT NULL DEFAULT 0,
    log_seq          bigint      NOT NULL DEFAULT 0, -- the event of the log at this position
    block_height     bigint,                         -- the tip that the rows reflect; null before the first block
    index_block_hash bytea,
    block_hash       bytea,
    burn_block_height bigint,
    updated_at       timestamptz NOT NULL DEFAULT now(),
    -- The error that stopped the version, if state is 'failed'; in other states, the last error.
    error            text,
    error_position   bigint,
    error_at         timestamptz,
    CONSTRAINT projection_pkey PRIMARY KEY (name, version),
    CONSTRAINT projection_state_check CHECK (state IN ('building', 'live', 'failed')),
    CONSTRAINT projection_position_check CHECK (position >= 0)
);

-- The version that readers see. An update of this row switches to another version. It does not wait for readers.
CREATE TABLE strata.active (
    name    text NOT NULL PRIMARY KEY,
    version int  NOT NULL,
    CONSTRAINT active_projection_fkey FOREIGN KEY (name, version) REFERENCES strata.projection (name, version)
);

-- Events that a projection could not read. They stay in the log, but the rows of this version lack their effects. A later
-- version that can read them is built from the log and has the effects.
CREATE TABLE strata.quarantine (
    name           text        NOT NULL,
    version        int         NOT NULL,
    seq            bigint      NOT NULL,
    path           text        NOT NULL,
    pointer        text        NOT NULL, -- JSON pointer of the invalid field; '' for the whole body
    reason         text        NOT NULL,
    quarantined_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT quarantine_pkey PRIMARY KEY (name, version, seq)
);

CREATE INDEX quarantine_seq_idx ON strata.quarantine (seq, name, version);

-- Views of the active versions, for people at a SQL prompt. They are created when a version becomes active.
CREATE SCHEMA api;
