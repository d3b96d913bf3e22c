-- Tables of the projection rosetta: what the integration standard needs and no other projection keeps.
--
-- source_seq is the event of the log that a row came from.

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
    sequence         bigint  NOT NULL,
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
    decimals    int    NOT NULL,
    contract_id text   NOT NULL,
    symbol      text   NOT NULL,
    CONSTRAINT currency_pkey PRIMARY KEY (contract_id)
);
