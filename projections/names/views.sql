-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Names of BNS v1 that are not revoked, with their owners. Key: name. Indexes: name, owner.
CREATE VIEW api.bns_v1_names AS
SELECT
    n.name, -- the name, a dot and its namespace
    n.namespace, -- what follows the dot
    n.holder AS owner, -- principal that holds the token; null if it was burnt
    n.source_seq -- position in the log of the name's last event
FROM {schema}.name n
WHERE n.listed;
