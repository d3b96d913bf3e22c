-- +goose Up

-- Events that an operator lets a projection go past, because its code fails at them. Each is an event of the log, too, with
-- the path strata:skip: a restored log fills this table again.
CREATE TABLE strata.skip (
    name        text   NOT NULL,
    rules       int    NOT NULL, -- of the code that fails; other rules try the event again
    seq         bigint NOT NULL, -- the event that is skipped
    reason      text   NOT NULL,
    command_seq bigint NOT NULL, -- the event of the command
    CONSTRAINT skip_pkey PRIMARY KEY (name, rules, seq)
);
