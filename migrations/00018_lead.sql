-- +goose Up

-- Which session leads each version: the process that has the session folds the version. A row counts as long as that session
-- exists. It replaces advisory locks, which every role that can connect may take.
CREATE TABLE strata.lead (
    name          text        NOT NULL,
    version       int         NOT NULL,
    pid           int         NOT NULL, -- of the session at the server
    session_start timestamptz NOT NULL, -- a later session may get the same pid
    CONSTRAINT lead_pkey PRIMARY KEY (name, version)
);

-- Tries to hold, until the transaction ends, the advisory lock that all but one of those who listen share (eventstore/alone.go).
-- Roles that only read lose the right to such locks; a role that may append needs none, as the function has the rights of the log's
-- owner. Whoever else calls it can only make others send notifications that nobody needs.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log.alone() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN pg_try_advisory_xact_lock(8319400174550056964);
END
$$;
-- +goose StatementEnd
