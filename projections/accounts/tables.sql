-- Tables of the projection accounts. Rows are of canonical blocks only.
--
-- Every list numbers its rows from 1 as they are applied, per owner: the last number is the total, and a page at any
-- depth is a range of numbers. The rows of a list are in the order of transactions, so that a binary search finds
-- where a block or a transaction begins in it: some twenty look-ups by primary key in a list of a million.
--
-- No row is ever changed. The totals of an account are in the last rows of its lists.
--
-- Rows name accounts by id, and transactions by their number on the chain. All other data of a transaction or an event
-- is in the tables of chain, by source_seq, tx_index and event_index.
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
--   burn_block_hash: hash of the Bitcoin block that the block is anchored to, 32 bytes
--   n: number of the row in the list of its owner, from 1
--   account: the owner of the list: account.id
--   tx: the transaction: transaction.n
--   topic: number of the topic among those of the contract, from 1
--   smart_contracts: number of transactions that deploy contracts, up to and including this block
--   contract_calls: number of contract calls, up to and including this block
--   poison_microblocks: number of reports of microblock forks, up to and including this block
--   coinbases: number of coinbases, up to and including this block
--   tenure_changes: number of tenure changes, up to and including this block
--   stx_mints: number of events that mint STX of the account; null for none
--   stx_burns: number of events that burn STX of the account; null for none
--   ft_transfers: number of transfers of fungible tokens from or to the account; null for none
--   ft_mints: number of mints of fungible tokens for the account; null for none
--   ft_burns: number of burns of fungible tokens of the account; null for none
--   nft_transfers: number of transfers of non-fungible tokens from or to the account; null for none
--   nft_mints: number of mints of non-fungible tokens for the account; null for none
--   nft_burns: number of burns of non-fungible tokens of the account; null for none

-- The canonical blocks, with the numbers of rows up to each.
CREATE TABLE {schema}.block (
    height             bigint NOT NULL,
    source_seq         bigint NOT NULL,
    first_tx           bigint NOT NULL, -- first and last number of its transactions; in an empty block, last_tx is first_tx - 1
    last_tx            bigint NOT NULL, -- number of its last transaction: transaction.n
    -- Number of transactions of each type up to and including this block.
    token_transfers    bigint NOT NULL,
    smart_contracts    bigint NOT NULL,
    contract_calls     bigint NOT NULL,
    poison_microblocks bigint NOT NULL,
    coinbases          bigint NOT NULL,
    tenure_changes     bigint NOT NULL,
    tenure_height      bigint NOT NULL, -- before Nakamoto the height; -1 if the node did not send it for a Nakamoto block
    burn_blocks        bigint NOT NULL, -- number of Bitcoin blocks with Stacks blocks, up to and including this block
    burn_block_height  bigint NOT NULL,
    burn_block_time    bigint NOT NULL, -- unix seconds
    block_time         bigint,          -- unix seconds; null before Nakamoto
    accounts           int    NOT NULL, -- number of accounts up to and including this block
    index_block_hash   bytea  NOT NULL,
    block_hash         bytea  NOT NULL,
    burn_block_hash    bytea  NOT NULL,
    touched            int[]  NOT NULL, -- the accounts with rows of this block in some list; a revert deletes these rows
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- All transactions in the order of execution: within a block those of microblocks by sequence and index, then the
-- anchored ones.
CREATE TABLE {schema}.transaction (
    n                   bigint   NOT NULL, -- number of the transaction on the canonical chain, from 1
    height              bigint   NOT NULL,
    source_seq          bigint   NOT NULL, -- the event with the block
    type_n              bigint,            -- its number among those of its type
    tx_index            int      NOT NULL, -- in the block's list
    microblock_sequence int,               -- null for anchored transactions
    -- 0 token_transfer, 1 smart_contract, 2 contract_call, 3 poison_microblock, 4 coinbase, 7 tenure_change, as the
    -- API names them. Operations from Bitcoin have the type of the transaction that they are equivalent to; null if
    -- unknown.
    type                smallint,
    CONSTRAINT transaction_pkey PRIMARY KEY (n)
);

-- The owners of lists, numbered in the order of first appearance. A contract is an account too.
CREATE TABLE {schema}.account (
    source_seq   bigint NOT NULL, -- the event with the block of its first appearance
    first_height bigint NOT NULL, -- of that block
    id           int    NOT NULL, -- number of the account, from 1
    account      text   COLLATE "C" NOT NULL, -- principal, as text (SIP-005): an address, or the identifier of a contract
    CONSTRAINT account_pkey PRIMARY KEY (id),
    CONSTRAINT account_account_key UNIQUE (account)
);

-- The transactions of an account. It is the sender, the sponsor, the recipient of a token transfer, the called or
-- deployed contract, or a party of an event that moves STX or a token.
CREATE TABLE {schema}.account_transaction (
    tx            bigint   NOT NULL, -- transaction.n
    source_seq    bigint   NOT NULL,
    account       int      NOT NULL,
    n             int      NOT NULL,
    calls         int,               -- number of transactions that call it, up to and including this one; null for none
    -- Number of events of each kind that it is a party of; null for none.
    stx_transfers int,
    stx_mints     int,
    stx_burns     int,
    ft_transfers  int,
    ft_mints      int,
    ft_burns      int,
    nft_transfers int,
    nft_mints     int,
    nft_burns     int,
    -- A sum of its roles (1 sender, 2 sponsor, 4 recipient of the token transfer, 8 called, 16 deployed, 32 party of
    -- an event) and of its affected assets (64 STX, 128 fungible tokens, 256 non-fungible tokens).
    involvement   smallint NOT NULL,
    stx_sent      numeric,           -- µSTX that events take from it, without the fee; null for none
    stx_received  numeric,           -- µSTX that events give it; null for none
    fee_paid      numeric,           -- µSTX; null for none
    CONSTRAINT account_transaction_pkey PRIMARY KEY (account, n)
);

-- The events that move STX or tokens of an account, or lock its STX. A transfer to itself has one row.
CREATE TABLE {schema}.account_event (
    tx            bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    account       int      NOT NULL,
    n             int      NOT NULL,
    event_index   int      NOT NULL, -- in the transaction
    inbound       int,               -- number of inbound STX transfers, up to and including this event; null for none
    -- Number of events that give it STX (transfers and mints), and of those that take STX from it (transfers and burns),
    -- up to and including this event; null for none.
    stx_in        int,
    stx_out       int, -- number of events that take STX from it, up to and including this event; null for none
    asset_n       int,               -- its number among the events of the asset; null for events of other assets than fungible tokens
    kind          smallint NOT NULL, -- 1 stx_transfer, 2 stx_mint, 3 stx_burn, 4 ft_transfer, 5 ft_mint, 6 ft_burn, 7 nft_transfer, 8 nft_mint, 9 nft_burn, 10 stx_lock
    transfer_type smallint,          -- of an inbound STX transfer: 1 bulk-send, 2 stx-transfer, 3 stx-transfer-memo; else null
    stx_side      smallint,          -- of an event that moves STX: 1 takes them from the account, 2 gives them to it, 3 both; else null
    -- Of an event that moves a fungible token: the first 8 bytes of the SHA-256 of its asset identifier, as a signed
    -- number; else null.
    asset         bigint,
    CONSTRAINT account_event_pkey PRIMARY KEY (account, n)
);

-- For the length of the list of an account's events of a fungible token.
CREATE UNIQUE INDEX account_event_asset_idx ON {schema}.account_event (account, asset, asset_n) WHERE asset IS NOT NULL;

-- The prints of contracts.
CREATE TABLE {schema}.contract_event (
    tx          bigint NOT NULL,
    source_seq  bigint NOT NULL,
    contract    int    NOT NULL, -- account.id
    n           int    NOT NULL,
    event_index int    NOT NULL, -- in the transaction
    sender      int,             -- account.id of the transaction's sender; null if unknown
    topic       int,             -- contract_topic.topic; null for a print without topic
    topic_n     int,             -- its number among the prints of its topic
    -- The function that the transaction calls, of whatever contract: the first 4 bytes of the SHA-256 of its name, as a
    -- signed number; null for a transaction that calls none.
    function    int,
    function_n  int,             -- its number among the prints with this function
    CONSTRAINT contract_event_pkey PRIMARY KEY (contract, n)
);

-- For the length of a topic's list.
CREATE UNIQUE INDEX contract_event_topic_idx ON {schema}.contract_event (contract, topic, topic_n) WHERE topic IS NOT NULL;

-- For the length of the list of a contract's prints with a function.
CREATE UNIQUE INDEX contract_event_function_idx ON {schema}.contract_event (contract, function, function_n) WHERE function IS NOT NULL;

-- The topics of each contract, numbered in the order of first appearance. The topic of a printed tuple is the text of
-- the first of these fields that it has: topic, event, action, notification, type, name.
CREATE TABLE {schema}.contract_topic (
    source_seq bigint NOT NULL, -- the event with the block of its first appearance
    contract   int    NOT NULL, -- account.id
    topic      int    NOT NULL,
    name       text   COLLATE "C" NOT NULL, -- the topic
    CONSTRAINT contract_topic_pkey PRIMARY KEY (contract, name),
    CONSTRAINT contract_topic_topic_key UNIQUE (contract, topic)
);

-- The matured rewards of miners, as the block has them that credits them.
CREATE TABLE {schema}.miner_reward (
    height       bigint  NOT NULL, -- of that block
    source_seq   bigint  NOT NULL,
    account      int     NOT NULL,
    n            int     NOT NULL,
    position     int     NOT NULL, -- /matured_miner_rewards/<position> in the body of event source_seq
    coinbase     numeric NOT NULL, -- µSTX, as all amounts
    fees         numeric NOT NULL, -- µSTX: fees of anchored and streamed transactions
    coinbase_sum numeric NOT NULL, -- of the account's rewards up to and including this one
    fees_sum     numeric NOT NULL, -- µSTX: sum of the account's fees up to and including this reward
    -- Index block hash of the block that earned the reward; null if the node did not send it.
    earned_in    bytea,
    CONSTRAINT miner_reward_pkey PRIMARY KEY (account, n)
);
CREATE INDEX miner_reward_revert_idx ON {schema}.miner_reward (height);

-- Contracts whose deployment succeeded.
CREATE TABLE {schema}.deployment (
    tx         bigint NOT NULL, -- transaction.n
    source_seq bigint NOT NULL,
    tx_index   int    NOT NULL, -- in the block's list
    -- Keys of the functions of its interface, by name and by signature: see contract.Function.Keys. Empty if the node
    -- did not send the interface.
    functions  bytea[] NOT NULL,
    CONSTRAINT deployment_pkey PRIMARY KEY (tx)
);

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_index_block_hash_idx ON {schema}.block (index_block_hash);
CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
-- The blocks of a Bitcoin block (by its number among Bitcoin blocks with Stacks blocks, by height and by hash), the
-- blocks of a tenure, and the last block at a time.
CREATE INDEX block_burn_blocks_idx ON {schema}.block (burn_blocks, height);
CREATE INDEX block_burn_block_height_idx ON {schema}.block (burn_block_height, height);
CREATE INDEX block_burn_block_hash_idx ON {schema}.block (burn_block_hash);
CREATE INDEX block_tenure_height_idx ON {schema}.block (tenure_height, height);
CREATE INDEX block_time_idx ON {schema}.block (coalesce(block_time, burn_block_time), height);
CREATE INDEX deployment_functions_idx ON {schema}.deployment USING gin (functions);
CREATE UNIQUE INDEX transaction_type_idx ON {schema}.transaction (type, type_n) WHERE type IS NOT NULL;
CREATE UNIQUE INDEX account_transaction_calls_idx ON {schema}.account_transaction (account, calls) WHERE involvement & 8 <> 0;
-- The transactions that deploy a contract, failed ones included: a contract that was never deployed successfully has
-- no other row with its name.
CREATE UNIQUE INDEX account_transaction_deployments_idx ON {schema}.account_transaction (account, tx) WHERE involvement & 16 <> 0;
CREATE UNIQUE INDEX account_event_inbound_idx ON {schema}.account_event (account, inbound) WHERE transfer_type IS NOT NULL;
-- The events that give STX to an account, and those that take STX from it.
CREATE UNIQUE INDEX account_event_stx_in_idx ON {schema}.account_event (account, stx_in) WHERE stx_side & 2 <> 0;
CREATE UNIQUE INDEX account_event_stx_out_idx ON {schema}.account_event (account, stx_out) WHERE stx_side & 1 <> 0;
-- The prints of a contract by sender have no numbers of their own: a page is found from the number of the row before
-- it.
CREATE INDEX contract_event_sender_idx ON {schema}.contract_event (contract, sender, n);
