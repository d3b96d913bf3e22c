-- +goose Up

-- Accounts of the read tables that differed from a node's when they were last compared. No event tells it, so that nothing folded
-- from the log would find it again: it stands beside the log, and is in its backup, with what operators have accepted.
CREATE TABLE log.difference (
    account             text        NOT NULL,
    what                text        NOT NULL, -- 'balance' (µSTX, with what is locked), 'locked amount' (µSTX), 'unlock height' or 'nonce'
    table_value         numeric     NOT NULL,
    node_value          numeric     NOT NULL,
    source_seq          bigint,               -- the event of the last change in the tables; null if they have none
    height              bigint      NOT NULL, -- of the block at which the account was last compared
    found_at            timestamptz NOT NULL DEFAULT now(),
    -- node_value - table_value when an operator accepted it: another difference is not accepted, and other values that differ as
    -- much are, because an account goes on being used.
    accepted_difference numeric,
    reason              text,
    accepted_at         timestamptz,
    accepted            boolean     NOT NULL GENERATED ALWAYS AS (accepted_difference IS NOT NULL AND node_value - table_value = accepted_difference) STORED,
    CONSTRAINT difference_pkey PRIMARY KEY (account, what),
    CONSTRAINT difference_reason_check CHECK ((accepted_difference IS NULL) = (reason IS NULL) AND (reason IS NULL) = (accepted_at IS NULL))
);

-- How far accounts were compared, and which process compares them. It has one row once a process has begun.
CREATE TABLE log.comparison (
    singleton        boolean     NOT NULL DEFAULT true,
    height           bigint,               -- the accounts that blocks up to this one touched were compared; null: none yet
    index_block_hash bytea,
    holder           text        NOT NULL, -- a process; another one may take its place after held_until
    held_until       timestamptz NOT NULL,
    CONSTRAINT comparison_pkey PRIMARY KEY (singleton),
    CONSTRAINT comparison_singleton_check CHECK (singleton)
);
