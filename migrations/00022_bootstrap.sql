-- +goose Up

-- The history from which this log is brought, or was; no row for a log of its own. Until it is whole, nothing else is appended.
CREATE TABLE log.bootstrap (
    publisher  text        NOT NULL, -- verifier key of the log that was published
    manifest   text        NOT NULL, -- SHA-256 of the manifest, in hex
    events     bigint      NOT NULL, -- how many events come from it: the first ones of this log
    finished   boolean     NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX bootstrap_one_row ON log.bootstrap ((true));

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
        EXECUTE format('GRANT SELECT ON log.bootstrap TO %s', may.grantee);
    END LOOP;
END
$$;
-- +goose StatementEnd
