-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- The transactions of each account: it sends or sponsors them, receives their token transfer, is called or deployed by them,
-- or one of their events moves an asset of the account. Key: (account, n). Index: (account, n). Details are in transactions, by
-- (height, tx_index).
CREATE VIEW api.account_transactions AS
SELECT
    a.account, -- principal
    x.n, -- number among the transactions of the account, from 1
    t.height, -- height of the Stacks block
    t.tx_index, -- index of the transaction in the block's list
    x.involvement & 1 <> 0 AS is_sender, -- the account sends it
    x.involvement & 2 <> 0 AS is_sponsor, -- the account pays its fee for another
    x.involvement & 4 <> 0 AS is_recipient, -- the account receives its token transfer
    x.involvement & 8 <> 0 AS is_called, -- the account is the contract that is called
    x.involvement & 16 <> 0 AS is_deployed, -- the account is the contract that is deployed
    coalesce(x.stx_sent, 0) AS stx_sent, -- µSTX that events take from the account, without the fee
    coalesce(x.stx_received, 0) AS stx_received, -- µSTX that events give to the account
    coalesce(x.fee_paid, 0) AS fee_paid, -- µSTX
    x.source_seq -- position in the log of the event with the block
FROM {schema}.account_transaction x
JOIN {schema}.account a ON a.id = x.account
JOIN {schema}.transaction t ON t.n = x.tx;

-- The events that move STX or tokens of each account, or lock its STX. Key: (account, n). Index: (account, n). Details are in
-- events, by (height, tx_index, event_index).
CREATE VIEW api.account_events AS
SELECT
    a.account, -- principal
    x.n, -- number among the events of the account, from 1
    t.height, -- height of the Stacks block
    t.tx_index, -- index of the transaction in the block's list
    x.event_index, -- index of the event in the transaction
    (ARRAY['stx_transfer', 'stx_mint', 'stx_burn', 'ft_transfer', 'ft_mint', 'ft_burn', 'nft_transfer', 'nft_mint', 'nft_burn', 'stx_lock'])[x.kind] AS kind, -- stx_transfer, ft_mint, nft_burn, stx_lock and so on
    x.source_seq -- position in the log of the event with the block
FROM {schema}.account_event x
JOIN {schema}.account a ON a.id = x.account
JOIN {schema}.transaction t ON t.n = x.tx;

-- The prints of each contract. Key: (contract_id, n). Index: (contract_id, n). What was printed is in events, by (height,
-- tx_index, event_index).
CREATE VIEW api.contract_prints AS
SELECT
    a.account AS contract_id, -- the contract
    x.n, -- number among the prints of the contract, from 1
    t.height, -- height of the Stacks block
    t.tx_index, -- index of the transaction in the block's list
    x.event_index, -- index of the event in the transaction
    p.name AS topic, -- text of the first of the fields topic, event, action, notification, type and name of the printed tuple; null for none
    s.account AS sender, -- principal that sends the transaction; null if unknown
    x.source_seq -- position in the log of the event with the block
FROM {schema}.contract_event x
JOIN {schema}.account a ON a.id = x.contract
JOIN {schema}.transaction t ON t.n = x.tx
LEFT JOIN {schema}.contract_topic p ON p.contract = x.contract AND p.topic = x.topic
LEFT JOIN {schema}.account s ON s.id = x.sender;

-- Matured rewards of miners. Key: (account, n). Indexes: (account, n), height.
CREATE VIEW api.miner_rewards AS
SELECT
    a.account, -- principal
    r.n, -- number among the rewards of the account, from 1
    r.height, -- height of the Stacks block that credits it
    r.coinbase, -- µSTX
    r.fees, -- µSTX
    '0x' || encode(r.earned_in, 'hex') AS earned_in, -- index block hash of the block that earned it; null if the node did not send it
    r.source_seq -- position in the log of the event with the block
FROM {schema}.miner_reward r
JOIN {schema}.account a ON a.id = r.account;
