-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Inscriptions with their owners. Key: id. Indexes: id, number, sat, height, genesis_address, mime_type.
CREATE VIEW api.inscriptions AS
SELECT
    i.id, -- inscription id: transaction id of the reveal in hex, i, index
    i.number, -- jubilee number
    CASE WHEN i.sat >= 0 THEN i.sat END AS sat, -- ordinal number of the satoshi; null if unbound
    (ARRAY['common', 'uncommon', 'rare', 'epic', 'legendary', 'mythic'])[i.rarity + 1] AS rarity, -- of the satoshi; null if unbound
    i.height, -- Bitcoin height of the block that revealed it
    to_timestamp(b.time) AS revealed_at, -- time of that block
    i.tx_index, -- index of the transaction that revealed it in the block
    o.address AS owner, -- Bitcoin address that owns it at the newest block; null for none
    i.genesis_address, -- Bitcoin address that first owned it; null for none
    i.content_type, -- media type as inscribed
    i.mime_type, -- media type without parameters
    i.content_length, -- bytes
    i.fee, -- sats of the transaction that revealed it
    i.recursive, -- the content refers to other inscriptions
    i.curse_type, -- why it is cursed; null if it is not
    i.parents, -- ids of the parent inscriptions
    i.source_seq -- position in the log of the event with the block
FROM {schema}.inscription i
LEFT JOIN {schema}.block b ON b.height = i.height
LEFT JOIN {schema}.owner o ON o.sat = i.sat AND o.number = i.number AND o.id = i.id;

-- Where inscribed satoshis were: each row holds from its transaction on until the next one of the satoshi. Key: (sat, height,
-- tx_index). Indexes: the key, height.
CREATE VIEW api.inscription_locations AS
SELECT
    l.sat, -- ordinal number of the satoshi; below zero for the place of an unbound inscription
    l.height, -- Bitcoin height
    l.tx_index, -- index of the transaction in the block
    encode(l.txid, 'hex') AS txid, -- transaction that moved the satoshi here, hex without 0x
    l.address, -- Bitcoin address of the owner; null for none
    encode(l.output_txid, 'hex') || ':' || l.vout AS output, -- the output with the satoshi: transaction id in hex, colon, index
    l.sat_offset AS "offset", -- of the satoshi in the output; null if not known
    l.value, -- sats of the output; null if not known
    (ARRAY['transferred', 'spent_in_fees', 'burnt', 'unbound'])[l.type] AS type, -- transferred, spent_in_fees, burnt or unbound
    l.source_seq -- position in the log of the event with the block
FROM {schema}.location l;
