-- +goose Up

-- Several versions of a projection's tables can be built and followed side by side (docs/decisions/011-versions.md).
ALTER TABLE strata.projection
    -- The version number of the code that builds it; only a process with that code follows it. Null means the version's
    -- own number.
    ADD COLUMN rules int,
    -- Maximum items to fold per second; null for unlimited.
    ADD COLUMN throttle int,
    -- Items folded per second when the version was last far behind; null if not measured.
    ADD COLUMN rate double precision,
    -- True if the version has the indexes that only readers need.
    ADD COLUMN indexed boolean NOT NULL DEFAULT true,
    -- True if one process built the version only to compare it and drop it. No other process uses it, and it never becomes
    -- active.
    ADD COLUMN scratch boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT projection_throttle_check CHECK (throttle > 0);

ALTER TABLE strata.active
    ADD COLUMN previous int, -- the version to which a rollback returns; null if there is none
    ADD COLUMN viewed int;   -- the version that the views in schema api show; null if unknown
