-- +goose Up

-- The first event with each small body among some 262,144 neighbours: `span` is seq / 262144. A body that comes again is looked up
-- in the newest two spans only, so an append touches the newest end of the index, however long the log is. log.body has large bodies,
-- for ever, and the small ones that came before this table was made (docs/decisions/021-small-bodies-are-known-for-a-while.md).
CREATE TABLE IF NOT EXISTS log.small_body (
    span   bigint NOT NULL,
    seq    bigint NOT NULL,
    sha256 bytea  NOT NULL,
    CONSTRAINT small_body_pkey PRIMARY KEY (span, sha256),
    CONSTRAINT small_body_span_check CHECK (span = seq >> 18)
);

CREATE OR REPLACE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON log.small_body
    FOR EACH ROW EXECUTE FUNCTION log.refuse_change();
CREATE OR REPLACE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.small_body
    FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON log.small_body FROM PUBLIC, CURRENT_USER;

-- Whoever may append to the log may do so here.
-- +goose StatementBegin
DO $$
DECLARE
    may record;
BEGIN
    FOR may IN
        SELECT DISTINCT a.privilege_type, pg_catalog.quote_ident(r.rolname) AS grantee
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
        WHERE c.oid = 'log.body'::regclass AND a.grantee <> c.relowner AND a.privilege_type IN ('SELECT', 'INSERT')
    LOOP
        EXECUTE format('GRANT %s ON log.small_body TO %s', may.privilege_type, may.grantee);
    END LOOP;
END
$$;
-- +goose StatementEnd
