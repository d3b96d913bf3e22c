-- Tables of the projection names: the first naming system, BNS v1. Rows are of canonical blocks, except for zonefiles, their
-- records, and the attempts to fetch them: a zonefile is what its hash says, whichever block it belongs to. Nor does what Stacks 1.0 had depend on
-- blocks: its rows have the number 0, the height 0, and a txid of zeros; their place in the event is /text.
--
-- source_seq is the event of the log that a row came from. Heights called clock are in the clock of the contract: of
-- Stacks blocks before epoch 3.0, of tenures since.
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
--   clock: height in the clock of the contract
--   tx_index: index of the transaction in the block's list, from 0; field tx_index of /new_block#/transactions
--   txid: transaction id, 32 bytes (SIP-005); field txid of /new_block#/transactions
--   can_update_price: the importer may change the prices
--   price_base: of the price function
--   price_coefficient: of the price function
--   nonalpha_discount: divisor of the price of names with other characters than letters
--   no_vowel_discount: divisor of the price of names without vowels
--   namespace: what follows the last dot of a name
--   importer: principal that imports names
--   owner: principal
--   zonefile_hash: 20 bytes: RIPEMD-160 of SHA-256 of the content
--   content: the zonefile's text (RFC 1035), as bytes
--   waits: as in want
--   reason: as in want
--   severity: as in want
--   due_at: when to ask next
--   label: what precedes the name in a subdomain
--   sequence: number of the change of the subdomain
--   name: the name, a dot and its namespace

-- The canonical blocks.
CREATE TABLE {schema}.block (
    source_seq        bigint NOT NULL,
    height            bigint NOT NULL,
    burn_block_height bigint NOT NULL,
    clock             bigint NOT NULL,
    time              bigint NOT NULL, -- seconds since 1970
    index_block_hash  bytea  NOT NULL,
    block_hash        bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The properties of launched namespaces, after the launch and after each change. The last row of a namespace counts.
CREATE TABLE {schema}.namespace (
    n                 int     NOT NULL, -- among the rows of the namespace, from 1, which is the launch or, without it, what the registry said; 0 for Stacks 1.0
    height            bigint  NOT NULL,
    source_seq        bigint  NOT NULL,
    tx_index          int     NOT NULL,
    pointer           int,              -- /events/<pointer>; null for a call that prints nothing
    ready_height      bigint  NOT NULL, -- the block of the launch; if that is not in the log, the one at which the registry was read
    can_update_price  boolean NOT NULL,
    revealed_at       numeric NOT NULL, -- clock
    launched_at       numeric,          -- clock
    lifetime          numeric NOT NULL, -- clock; 0 for names that never expire
    price_base        numeric NOT NULL,
    price_coefficient numeric NOT NULL,
    nonalpha_discount numeric NOT NULL,
    no_vowel_discount numeric NOT NULL,
    price_buckets     numeric[] NOT NULL, -- 16
    txid              bytea   NOT NULL,
    namespace         text    COLLATE "C" NOT NULL,
    importer          text    COLLATE "C" NOT NULL,
    exchange          int,              -- of the report that tells of the change: /exchanges/<exchange>; null otherwise
    CONSTRAINT namespace_pkey PRIMARY KEY (namespace, n)
);
CREATE INDEX namespace_height_idx ON {schema}.namespace (height);

-- What was done with names. The last row of a name says what it is.
CREATE TABLE {schema}.operation (
    n             int      NOT NULL, -- among the rows of the name, from 1; 0 for Stacks 1.0
    height        bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    registered_at bigint,            -- clock; null for an imported name
    imported_at   bigint,            -- clock; null for a registered name
    tx_index      int      NOT NULL,
    pointer       int,               -- /events/<pointer>; null for a renewal that prints nothing
    operation     smallint NOT NULL, -- 1 register, 2 import, 3 update, 4 transfer, 5 renewal, 6 revoke
    txid          bytea    NOT NULL,
    zonefile_hash bytea    NOT NULL, -- 20 bytes; empty for none
    name          text     COLLATE "C" NOT NULL, -- with its namespace
    owner         text     COLLATE "C" NOT NULL,
    exchange      int,               -- of the report that tells of the renewal: /exchanges/<exchange>; null otherwise
    CONSTRAINT operation_pkey PRIMARY KEY (name, n)
);
CREATE INDEX operation_height_idx ON {schema}.operation (height);
-- Zonefiles come after the operations that name them, or never.
CREATE INDEX operation_hash_idx ON {schema}.operation (zonefile_hash, height) WHERE zonefile_hash <> '\x';

-- Who held the token of a name after each event of the token.
CREATE TABLE {schema}.custody (
    n          int    NOT NULL, -- among the rows of the name, from 1
    height     bigint NOT NULL,
    source_seq bigint NOT NULL,
    pointer    int    NOT NULL, -- /events/<pointer>
    name       text   COLLATE "C" NOT NULL,
    holder     text   COLLATE "C", -- null if it was burnt
    CONSTRAINT custody_pkey PRIMARY KEY (name, n)
);
CREATE INDEX custody_height_idx ON {schema}.custody (height);

-- Each name as it is now, for lists. a, b and c are its first 24 bytes as numbers in the same order.
CREATE TABLE {schema}.name (
    source_seq bigint  NOT NULL, -- the event of its last operation or of its token's last event
    a          bigint  NOT NULL, -- bytes 1 to 8 of the name, big-endian
    b          bigint  NOT NULL, -- bytes 9 to 16
    c          bigint  NOT NULL, -- bytes 17 to 24
    listed     boolean NOT NULL, -- it has an operation, and is not revoked
    name       text    COLLATE "C" NOT NULL,
    namespace  text    COLLATE "C" NOT NULL,
    holder     text    COLLATE "C", -- of the token; without events of the token, the owner of the last operation
    CONSTRAINT name_pkey PRIMARY KEY (name)
);
CREATE INDEX name_order_idx ON {schema}.name (a, b, c, name) WHERE listed;
CREATE INDEX name_holder_idx ON {schema}.name (holder, name);
CREATE INDEX name_namespace_idx ON {schema}.name (namespace, a, b, c, name) WHERE listed;

-- The zonefiles that nodes have found. The first announcement of a zonefile counts, or the first answer to a request.
CREATE TABLE {schema}.zonefile (
    source_seq    bigint NOT NULL,
    entry         int    NOT NULL, -- /<entry>/content; -1 for Stacks 1.0
    exchange      int,             -- of a report: /exchanges/<exchange>; null for an announcement
    zonefile_hash bytea  NOT NULL,
    content       bytea  NOT NULL,
    resolver      text   NOT NULL, -- empty for none
    CONSTRAINT zonefile_pkey PRIMARY KEY (zonefile_hash)
);

-- What came of the requests for zonefiles that are not there yet.
CREATE TABLE {schema}.attempt (
    source_seq    bigint      NOT NULL, -- the last report
    due_at        timestamptz NOT NULL, -- the next attempt
    attempts      int         NOT NULL, -- as in want
    waits         int         NOT NULL,
    reason        smallint    NOT NULL,
    severity      smallint    NOT NULL,
    zonefile_hash bytea       NOT NULL,
    CONSTRAINT attempt_pkey PRIMARY KEY (zonefile_hash)
);

-- What a node is asked for. That are the zonefiles that operations name and that have not come: each of these rows follows
-- from the first of the operations and from attempt. And it is what the registry says about a name or a namespace that a
-- contract may have changed without a print: see act and reading.
CREATE TABLE {schema}.want (
    source_seq    bigint      NOT NULL, -- the operation or the act, or the last report that failed
    due_at        timestamptz NOT NULL,
    min_height    bigint,               -- the act; null for a zonefile, which is the same at any block
    attempts      int         NOT NULL, -- reports that failed, without waits
    waits         int         NOT NULL, -- reports for which no node answered (fetch.Waiting), since the last that counted
    priority      smallint    NOT NULL, -- 2 never asked for, 4 asked for before
    reason        smallint    NOT NULL, -- of the last failure (fetch.Reason)
    severity      smallint    NOT NULL, -- of the last failure (fetch.Severity)
    key_hash      bytea       NOT NULL, -- SHA-256 of the want's key
    zonefile_hash bytea,                -- null unless a zonefile is wanted
    kind          text        NOT NULL, -- fetch.Attachment or fetch.ContractRead
    want          text        NOT NULL, -- JSON, see domain/fetch
    subject       text        COLLATE "C", -- the name or the namespace that is read; null for a zonefile
    CONSTRAINT want_pkey PRIMARY KEY (key_hash)
);
CREATE UNIQUE INDEX want_subject_idx ON {schema}.want (subject) WHERE subject IS NOT NULL;

-- The contracts that may have the registry change something without a print: because a function that does it is named in
-- their source, or in that of a contract that they name.
CREATE TABLE {schema}.caller (
    height      bigint  NOT NULL, -- of the deployment
    source_seq  bigint  NOT NULL,
    tx_index    int     NOT NULL,
    renews      boolean NOT NULL, -- a source has the function name-renewal
    prices      boolean NOT NULL, -- a source has a function that changes prices
    registry    boolean NOT NULL, -- a source names the registry, so that it need not come as an argument
    contract_id text    COLLATE "C" NOT NULL, -- contract principal: address.name (SIP-005)
    CONSTRAINT caller_pkey PRIMARY KEY (contract_id)
);
CREATE INDEX caller_height_idx ON {schema}.caller (height);

-- The names that a contract may have renewed in a block without a print, and the namespaces whose prices it may have
-- changed. A renewal burns STX of the owner of the name; prices are changed by the importer of the namespace.
CREATE TABLE {schema}.act (
    height     bigint NOT NULL,
    source_seq bigint NOT NULL,
    clock      bigint NOT NULL,
    tx_index   int    NOT NULL, -- the last such transaction of the block
    txid       bytea  NOT NULL,
    subject    text   COLLATE "C" NOT NULL, -- a name with its namespace, or a namespace
    registry   text   COLLATE "C" NOT NULL, -- the contract of the network
    CONSTRAINT act_pkey PRIMARY KEY (subject, height)
);
CREATE INDEX act_height_idx ON {schema}.act (height);

-- What the registry has said about names and namespaces, at canonical blocks.
CREATE TABLE {schema}.reading (
    height     bigint NOT NULL, -- of the block at which it was asked
    source_seq bigint NOT NULL, -- the report
    started_at bigint,          -- clock: when the lease of the name began; null for a namespace, and for a name that does not resolve
    subject    text   COLLATE "C" NOT NULL, -- as in act
    CONSTRAINT reading_pkey PRIMARY KEY (subject, height)
);
CREATE INDEX reading_height_idx ON {schema}.reading (height);

-- The TXT records of zonefiles that define subdomains.
CREATE TABLE {schema}.zonefile_record (
    source_seq     bigint NOT NULL,
    place          int    NOT NULL, -- in the zonefile, from 0
    sequence       bigint NOT NULL, -- counts the changes of the subdomain
    zonefile_hash  bytea  NOT NULL, -- of the zonefile with the record
    label          text   COLLATE "C" NOT NULL,
    owner          text   COLLATE "C" NOT NULL,
    content_hash   bytea  NOT NULL, -- last 16 bytes of SHA-256
    content        bytea  NOT NULL, -- the subdomain's own zonefile
    CONSTRAINT zonefile_record_pkey PRIMARY KEY (zonefile_hash, place)
);

-- The subdomains that updates of names define. Of a subdomain, the row with the greatest sequence counts, and of several
-- the last.
CREATE TABLE {schema}.subdomain (
    sequence      bigint NOT NULL,
    n             int    NOT NULL, -- operation.n; 0 for Stacks 1.0, whose sequence is -1
    place         bigint NOT NULL, -- zonefile_record.place; the line of the export
    height        bigint NOT NULL, -- of the operation
    source_seq    bigint NOT NULL, -- the zonefile
    operation_seq bigint NOT NULL, -- the block of the operation
    zonefile_hash bytea  NOT NULL, -- of the zonefile with the record
    txid          bytea  NOT NULL, -- of the operation
    name          text   COLLATE "C" NOT NULL, -- of which it is a subdomain
    label         text   COLLATE "C" NOT NULL,
    owner         text   COLLATE "C" NOT NULL,
    content_hash  bytea, -- of the subdomain's own zonefile: the key of the table zonefile; only of Stacks 1.0
    resolver      text,  -- empty for none; only of Stacks 1.0
    CONSTRAINT subdomain_pkey PRIMARY KEY (name, label, sequence, n, place)
);
CREATE INDEX subdomain_height_idx ON {schema}.subdomain (height);

-- The lists that the API pages through, and their lengths: see package ranked. Names and keys:
--
--   names, names:<namespace>    (name.a, name.b, name.c) of listed names
{ranked}
-- Indexes for readers: a build makes them at its end.

CREATE INDEX namespace_ready_idx ON {schema}.namespace (namespace) WHERE n <= 1;
CREATE INDEX operation_zonefile_idx ON {schema}.operation (name, zonefile_hash);
CREATE INDEX subdomain_owner_idx ON {schema}.subdomain (owner, name, label);
CREATE INDEX subdomain_operation_idx ON {schema}.subdomain (name, n);
CREATE INDEX want_due_idx ON {schema}.want (kind, priority, due_at);
CREATE INDEX want_zonefile_idx ON {schema}.want (zonefile_hash) WHERE zonefile_hash IS NOT NULL;
