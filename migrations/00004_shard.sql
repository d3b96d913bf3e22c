-- +goose Up

-- What readers may keep. An answer stays right until the rows that it was made of change, so a reader that knows the
-- position at which they last changed can tell whether an answer that it has is still the one it would get.

-- A database of its own, even when it was restored under the name of another.
CREATE TABLE strata.archive (
    id uuid NOT NULL DEFAULT gen_random_uuid()
);
CREATE UNIQUE INDEX archive_one_row ON strata.archive ((true));
INSERT INTO strata.archive DEFAULT VALUES;

ALTER TABLE strata.projection
    -- Tells a version from one that had its name and number before, and was dropped.
    ADD COLUMN epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Up to this position anything may have changed; above it, what changed is in strata.shard.
    ADD COLUMN shards_from bigint NOT NULL DEFAULT 0;

-- The position at which something last changed in a shard of a version. A resource, such as an account, belongs to the
-- shard that its name hashes to (package domain/shard). Written in the transaction that changes the rows, one item at
-- a time; a batch of many raises projection.shards_from instead. A shard without a row has not changed since then.
CREATE TABLE strata.shard (
    name     text   NOT NULL,
    version  int    NOT NULL,
    shard    int    NOT NULL,
    position bigint NOT NULL,
    CONSTRAINT shard_pkey PRIMARY KEY (name, version, shard),
    CONSTRAINT shard_number_check CHECK (shard BETWEEN 0 AND 65535)
) WITH (fillfactor = 70);
-- No foreign key: it would be checked for every account that a block touches. Who makes or drops a version deletes its
-- shards.

-- What changed after a position.
CREATE INDEX shard_position_idx ON strata.shard (name, version, position);

-- +goose Down
DROP TABLE strata.shard;
ALTER TABLE strata.projection DROP COLUMN epoch, DROP COLUMN shards_from;
DROP TABLE strata.archive;
