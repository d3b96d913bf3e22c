-- Tables of the projections ft, sft and nft. They are the same for each kind of token; contracts and tokens of another
-- kind are not in them. Rows are of canonical blocks only. What comes from outside is here once the log has it.
--
-- source_seq is the event of the log that a row came from.

-- The canonical blocks that the rows below reflect.
CREATE TABLE {schema}.block (
    height            bigint NOT NULL,
    source_seq        bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    time              bigint NOT NULL, -- unix seconds; of the Bitcoin block before Nakamoto
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- Contracts that follow the standard of this kind: sip-010 for ft, sip-009 for nft, sip-013 for sft.
CREATE TABLE {schema}.contract (
    height             bigint NOT NULL, -- of the block that deployed it
    source_seq         bigint NOT NULL, -- its event
    tx_index           int    NOT NULL,
    interface_seq      bigint,          -- the report that brought the interface; null when the block did
    last_token_id      numeric,         -- as the contract last said it (sip-009); null when it was never read
    read_height        bigint,          -- the block at which it was
    read_seq           bigint,          -- and the report
    read_at            timestamptz,
    failed_seq         bigint,          -- the report of the last attempt, when it failed
    reason             smallint NOT NULL, -- why it failed (fetch.Reason); 0 when it did not
    txid               bytea  NOT NULL,
    contract_id        text   NOT NULL,
    fungible_token     text,            -- the first one that the interface names
    non_fungible_token text,
    CONSTRAINT contract_pkey PRIMARY KEY (contract_id)
);
CREATE INDEX contract_height_idx ON {schema}.contract (height);
CREATE INDEX contract_read_height_idx ON {schema}.contract (read_height);

-- Contracts that were deployed without their interface in the event, until it is known.
CREATE TABLE {schema}.unrecognised (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    tx_index    int    NOT NULL,
    txid        bytea  NOT NULL,
    contract_id text   NOT NULL,
    CONSTRAINT unrecognised_pkey PRIMARY KEY (contract_id)
);
CREATE INDEX unrecognised_height_idx ON {schema}.unrecognised (height);

CREATE TABLE {schema}.token (
    height       bigint   NOT NULL, -- of the block that made it known: its first mint, or the reading of last_token_id
    source_seq   bigint   NOT NULL, -- the event that did
    -- What the contract said when it was last asked with success; null for what it did not say, or was never asked.
    read_height  bigint,            -- the block at which it was asked; null: never with success
    read_seq     bigint,            -- the report
    read_at      timestamptz,
    supply_seq   bigint,            -- the report that brought the supply alone, later than the rest; null: read_seq did
    failed_seq   bigint,            -- the report of the last attempt, when it failed
    decimals     int,
    reason       smallint NOT NULL, -- why it failed (fetch.Reason); 0 when it did not
    token_id     numeric  NOT NULL, -- 1 for ft
    total_supply numeric,           -- base units
    contract_id  text     NOT NULL,
    uri          text,              -- with the token's id filled in
    name         text,
    symbol       text,
    -- Where the list of fungible tokens has it: '0' and the lower-case name or symbol, or '1' when there is none. Null for
    -- other kinds, which have no list.
    name_key     text COLLATE "C",
    symbol_key   text COLLATE "C",
    CONSTRAINT token_pkey PRIMARY KEY (contract_id, token_id)
);
CREATE INDEX token_name_idx ON {schema}.token (name_key, contract_id COLLATE "C") WHERE name_key IS NOT NULL;
CREATE INDEX token_symbol_idx ON {schema}.token (symbol_key, contract_id COLLATE "C") WHERE symbol_key IS NOT NULL;
CREATE INDEX token_height_idx ON {schema}.token (height);
CREATE INDEX token_read_height_idx ON {schema}.token (read_height);

-- How many tokens stand where in a list, so that a page at any depth is found without counting up to it: each row is a
-- stretch of the list that begins with a key and ends where the next one begins. The first begins with ''.
CREATE TABLE {schema}.stretch (
    n              bigint NOT NULL,
    list           text   NOT NULL,             -- 'name' or 'symbol'
    first_key      text   COLLATE "C" NOT NULL,
    first_contract text   COLLATE "C" NOT NULL,
    CONSTRAINT stretch_pkey PRIMARY KEY (list, first_key, first_contract)
);

-- What is known under each address of a document (SIP-016). Tokens may share one.
CREATE TABLE {schema}.document (
    source_seq bigint,               -- the report that brought the content; null: never with success
    fetched_at timestamptz,
    failed_seq bigint,               -- the report of the last attempt, when it failed
    reason     smallint NOT NULL,    -- why it failed (fetch.Reason); 0 when it did not
    uri_hash   bytea    NOT NULL,    -- SHA-256 of uri: it can be too long for an index
    uri        text     NOT NULL,
    content    text,                 -- JSON, see domain/document
    CONSTRAINT document_pkey PRIMARY KEY (uri_hash)
);

CREATE TABLE {schema}.image (
    source_seq   bigint,
    fetched_at   timestamptz,
    failed_seq   bigint,
    width        int,                -- pixels
    height       int,
    reason       smallint NOT NULL,
    uri_hash     bytea    NOT NULL,
    sha256       bytea,              -- of the bytes; null: never with success
    uri          text     NOT NULL,
    content_type text,
    CONSTRAINT image_pkey PRIMARY KEY (uri_hash)
);

-- Which documents and images each token refers to.
CREATE TABLE {schema}.reference (
    token_id    numeric NOT NULL,
    role        text    NOT NULL, -- 'document' or 'image'
    locale      text    NOT NULL, -- '' for the token's own document and its image, else as the document lists it
    uri_hash    bytea   NOT NULL,
    contract_id text    NOT NULL,
    CONSTRAINT reference_pkey PRIMARY KEY (contract_id, token_id, role, locale)
);
CREATE INDEX reference_uri_hash_idx ON {schema}.reference (uri_hash);

-- What has to be fetched, and when. A row goes when the report with the answer is folded.
CREATE TABLE {schema}.want (
    source_seq bigint      NOT NULL, -- the event that raised it, or the last report that failed
    due_at     timestamptz NOT NULL,
    min_height bigint,               -- of contract_read: only what was read at this block or above answers it
    attempts   int         NOT NULL, -- that failed since it was raised, without those that cost none
    waits      int         NOT NULL, -- those that cost none, since the last that did
    priority   smallint    NOT NULL, -- 1 somebody asked, 2 news from the chain, 3 again after a failure, 4 by the clock
    reason     smallint    NOT NULL, -- of the last failure
    severity   smallint    NOT NULL, -- of the last failure (fetch.Severity)
    key_hash   bytea       NOT NULL, -- SHA-256 of the want's key
    kind       text        NOT NULL, -- fetch.Kind
    want       text        NOT NULL, -- JSON, see domain/fetch
    CONSTRAINT want_pkey PRIMARY KEY (key_hash)
);
-- What was wanted as of a block that is taken off.
CREATE INDEX want_min_height_idx ON {schema}.want (min_height) WHERE min_height IS NOT NULL;

-- Notifications of SIP-019 that were authorised, also of contracts whose interface is not known yet.
CREATE TABLE {schema}.notification (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    ttl         numeric,         -- seconds
    tx_index    int    NOT NULL,
    event_index int    NOT NULL,
    token_id    numeric,         -- null for all tokens of the contract
    contract_id text   NOT NULL,
    mode        text   NOT NULL, -- standard, frozen or dynamic
    pointer     text   NOT NULL  -- JSON pointer of the print in the body of event source_seq
);
CREATE INDEX notification_contract_idx ON {schema}.notification (contract_id, token_id, height, tx_index, event_index);
CREATE INDEX notification_height_idx ON {schema}.notification (height);

-- Counted as rows come and go, so that nobody has to count.
CREATE TABLE {schema}.counter (
    n    bigint NOT NULL,
    name text   NOT NULL, -- 'contracts', 'tokens', and wants by state: 'pending', 'failed', 'invalid'
    CONSTRAINT counter_pkey PRIMARY KEY (name)
);

-- What a row of want counts as: it was never tried in vain, it may get better by itself, or its owner has to mend it.
CREATE FUNCTION {schema}.want_state(attempts int, severity smallint) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN attempts = 0 THEN 'pending' WHEN severity < 2 THEN 'failed' ELSE 'invalid' END;

-- Triggers of statements: one upsert for all rows of a statement.
CREATE FUNCTION {schema}.count_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change bigint;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT count(*) INTO change FROM came;
    ELSE
        SELECT -count(*) INTO change FROM went;
    END IF;
    IF change <> 0 THEN
        INSERT INTO {schema}.counter (name, n) VALUES (TG_ARGV[0], change)
        ON CONFLICT (name) DO UPDATE SET n = counter.n + excluded.n;
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION {schema}.count_wants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO {schema}.counter (name, n)
        SELECT {schema}.want_state(attempts, severity), count(*) FROM came GROUP BY 1
        ON CONFLICT (name) DO UPDATE SET n = counter.n + excluded.n;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {schema}.counter (name, n)
        SELECT {schema}.want_state(attempts, severity), -count(*) FROM went GROUP BY 1
        ON CONFLICT (name) DO UPDATE SET n = counter.n + excluded.n;
    ELSE
        INSERT INTO {schema}.counter (name, n)
        SELECT name, sum(n) FROM (
            SELECT {schema}.want_state(attempts, severity) AS name, 1 AS n FROM came
            UNION ALL SELECT {schema}.want_state(attempts, severity), -1 FROM went
        ) changes GROUP BY name HAVING sum(n) <> 0
        ON CONFLICT (name) DO UPDATE SET n = counter.n + excluded.n;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_came AFTER INSERT ON {schema}.contract REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_rows('contracts');
CREATE TRIGGER count_went AFTER DELETE ON {schema}.contract REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_rows('contracts');
CREATE TRIGGER count_came AFTER INSERT ON {schema}.token REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_rows('tokens');
CREATE TRIGGER count_went AFTER DELETE ON {schema}.token REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_rows('tokens');
CREATE TRIGGER count_came AFTER INSERT ON {schema}.want REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_wants();
CREATE TRIGGER count_went AFTER DELETE ON {schema}.want REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_wants();
CREATE TRIGGER count_changed AFTER UPDATE ON {schema}.want REFERENCING OLD TABLE AS went NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.count_wants();

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_index_block_hash_idx ON {schema}.block (index_block_hash);
CREATE INDEX image_sha256_idx ON {schema}.image (sha256);
CREATE INDEX want_due_idx ON {schema}.want (kind, priority, due_at);
