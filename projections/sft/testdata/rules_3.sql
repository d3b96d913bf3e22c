-- Tables of the projections ft, sft and nft. Each projection has the same tables, which hold only contracts and tokens
-- of its own kind. Rows come from canonical blocks only. What is fetched from elsewhere is here once the log has its
-- report.
--
-- source_seq is the event of the log that a row comes from.
--
-- Columns without a comment of their own:
--   height: height of the Stacks block that the row comes from; field block_height of /new_block
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   index_block_hash: index block hash, 32 bytes: identifies a Stacks block on all forks (SHA-512/256 of block hash
--     and consensus hash, SIP-005); field index_block_hash of /new_block
--   block_hash: hash of the Stacks block's header, 32 bytes (SIP-005); field block_hash of /new_block
--   burn_block_height: height of the Bitcoin block that the Stacks block is anchored to; field burn_block_height of
--     /new_block
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   event_index: index of the event among the committed events of its transaction, from 0
--   txid: transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
--   read_at: when it was read
--   contract_id: identifier of the contract: address of the deployer, dot, name
--   fetched_at: when the content came
--   uri: as tokens or documents name it
--   uri_hash: SHA-256 of uri, 32 bytes
--   failed_seq: the report of the last attempt, if that failed
--   reason: why the last attempt failed (fetch.Reason); 0 if it did not
--   due_at: when to fetch
--   token_id: number of the token in the contract

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
    interface_seq      bigint,          -- the report that brought the interface; null if the block did
    last_token_id      numeric,         -- as the contract last answered (sip-009); null if it was never read
    read_height        bigint,          -- the block at which last_token_id was read
    read_seq           bigint,          -- the report that brought it
    read_at            timestamptz,
    failed_seq         bigint,          -- the report of the last attempt, if that failed
    reason             smallint NOT NULL, -- why the last attempt failed (fetch.Reason); 0 if it did not
    txid               bytea  NOT NULL,
    contract_id        text   NOT NULL,
    fungible_token     text,            -- the first that the interface names
    non_fungible_token text, -- the first that the interface names
    CONSTRAINT contract_pkey PRIMARY KEY (contract_id)
);
CREATE INDEX contract_height_idx ON {schema}.contract (height);
CREATE INDEX contract_read_height_idx ON {schema}.contract (read_height);

-- Contracts whose interface is not known yet because it was not in the event of their deploy.
CREATE TABLE {schema}.unrecognised (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    tx_index    int    NOT NULL,
    txid        bytea  NOT NULL,
    contract_id text   NOT NULL,
    CONSTRAINT unrecognised_pkey PRIMARY KEY (contract_id)
);
CREATE INDEX unrecognised_height_idx ON {schema}.unrecognised (height);

-- The tokens, with what their contracts answered about them (SIP-009, SIP-010, SIP-013).
CREATE TABLE {schema}.token (
    height       bigint   NOT NULL, -- of the block that made the token known: by its first mint, or a read of last_token_id
    source_seq   bigint   NOT NULL, -- the event that made it known
    -- The properties that the contract answered when it was last read successfully. A property is null if the contract
    -- did not give it, or was never read.
    read_height  bigint,            -- the block at which it was read; null if never successfully
    read_seq     bigint,            -- the report that brought the properties
    read_at      timestamptz,       -- by checked_seq, or else by read_seq
    supply_seq   bigint,            -- the later report that brought the supply alone; null if read_seq brought it
    checked_seq  bigint,            -- the later report that found the same properties; null if there is none
    failed_seq   bigint,            -- the report of the last attempt, if that failed; read_seq if it brought only some properties
    decimals     int, -- as get-decimals answered
    reason       smallint NOT NULL, -- why the last attempt failed (fetch.Reason); 0 if it did not
    in_vain      smallint NOT NULL DEFAULT 0, -- fetches for the chain, in a row, that found nothing new
    token_id     numeric  NOT NULL, -- 1 for ft
    total_supply numeric,           -- base units
    contract_id  text     NOT NULL,
    uri          text,              -- with the token's id filled in
    name         text, -- as get-name answered
    symbol       text, -- as get-symbol answered
    -- The position in the lists of fungible tokens: '0' and the lower-case name or symbol, or '1' for a token without
    -- one. Null for other kinds of tokens, which have no lists.
    name_key     text COLLATE "C",
    symbol_key   text COLLATE "C", -- as name_key, by symbol
    CONSTRAINT token_pkey PRIMARY KEY (contract_id, token_id)
);
CREATE INDEX token_name_idx ON {schema}.token (name_key, contract_id COLLATE "C") WHERE name_key IS NOT NULL;
CREATE INDEX token_symbol_idx ON {schema}.token (symbol_key, contract_id COLLATE "C") WHERE symbol_key IS NOT NULL;
CREATE INDEX token_height_idx ON {schema}.token (height);
CREATE INDEX token_read_height_idx ON {schema}.token (read_height);

-- The number of tokens in each stretch of a list, so that a reader finds a page at any depth without walking to it. A
-- stretch begins at its key and ends where the next one begins. The first one begins at ''.
CREATE TABLE {schema}.stretch (
    n              bigint NOT NULL,             -- number of tokens
    list           text   NOT NULL,             -- 'name' or 'symbol'
    first_key      text   COLLATE "C" NOT NULL, -- the key at which the stretch begins
    first_contract text   COLLATE "C" NOT NULL, -- the contract at which it begins, among equal keys
    CONSTRAINT stretch_pkey PRIMARY KEY (list, first_key, first_contract)
);

-- The documents (SIP-016) that tokens refer to, by URI. Several tokens may refer to one.
CREATE TABLE {schema}.document (
    source_seq  bigint,              -- the report that brought the content; null if none has
    checked_seq bigint,              -- the later report that found the same content; null if there is none
    fetched_at  timestamptz,         -- by checked_seq, or else by source_seq
    failed_seq  bigint,              -- the report of the last attempt, if that failed
    reason      smallint NOT NULL,   -- why the last attempt failed (fetch.Reason); 0 if it did not
    in_vain     smallint NOT NULL DEFAULT 0, -- fetches for the chain, in a row, that found nothing new
    uri_hash    bytea    NOT NULL,   -- SHA-256 of uri, which can be too long for an index
    uri         text     NOT NULL,
    content     text,                -- JSON, see domain/document
    CONSTRAINT document_pkey PRIMARY KEY (uri_hash)
);

-- The images that tokens refer to, by URI.
CREATE TABLE {schema}.image (
    source_seq   bigint,             -- the report that brought the content; null if none has
    checked_seq  bigint,             -- the later report that found the same content; null if there is none
    fetched_at   timestamptz,
    failed_seq   bigint,
    width        int,                -- pixels
    height       int,                -- pixels
    reason       smallint NOT NULL,
    in_vain      smallint NOT NULL DEFAULT 0, -- fetches for the chain, in a row, that found nothing new
    uri_hash     bytea    NOT NULL,
    sha256       bytea,              -- of the image's bytes; null if it was never fetched
    uri          text     NOT NULL,
    content_type text,               -- of the bytes, whatever the server says
    CONSTRAINT image_pkey PRIMARY KEY (uri_hash)
);

-- Which documents and images each token refers to.
CREATE TABLE {schema}.reference (
    token_id    numeric NOT NULL,
    role        text    NOT NULL, -- 'document' or 'image'
    locale      text    NOT NULL, -- '' for the token's own document and its image, otherwise as the document lists it
    uri_hash    bytea   NOT NULL,
    contract_id text    NOT NULL,
    CONSTRAINT reference_pkey PRIMARY KEY (contract_id, token_id, role, locale)
);
CREATE INDEX reference_uri_hash_idx ON {schema}.reference (uri_hash);

-- What must be fetched, and when. Folding the report that answers a want deletes its row.
CREATE TABLE {schema}.want (
    source_seq bigint      NOT NULL, -- the event that raised the want, or the last report that failed
    due_at     timestamptz NOT NULL,
    min_height bigint,               -- of contract_read: only a read at this block or above answers the want
    attempts   int         NOT NULL, -- failures since the want was raised, without waits
    waits      int         NOT NULL, -- failures that are not the token's (fetch.Waiting), since the last that counted
    priority   smallint    NOT NULL, -- 1 a person asked, 2 the chain changed, 3 an attempt failed, 4 due again by the clock
    reason     smallint    NOT NULL, -- of the last failure (fetch.Reason)
    severity   smallint    NOT NULL, -- of the last failure (fetch.Severity)
    key_hash   bytea       NOT NULL, -- SHA-256 of the want's key
    kind       text        NOT NULL, -- fetch.Kind
    wanted_by  text        NOT NULL, -- the contract that gave rise to it
    want       text        NOT NULL, -- JSON, see domain/fetch
    CONSTRAINT want_pkey PRIMARY KEY (key_hash)
);
-- For revert steps, which lower the min_height of wants.
CREATE INDEX want_min_height_idx ON {schema}.want (min_height) WHERE min_height IS NOT NULL;

-- For rests, which put off all that a contract wants.
CREATE INDEX want_wanted_by_idx ON {schema}.want (wanted_by);

-- Contracts that have caused enough to be fetched for a day (fetch.Rest).
CREATE TABLE {schema}.rest (
    source_seq  bigint      NOT NULL, -- the event that says so
    until       timestamptz NOT NULL, -- nothing is fetched for the contract before, unless a person asks
    contract_id text        NOT NULL,
    CONSTRAINT rest_pkey PRIMARY KEY (contract_id)
);

-- Authorised notifications (SIP-019), including those of contracts whose interface is not known yet.
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

-- Numbers of rows, which triggers keep, so that readers need not count.
CREATE TABLE {schema}.counter (
    n    bigint NOT NULL, -- number of rows
    name text   NOT NULL, -- 'contracts', 'tokens', and wants by state: 'pending', 'failed', 'invalid'
    CONSTRAINT counter_pkey PRIMARY KEY (name)
);

-- The counter of a want: 'pending' if no attempt has failed, 'failed' if the fault may pass by itself, 'invalid' if the
-- owner of the resource must correct it.
CREATE FUNCTION {schema}.want_state(attempts int, severity smallint) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN attempts = 0 THEN 'pending' WHEN severity < 2 THEN 'failed' ELSE 'invalid' END;

-- The triggers run once for each statement, so that each statement costs one upsert.
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
