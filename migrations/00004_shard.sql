-- +goose Up

-- Validation of cached answers. An answer stays right until the rows behind it change. So a reader that knows the position
-- of their last change can tell whether its cached answer is still right.

-- The identity of this database. A database that is restored under the name of another one still has its own.
CREATE TABLE strata.archive (
    id uuid NOT NULL DEFAULT gen_random_uuid()
);
CREATE UNIQUE INDEX archive_one_row ON strata.archive ((true));
INSERT INTO strata.archive DEFAULT VALUES;

ALTER TABLE strata.projection
    -- Distinguishes the version from a dropped version with the same name and number.
    ADD COLUMN epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Up to this position, anything may have changed. Above it, strata.shard has all changes.
    ADD COLUMN shards_from bigint NOT NULL DEFAULT 0;

-- The position of the last change in a shard of a version. The name of a resource, such as an account, is hashed to a
-- shard (package domain/shard). The transaction that changes the rows of one item also writes this table; a transaction
-- for a batch of items raises projection.shards_from instead. A shard without a row has not changed since shards_from.
CREATE TABLE strata.shard (
    name     text   NOT NULL,
    version  int    NOT NULL,
    shard    int    NOT NULL,
    position bigint NOT NULL,
    CONSTRAINT shard_pkey PRIMARY KEY (name, version, shard),
    CONSTRAINT shard_number_check CHECK (shard BETWEEN 0 AND 65535)
) WITH (fillfactor = 70);
-- No foreign key: Postgres would check it for every account that a block touches. The code that creates or drops a
-- version deletes its shards.

-- Finds the changes after a position.
CREATE INDEX shard_position_idx ON strata.shard (name, version, position);
