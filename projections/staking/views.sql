-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Stakes of STX without a bond (pox-5) that hold now. Key: staker. Indexes: staker, signer.
CREATE VIEW api.staking_positions AS
SELECT
    s.staker, -- principal
    s.signer, -- the signer manager
    s.ustx AS amount, -- µSTX locked
    s.first_cycle, -- the first reward cycle
    s.unlock_cycle, -- the reward cycle after the last one
    s.unlock_height, -- Bitcoin height at which the STX are unlocked
    s.source_seq -- position in the log of the event with the block
FROM {schema}.stake s
WHERE s.until_n IS NULL;

-- Bonds of pox-5. Key: bond_index.
CREATE VIEW api.staking_bonds AS
SELECT
    b.bond_index, -- number of the bond
    b.first_cycle, -- the first reward cycle
    b.unlock_cycle, -- the reward cycle after the last one
    b.start_height, -- Bitcoin height
    b.unlock_height, -- Bitcoin height
    b.registered, -- stakers who have registered, also those who left
    b.capacity, -- sats that the allow-list permits
    b.l1_sats, -- sats locked on Bitcoin
    b.l2_sats, -- sats locked as sBTC
    b.ustx, -- µSTX locked
    b.target_rate, -- basis points a year
    b.distributed, -- sats that calculations gave to the bond
    b.claimed, -- sats that were claimed for stakers
    b.source_seq -- position in the log of the event that set the bond up
FROM {schema}.bond b;

-- Registrations for bonds of pox-5 that hold now. Key: (bond_index, staker). Indexes: the key, staker, signer.
CREATE VIEW api.staking_registrations AS
SELECT
    r.bond_index, -- number of the bond
    r.staker, -- principal
    r.signer, -- the signer manager
    (ARRAY['enrolled', 'released', 'replaced'])[r.status] AS status, -- enrolled; released: the sats left early; replaced by another position
    CASE WHEN r.l1 THEN 'bitcoin' ELSE 'sbtc' END AS locked_as, -- where the sats are locked: bitcoin or sbtc
    r.sats, -- locked now
    r.ustx, -- µSTX locked until the end of the bond; 0 when replaced
    r.first_cycle, -- the first reward cycle
    r.unlock_cycle, -- the reward cycle after the last one
    r.unlock_height, -- Bitcoin height
    r.source_seq -- position in the log of the event with the block
FROM {schema}.registration r
WHERE r.until_n IS NULL;
