-- Tables of the projection staking: what pox-5 reports about bonds, stakes, signers and rewards.
--
-- source_seq is the event of the log that a row came from, and n the number of the event of pox-5 in it (event.n). A row
-- with until_n holds from event n on, up to the event until_n; until_n is null while it holds. Amounts are in sats for
-- Bitcoin, and in µSTX for STX. Heights called burn heights are those of Bitcoin.
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
--   cycle: number of the reward cycle
--   n: number of the event of pox-5 that the row comes from: event.n
--   until_n: number of the event with which the row ended; null while it holds
--   bond_index: number of the bond; -1 for STX without a bond
--   first_cycle: the first reward cycle
--   unlock_cycle: the reward cycle after the last one
--   staker: principal that stakes
--   signer: the contract that manages the staker's signing: a signer manager; empty for the sum of all where the
--     table says so
--   signer_key: 33 bytes, compressed (SEC 1)
--   weight: slots in the set of signers
--   bond_rewards: sats for stakers of bonds
--   stx_rewards: sats for stakers of STX without a bond

-- The canonical blocks.
CREATE TABLE {schema}.block (
    source_seq        bigint NOT NULL,
    height            bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    burn_block_time   bigint NOT NULL, -- unix seconds
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The events that pox-5 prints, in the order of execution.
CREATE TABLE {schema}.event (
    n           bigint  NOT NULL, -- from 1
    subject_n   bigint,           -- among the events of the subject, from 1
    bond_n      bigint,           -- among the events of the bond, from 1
    bond_index  bigint,           -- null for an event that is of no bond
    height      bigint  NOT NULL,
    source_seq  bigint  NOT NULL,
    tx_index    int     NOT NULL,
    event_index int     NOT NULL,
    decoded     boolean NOT NULL, -- false for an unknown topic, or another form than that of the topic
    txid        bytea   NOT NULL,
    topic       text    COLLATE "C" NOT NULL, -- empty for a value without a topic
    subject     text    COLLATE "C",          -- the staker; otherwise the signer manager; null for an event about neither
    CONSTRAINT event_pkey PRIMARY KEY (n)
);
CREATE UNIQUE INDEX event_subject_idx ON {schema}.event (subject, subject_n);
CREATE INDEX event_bond_idx ON {schema}.event (bond_index, n);
CREATE INDEX event_height_idx ON {schema}.event (height, n);

-- Burn heights at which cycles begin, as events state them: the first event that states one for a cycle.
CREATE TABLE {schema}.anchor (
    cycle       bigint NOT NULL,
    burn_height bigint NOT NULL, -- Bitcoin height at which the cycle begins
    n           bigint NOT NULL,
    source_seq  bigint NOT NULL,
    CONSTRAINT anchor_pkey PRIMARY KEY (cycle)
);
CREATE INDEX anchor_n_idx ON {schema}.anchor (n);

-- Bonds, with the sums over their rows in other tables.
CREATE TABLE {schema}.bond (
    bond_index         bigint  NOT NULL,
    n                  bigint  NOT NULL,
    source_seq         bigint  NOT NULL,
    first_cycle        bigint  NOT NULL,
    unlock_cycle       bigint  NOT NULL, -- the cycle after its last one
    start_height       bigint  NOT NULL, -- burn height
    unlock_height      bigint  NOT NULL, -- burn height
    allowed            bigint  NOT NULL, -- entries of the allow-list
    registered         bigint  NOT NULL, -- stakers who have registered, also those who left
    target_rate        numeric NOT NULL, -- basis points a year
    stx_value_ratio    numeric NOT NULL, -- µSTX for 100 sats
    min_ustx_ratio     numeric NOT NULL, -- basis points
    capacity           numeric NOT NULL, -- sats that the allow-list permits
    l1_sats            numeric NOT NULL, -- locked on Bitcoin
    l2_sats            numeric NOT NULL, -- locked as sBTC
    ustx               numeric NOT NULL, -- locked
    distributed        numeric NOT NULL, -- sats that calculations gave to the bond
    accrued            numeric NOT NULL, -- sats that stakers earned from it: distributed without what rounding leaves
    claimed            numeric NOT NULL, -- sats that were claimed for stakers
    early_unlock_bytes bytea   NOT NULL, -- the script that unlocks the sats on Bitcoin early, as the event has it
    CONSTRAINT bond_pkey PRIMARY KEY (bond_index)
);
CREATE INDEX bond_n_idx ON {schema}.bond (n);

-- Who may register for a bond, and how much.
CREATE TABLE {schema}.allowlist (
    n          bigint  NOT NULL,
    until_n    bigint,
    bond_index bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    max_sats   numeric NOT NULL, -- sats
    staker     text    COLLATE "C" NOT NULL,
    CONSTRAINT allowlist_pkey PRIMARY KEY (n)
);
CREATE UNIQUE INDEX allowlist_staker_idx ON {schema}.allowlist (bond_index, staker) WHERE until_n IS NULL;
CREATE INDEX allowlist_until_idx ON {schema}.allowlist (until_n) WHERE until_n IS NOT NULL;

-- Registrations of stakers for bonds.
CREATE TABLE {schema}.registration (
    n             bigint   NOT NULL,
    until_n       bigint,
    enrolled_n    bigint   NOT NULL, -- the event that registered the staker
    bond_index    bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    first_cycle   bigint   NOT NULL,
    unlock_cycle  bigint   NOT NULL,
    unlock_height bigint   NOT NULL, -- burn height
    status        smallint NOT NULL, -- 1 enrolled, 2 the sats were released early, 3 replaced by another position
    l1            boolean  NOT NULL, -- the sats are locked on Bitcoin
    enrolled_sats numeric  NOT NULL, -- sats when the staker registered
    sats          numeric  NOT NULL, -- locked now
    ustx          numeric  NOT NULL, -- locked until the end of the bond; 0 when replaced
    staker        text     COLLATE "C" NOT NULL,
    signer        text     COLLATE "C" NOT NULL,
    CONSTRAINT registration_pkey PRIMARY KEY (bond_index, staker, n)
);
CREATE UNIQUE INDEX registration_staker_idx ON {schema}.registration (staker, bond_index) WHERE until_n IS NULL;
CREATE UNIQUE INDEX registration_bond_idx ON {schema}.registration (bond_index, enrolled_n, staker) WHERE until_n IS NULL;
CREATE INDEX registration_signer_idx ON {schema}.registration (signer, staker, unlock_height) WHERE until_n IS NULL AND status <> 3;
CREATE INDEX registration_n_idx ON {schema}.registration (n);
CREATE INDEX registration_until_idx ON {schema}.registration (until_n) WHERE until_n IS NOT NULL;

-- Stakes of STX without a bond.
CREATE TABLE {schema}.stake (
    n             bigint   NOT NULL,
    until_n       bigint,            -- also the event that replaced the stake by a bond
    enrolled_n    bigint   NOT NULL, -- the event that began the stake
    source_seq    bigint   NOT NULL,
    first_cycle   bigint   NOT NULL,
    unlock_cycle  bigint   NOT NULL,
    unlock_height bigint   NOT NULL, -- burn height
    ustx          numeric  NOT NULL, -- µSTX locked
    staker        text     COLLATE "C" NOT NULL,
    signer        text     COLLATE "C" NOT NULL,
    CONSTRAINT stake_pkey PRIMARY KEY (n)
);
CREATE UNIQUE INDEX stake_staker_idx ON {schema}.stake (staker) WHERE until_n IS NULL;
CREATE INDEX stake_signer_idx ON {schema}.stake (signer, staker, unlock_height) WHERE until_n IS NULL;
CREATE INDEX stake_until_idx ON {schema}.stake (until_n) WHERE until_n IS NOT NULL;

-- What stakers have under signer managers, by cycles: what rewards are divided by. At any event, the rows of a staker
-- and a bond are of different cycles.
CREATE TABLE {schema}.share (
    n           bigint  NOT NULL,
    until_n     bigint,
    bond_index  bigint  NOT NULL, -- -1 for a stake of STX without a bond
    source_seq  bigint  NOT NULL,
    from_cycle  bigint  NOT NULL, -- the first reward cycle
    to_cycle    bigint  NOT NULL, -- the cycle after the last one
    shares      numeric NOT NULL, -- sats of the bond; µSTX without a bond
    ustx        numeric NOT NULL, -- what counts for the weight of the signer manager
    staker      text    COLLATE "C" NOT NULL,
    signer      text    COLLATE "C" NOT NULL,
    CONSTRAINT share_pkey PRIMARY KEY (staker, bond_index, from_cycle, n)
);
CREATE INDEX share_bond_idx ON {schema}.share (bond_index, from_cycle) WHERE until_n IS NULL AND bond_index >= 0;
CREATE INDEX share_n_idx ON {schema}.share (n);
CREATE INDEX share_until_idx ON {schema}.share (until_n) WHERE until_n IS NOT NULL;

-- How the sums over the shares of a signer manager that hold now change at a cycle. Rows whose signer is empty are of all
-- signer managers together.
CREATE TABLE {schema}.weight (
    cycle   bigint  NOT NULL,
    stakers bigint  NOT NULL, -- of STX without a bond
    members bigint  NOT NULL, -- of bonds, with sats
    staked  numeric NOT NULL, -- µSTX without a bond
    bonded  numeric NOT NULL, -- µSTX of members of bonds
    signer  text    COLLATE "C" NOT NULL,
    CONSTRAINT weight_pkey PRIMARY KEY (signer, cycle)
);
CREATE INDEX weight_cycle_idx ON {schema}.weight (cycle);

-- Sums over the stakes and registrations that hold now, by the burn height at which they end. Rows whose signer is empty
-- are of all signer managers together.
CREATE TABLE {schema}.holding (
    unlock_height bigint  NOT NULL, -- burn height
    stakes        bigint  NOT NULL, -- number of stakes without a bond
    members       bigint  NOT NULL, -- number of registrations for bonds
    staked        numeric NOT NULL, -- µSTX without a bond
    bonded        numeric NOT NULL, -- µSTX of members of bonds
    sats          numeric NOT NULL, -- sats of members of bonds
    signer        text    COLLATE "C" NOT NULL,
    CONSTRAINT holding_pkey PRIMARY KEY (signer, unlock_height)
);

-- The signer managers that have ever registered.
CREATE TABLE {schema}.signer (
    place      bigint NOT NULL, -- from 1, in the order of their first registrations
    n          bigint NOT NULL,
    source_seq bigint NOT NULL,
    signer     text   COLLATE "C" NOT NULL,
    CONSTRAINT signer_pkey PRIMARY KEY (signer)
);
CREATE UNIQUE INDEX signer_place_idx ON {schema}.signer (place);
CREATE INDEX signer_n_idx ON {schema}.signer (n);

-- The keys that signer managers registered.
CREATE TABLE {schema}.signer_key (
    n           bigint NOT NULL,
    until_n     bigint,
    source_seq  bigint NOT NULL,
    signer_key  bytea  NOT NULL,
    signer      text   COLLATE "C" NOT NULL,
    CONSTRAINT signer_key_pkey PRIMARY KEY (n)
);
CREATE INDEX signer_key_signer_idx ON {schema}.signer_key (signer, n);
CREATE INDEX signer_key_key_idx ON {schema}.signer_key (signer_key, n);
CREATE INDEX signer_key_until_idx ON {schema}.signer_key (until_n) WHERE until_n IS NOT NULL;

-- Grants of keys to signer managers. until_n is the event that revoked the grant.
CREATE TABLE {schema}.key_grant (
    n          bigint  NOT NULL,
    until_n    bigint,
    source_seq bigint  NOT NULL,
    auth_id    numeric NOT NULL, -- number that the grant is signed with, so that each is used once
    signer_key bytea   NOT NULL,
    signer     text    COLLATE "C" NOT NULL,
    CONSTRAINT key_grant_pkey PRIMARY KEY (n)
);
CREATE INDEX key_grant_signer_idx ON {schema}.key_grant (signer, signer_key, n);
CREATE INDEX key_grant_until_idx ON {schema}.key_grant (until_n) WHERE until_n IS NOT NULL;

-- Calculations of rewards.
CREATE TABLE {schema}.calculation (
    n                  bigint  NOT NULL,
    source_seq         bigint  NOT NULL,
    cycle              bigint  NOT NULL,
    calculation_height bigint  NOT NULL, -- burn height
    gross              numeric NOT NULL, -- sats that came in
    bond_rewards       numeric NOT NULL,
    reserve_deposit    numeric NOT NULL, -- sats put into the reserve
    reserve_balance    numeric NOT NULL, -- sats in the reserve afterwards
    stx_rewards        numeric NOT NULL, -- to stakers of STX without a bond
    staked             numeric NOT NULL, -- µSTX that these are divided by
    per_ustx           numeric NOT NULL, -- sats for one µSTX, times 10^18
    CONSTRAINT calculation_pkey PRIMARY KEY (n)
);
CREATE INDEX calculation_cycle_idx ON {schema}.calculation (cycle, n);

-- What calculations gave to bonds.
CREATE TABLE {schema}.distribution (
    n             bigint  NOT NULL,
    calculation_n bigint  NOT NULL, -- the calculation: calculation.n
    bond_index    bigint  NOT NULL,
    cycle         bigint  NOT NULL,
    source_seq    bigint  NOT NULL,
    target_yield  numeric NOT NULL, -- sats that the bond should yield
    rewards       numeric NOT NULL, -- sats
    accrued       numeric NOT NULL, -- sats that the stakers earned: rewards without what rounding leaves
    staked_sats   numeric NOT NULL, -- sats that the rewards are divided by
    per_sat       numeric NOT NULL, -- sats for one sat, times 10^18
    CONSTRAINT distribution_pkey PRIMARY KEY (n)
);
CREATE INDEX distribution_bond_idx ON {schema}.distribution (bond_index, cycle, n);
CREATE INDEX distribution_cycle_idx ON {schema}.distribution (cycle, n);

-- What signer managers earned from a calculation (bond_index is -1) or a distribution. For STX without a bond, these are
-- the managers whose stakers earn from the calculation.
CREATE TABLE {schema}.earning (
    n          bigint  NOT NULL,
    cycle      bigint  NOT NULL,
    bond_index bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    shares     numeric NOT NULL, -- as share.shares
    amount     numeric NOT NULL, -- sats
    signer     text    COLLATE "C" NOT NULL,
    CONSTRAINT earning_pkey PRIMARY KEY (n, signer)
);
CREATE INDEX earning_signer_idx ON {schema}.earning (signer, cycle, n);

-- What signer managers claimed.
CREATE TABLE {schema}.claim (
    n            bigint  NOT NULL,
    source_seq   bigint  NOT NULL,
    cycle        bigint  NOT NULL,
    stx_rewards  numeric NOT NULL,
    bond_rewards numeric NOT NULL,
    total        numeric NOT NULL, -- sats
    signer       text    COLLATE "C" NOT NULL,
    CONSTRAINT claim_pkey PRIMARY KEY (n)
);

-- What signer managers settled with their stakers. No sBTC moves.
CREATE TABLE {schema}.staker_claim (
    n          bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    cycle      bigint  NOT NULL,
    bond_index bigint  NOT NULL, -- -1 for STX without a bond
    amount     numeric NOT NULL, -- before the manager's fee
    staker     text    COLLATE "C" NOT NULL,
    signer     text    COLLATE "C" NOT NULL,
    CONSTRAINT staker_claim_pkey PRIMARY KEY (n)
);
CREATE INDEX staker_claim_staker_idx ON {schema}.staker_claim (staker, bond_index, cycle, n);

-- The sums of these by cycle and bond.
CREATE TABLE {schema}.claimed (
    cycle      bigint  NOT NULL,
    bond_index bigint  NOT NULL,
    claims     bigint  NOT NULL, -- never 0
    amount     numeric NOT NULL, -- sats
    CONSTRAINT claimed_pkey PRIMARY KEY (cycle, bond_index)
);

-- Sets of signers of cycles, as in the block that computed them.
CREATE TABLE {schema}.cycle_set (
    cycle       bigint  NOT NULL,
    height      bigint  NOT NULL,
    burn_height bigint  NOT NULL, -- of that block
    first_n     bigint  NOT NULL, -- the number of the first event of pox-5 that is not before that block
    source_seq  bigint  NOT NULL,
    weight      bigint  NOT NULL,
    signers     int     NOT NULL, -- number of signers
    staked      numeric NOT NULL, -- µSTX
    CONSTRAINT cycle_set_pkey PRIMARY KEY (cycle)
);
CREATE INDEX cycle_set_height_idx ON {schema}.cycle_set (height);

-- The signers of the sets of cycles.
CREATE TABLE {schema}.set_member (
    cycle       bigint  NOT NULL,
    height      bigint  NOT NULL,
    source_seq  bigint  NOT NULL,
    weight      bigint  NOT NULL,
    place       int     NOT NULL, -- from 1, by descending weight, then by key
    staked      numeric NOT NULL, -- µSTX
    signer_key  bytea   NOT NULL, -- 33 bytes
    CONSTRAINT set_member_pkey PRIMARY KEY (cycle, place)
);
CREATE INDEX set_member_height_idx ON {schema}.set_member (height);

-- What the followed Bitcoin blocks paid and burned: no row, or one.
CREATE TABLE {schema}.bitcoin (
    one     boolean NOT NULL CHECK (one), -- always true: there is one row at most
    rewards numeric NOT NULL, -- sats
    burned  numeric NOT NULL, -- sats
    CONSTRAINT bitcoin_pkey PRIMARY KEY (one)
);

-- Indexes for readers: a build makes them at its end.

CREATE UNIQUE INDEX set_member_key_idx ON {schema}.set_member (signer_key, cycle);
CREATE INDEX block_burn_idx ON {schema}.block (burn_block_height, height);
CREATE INDEX event_txid_idx ON {schema}.event (txid, n);
CREATE INDEX allowlist_bond_idx ON {schema}.allowlist (bond_index, n) WHERE until_n IS NULL;
CREATE INDEX share_cycle_idx ON {schema}.share (staker, from_cycle, to_cycle) WHERE until_n IS NULL;
