-- +goose Up

-- Any number of versions of a projection's tables can be built and followed side by side (docs/decisions/011-versions.md).
ALTER TABLE strata.projection
    -- The number of the code that builds it, whose process alone follows it; null: the version's own number.
    ADD COLUMN rules int,
    -- Items that it may fold in a second; null for as many as it can.
    ADD COLUMN throttle int,
    -- Items that it folded in a second when it was far behind the last time; null: not measured.
    ADD COLUMN rate double precision,
    -- It has the indexes that only readers need.
    ADD COLUMN indexed boolean NOT NULL DEFAULT true,
    -- Built to be compared and dropped by the one process that built it. Nobody else looks at it, and it never becomes active.
    ADD COLUMN scratch boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT projection_throttle_check CHECK (throttle > 0);

ALTER TABLE strata.active
    ADD COLUMN previous int, -- the version that a rollback returns to; null when there is none any more
    ADD COLUMN viewed int;   -- the version that the views in schema api show; null: not known

-- +goose Down
DELETE FROM strata.projection WHERE scratch;
ALTER TABLE strata.active DROP COLUMN previous, DROP COLUMN viewed;
ALTER TABLE strata.projection DROP COLUMN rules, DROP COLUMN throttle, DROP COLUMN rate, DROP COLUMN indexed, DROP COLUMN scratch;
