-- +goose Up

-- True if the rows of a version reflect a part of the event after its position, too: what that event leads to is too much
-- for one transaction.
ALTER TABLE strata.projection ADD COLUMN IF NOT EXISTS unfinished boolean NOT NULL DEFAULT false;
