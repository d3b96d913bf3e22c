-- +goose Up

-- Which shards each version has changed, as a journal: the transaction that changes rows of an item adds a row. That costs a
-- fraction of an upsert into strata.shard for each of some ten to a thousand shards (docs/decisions/044-changes-are-a-journal.md).

-- The shards that a version has changed at a position, as package domain/shard encodes a list.
CREATE TABLE strata.change (
    epoch    uuid   NOT NULL, -- strata.projection.epoch: no two versions ever have the same
    position bigint NOT NULL,
    shards   bytea  NOT NULL,
    CONSTRAINT change_pkey PRIMARY KEY (epoch, position)
);

-- When each shard of a version last changed, for all changes up to a position, whose rows in strata.change are gone. Package
-- domain/shard encodes the positions.
CREATE TABLE strata.change_summary (
    epoch     uuid   NOT NULL PRIMARY KEY, -- strata.projection.epoch
    position  bigint NOT NULL,
    positions bytea  NOT NULL
);
-- The encoding leaves nothing to compress.
ALTER TABLE strata.change_summary ALTER COLUMN positions SET STORAGE EXTERNAL;

ALTER TABLE strata.projection
    -- Up to this position, anything may have changed. Above it, the two tables have all changes, provided that changes_to is
    -- the position of the version: a program from before this journal does not set it.
    ADD COLUMN changes_from bigint NOT NULL DEFAULT 0,
    ADD COLUMN changes_to   bigint NOT NULL DEFAULT 0;

-- For programs from before the journal, anything may have changed up to the position, shards_from. They read and write
-- strata.shard, which nobody else does any more.
