-- Tables of the projection inscriptions: the inscriptions of satoshis, and the current and past locations of these
-- satoshis. Rows come from blocks that are applied now.
--
-- source_seq is the event of the log that a row comes from; "transaction" and "operation" are positions within its
-- block. The JSON pointer is /apply/<block_index>/transactions/<transaction>/metadata/ordinal_operations/<operation>.
--
-- Columns without a comment of their own:
--   height: Bitcoin height; field block_identifier/index of the feed
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   block_hash: hash of the Bitcoin block, 32 bytes in the order that explorers show; field block_identifier/hash of
--     the feed
--   tx_index: index of the Bitcoin transaction in its block
--   transaction: position of the transaction in the event's block
--   operation: position of the operation in the transaction
--   sat: ordinal number of the satoshi (BIP draft of ordinal theory)
--   output_txid: id of the transaction whose output holds the sat, 32 bytes
--   vout: index of that output, as the feed writes it

-- The Bitcoin blocks that are applied now.
CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    time        bigint NOT NULL, -- unix seconds
    moves       bigint NOT NULL, -- of inscriptions: the sum of location.moved
    reveals     int    NOT NULL, -- number of inscriptions that it reveals
    block_index int    NOT NULL, -- position in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- Inscriptions, as revealed; the owner is in owner.
CREATE TABLE {schema}.inscription (
    number          bigint   NOT NULL, -- the jubilee number, which clients see; unique unless the feed is wrong
    classic_number  bigint   NOT NULL, -- the number that counts cursed inscriptions apart, as before the jubilee
    sat             bigint   NOT NULL, -- 0 for unbound inscriptions, too
    height          bigint   NOT NULL, -- of the block that revealed it
    tx_index        bigint   NOT NULL, -- of the transaction that revealed it
    source_seq      bigint   NOT NULL,
    content_at      bigint,            -- offset in the event's body of the content's hex digits; null if these are escaped
    content_length  bigint   NOT NULL, -- bytes, according to the feed
    content_size    bigint   NOT NULL, -- bytes that the event has
    fee             bigint   NOT NULL, -- sats
    "transaction"   int      NOT NULL,
    operation       int      NOT NULL,
    charms          int      NOT NULL, -- ordinals.Charms
    rarity          smallint NOT NULL, -- ordinals.Rarity
    recursive       boolean  NOT NULL, -- the content refers to other inscriptions
    id              text     COLLATE "C" NOT NULL, -- inscription id: txid of the reveal in hex, i, index
    content_type    text     NOT NULL, -- media type as inscribed
    mime_type       text     COLLATE "C" NOT NULL, -- ordinals.Bounded, as are addresses
    genesis_address text     COLLATE "C", -- Bitcoin address that first owned it; null for none
    curse_type      text, -- why it is cursed, as the feed tells; null if it is not
    metaprotocol    text, -- as inscribed; null for none
    delegate        text, -- id of the inscription whose content it shows; null for its own
    metadata        text,              -- JSON
    parents         text[]   NOT NULL, -- ids of the parent inscriptions
    recursion_refs  text[]   NOT NULL, -- ids of the inscriptions that the content refers to
    CONSTRAINT inscription_pkey PRIMARY KEY (id)
);
CREATE INDEX inscription_number_idx ON {schema}.inscription (number);
CREATE INDEX inscription_genesis_idx ON {schema}.inscription (height, tx_index, number);
CREATE INDEX inscription_sat_idx ON {schema}.inscription (sat, number);
CREATE INDEX inscription_genesis_address_idx ON {schema}.inscription (genesis_address, height, tx_index, number);
CREATE INDEX inscription_mime_type_idx ON {schema}.inscription (mime_type, height, tx_index, number);
-- These indexes are partial because they leave out most inscriptions. Lists of those are read from the index of all.
CREATE INDEX inscription_rarity_idx ON {schema}.inscription (rarity, height, tx_index, number) WHERE rarity > 0;
CREATE INDEX inscription_rarity_number_idx ON {schema}.inscription (rarity, number) WHERE rarity > 0;
CREATE INDEX inscription_recursive_idx ON {schema}.inscription (height, tx_index, number) WHERE recursive;
CREATE INDEX inscription_cursed_idx ON {schema}.inscription (height, tx_index, number) WHERE number < 0;

-- The owners of all inscriptions: the address of each sat's current location. The owner is the only property of an
-- inscription that changes. It has its own table so that a change does not write the inscription again with all its
-- indexes.
CREATE TABLE {schema}.owner (
    sat      bigint NOT NULL,
    number   bigint NOT NULL, -- the jubilee number: inscription.number
    height   bigint NOT NULL, -- of the reveal, as is tx_index
    tx_index bigint NOT NULL, -- of the transaction that revealed it
    id       text   COLLATE "C" NOT NULL, -- of the inscription
    address  text   COLLATE "C",          -- null if nobody owns it
    CONSTRAINT owner_pkey PRIMARY KEY (sat, number, id) INCLUDE (height, tx_index) -- for index-only scans of a range of sats
);
CREATE INDEX owner_address_idx ON {schema}.owner (address, height, tx_index, number);

-- The locations of a sat in the order of (height, tx_index): where the sat was from that transaction on. Two reveals on
-- one sat in one transaction share a location.
CREATE TABLE {schema}.location (
    sat           bigint   NOT NULL,
    height        bigint   NOT NULL,
    tx_index      bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    moved         bigint   NOT NULL, -- inscriptions of the sat that were revealed before, and so moved here
    value         bigint,            -- sats of the output; null if not known
    sat_offset    bigint,            -- of the sat in the output; null if not known
    block_order   int      NOT NULL, -- among the locations of the block, in the order of its operations
    "transaction" int      NOT NULL,
    operation     int      NOT NULL,
    type          smallint NOT NULL, -- 1 transferred, 2 spent in fees, 3 burnt
    txid          bytea    NOT NULL, -- of the transaction that moved the sat here
    output_txid   bytea    NOT NULL,
    vout          text     NOT NULL,
    address       text     COLLATE "C", -- of the owner; null for none
    CONSTRAINT location_pkey PRIMARY KEY (sat, height, tx_index)
);
CREATE INDEX location_block_idx ON {schema}.location (height, block_order);

-- The known sats, inscribed or only moved, with the key of their current location, which is the greatest one.
CREATE TABLE {schema}.satoshi (
    sat          bigint NOT NULL,
    height       bigint NOT NULL, -- Bitcoin height of the current location
    tx_index     bigint NOT NULL,
    source_seq   bigint NOT NULL, -- of the current location
    inscriptions bigint NOT NULL, -- number of inscriptions on the sat
    output_txid  bytea  NOT NULL,
    vout         text   NOT NULL,
    CONSTRAINT satoshi_pkey PRIMARY KEY (sat)
);

-- The lists that the read API pages through, and their lengths: see package ranked. Names and keys:
--
--   all, recursive, not_recursive, cursed, not_cursed,
--   mime:<mime_type>, rarity:<n>, address:<address>,
--   genesis_address:<genesis_address>                    (height, tx_index, number)
--   number, rarity_number:<n>                            (number, 0, 0)
--   ordinal                                              (sat, 0, 0)
--   sat:<sat>, of sats with more than one                (number, 0, 0)
--
-- A null address has no list. An empty one has a list as an owner, but none as a genesis address.

-- The lists of the projection, with their lengths.
CREATE TABLE {schema}.list (
    n    bigint NOT NULL, -- number of entries: never 0
    name text   COLLATE "C" NOT NULL, -- name of the list
    CONSTRAINT list_pkey PRIMARY KEY (name)
);

-- The parts of long lists. A part holds the keys from (a, b, c) up to, but not including, the key at which the next
-- part begins. The first part begins below all keys.
CREATE TABLE {schema}.part (
    a    bigint NOT NULL, -- first number of the key at which the part begins
    b    bigint NOT NULL, -- second number of that key
    c    bigint NOT NULL, -- third number of that key
    n    bigint NOT NULL, -- number of entries: never 0
    list text   COLLATE "C" NOT NULL, -- list.name
    CONSTRAINT part_pkey PRIMARY KEY (list, a, b, c)
);

-- The number of inscriptions that the feed must have lost: unused numbers between known ones. The view reads only the
-- ends of an index, however many inscriptions there are.
CREATE VIEW {schema}.missing AS
SELECT greatest(blessed.numbers - coalesce((SELECT n FROM {schema}.list WHERE name = 'not_cursed'), 0), 0)
     + greatest(cursed.numbers - coalesce((SELECT n FROM {schema}.list WHERE name = 'cursed'), 0), 0) AS n -- number of inscriptions
FROM (SELECT coalesce(max(number) - min(number) + 1, 0) AS numbers FROM {schema}.inscription WHERE number >= 0) blessed,
     (SELECT coalesce(max(number) - min(number) + 1, 0) AS numbers FROM {schema}.inscription WHERE number < 0) cursed;

-- Indexes for readers: a build makes them at its end.

CREATE INDEX block_time_idx ON {schema}.block (time) INCLUDE (height, reveals);
CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
CREATE INDEX satoshi_output_idx ON {schema}.satoshi (output_txid, vout);
CREATE INDEX satoshi_height_idx ON {schema}.satoshi USING brin (height);
