-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.
-- Filter by hash through the columns with the suffix _bytes, which have indexes.

-- Stacks blocks. Key: height. Indexes: height, index_block_hash_bytes, block_hash_bytes.
CREATE VIEW api.blocks AS
SELECT
    c.height, -- height of the Stacks block
    '0x' || encode(b.index_block_hash, 'hex') AS index_block_hash, -- identifies the block on all forks (SIP-005)
    '0x' || encode(b.block_hash, 'hex') AS block_hash, -- hash of the block's header (SIP-005)
    '0x' || encode(b.parent_index_block_hash, 'hex') AS parent_index_block_hash, -- index block hash of the parent
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- time of the block; before Nakamoto that of its Bitcoin block
    b.tenure_height, -- number of tenures up to the block (SIP-021)
    b.nakamoto, -- the block is of epoch 3.0 or later
    b.burn_block_height, -- height of the Bitcoin block that the block is anchored to
    '0x' || encode(b.burn_block_hash, 'hex') AS burn_block_hash, -- hash of that Bitcoin block
    to_timestamp(b.burn_block_time) AS burn_block_time, -- time of that Bitcoin block
    b.tx_count, -- number of transactions
    b.event_count, -- number of committed events of transactions
    b.execution_cost_read_count, -- reads of all transactions (SIP-006)
    b.execution_cost_read_length, -- bytes read (SIP-006)
    b.execution_cost_runtime, -- units of run time (SIP-006)
    b.execution_cost_write_count, -- writes (SIP-006)
    b.execution_cost_write_length, -- bytes written (SIP-006)
    b.index_block_hash AS index_block_hash_bytes, -- 32 bytes, for filters
    b.block_hash AS block_hash_bytes, -- 32 bytes, for filters
    b.source_seq -- position in the log of the event with the block
FROM {schema}.canonical c
JOIN {schema}.block b ON b.source_seq = c.block_seq;

-- Transactions of canonical blocks. Key: (height, tx_index). Indexes: height, txid_bytes.
CREATE VIEW api.transactions AS
SELECT
    c.height, -- height of the Stacks block
    t.tx_index, -- index in the block's list, from 0
    t.execution_index, -- index in the order of execution, from 0
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id (SIP-005)
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- as in blocks
    CASE WHEN t.type_id = 0 THEN 'token_transfer' WHEN t.type_id IN (1, 6) THEN 'smart_contract' WHEN t.type_id = 2 THEN 'contract_call'
        WHEN t.type_id = 3 THEN 'poison_microblock' WHEN t.type_id IN (4, 5, 8) THEN 'coinbase' WHEN t.type_id = 7 THEN 'tenure_change'
        WHEN t.type_id IS NULL THEN 'burnchain_op' END AS type, -- kind of the payload (SIP-005); burnchain_op came from Bitcoin; null if unknown
    t.status, -- success, abort_by_response, abort_by_post_condition and so on
    t.sender, -- principal; null for a rejected operation from Bitcoin whose sender is unknown
    t.sponsor, -- principal that pays the fee; null if the sender does
    t.nonce, -- of the sender; null for operations from Bitcoin
    t.sponsor_nonce, -- of the sponsor; null without one
    t.fee, -- µSTX
    t.contract_id, -- contract that is called or deployed; null for none
    t.function_name, -- function that is called; null for none
    t.event_count, -- number of committed events
    '0x' || encode(t.raw_result, 'hex') AS result, -- serialised Clarity value (SIP-005)
    t.microblock_sequence, -- number of the microblock in its stream; null for anchored transactions
    t.txid AS txid_bytes, -- 32 bytes, for filters
    t.source_seq -- position in the log of the event with the block
FROM {schema}.transaction t
JOIN {schema}.canonical c ON c.block_seq = t.source_seq
LEFT JOIN {schema}.block b ON b.source_seq = t.source_seq;

-- Committed events of the transactions of canonical blocks: moved STX and tokens, locks, and prints of contracts. Key: (height,
-- tx_index, event_index). Index: height. For events of an account, join account_events; of a contract, contract_prints.
CREATE VIEW api.events AS
SELECT
    c.height, -- height of the Stacks block
    e.tx_index, -- index of the transaction in the block's list
    e.event_index, -- index in the transaction, from 0
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- as in blocks
    e.type, -- stx_transfer_event, ft_mint_event, contract_event and so on, as the node names it
    e.asset_identifier, -- of ft and nft events: contract, two colons, name of the token
    e.contract_identifier, -- of contract_event and stx_lock_event: the contract
    e.topic, -- of contract_event: print
    e.sender, -- principal that loses the asset or whose STX are locked; null for none
    e.recipient, -- principal that gets the asset; null for none
    e.amount, -- µSTX, or base units of the fungible token; null for others
    '0x' || encode(e.value, 'hex') AS value, -- serialised Clarity value (SIP-005): id of the non-fungible token, or what was printed
    '0x' || encode(e.memo, 'hex') AS memo, -- of stx_transfer_event; null for none
    e.unlock_height, -- of stx_lock_event: Bitcoin height
    '/events/' || e.pointer AS pointer, -- JSON pointer of the event in the body of the log's event source_seq
    e.source_seq -- position in the log of the event with the block
FROM {schema}.event e
JOIN {schema}.canonical c ON c.block_seq = e.source_seq
LEFT JOIN {schema}.block b ON b.source_seq = e.source_seq
LEFT JOIN {schema}.transaction t ON t.source_seq = e.source_seq AND t.tx_index = e.tx_index;

-- Moves of STX by events: transfers, mints and burns, without fees and rewards of miners. Key: (height, tx_index,
-- event_index). Index: height. For those of an account, use balance_changes or account_events.
CREATE VIEW api.stx_transfers AS
SELECT
    c.height, -- height of the Stacks block
    e.tx_index, -- index of the transaction in the block's list
    e.event_index, -- index in the transaction
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- as in blocks
    CASE e.type WHEN 'stx_transfer_event' THEN 'transfer' WHEN 'stx_mint_event' THEN 'mint' ELSE 'burn' END AS kind, -- transfer, mint or burn
    e.sender, -- principal; null for a mint
    e.recipient, -- principal; null for a burn
    e.amount, -- µSTX
    '0x' || encode(e.memo, 'hex') AS memo, -- of a transfer; null for none
    e.source_seq -- position in the log of the event with the block
FROM {schema}.event e
JOIN {schema}.canonical c ON c.block_seq = e.source_seq
LEFT JOIN {schema}.block b ON b.source_seq = e.source_seq
LEFT JOIN {schema}.transaction t ON t.source_seq = e.source_seq AND t.tx_index = e.tx_index
WHERE e.type IN ('stx_transfer_event', 'stx_mint_event', 'stx_burn_event');

-- Moves of fungible tokens (SIP-010): transfers, mints and burns. Key: (height, tx_index, event_index). Index: height. For
-- those of an account, use balance_changes or account_events.
CREATE VIEW api.ft_transfers AS
SELECT
    c.height, -- height of the Stacks block
    e.tx_index, -- index of the transaction in the block's list
    e.event_index, -- index in the transaction
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- as in blocks
    CASE e.type WHEN 'ft_transfer_event' THEN 'transfer' WHEN 'ft_mint_event' THEN 'mint' ELSE 'burn' END AS kind, -- transfer, mint or burn
    e.asset_identifier AS asset, -- contract, two colons, name of the token
    e.sender, -- principal; null for a mint
    e.recipient, -- principal; null for a burn
    e.amount, -- base units
    e.source_seq -- position in the log of the event with the block
FROM {schema}.event e
JOIN {schema}.canonical c ON c.block_seq = e.source_seq
LEFT JOIN {schema}.block b ON b.source_seq = e.source_seq
LEFT JOIN {schema}.transaction t ON t.source_seq = e.source_seq AND t.tx_index = e.tx_index
WHERE e.type IN ('ft_transfer_event', 'ft_mint_event', 'ft_burn_event');

-- Contracts that were deployed. Key: (contract_id, height). Index: contract_id.
CREATE VIEW api.contracts AS
SELECT
    k.contract_id, -- address of the deployer, dot, name
    c.height, -- height of the Stacks block that deployed it
    k.tx_index, -- index of the transaction in the block's list
    '0x' || encode(t.txid, 'hex') AS txid, -- transaction id
    to_timestamp(coalesce(b.block_time, b.burn_block_time)) AS block_time, -- as in blocks
    k.clarity_version, -- null if the transaction leaves it to the epoch
    k.source_code, -- Clarity
    k.interface, -- JSON as a node sent or answered it; null if none has
    k.source_seq -- position in the log of the event with the block
FROM {schema}.contract k
JOIN {schema}.canonical c ON c.block_seq = k.source_seq
LEFT JOIN {schema}.block b ON b.source_seq = k.source_seq
LEFT JOIN {schema}.transaction t ON t.source_seq = k.source_seq AND t.tx_index = k.tx_index;

-- Bitcoin blocks on the fork that the node follows. Key: (height, consensus_hash). Indexes: height, burn_block_hash_bytes.
CREATE VIEW api.burn_blocks AS
SELECT
    b.height, -- Bitcoin height
    '0x' || encode(b.burn_block_hash, 'hex') AS burn_block_hash, -- hash of the Bitcoin block
    '0x' || encode(b.consensus_hash, 'hex') AS consensus_hash, -- of the sortition (SIP-001), 20 bytes; 0x if the node did not send it
    b.burn_amount, -- satoshi that miners burned
    b.burn_block_hash AS burn_block_hash_bytes, -- 32 bytes, for filters
    b.source_seq -- position in the log of the first announcement
FROM {schema}.burn_block b
WHERE b.canonical;
