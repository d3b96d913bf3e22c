-- +goose Up

-- One row if bodies are packed: what a node posts in bulk is stored as one zstd frame (RFC 8878) where that is shorter. A row of
-- log.event whose body does not have the length in column size has a frame. Programs from before this table can't read frames, and
-- may still run beside the one that makes the table: so bodies are packed in logs that were empty then, and in no others
-- (docs/decisions/050-packed-bodies.md).
CREATE TABLE log.packing (
    singleton boolean NOT NULL DEFAULT true,
    CONSTRAINT packing_pkey PRIMARY KEY (singleton),
    CONSTRAINT packing_singleton_check CHECK (singleton)
);
INSERT INTO log.packing SELECT FROM log.head WHERE size = 0;

-- Whoever may append to the log may read this.
-- +goose StatementBegin
DO $$
DECLARE
    may record;
BEGIN
    FOR may IN
        SELECT DISTINCT pg_catalog.quote_ident(r.rolname) AS grantee
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
        WHERE c.oid = 'log.body'::regclass AND a.grantee <> c.relowner AND a.privilege_type = 'INSERT'
    LOOP
        EXECUTE format('GRANT SELECT ON log.packing TO %s', may.grantee);
    END LOOP;
END
$$;
-- +goose StatementEnd
