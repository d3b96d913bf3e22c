-- Tables of the projection bns: the names of BNS-V2. Rows are of canonical Stacks blocks.
--
-- Tables with until_height hold versions: the state after the block at height, until the block at until_height changes it;
-- null for the current one. A block writes at most one version. A revert deletes the versions that its block began, and
-- reopens those that it ended.
--
-- source_seq is the event of the log that a row came from, and pointer the JSON pointer of the event or the transaction in
-- it. Heights called burn height are Bitcoin heights as the contract sees them. Amounts are in µSTX.
--
-- What a contract was read to say (table reading) is in versions and events of the block at which it was read. Their
-- source_seq is the report, and their tx_index is null: no one knows the transaction.
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
--   until_height: height of the block that ended this version; null for the current one
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   can_update_price: the manager may change the prices
--   price_base: of the price function
--   price_coeff: of the price function
--   nonalpha_discount: divisor of the price of names with other characters than letters
--   no_vowel_discount: divisor of the price of names without vowels
--   buckets: of the price function: 16 numbers, by the length of the name
--   pointer: JSON pointer of the cause in the body of event source_seq
--   namespace: what follows the dot of a name
--   id: number of the name's non-fungible token
--   principal: address, or the identifier of a contract
--   full_name: label, dot, namespace
--   burn_height: Bitcoin height as the contract sees it
--   agent: the contract that may have acted
--   contract_id: the contract whose call may lead to the agent's
--   due_at: when to read
--   stx_burn: µSTX burned by the last registration or renewal

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

-- Namespaces, as versions: each row is the state from one block until another.
CREATE TABLE {schema}.namespace (
    height               bigint  NOT NULL,
    until_height         bigint,
    source_seq           bigint  NOT NULL,
    tx_index             int     NOT NULL,
    manager_transferable boolean NOT NULL, -- the manager transfers names, not their owners
    manager_frozen       boolean NOT NULL, -- the manager can't be changed any more
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
    import_address       text    COLLATE "C" NOT NULL, -- principal that imports names
    manager              text    COLLATE "C", -- principal that manages the namespace; null for none
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
    tx_index       int,              -- null if a read of the contract told
    events         int     NOT NULL, -- number of the name's rows of event
    airdropped     boolean NOT NULL, -- came from BNS v1
    revoked        boolean NOT NULL, -- by the resolver of zonefiles
    valid          boolean NOT NULL, -- in a current version: not expired at the newest block; in others false
    expires_at     bigint,           -- the last burn height at which it is active; null for never
    -- The first 24 bytes of the full name, as three big-endian numbers less 2^63, so that they sort as the name does.
    key_a          bigint  NOT NULL,
    key_b          bigint  NOT NULL, -- see key_a
    key_c          bigint  NOT NULL, -- see key_a
    listed_n       bigint,           -- event.n of the listing; null if not listed
    registered_at  numeric,          -- burn height; a Stacks height if airdropped
    imported_at    numeric,          -- burn height
    renewal_height numeric NOT NULL, -- as in the contract: 0 if the launch and the lifetime of the namespace decide
    stx_burn       numeric NOT NULL, -- burned by the last registration or renewal
    listed_price   numeric, -- µSTX asked; null if not listed
    full_name      text    COLLATE "C" NOT NULL, -- label.namespace
    label          text    COLLATE "C" NOT NULL, -- what precedes the dot
    namespace      text    COLLATE "C" NOT NULL,
    owner          text    COLLATE "C", -- null if burned
    preordered_by  text    COLLATE "C", -- principal; null if it was not preordered
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
    tx_index     int,             -- null if a read of the contract told
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
    revoked      boolean NOT NULL, -- the owner has revoked the zonefile
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
    n              bigint  NOT NULL, -- number of the event, from 1, in the order of execution
    height         bigint  NOT NULL,
    source_seq     bigint  NOT NULL,
    burn_height    bigint  NOT NULL,
    id             bigint,           -- of the name's token
    name_n         int,              -- among the events of the name; null if it is not of a name
    tx_index       int,              -- null if a read of the contract told
    event_index    int,              -- in the transaction; null for what nothing printed
    kind           smallint NOT NULL, -- domain/bns.EventKind
    amount         numeric,          -- paid, burned or asked
    renewal_height numeric,          -- of the name, after a registration or a renewal
    full_name      text    COLLATE "C", -- null if it is not of a name
    namespace      text    COLLATE "C",
    sender         text    COLLATE "C", -- who had the name; who called
    recipient      text    COLLATE "C", -- who has it now
    topic          text,             -- of a print that is not known
    txid           bytea,            -- null if a read of the contract told
    pointer        text    NOT NULL,
    CONSTRAINT event_pkey PRIMARY KEY (n)
);
CREATE INDEX event_height_idx ON {schema}.event (height);

-- Contracts whose call may make a contract, the agent, call the registry in a way that prints nothing: the agent itself,
-- and those that name it, directly or through others.
CREATE TABLE {schema}.caller (
    height      bigint  NOT NULL,
    source_seq  bigint  NOT NULL,
    tx_index    int     NOT NULL,
    sets        boolean NOT NULL, -- the agent may set its primary name
    renews      boolean NOT NULL, -- the agent may renew names
    contract_id text    COLLATE "C" NOT NULL,
    agent       text    COLLATE "C" NOT NULL,
    pointer     text    NOT NULL,
    CONSTRAINT caller_pkey PRIMARY KEY (contract_id, agent)
);
CREATE INDEX caller_height_idx ON {schema}.caller (height);

-- Blocks in which an agent may have changed something that nothing prints.
CREATE TABLE {schema}.act (
    height     bigint  NOT NULL,
    source_seq bigint  NOT NULL,
    tx_index   int     NOT NULL, -- the last transaction
    sets       boolean NOT NULL, -- it may have set its primary name
    renews     boolean NOT NULL, -- it may have renewed names: it has also burned STX
    agent      text    COLLATE "C" NOT NULL,
    pointer    text    NOT NULL,
    CONSTRAINT act_pkey PRIMARY KEY (agent, height)
);
CREATE INDEX act_height_idx ON {schema}.act (height);

-- What the registry answered about an agent and its names after the block at height.
CREATE TABLE {schema}.reading (
    height         bigint NOT NULL,
    source_seq     bigint NOT NULL, -- the report
    id             bigint,          -- the primary name; null for none, and for a name
    renewal_height numeric,         -- of a name; null for a primary name, and for a name that is not there
    stx_burn       numeric,
    agent          text   COLLATE "C" NOT NULL,
    full_name      text   COLLATE "C" NOT NULL, -- empty for the primary name
    pointer        text   NOT NULL,
    CONSTRAINT reading_pkey PRIMARY KEY (agent, full_name, height)
);
CREATE INDEX reading_height_idx ON {schema}.reading (height);

-- What must be read, and when: of each agent that has names and may have changed something since it was read.
CREATE TABLE {schema}.want (
    source_seq bigint      NOT NULL, -- the event that raised the want, or the last report that did not answer it
    due_at     timestamptz NOT NULL,
    min_height bigint      NOT NULL, -- only a read at this block or above answers the want
    attempts   int         NOT NULL, -- failures since the want was raised, without waits
    waits      int         NOT NULL, -- failures that are not the contract's (fetch.Waiting), since the last that counted
    priority   smallint    NOT NULL, -- 2 the chain changed, 3 an attempt failed
    reason     smallint    NOT NULL, -- of the last failure (fetch.Reason)
    severity   smallint    NOT NULL, -- of the last failure (fetch.Severity)
    key_hash   bytea       NOT NULL, -- SHA-256 of the want's key
    kind       text        NOT NULL, -- fetch.Kind
    want       text        NOT NULL, -- JSON, see domain/fetch
    agent      text        COLLATE "C" NOT NULL,
    full_name  text        COLLATE "C" NOT NULL, -- empty for the primary name
    CONSTRAINT want_pkey PRIMARY KEY (key_hash)
);
CREATE INDEX want_agent_idx ON {schema}.want (agent);

-- The lists that the API pages through, and their lengths: see package ranked. Keys: (key_a, key_b, key_c). Names:
--
--   names, valid, expired, revoked                                  all names
--   namespace:<ns>, active:<ns>, lapsed:<ns>, disabled:<ns>         those of a namespace: all; valid and not revoked;
--                                                                   expired; revoked
--   held:<owner>, over:<owner>, withdrawn:<owner>                  those of an owner: valid; expired; revoked
{ranked}
-- Indexes for readers: a build makes them at its end.

CREATE UNIQUE INDEX event_name_idx ON {schema}.event (full_name, name_n) WHERE full_name IS NOT NULL;
CREATE INDEX event_namespace_idx ON {schema}.event (namespace, n) WHERE full_name IS NULL;
CREATE INDEX event_txid_idx ON {schema}.event (txid, n);
-- Names of an owner at any height, and soonest expiries.
CREATE INDEX name_owner_history_idx ON {schema}.name (owner, full_name, height) WHERE owner IS NOT NULL;
CREATE INDEX name_owner_expiry_idx ON {schema}.name (owner, expires_at, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND expires_at IS NOT NULL;
CREATE INDEX name_owner_revoked_idx ON {schema}.name (owner, key_a, key_b, key_c, full_name) WHERE until_height IS NULL AND owner IS NOT NULL AND revoked;
CREATE INDEX name_listed_idx ON {schema}.name (listed_n) WHERE until_height IS NULL AND listed_n IS NOT NULL;
CREATE INDEX name_listed_namespace_idx ON {schema}.name (namespace, listed_n) WHERE until_height IS NULL AND listed_n IS NOT NULL;
CREATE INDEX name_registered_idx ON {schema}.name (namespace, registered_at) WHERE until_height IS NULL AND owner IS NOT NULL;
CREATE INDEX want_due_idx ON {schema}.want (kind, priority, due_at);
CREATE INDEX preorder_open_idx ON {schema}.preorder (principal, height DESC, tx_index DESC) WHERE used_height IS NULL;
