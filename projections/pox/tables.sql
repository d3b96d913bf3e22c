-- Tables of the projection pox: payments of Bitcoin blocks to stackers, signers of reward cycles, and events of the
-- stacking contracts. Rows are of Bitcoin blocks on the followed fork, and of canonical Stacks blocks.
--
-- source_seq is the event of the log that a row came from. Bitcoin amounts are in satoshi, the others in µSTX.
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
--   amount: satoshi that Bitcoin blocks paid
--   recipient: Bitcoin address, as text
--   cycle_number: number of the reward cycle (SIP-007)
--   weight: number of slots, which is the weight of its signature
--   stacker: principal whose STX are locked
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   event_index: index of the event among the committed events of its transaction, from 0
--   pool: principal that stacks for others
--   start_cycle: the first reward cycle
--   end_cycle: the reward cycle after the last one
--   txid: transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
--   pox_addr: Bitcoin address that is rewarded: one byte of version and the hash (SIP-007)
--   position: among the events of the block
--   manager: the contract that signs for stackers

-- The announced Bitcoin blocks on the followed fork, with the numbers of their rows.
CREATE TABLE {schema}.burn_block (
    height          bigint NOT NULL, -- Bitcoin height; field burn_block_height of /new_burn_block
    source_seq      bigint NOT NULL,
    burn_amount     numeric NOT NULL, -- burned: sent to no one
    rewards         int    NOT NULL, -- number of rows of reward
    slots           int    NOT NULL, -- number of rows of slot
    payouts         int    NOT NULL, -- number of rows of payout
    burn_block_hash bytea  NOT NULL, -- hash of the Bitcoin block, 32 bytes
    CONSTRAINT burn_block_pkey PRIMARY KEY (height)
);

-- The payments of a Bitcoin block, merged by address.
CREATE TABLE {schema}.reward (
    height       bigint  NOT NULL, -- Bitcoin height
    source_seq   bigint  NOT NULL,
    reward_index int     NOT NULL, -- /reward_recipients/<reward_index>
    amount       numeric NOT NULL,
    recipient    text    COLLATE "C" NOT NULL,
    CONSTRAINT reward_pkey PRIMARY KEY (height, reward_index)
);
CREATE INDEX reward_recipient_idx ON {schema}.reward (recipient, height, reward_index);

-- The total that an address received from all followed Bitcoin blocks.
CREATE TABLE {schema}.recipient (
    source_seq bigint  NOT NULL, -- the event with its last reward, in the highest Bitcoin block
    rewards    bigint  NOT NULL, -- never 0
    amount     numeric NOT NULL,
    recipient  text    COLLATE "C" NOT NULL,
    CONSTRAINT recipient_pkey PRIMARY KEY (recipient)
);

-- The addresses entitled to a payment by a Bitcoin block.
CREATE TABLE {schema}.slot (
    height     bigint NOT NULL, -- Bitcoin height
    source_seq bigint NOT NULL,
    slot_index int    NOT NULL, -- /reward_slot_holders/<slot_index>
    address    text   COLLATE "C" NOT NULL, -- Bitcoin address, as text
    CONSTRAINT slot_pkey PRIMARY KEY (height, slot_index)
);
CREATE INDEX slot_address_idx ON {schema}.slot (address, height, slot_index);

-- The outputs of block commits, one by one. Nodes send them since release 3.3.0.0.5.
CREATE TABLE {schema}.payout (
    height      bigint  NOT NULL, -- Bitcoin height
    source_seq  bigint  NOT NULL,
    utxo_index  bigint,           -- null if the node did not send it
    rank        int     NOT NULL, -- in the block, from 0, in descending order of transaction ids and outputs
    commitment  int     NOT NULL, -- /pox_transactions/<commitment>/reward_recipients/<output>
    output      int     NOT NULL, -- see commitment
    amount      numeric NOT NULL,
    txid        bytea   NOT NULL, -- id of the Bitcoin transaction with the block commit, 32 bytes
    recipient   text    COLLATE "C" NOT NULL,
    CONSTRAINT payout_pkey PRIMARY KEY (height, rank)
);
CREATE INDEX payout_recipient_idx ON {schema}.payout (recipient, height, rank);

-- The canonical blocks.
CREATE TABLE {schema}.block (
    source_seq        bigint NOT NULL,
    height            bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- Reward cycles with signers, as in the block that computed the set.
CREATE TABLE {schema}.cycle (
    cycle_number   bigint  NOT NULL,
    height         bigint  NOT NULL,
    source_seq     bigint  NOT NULL,
    total_weight   bigint  NOT NULL, -- slots of all signers
    total_signers  int     NOT NULL, -- number of signers
    total_stacked  numeric NOT NULL, -- µSTX stacked by all signers
    CONSTRAINT cycle_pkey PRIMARY KEY (cycle_number)
);
CREATE INDEX cycle_height_idx ON {schema}.cycle (height);

-- The signers of reward cycles, as in the set that the node announced.
CREATE TABLE {schema}.signer (
    cycle_number bigint  NOT NULL,
    height       bigint  NOT NULL,
    source_seq   bigint  NOT NULL,
    weight       bigint  NOT NULL,
    place        int     NOT NULL, -- in the cycle, from 1: by descending weight, then descending stacked amount, then key
    solo         int     NOT NULL, -- number of solo stackers
    pooled       int     NOT NULL, -- number of stackers in pools
    stacked      numeric NOT NULL, -- µSTX that stackers behind it have locked
    signing_key  bytea   NOT NULL, -- 33 bytes
    CONSTRAINT signer_pkey PRIMARY KEY (cycle_number, place)
);
CREATE UNIQUE INDEX signer_key_idx ON {schema}.signer (cycle_number, signing_key);
CREATE INDEX signer_height_idx ON {schema}.signer (height);

-- The stackers behind a signer in a cycle, as of the events before the block that computed the set. Stackers without a
-- signing key of the set are not here.
CREATE TABLE {schema}.stacker (
    cycle_number bigint  NOT NULL,
    height       bigint  NOT NULL, -- of the block that computed the set
    source_seq   bigint  NOT NULL, -- the last event that set the amount
    signer       int     NOT NULL, -- signer.place
    place        int     NOT NULL, -- among the signer's stackers, from 1: by descending amount, then by name
    amount       numeric NOT NULL, -- µSTX locked
    stacker      text    COLLATE "C" NOT NULL,
    pool         text    COLLATE "C", -- null for a solo stacker; in pox-5 the signer manager
    pox_addr     bytea   NOT NULL, -- version and hash; empty in pox-5, which rewards no addresses
    CONSTRAINT stacker_pkey PRIMARY KEY (cycle_number, signer, place)
);
CREATE INDEX stacker_height_idx ON {schema}.stacker (height);

-- The events that the contracts pox-2, pox-3 and pox-4 print.
CREATE TABLE {schema}.event (
    n           bigint   NOT NULL, -- among the events of the contract, from 1, in the order of execution
    stacker_n   bigint   NOT NULL, -- among the events of the stacker and the contract
    height      bigint   NOT NULL,
    source_seq  bigint   NOT NULL,
    tx_index    int      NOT NULL,
    event_index int      NOT NULL,
    contract    smallint NOT NULL, -- 2 to 4
    txid        bytea    NOT NULL,
    stacker     text     COLLATE "C" NOT NULL,
    CONSTRAINT event_pkey PRIMARY KEY (contract, n)
);
CREATE UNIQUE INDEX event_stacker_idx ON {schema}.event (contract, stacker, stacker_n);
CREATE INDEX event_height_idx ON {schema}.event (height);

-- Delegations of stackers to pools, each from a block on until another.
CREATE TABLE {schema}.delegation (
    n             bigint   NOT NULL, -- event.n
    height        bigint   NOT NULL,
    until_height  bigint,            -- the block in which it is revoked or replaced; null while it lasts
    source_seq    bigint   NOT NULL,
    contract      smallint NOT NULL, -- 2 for pox-2, 3 for pox-3, 4 for pox-4
    unlock_height numeric,           -- the last Bitcoin block that it covers; null for no end
    amount        numeric  NOT NULL, -- µSTX that the pool may lock at most
    txid          bytea    NOT NULL,
    pox_addr      bytea,             -- null for any address
    stacker       text     COLLATE "C" NOT NULL,
    pool          text     COLLATE "C" NOT NULL,
    CONSTRAINT delegation_pkey PRIMARY KEY (contract, n)
);
CREATE UNIQUE INDEX delegation_open_idx ON {schema}.delegation (contract, stacker) WHERE until_height IS NULL;
CREATE INDEX delegation_height_idx ON {schema}.delegation (height);
CREATE INDEX delegation_until_idx ON {schema}.delegation (until_height) WHERE until_height IS NOT NULL;

-- Changes of locks by pox-4, for the cycles from start_cycle up to, but not including, end_cycle.
CREATE TABLE {schema}.stacking (
    n           bigint   NOT NULL, -- event.n
    height      bigint   NOT NULL,
    source_seq  bigint   NOT NULL,
    start_cycle bigint   NOT NULL,
    end_cycle   bigint   NOT NULL,
    act         smallint NOT NULL, -- 1 the lock begins, 2 it is extended, 3 it is increased
    amount      numeric  NOT NULL, -- locked after it
    stacker     text     COLLATE "C" NOT NULL,
    pool        text     COLLATE "C", -- null for a solo stacker
    signer_key  bytea,             -- null for a stacker in a pool
    pox_addr    bytea    NOT NULL,
    CONSTRAINT stacking_pkey PRIMARY KEY (n)
);
CREATE INDEX stacking_cycle_idx ON {schema}.stacking (end_cycle, start_cycle);
CREATE INDEX stacking_height_idx ON {schema}.stacking (height);

-- The signing key that a pool of pox-4 committed for the amount that it had stacked in a cycle until then.
CREATE TABLE {schema}.commitment (
    n            bigint NOT NULL, -- event.n
    height       bigint NOT NULL,
    source_seq   bigint NOT NULL,
    cycle_number bigint NOT NULL,
    pool         text   COLLATE "C" NOT NULL,
    signer_key   bytea  NOT NULL, -- 33 bytes, compressed (SEC 1)
    pox_addr     bytea  NOT NULL,
    CONSTRAINT commitment_pkey PRIMARY KEY (n)
);
CREATE INDEX commitment_cycle_idx ON {schema}.commitment (cycle_number, n);
CREATE INDEX commitment_height_idx ON {schema}.commitment (height);

-- What pox-5 printed about the cycles of stackers, from start_cycle up to, but not including, end_cycle. Of several rows
-- that cover a cycle of a stacker, the last one counts.
CREATE TABLE {schema}.pox5_stake (
    height      bigint  NOT NULL,
    source_seq  bigint  NOT NULL,
    start_cycle bigint  NOT NULL,
    end_cycle   bigint  NOT NULL,
    position    int     NOT NULL, -- among the events of the block
    amount      numeric NOT NULL, -- staked in these cycles; 0 if the stacker has ended the position before
    stacker     text    COLLATE "C" NOT NULL,
    manager     text    COLLATE "C" NOT NULL, -- the contract that signs for the stacker
    CONSTRAINT pox5_stake_pkey PRIMARY KEY (height, position)
);
CREATE INDEX pox5_stake_cycle_idx ON {schema}.pox5_stake (end_cycle, start_cycle);

-- The signing keys that managers have registered with pox-5. The last one counts.
CREATE TABLE {schema}.pox5_key (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    position    int    NOT NULL,
    manager     text   COLLATE "C" NOT NULL,
    signing_key bytea  NOT NULL, -- 33 bytes
    CONSTRAINT pox5_key_pkey PRIMARY KEY (manager, height, position)
);
CREATE INDEX pox5_key_height_idx ON {schema}.pox5_key (height);

-- The lists that the API pages through, and their lengths: see package ranked. Names and keys:
--
--   rewards, rewards:<recipient>    (height, reward_index, 0)
--   slots, slots:<address>          (height, slot_index, 0)
--   payouts:<recipient>             (height, rank, 0)
--   cycles                          (cycle_number, 0, 0)
{ranked}
-- Indexes for readers: a build makes them at its end.

CREATE INDEX burn_block_hash_idx ON {schema}.burn_block (burn_block_hash);
CREATE INDEX event_txid_idx ON {schema}.event (txid, contract, n);
CREATE INDEX delegation_pool_idx ON {schema}.delegation (contract, pool, n);
