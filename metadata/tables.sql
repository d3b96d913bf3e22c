-- Tables of the role metadata. The log and the wants say all that they hold, except for what is spent of the day's budgets.
CREATE SCHEMA IF NOT EXISTS metadata;

-- Earlier releases turned wants into jobs of River, in a schema of their own. The wants are found again without them.
DO $$
BEGIN
    IF to_regclass('river.spent') IS NOT NULL THEN
        IF to_regclass('metadata.spent') IS NULL THEN
            ALTER TABLE river.spent SET SCHEMA metadata;
        END IF;
        DROP SCHEMA river CASCADE;
    END IF;
END
$$;

-- Who fetches which want, and what was fetched in the last hour. The key of a want and the four columns after it name a
-- revision, as the want has others when it is raised again. Projections that raise the same want at the same event share
-- the revision.
CREATE TABLE IF NOT EXISTS metadata.lease (
    source_seq bigint      NOT NULL,
    due_at     timestamptz NOT NULL,
    until      timestamptz NOT NULL, -- nobody else takes the want before; once it is done, since when
    attempts   int         NOT NULL,
    waits      int         NOT NULL,
    done       boolean     NOT NULL DEFAULT false, -- the log has the report: nobody fetches this revision again
    holder     uuid        DEFAULT gen_random_uuid(), -- differs from taking to taking; null while the want is put off
    key_hash   bytea       NOT NULL, -- SHA-256 of the want's key
    lane       text        NOT NULL,
    CONSTRAINT lease_pkey PRIMARY KEY (key_hash, source_seq, attempts, waits, due_at)
);
CREATE INDEX IF NOT EXISTS lease_until_idx ON metadata.lease (until);

-- What contracts have spent of their budgets.
CREATE TABLE IF NOT EXISTS metadata.spent (
    day         date    NOT NULL, -- UTC
    fetches     bigint  NOT NULL, -- reports
    bytes       bigint  NOT NULL, -- of their events
    rested      boolean NOT NULL, -- the log has the event that lets the contract rest until the day ends
    contract_id text    NOT NULL,
    CONSTRAINT spent_pkey PRIMARY KEY (day, contract_id)
);
