-- Tables of the projection search: the names by parts of which contracts, tokens, and names of the Bitcoin Name System are found.
--
-- Columns without a comment of their own:
--   height: height of the Stacks block that the row comes from; field block_height of /new_block
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})

-- The canonical blocks that the rows below reflect.
CREATE TABLE {schema}.block (
    height            bigint NOT NULL,
    source_seq        bigint NOT NULL,
    burn_block_height bigint NOT NULL, -- of the Bitcoin block that it is anchored to
    index_block_hash  bytea  NOT NULL, -- 32 bytes
    block_hash        bytea  NOT NULL, -- 32 bytes
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- A name, and where it appears first: a contract is deployed, an event moves a token, a contract prints a name.
CREATE TABLE {schema}.name (
    height     bigint   NOT NULL,
    source_seq bigint   NOT NULL,
    tx_index   int      NOT NULL, -- index of the transaction in the block's list, from 0
    length     smallint NOT NULL, -- bytes of the name
    class      smallint NOT NULL, -- 0 contract, 1 token, 2 name of the Bitcoin Name System
    fungible   boolean  NOT NULL, -- of a fungible token
    name       text COLLATE "C" NOT NULL, -- identifier of the contract or of the asset; label.namespace
    last       text COLLATE "C" NOT NULL, -- in small letters, the name of the contract or of the asset alone; label.namespace
    -- The sequences of three characters of the name, in small letters: c1 * 65536 + c2 * 256 + c3; and the class.
    trigrams   int[]    NOT NULL,
    CONSTRAINT name_pkey PRIMARY KEY (name)
);
-- For reverts, which delete the newest rows.
CREATE INDEX name_height_idx ON {schema}.name (height);
-- Indexes for readers: a build makes them at its end.
CREATE INDEX name_trigrams_idx ON {schema}.name USING gin (trigrams);
CREATE INDEX name_last_idx ON {schema}.name (class, last, height);
