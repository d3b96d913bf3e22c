-- +goose Up

-- The last event of the log before --partial-history was first given: after it, the chain may begin with any block. Without
-- a row, it begins with genesis. It is beside the log, so that each fold of the log has the same result.
CREATE TABLE IF NOT EXISTS log.partial_history (
    after_seq bigint NOT NULL CHECK (after_seq >= 0) -- 0: the log was empty
);
CREATE UNIQUE INDEX IF NOT EXISTS partial_history_one_row ON log.partial_history ((true));

-- The height at which the version's rows begin, if that is above genesis: they lack what happened before.
ALTER TABLE strata.projection ADD COLUMN IF NOT EXISTS history_from bigint;
