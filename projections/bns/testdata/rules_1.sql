-- Tables of the projection bns: the names of BNS-V2. Rows are of canonical Stacks blocks.
--
-- Tables with until_height hold versions: the state after the block at height, until the block at until_height changes it;
-- null for the current one. A block writes at most one version. A revert deletes the versions that its block began, and
-- reopens those that it ended.
--
-- source_seq is the event of the log that a row came from, and pointer the JSON pointer of the event or the transaction in
-- it. Heights called burn height are Bitcoin heights as the contract sees them. Amounts are in µSTX.

-- The canonical blocks.
CREATE TABLE {schema}.block (
    height            bigint NOT NULL,
    source_seq        bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    burn_height       bigint NOT NULL, -- what the contract reads in the block: before epoch 3.0, that of the parent block
    events            bigint NOT NULL, -- number of rows of event up to the block
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

CREATE TABLE {schema}.namespace (
    height               bigint  NOT NULL,
    until_height         bigint,
    source_seq           bigint  NOT NULL,
    tx_index             int     NOT NULL,
    manager_transferable boolean NOT NULL,
    manager_frozen       boolean NOT NULL,
    can_update_price     boolean NOT NULL,
    revealed_at          numeric NOT NULL, -- burn height; a Stacks height if airdropped
    launched_at          numeric,          -- null until the launch; a Stacks height if airdropped
    lifetime             numeric NOT NULL, -- 0 for names that never expire
    price_base           numeric NOT NULL,
    price_coeff          numeric NOT NULL,
    nonalpha_discount    numeric NOT NULL,
    no_vowel_discount    numeric NOT NULL,
    buckets              numeric[] NOT NULL,
    namespace            text    COLLATE "C" NOT NULL,
    import_address       text    COLLATE "C" NOT NULL,
    manager              text    COLLATE "C",
    pointer              text    NOT NULL,
    CONSTRAINT namespace_pkey PRIMARY KEY (namespace, height)
);
CREATE UNIQUE INDEX namespace_open_idx ON {schema}.namespace (namespace) WHERE until_height IS NULL;
CREATE INDEX namespace_height_idx ON {schema}.namespace (height);
CREATE INDEX namespace_until_idx ON {schema}.namespace (until_height) WHERE until_height IS NOT NULL;

-- The names. A burned name keeps a row without an owner; it can be registered again, with another id.
CREATE TABLE {schema}.name (
    height         bigint  NOT NULL,
    until_height   bigint,
    source_seq     bigint  NOT NULL,
    id             bigint  NOT NULL, -- of the non-fungible token
    tx_index       int     NOT NULL,
    events         int     NOT NULL, -- number of the name's rows of event
    airdropped     boolean NOT NULL,
    revoked        boolean NOT NULL, -- by the resolver of zonefiles
    valid          boolean NOT NULL, -- in a current version: not expired at the newest block; in others false
    expires_at     bigint,           -- the last burn height at which it is active; null for never
    -- The first 24 bytes of the full name, as three big-endian numbers less 2^63, so that they sort as the name does.
    key_a          bigint  NOT NULL,
    key_b          bigint  NOT NULL,
    key_c          bigint  NOT NULL,
    listed_n       bigint,           -- event.n of the listing; null if not listed
    registered_at  numeric,          -- burn height; a Stacks height if airdropped
    imported_at    numeric,          -- burn height
    renewal_height numeric NOT NULL, -- as in the contract: 0 if the launch and the lifetime of the namespace decide
    stx_burn       numeric NOT NULL, -- burned by the last registration or renewal
    listed_price   numeric,
    full_name      text    COLLATE "C" NOT NULL, -- label.namespace
    label          text    COLLATE "C" NOT NULL,
    namespace      text    COLLATE "C" NOT NULL,
    owner          text    COLLATE "C", -- null if burned
    preordered_by  text    COLLATE "C",
    commission     text    COLLATE "C", -- contract that takes a share of a sale
    preorder       bytea,            -- hash of the preorder that registered the name
    pointer        text    NOT NULL,
    CONSTRAINT name_pkey PRIMARY KEY (full_name, height)
);
CREATE UNIQUE INDEX name_open_idx ON {schema}.name (full_name) WHERE until_height IS NULL;
CREATE INDEX name_id_idx ON {schema}.name (id) WHERE until_height IS NULL;
CREATE INDEX name_height_idx ON {schema}.name (height);
CREATE INDEX name_until_idx ON {schema}.name (until_height) WHERE until_height IS NOT NULL;
-- Names whose expiry comes or goes with the Bitcoin height.
CREATE INDEX name_valid_expiry_idx ON {schema}.name (expires_at) WHERE until_height IS NULL AND valid;
CREATE INDEX name_expired_expiry_idx ON {schema}.name (expires_at) WHERE until_height IS NULL AND NOT valid;
-- Imported names whose expiry the launch of their namespace decides.
CREATE INDEX name_imported_idx ON {schema}.name (namespace) WHERE until_height IS NULL AND renewal_height = 0 AND imported_at IS NOT NULL;
-- The lists below.
CREATE INDEX name_key_idx ON {schema}.name (key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL;
CREATE INDEX name_valid_idx ON {schema}.name (key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND valid;
CREATE INDEX name_expired_idx ON {schema}.name (key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND NOT valid;
CREATE INDEX name_revoked_idx ON {schema}.name (key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND revoked;
CREATE INDEX name_namespace_idx ON {schema}.name (namespace, key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL;
CREATE INDEX name_owner_idx ON {schema}.name (owner, valid, key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL;

-- The primary name of each principal that has one.
CREATE TABLE {schema}.primary_name (
    height       bigint NOT NULL,
    until_height bigint,
    source_seq   bigint NOT NULL,
    id           bigint NOT NULL,
    tx_index     int    NOT NULL,
    principal    text   COLLATE "C" NOT NULL,
    full_name    text   COLLATE "C" NOT NULL,
    pointer      text   NOT NULL,
    CONSTRAINT primary_name_pkey PRIMARY KEY (principal, height)
);
CREATE UNIQUE INDEX primary_name_open_idx ON {schema}.primary_name (principal) WHERE until_height IS NULL;
CREATE INDEX primary_name_height_idx ON {schema}.primary_name (height);
CREATE INDEX primary_name_until_idx ON {schema}.primary_name (until_height) WHERE until_height IS NOT NULL;

-- The entries of the resolver of zonefiles. They outlive the burn of a name.
CREATE TABLE {schema}.zonefile (
    height       bigint  NOT NULL,
    until_height bigint,
    source_seq   bigint  NOT NULL,
    tx_index     int     NOT NULL,
    revoked      boolean NOT NULL,
    full_name    text    COLLATE "C" NOT NULL,
    owner        text    COLLATE "C", -- owner of the name when the entry was written; null if unknown
    content      bytea,               -- null for none
    pointer      text    NOT NULL,
    CONSTRAINT zonefile_pkey PRIMARY KEY (full_name, height)
);
CREATE UNIQUE INDEX zonefile_open_idx ON {schema}.zonefile (full_name) WHERE until_height IS NULL;
CREATE INDEX zonefile_height_idx ON {schema}.zonefile (height);
CREATE INDEX zonefile_until_idx ON {schema}.zonefile (until_height) WHERE until_height IS NOT NULL;

-- Preorders by top-level calls. Preorders by contracts print nothing and are not here.
CREATE TABLE {schema}.preorder (
    height      bigint  NOT NULL,
    used_height bigint,           -- block in which it was used or refunded
    source_seq  bigint  NOT NULL,
    burn_height bigint  NOT NULL,
    tx_index    int     NOT NULL,
    kind        smallint NOT NULL, -- domain/bns.PreorderKind
    amount      numeric NOT NULL, -- paid: burned for a namespace, held by the contract for a name
    hash        bytea   NOT NULL, -- hash160 of what is preordered, and a salt
    principal   text    COLLATE "C" NOT NULL,
    pointer     text    NOT NULL,
    CONSTRAINT preorder_pkey PRIMARY KEY (principal, hash, height, tx_index)
);
CREATE INDEX preorder_height_idx ON {schema}.preorder (height);
CREATE INDEX preorder_used_idx ON {schema}.preorder (used_height) WHERE used_height IS NOT NULL;

-- What happened, numbered from 1 in the order of execution.
CREATE TABLE {schema}.event (
    n              bigint  NOT NULL,
    height         bigint  NOT NULL,
    source_seq     bigint  NOT NULL,
    burn_height    bigint  NOT NULL,
    id             bigint,           -- of the name's token
    name_n         int,              -- among the events of the name; null if it is not of a name
    tx_index       int     NOT NULL,
    event_index    int,              -- in the transaction; null for a call that prints nothing
    kind           smallint NOT NULL, -- domain/bns.EventKind
    amount         numeric,          -- paid, burned or asked
    renewal_height numeric,          -- of the name, after a registration or a renewal
    full_name      text    COLLATE "C", -- null if it is not of a name
    namespace      text    COLLATE "C",
    sender         text    COLLATE "C", -- who had the name; who called
    recipient      text    COLLATE "C", -- who has it now
    topic          text,             -- of a print that is not known
    txid           bytea   NOT NULL,
    pointer        text    NOT NULL,
    CONSTRAINT event_pkey PRIMARY KEY (n)
);
CREATE INDEX event_height_idx ON {schema}.event (height);

-- The lists that the API pages through, and their lengths: see package ranked. Keys: (key_a, key_b, key_c). Names:
--
--   names, valid, expired, revoked                                  all names
--   namespace:<ns>, active:<ns>, lapsed:<ns>, disabled:<ns>         those of a namespace: all; valid and not revoked;
--                                                                   expired; revoked
--   held:<owner>, over:<owner>, withdrawn:<owner>                  those of an owner: valid; expired; revoked

CREATE TABLE {schema}.list (
    n    bigint NOT NULL, -- number of entries: never 0
    name text   COLLATE "C" NOT NULL,
    CONSTRAINT list_pkey PRIMARY KEY (name)
);

-- The parts of long lists. A part holds the keys from (a, b, c) up to, but not including, the key at which the next
-- part begins. The first part begins below all keys.
CREATE TABLE {schema}.part (
    a    bigint NOT NULL,
    b    bigint NOT NULL,
    c    bigint NOT NULL,
    n    bigint NOT NULL, -- number of entries: never 0
    list text   COLLATE "C" NOT NULL,
    CONSTRAINT part_pkey PRIMARY KEY (list, a, b, c)
);

-- Indexes for readers: a build makes them at its end.

CREATE UNIQUE INDEX event_name_idx ON {schema}.event (full_name, name_n) WHERE full_name IS NOT NULL;
CREATE INDEX event_namespace_idx ON {schema}.event (namespace, n) WHERE full_name IS NULL;
CREATE INDEX event_txid_idx ON {schema}.event (txid, n);
-- Names of an owner at any height, and soonest expiries.
CREATE INDEX name_owner_history_idx ON {schema}.name (owner, full_name, height) WHERE owner IS NOT NULL;
CREATE INDEX name_owner_expiry_idx ON {schema}.name (owner, expires_at, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND expires_at IS NOT NULL;
CREATE INDEX name_listed_idx ON {schema}.name (listed_n) WHERE until_height IS NULL AND listed_n IS NOT NULL;
CREATE INDEX name_listed_namespace_idx ON {schema}.name (namespace, listed_n) WHERE until_height IS NULL AND listed_n IS NOT NULL;
CREATE INDEX name_registered_idx ON {schema}.name (namespace, registered_at) WHERE until_height IS NULL AND owner IS NOT NULL;
CREATE INDEX preorder_open_idx ON {schema}.preorder (principal, height DESC, tx_index DESC) WHERE used_height IS NULL;
