-- +goose Up

-- The identity of the log, beside the log itself: a backup of the schema log has all that must not change in a restore. The
-- origin of checkpoints has it. strata.archive is what the rest of the program reads; see migrations.go.
CREATE TABLE log.archive (
    id uuid NOT NULL
);
CREATE UNIQUE INDEX archive_one_row ON log.archive ((true));
INSERT INTO log.archive SELECT id FROM strata.archive;
