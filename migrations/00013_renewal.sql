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
