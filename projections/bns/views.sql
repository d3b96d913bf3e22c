-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Names of BNS-V2 as of the newest block. Key: name. Indexes: name, owner, (namespace, registered_at), expires_at of valid
-- names (filter by valid, too).
CREATE VIEW api.bns_names AS
SELECT
    n.full_name AS name, -- label, dot, namespace
    n.namespace, -- what follows the dot
    n.id, -- number of the name's non-fungible token
    n.owner, -- principal
    n.valid, -- it has not expired at the newest block
    n.revoked, -- by the resolver of zonefiles
    n.expires_at, -- the last Bitcoin height at which it is active; null for never
    n.registered_at, -- Bitcoin height; a Stacks height if airdropped
    n.airdropped, -- it came from BNS v1
    n.stx_burn, -- µSTX burned by the last registration or renewal
    n.listed_price, -- µSTX asked; null if it is not listed for sale
    n.height, -- height of the Stacks block with the last change
    n.source_seq -- position in the log of the event with that block
FROM {schema}.name n
WHERE n.until_height IS NULL AND n.owner IS NOT NULL;

-- The history of names of BNS-V2: each row is the state from one block until another. Key: (name, height). Indexes: name,
-- owner, height.
CREATE VIEW api.bns_name_history AS
SELECT
    n.full_name AS name, -- label, dot, namespace
    n.height, -- height of the Stacks block with the change
    n.until_height, -- height of the block with the next change; null for the current state
    n.owner, -- principal; null if burned
    n.expires_at, -- the last Bitcoin height at which it is active; null for never
    n.listed_price, -- µSTX asked; null if it is not listed for sale
    n.pointer, -- JSON pointer of the cause in the body of the log's event source_seq
    n.source_seq -- position in the log of the event with the block
FROM {schema}.name n;

-- Primary names of BNS-V2 as of the newest block. Key: account. Index: account.
CREATE VIEW api.bns_primary_names AS
SELECT
    p.principal AS account, -- principal
    p.full_name AS name, -- label, dot, namespace
    p.height, -- height of the Stacks block with the last change
    p.source_seq -- position in the log of the event with that block
FROM {schema}.primary_name p
WHERE p.until_height IS NULL;

-- Names of BNS-V2 as of the Stacks block at a height. Filter by name or owner.
CREATE FUNCTION api.bns_names_at(at_height bigint) RETURNS TABLE (
    name text, namespace text, id bigint, owner text, expires_at bigint, registered_at numeric, listed_price numeric, height bigint, source_seq bigint
) LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT n.full_name, n.namespace, n.id, n.owner, n.expires_at, n.registered_at, n.listed_price, n.height, n.source_seq
    FROM {schema}.name n
    WHERE n.height <= at_height AND (n.until_height IS NULL OR n.until_height > at_height) AND n.owner IS NOT NULL
$$;
