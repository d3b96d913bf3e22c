-- Tables of the projection inscriptions: what is inscribed on which satoshi, and where these satoshis are and were. Rows are
-- of blocks that are applied now.
--
-- source_seq is the event of the log that a row came from; "transaction" and "operation" say where in its block: the JSON
-- pointer is /apply/<block_index>/transactions/<transaction>/metadata/ordinal_operations/<operation>.

CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    time        bigint NOT NULL, -- unix seconds
    moves       bigint NOT NULL, -- of inscriptions: the sum of location.moved
    reveals     int    NOT NULL, -- inscriptions revealed in it
    block_index int    NOT NULL, -- in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

CREATE TABLE {schema}.inscription (
    number          bigint   NOT NULL, -- of the jubilee: the one that is shown; unique but where the feed is wrong
    classic_number  bigint   NOT NULL,
    sat             bigint   NOT NULL, -- 0 also for unbound ones
    height          bigint   NOT NULL, -- of the block that revealed it
    tx_index        bigint   NOT NULL, -- of the transaction that did
    source_seq      bigint   NOT NULL,
    content_at      bigint,            -- byte of the event's body at which the hex digits of the content begin; null when they are escaped
    content_length  bigint   NOT NULL, -- as the feed says
    content_size    bigint   NOT NULL, -- bytes that there are
    fee             bigint   NOT NULL, -- sats
    "transaction"   int      NOT NULL,
    operation       int      NOT NULL,
    charms          int      NOT NULL, -- ordinals.Charms
    rarity          smallint NOT NULL, -- ordinals.Rarity
    recursive       boolean  NOT NULL,
    id              text     COLLATE "C" NOT NULL,
    content_type    text     NOT NULL,
    mime_type       text     COLLATE "C" NOT NULL, -- ordinals.Bounded, as are addresses
    genesis_address text     COLLATE "C",
    curse_type      text,
    metaprotocol    text,
    delegate        text,
    metadata        text,              -- JSON
    parents         text[]   NOT NULL,
    recursion_refs  text[]   NOT NULL,
    CONSTRAINT inscription_pkey PRIMARY KEY (id)
);
CREATE INDEX inscription_number_idx ON {schema}.inscription (number);
CREATE INDEX inscription_genesis_idx ON {schema}.inscription (height, tx_index, number);
CREATE INDEX inscription_sat_idx ON {schema}.inscription (sat, number);
CREATE INDEX inscription_genesis_address_idx ON {schema}.inscription (genesis_address, height, tx_index, number);
CREATE INDEX inscription_mime_type_idx ON {schema}.inscription (mime_type, height, tx_index, number);
-- Most inscriptions are none of these: lists of the others are read from the index of all.
CREATE INDEX inscription_rarity_idx ON {schema}.inscription (rarity, height, tx_index, number) WHERE rarity > 0;
CREATE INDEX inscription_rarity_number_idx ON {schema}.inscription (rarity, number) WHERE rarity > 0;
CREATE INDEX inscription_recursive_idx ON {schema}.inscription (height, tx_index, number) WHERE recursive;
CREATE INDEX inscription_cursed_idx ON {schema}.inscription (height, tx_index, number) WHERE number < 0;

-- Whose inscriptions are: all of them, with the address of the sat's current location. It is what changes of an inscription, so it
-- stands apart from the rest, which is written once: a change would write all of it again, with all its indexes.
CREATE TABLE {schema}.owner (
    sat      bigint NOT NULL,
    number   bigint NOT NULL,
    height   bigint NOT NULL, -- of the reveal, as is tx_index
    tx_index bigint NOT NULL,
    id       text   COLLATE "C" NOT NULL, -- of the inscription
    address  text   COLLATE "C",          -- null for nobody's
    CONSTRAINT owner_pkey PRIMARY KEY (sat, number, id) INCLUDE (height, tx_index) -- so that a range of sats is read from it alone
);
CREATE INDEX owner_address_idx ON {schema}.owner (address, height, tx_index, number);

-- Where a sat was from some transaction on: (height, tx_index) orders the locations of a sat. Two reveals on one sat in one
-- transaction share one.
CREATE TABLE {schema}.location (
    sat           bigint   NOT NULL,
    height        bigint   NOT NULL,
    tx_index      bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    moved         bigint   NOT NULL, -- inscriptions of the sat that it moved: those that were revealed before
    value         bigint,            -- sats of the output; null when it is not known
    sat_offset    bigint,            -- of the sat in the output; null when it is not known
    block_order   int      NOT NULL, -- among the locations of the block, in the order of its operations
    "transaction" int      NOT NULL,
    operation     int      NOT NULL,
    type          smallint NOT NULL, -- 1 transferred, 2 spent in fees, 3 burnt
    txid          bytea    NOT NULL, -- of the transaction that took it there
    output_txid   bytea    NOT NULL,
    vout          text     NOT NULL,
    address       text     COLLATE "C", -- of the owner; null for none
    CONSTRAINT location_pkey PRIMARY KEY (sat, height, tx_index)
);
CREATE INDEX location_block_idx ON {schema}.location (height, block_order);

-- The sats that are known, inscribed or only moved, with the key of their current location: the greatest one.
CREATE TABLE {schema}.satoshi (
    sat          bigint NOT NULL,
    height       bigint NOT NULL,
    tx_index     bigint NOT NULL,
    source_seq   bigint NOT NULL, -- the event that took it there
    inscriptions bigint NOT NULL, -- on it
    output_txid  bytea  NOT NULL,
    vout         text   NOT NULL,
    CONSTRAINT satoshi_pkey PRIMARY KEY (sat)
);

-- Lists that the API pages through, and how long they are: see package ranked. Names and keys:
--
--   all, recursive, not_recursive, cursed, not_cursed,
--   mime:<mime_type>, rarity:<n>, address:<address>,
--   genesis_address:<genesis_address>                    (height, tx_index, number)
--   number, rarity_number:<n>                            (number, 0, 0)
--   ordinal                                              (sat, 0, 0)
--   sat:<sat>, of sats with more than one                (number, 0, 0)
--
-- Nobody (null) owns no list; "" does as an address, and not as a genesis address.
{ranked}
-- How many inscriptions the feed must have lost: the numbers between those that are known. It costs a look at the ends of
-- an index, however many there are.
CREATE VIEW {schema}.missing AS
SELECT greatest(blessed.numbers - coalesce((SELECT n FROM {schema}.list WHERE name = 'not_cursed'), 0), 0)
     + greatest(cursed.numbers - coalesce((SELECT n FROM {schema}.list WHERE name = 'cursed'), 0), 0) AS n
FROM (SELECT coalesce(max(number) - min(number) + 1, 0) AS numbers FROM {schema}.inscription WHERE number >= 0) blessed,
     (SELECT coalesce(max(number) - min(number) + 1, 0) AS numbers FROM {schema}.inscription WHERE number < 0) cursed;

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_time_idx ON {schema}.block (time) INCLUDE (height, reveals);
CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
CREATE INDEX satoshi_output_idx ON {schema}.satoshi (output_txid, vout);
CREATE INDEX satoshi_height_idx ON {schema}.satoshi USING brin (height);
