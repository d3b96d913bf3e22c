-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Reward cycles with signers. Key: cycle_number.
CREATE VIEW api.pox_cycles AS
SELECT
    c.cycle_number, -- number of the reward cycle (SIP-007)
    c.height, -- height of the Stacks block that computed the set of signers
    c.total_stacked, -- µSTX stacked by all signers
    c.total_signers, -- number of signers
    c.total_weight, -- slots of all signers
    c.source_seq -- position in the log of the event with the block
FROM {schema}.cycle c;

-- Signers of reward cycles. Key: (cycle_number, place). Indexes: the key, (cycle_number, signing_key_bytes).
CREATE VIEW api.pox_signers AS
SELECT
    s.cycle_number, -- number of the reward cycle
    s.place, -- from 1: by descending weight, then descending stacked amount, then key
    '0x' || encode(s.signing_key, 'hex') AS signing_key, -- compressed, 33 bytes (SEC 1)
    s.weight, -- slots
    s.stacked, -- µSTX that stackers behind it have locked
    s.solo, -- number of solo stackers
    s.pooled, -- number of stackers in pools
    s.signing_key AS signing_key_bytes, -- for filters
    s.source_seq -- position in the log of the event with the block
FROM {schema}.signer s;

-- Stackers behind the signers of reward cycles. Key: (cycle_number, signer_place, place).
CREATE VIEW api.pox_stackers AS
SELECT
    s.cycle_number, -- number of the reward cycle
    s.signer AS signer_place, -- the signer: pox_signers.place
    s.place, -- among the signer's stackers, from 1: by descending amount, then by name
    s.stacker, -- principal
    s.pool, -- principal that stacks for it; in pox-5 the signer manager; null for a solo stacker
    s.amount, -- µSTX
    '0x' || encode(s.pox_addr, 'hex') AS pox_addr, -- Bitcoin address: one byte of version and the hash (SIP-007); 0x in pox-5
    s.source_seq -- position in the log of the last event that set the amount
FROM {schema}.stacker s;

-- Payments of Bitcoin blocks to stackers. Key: (burn_block_height, reward_index). Indexes: the key, recipient.
CREATE VIEW api.pox_rewards AS
SELECT
    r.height AS burn_block_height, -- Bitcoin height
    r.reward_index, -- index among the payments of the Bitcoin block
    r.recipient, -- Bitcoin address
    r.amount, -- satoshi
    r.source_seq -- position in the log of the announcement of the Bitcoin block
FROM {schema}.reward r;
