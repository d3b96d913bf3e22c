-- Tables of the projection rosetta: what the integration standard needs and no other projection keeps.
--
-- source_seq is the event of the log that a row came from.
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

-- The canonical blocks that the rows below reflect.
CREATE TABLE {schema}.block (
    height            bigint NOT NULL,
    source_seq        bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- Every block that was added to the canonical chain or removed from it, numbered 0, 1, 2, … without gaps. Rows are only
-- ever added: a client that has read up to a number needs the later ones only.
CREATE TABLE {schema}.block_event (
    sequence         bigint  NOT NULL, -- number of the event, from 0
    height           bigint  NOT NULL,
    source_seq       bigint  NOT NULL, -- the event that added or removed the block
    added            boolean NOT NULL, -- false if it was removed
    index_block_hash bytea   NOT NULL,
    block_hash       bytea   NOT NULL,
    CONSTRAINT block_event_pkey PRIMARY KEY (sequence)
);

-- The symbol and the decimals of fungible tokens, as their contracts first told. Clients tell currencies apart by them,
-- so they never change here, whatever a contract says later.
CREATE TABLE {schema}.currency (
    source_seq  bigint NOT NULL, -- the report that brought them
    decimals    int    NOT NULL, -- as get-decimals (SIP-010) answered
    contract_id text   NOT NULL, -- the contract of the token
    symbol      text   NOT NULL, -- as get-symbol (SIP-010) answered
    CONSTRAINT currency_pkey PRIMARY KEY (contract_id)
);
