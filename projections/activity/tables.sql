-- Tables of the projection activity: how many addresses call each contract in a day.
--
-- Columns without a comment of their own:
--   height: height of the Stacks block that the row comes from; field block_height of /new_block
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   contract_id: identifier of the contract: address of the deployer, dot, name

-- The canonical blocks that the rows below reflect.
CREATE TABLE {schema}.block (
    height            bigint NOT NULL,
    source_seq        bigint NOT NULL,
    burn_block_height bigint NOT NULL, -- of the Bitcoin block that it is anchored to
    index_block_hash  bytea  NOT NULL, -- 32 bytes
    block_hash        bytea  NOT NULL, -- 32 bytes
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The first call of a contract by an address in a day.
CREATE TABLE {schema}.caller (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    day         date   NOT NULL, -- UTC, by the time of the block
    tx_index    int    NOT NULL, -- index of the transaction in the block's list, from 0
    contract_id text   NOT NULL,
    address     text   NOT NULL, -- that sent the transaction
    CONSTRAINT caller_pkey PRIMARY KEY (contract_id, day, address)
);
-- For reverts, which delete the newest rows.
CREATE INDEX caller_height_idx ON {schema}.caller (height);

-- How many addresses called a contract in a day, so that readers need not count.
CREATE TABLE {schema}.day (
    source_seq  bigint NOT NULL, -- the event with the newest of these calls
    day         date   NOT NULL, -- UTC
    addresses   bigint NOT NULL, -- number of them
    contract_id text   NOT NULL,
    CONSTRAINT day_pkey PRIMARY KEY (contract_id, day)
);
