-- +goose Up

-- How far each group of ordinary watermill consumers has come in each topic of the log. (Projections don't stand
-- here: their position is a column of strata.projection and moves in the transaction that writes their rows.)
--
-- Whoever delivers to a group holds the lock of its row meanwhile, so a group has one deliverer at a time.
CREATE TABLE log.consumer (
    consumer_group text        NOT NULL,
    topic          text        NOT NULL,
    position       bigint      NOT NULL DEFAULT 0, -- seq of the last acknowledged event; 0 before the first
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT consumer_pkey PRIMARY KEY (consumer_group, topic),
    CONSTRAINT consumer_position_check CHECK (position >= 0)
) WITH (fillfactor = 50); -- every batch updates a row: leave it room to stay on its page

-- +goose Down
DROP TABLE log.consumer;
