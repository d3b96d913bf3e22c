-- +goose Up

-- What people have subscribed to, and what was made for them. No event tells it, so that nothing folded from the log would find it again:
-- it stands beside the log, and is in its backup.

-- Which process matches and delivers, and the place on the list of steps of the projection chain that subscriptions at the tip share.
CREATE TABLE log.subscription_progress (
    singleton        boolean     NOT NULL DEFAULT true,
    holder           text        NOT NULL, -- a process; another one may take its place after held_until
    held_until       timestamptz NOT NULL,
    changes          bigint      NOT NULL DEFAULT 0, -- grows with each change of a subscription by a person
    epoch            text        NOT NULL DEFAULT '', -- names the list
    step             bigint      NOT NULL DEFAULT 0,
    log_seq          bigint      NOT NULL DEFAULT 0,  -- the event that caused the step
    height           bigint      NOT NULL DEFAULT -1, -- of the tip after it
    index_block_hash bytea       NOT NULL DEFAULT '', -- of the tip after it
    CONSTRAINT subscription_progress_pkey PRIMARY KEY (singleton),
    CONSTRAINT subscription_progress_singleton_check CHECK (singleton)
);

CREATE TABLE log.subscription (
    id               uuid        NOT NULL,
    name             text        NOT NULL,
    filter           text        NOT NULL, -- JSON, as it was given; it never changes
    url              text        NOT NULL, -- empty: messages are pulled
    "authorization"  text        NOT NULL, -- value of the header; empty for none
    secret           text        NOT NULL, -- whsec_…
    state            text        NOT NULL, -- active; paused by a person, or because it can't go on
    reason           text        NOT NULL, -- why it is paused
    grouped          boolean     NOT NULL, -- it is at the place in progress, and that in this row is without meaning
    epoch            text        NOT NULL,
    step             bigint      NOT NULL, -- the last step that was looked at
    log_seq          bigint      NOT NULL,
    height           bigint      NOT NULL,
    index_block_hash bytea       NOT NULL,
    floor            bigint      NOT NULL, -- blocks up to this height were applied before the first step that was looked at
    sequence         bigint      NOT NULL, -- number of messages
    delivered        bigint      NOT NULL, -- how many of them were acknowledged
    failures         int         NOT NULL, -- attempts of the next message
    next_attempt_at  timestamptz NOT NULL,
    error            text        NOT NULL, -- of the last attempt; empty if it succeeded
    created_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT subscription_pkey PRIMARY KEY (id),
    CONSTRAINT subscription_state_check CHECK (state IN ('active', 'paused'))
);

-- The messages of a subscription: each is a step that it has something in. Its body follows from that, the filter and the log.
CREATE TABLE log.subscription_message (
    subscription     uuid     NOT NULL,
    sequence         bigint   NOT NULL, -- from 1
    kind             smallint NOT NULL, -- 1 apply, -1 revert
    block_seq        bigint   NOT NULL, -- the event with the block's content
    log_seq          bigint   NOT NULL, -- the event that caused the step
    CONSTRAINT subscription_message_pkey PRIMARY KEY (subscription, sequence),
    CONSTRAINT subscription_message_subscription_fkey FOREIGN KEY (subscription) REFERENCES log.subscription ON DELETE CASCADE
);

-- The last attempts to deliver messages.
CREATE TABLE log.subscription_attempt (
    subscription uuid        NOT NULL,
    sequence     bigint      NOT NULL,
    attempt      int         NOT NULL, -- from 1
    at           timestamptz NOT NULL,
    took_ms      int         NOT NULL,
    status       int         NOT NULL, -- of HTTP; 0 without an answer
    error        text        NOT NULL, -- empty for success
    answer       text        NOT NULL, -- its first bytes
    CONSTRAINT subscription_attempt_pkey PRIMARY KEY (subscription, sequence, attempt),
    CONSTRAINT subscription_attempt_subscription_fkey FOREIGN KEY (subscription) REFERENCES log.subscription ON DELETE CASCADE
);
