-- +goose Up

-- The append-only log. It is the only truth: everything else can be rebuilt from it.
CREATE SCHEMA log;

-- One row for each event, in the order of arrival. `seq` is gap-free and starts at 1. Every append updates log.head in
-- its own transaction, so the order of commits is the order of `seq`.
--
-- Columns are in order of alignment: 8-byte columns first, then variable ones.
CREATE TABLE log.event (
    seq          bigint      NOT NULL,
    received_at  timestamptz NOT NULL, -- for information; never use it to order events
    size         bigint      NOT NULL, -- bytes of the body as received
    body_seq     bigint,               -- the earlier event with the same body; then body is null
    sha256       bytea       NOT NULL, -- of the body as received
    source       text        NOT NULL, -- who delivered the event: observer:<host>, archive:<name>, …
    path         text        NOT NULL, -- the path to which it was posted
    content_type text        NOT NULL,
    origin       text,                 -- the event's identity in its transport: an archive's id and time, or a message's
                                       -- uuid and metadata
    -- bytea, not json or jsonb: bodies have \u0000, numbers beyond 64 bits and duplicate keys, and readers must get them
    -- back byte for byte.
    body         bytea,
    CONSTRAINT event_pkey PRIMARY KEY (seq),
    CONSTRAINT event_seq_check CHECK (seq > 0),
    CONSTRAINT event_size_check CHECK (size >= 0),
    CONSTRAINT event_sha256_check CHECK (octet_length(sha256) = 32),
    CONSTRAINT event_body_check CHECK ((body IS NULL) = (body_seq IS NOT NULL)),
    CONSTRAINT event_body_seq_check CHECK (body_seq < seq)
) PARTITION BY RANGE (seq);

-- The first event with each body. A repeated delivery of the same bytes refers to this event. This is a separate table
-- because a unique key on the partitioned log would have to contain seq.
CREATE TABLE log.body (
    sha256 bytea  NOT NULL PRIMARY KEY,
    seq    bigint NOT NULL
);

-- One row: the length of the log, and the RFC 6962 frontier over its leaves (docs/log-format.md). The lock of this row
-- makes seq gap-free and commit-ordered for any number of writers.
CREATE TABLE log.head (
    singleton    boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (singleton),
    leaf_version smallint    NOT NULL,
    size         bigint      NOT NULL CHECK (size >= 0),
    updated_at   timestamptz NOT NULL,
    frontier     bytea       NOT NULL CHECK (octet_length(frontier) % 32 = 0)
);
INSERT INTO log.head (leaf_version, size, updated_at, frontier) VALUES (1, 0, now(), '');

-- The progress of each archive's import. It is committed together with the imported events, so that a killed import
-- resumes without repeating or losing an event.
CREATE TABLE log.import (
    archive       text        NOT NULL PRIMARY KEY, -- name of the file and digest of its beginning
    dialect       text        NOT NULL,             -- how its payloads are escaped: copy or raw
    lines         bigint      NOT NULL,             -- lines read
    bytes         bigint      NOT NULL,             -- bytes read, of the uncompressed text
    events        bigint      NOT NULL,             -- events appended
    prefix_sha256 bytea       NOT NULL,             -- of the bytes read: a resumed file must begin with them
    started_at    timestamptz NOT NULL,
    finished_at   timestamptz                       -- null while the import runs
);

-- +goose StatementBegin
CREATE FUNCTION log.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: % of %.% is refused', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege',
              HINT = 'Correct what reads the log, or append a further event; what was received stays as it was.';
END
$$;
-- +goose StatementEnd

-- Postgres clones row triggers to every partition, so statements that name a partition directly cannot bypass them. It
-- does not clone TRUNCATE triggers; log.add_partition creates one for each partition.
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON log.event
    FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.event
    FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON log.body
    FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.body
    FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();

-- +goose StatementBegin
CREATE FUNCTION log.head_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.size > OLD.size AND NEW.leaf_version = OLD.leaf_version THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the log only grows: % of log.head is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON log.head
    FOR EACH ROW EXECUTE FUNCTION log.head_only_grows();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.head
    FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();

-- Adds the partition for [low, low + count). The function creates a table and attaches it, because ATTACH does not block
-- readers and writers, while CREATE … PARTITION OF does.
-- +goose StatementBegin
CREATE FUNCTION log.add_partition(low bigint, count bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    partition text := format('event_%s', lpad(low::text, 15, '0'));
BEGIN
    IF to_regclass(format('log.%I', partition)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE log.%I (LIKE log.event INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', partition);
    -- Proves the range beforehand, so that ATTACH has nothing to scan.
    EXECUTE format('ALTER TABLE log.%I ADD CONSTRAINT range_check CHECK (seq >= %s AND seq < %s)', partition, low, low + count);
    BEGIN
        EXECUTE format('ALTER TABLE log.%I ALTER COLUMN body SET COMPRESSION lz4', partition);
    EXCEPTION WHEN feature_not_supported THEN
        NULL; -- a server built without lz4 keeps its default compression
    END;
    EXECUTE format('ALTER TABLE log.event ATTACH PARTITION log.%I FOR VALUES FROM (%s) TO (%s)', partition, low, low + count);
    EXECUTE format('ALTER TABLE log.%I DROP CONSTRAINT range_check', partition);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.%I FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change()', partition);
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON log.%I FROM PUBLIC, CURRENT_USER', partition);
END
$$;
-- +goose StatementEnd

-- The first partition starts at 0, although seq starts at 1, so that bounds are round numbers.
SELECT log.add_partition(0, 1000000);

-- The owner, too, gives up privileges that nobody needs. The triggers stop even a superuser.
REVOKE UPDATE, DELETE, TRUNCATE ON log.event, log.body FROM PUBLIC, CURRENT_USER;
REVOKE DELETE, TRUNCATE ON log.head FROM PUBLIC, CURRENT_USER;

-- For people at a SQL prompt: every event with its body, wherever the body is stored.
CREATE VIEW log.delivery AS
SELECT e.seq, e.received_at, e.source, e.path, e.content_type, e.origin, e.size, e.sha256, e.body_seq,
       CASE WHEN e.body_seq IS NULL THEN e.body ELSE (SELECT first.body FROM log.event first WHERE first.seq = e.body_seq) END AS body
FROM log.event e;
