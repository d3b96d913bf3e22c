-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Transactions that wait to be mined. Key: txid_bytes. Indexes: txid_bytes, fee, sender, received_time.
CREATE VIEW api.mempool_transactions AS
SELECT
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id (SIP-005)
    to_timestamp(t.receipt_time) AS received_at, -- when a node announced it
    CASE WHEN t.type_id = 0 THEN 'token_transfer' WHEN t.type_id IN (1, 6) THEN 'smart_contract' WHEN t.type_id = 2 THEN 'contract_call'
        WHEN t.type_id = 3 THEN 'poison_microblock' WHEN t.type_id IN (4, 5, 8) THEN 'coinbase' WHEN t.type_id = 7 THEN 'tenure_change' END AS type, -- kind of the payload (SIP-005)
    t.sender, -- principal
    t.sponsor, -- principal that pays the fee; null if the sender does
    t.nonce, -- of the sender
    t.fee, -- µSTX
    t.size, -- bytes
    t.recipient, -- of a token transfer; null for others
    t.amount, -- µSTX of a token transfer; null for others
    t.contract_id, -- contract that is called or deployed; null for none
    t.receipt_time AS received_time, -- received_at in unix seconds, for filters
    t.txid AS txid_bytes, -- 32 bytes, for filters
    t.source_seq -- position in the log of the announcement
FROM {schema}.transaction t
WHERE t.status = 'pending';
