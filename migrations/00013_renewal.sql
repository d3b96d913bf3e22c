-- +goose Up

-- True if a server made the version by itself, because it has other rules: such a version becomes active by itself, and is
-- dropped by itself (docs/decisions/020-new-versions-take-over.md). What a command made waits for commands.
ALTER TABLE strata.projection ADD COLUMN IF NOT EXISTS automatic boolean NOT NULL DEFAULT false;
-- A server numbers what it makes like the rules; a command does so only with rules that have no version yet.
UPDATE strata.projection SET automatic = true WHERE version = coalesce(rules, version) AND NOT scratch;

-- When each version last became active. Separate from the register, whose rows followers lock.
CREATE TABLE strata.activation (
    epoch        uuid        NOT NULL PRIMARY KEY, -- strata.projection.epoch
    activated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO strata.activation (epoch)
SELECT p.epoch FROM strata.projection p JOIN strata.active a USING (name) WHERE p.version IN (a.version, a.previous);

-- These rows are updated with each event. Room on their pages lets Postgres write the new row beside the old one, without
-- touching an index, and clean up when it next reads the page.
ALTER TABLE log.head SET (fillfactor = 10);
ALTER TABLE strata.projection SET (fillfactor = 20);

-- Moves the head of the log from one size to another; null if it has another size. Its row is found in constant time, however
-- many versions of it an old snapshot keeps Postgres from removing: the newest is the last one in the index, and the planner,
-- which knows a table of one row, is kept from reading the whole table instead.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log.head_advance(old_size bigint, new_size bigint, new_frontier bytea) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    here tid;
    moved bigint;
BEGIN
    SELECT ctid INTO here FROM log.head ORDER BY singleton DESC LIMIT 1;
    UPDATE log.head SET size = new_size, frontier = new_frontier, updated_at = now()
    WHERE ctid = here AND size = old_size
    RETURNING size INTO moved;
    RETURN moved;
END
$$;
-- +goose StatementEnd
