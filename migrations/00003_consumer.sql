-- +goose Up

-- The position of each group of ordinary watermill consumers in each topic of the log. (Projections are not in this
-- table: their position is a column of strata.projection and moves in the transaction that writes their rows.)
--
-- A process that delivers events to a group holds the lock of the group's row, so only one process delivers at a time.
CREATE TABLE log.consumer (
    consumer_group text        NOT NULL,
    topic          text        NOT NULL,
    position       bigint      NOT NULL DEFAULT 0, -- seq of the last acknowledged event; 0 before the first
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT consumer_pkey PRIMARY KEY (consumer_group, topic),
    CONSTRAINT consumer_position_check CHECK (position >= 0)
) WITH (fillfactor = 50); -- every batch updates a row; leave room for the new row version on the same page
