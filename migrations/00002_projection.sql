-- +goose Up

-- The register of projections: which versions exist, how far each has come, and which one readers see.
CREATE SCHEMA strata;

-- One row for each version of each projection. Its tables stand in the schema `<name>_v<version>`.
CREATE TABLE strata.projection (
    name             text        NOT NULL,
    version          int         NOT NULL,
    input            text        NOT NULL, -- what it folds: 'log', or the schema whose steps it folds, such as 'chain_v1'
    state            text        NOT NULL DEFAULT 'building',
    -- The last position of the input that its rows reflect. Compare-and-set on this column, in the transaction
    -- that writes the rows, is what makes every event count exactly once.
    position         bigint      NOT NULL DEFAULT 0,
    log_seq          bigint      NOT NULL DEFAULT 0, -- the event of the log that this position stands for
    block_height     bigint,                         -- tip that the rows reflect; null before the first block
    index_block_hash bytea,
    block_hash       bytea,
    burn_block_height bigint,
    updated_at       timestamptz NOT NULL DEFAULT now(),
    -- What stopped it, when state is 'failed'; kept afterwards as the last error.
    error            text,
    error_position   bigint,
    error_at         timestamptz,
    CONSTRAINT projection_pkey PRIMARY KEY (name, version),
    CONSTRAINT projection_state_check CHECK (state IN ('building', 'live', 'failed')),
    CONSTRAINT projection_position_check CHECK (position >= 0)
);

-- The version that readers see: switching is an update of this row, and takes no lock that a reader holds.
CREATE TABLE strata.active (
    name    text NOT NULL PRIMARY KEY,
    version int  NOT NULL,
    CONSTRAINT active_projection_fkey FOREIGN KEY (name, version) REFERENCES strata.projection (name, version)
);

-- Events that a projection could not read. They stay in the log; what they should have done is missing from the
-- rows of this version, and a version that can read them is built from the log again.
CREATE TABLE strata.quarantine (
    name           text        NOT NULL,
    version        int         NOT NULL,
    seq            bigint      NOT NULL,
    path           text        NOT NULL,
    pointer        text        NOT NULL, -- JSON pointer of the wrong field, '' for the whole body
    reason         text        NOT NULL,
    quarantined_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT quarantine_pkey PRIMARY KEY (name, version, seq)
);

CREATE INDEX quarantine_seq_idx ON strata.quarantine (seq, name, version);

-- Views that follow the active versions, for people with a SQL prompt. Made when a version becomes active.
CREATE SCHEMA api;

-- +goose Down
DROP SCHEMA api CASCADE;
DROP SCHEMA strata CASCADE;
