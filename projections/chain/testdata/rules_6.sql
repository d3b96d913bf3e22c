-- Tables of rules 6 of the projection chain.

CREATE TABLE {schema}.block (
    source_seq                 bigint   NOT NULL,
    first_seq                  bigint   NOT NULL DEFAULT 0,
    height                     bigint   NOT NULL,
    size                       bigint   NOT NULL,
    burn_block_height          bigint   NOT NULL,
    burn_block_time            bigint   NOT NULL,
    block_time                 bigint,
    tenure_height              bigint,
    parent_burn_block_height   bigint,
    parent_burn_block_time     bigint,
    pox_v1_unlock_height       bigint,
    pox_v2_unlock_height       bigint,
    pox_v3_unlock_height       bigint,
    pox_v4_unlock_height       bigint,
    cycle_number               bigint,
    execution_cost_read_count   bigint  NOT NULL,
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    tx_count                   int      NOT NULL,
    event_count                int      NOT NULL,
    interface_count            int      NOT NULL DEFAULT 0,
    parent_microblock_sequence int      NOT NULL,
    attached                   boolean  NOT NULL,
    nakamoto                   boolean  NOT NULL,
    index_block_hash           bytea    NOT NULL,
    parent_index_block_hash    bytea    NOT NULL,
    block_hash                 bytea    NOT NULL,
    parent_block_hash          bytea    NOT NULL,
    burn_block_hash            bytea    NOT NULL,
    parent_burn_block_hash     bytea,
    consensus_hash             bytea,
    burn_view                  bytea,
    miner_txid                 bytea    NOT NULL,
    parent_microblock_hash     bytea    NOT NULL,
    signer_bitvec              bytea,
    signer_signature_hash      bytea,
    miner_signature            bytea,
    signer_signatures          bytea[],
    CONSTRAINT block_pkey PRIMARY KEY (source_seq),
    CONSTRAINT block_index_block_hash_key UNIQUE (index_block_hash)
);
CREATE INDEX block_parent_idx ON {schema}.block (parent_index_block_hash);
CREATE INDEX block_height_idx ON {schema}.block (height, burn_block_height);
CREATE INDEX block_burn_block_hash_idx ON {schema}.block (burn_block_hash);
CREATE INDEX block_detached_idx ON {schema}.block (parent_index_block_hash) WHERE NOT attached;

CREATE TABLE {schema}.canonical (
    height     bigint NOT NULL,
    block_seq  bigint NOT NULL,
    source_seq bigint NOT NULL,
    CONSTRAINT canonical_pkey PRIMARY KEY (height),
    CONSTRAINT canonical_block_seq_key UNIQUE (block_seq)
);

CREATE TABLE {schema}.narrow_copy (
    source_seq       bigint NOT NULL,
    tx_count         int    NOT NULL,
    event_count      int    NOT NULL,
    index_block_hash bytea  NOT NULL,
    CONSTRAINT narrow_copy_pkey PRIMARY KEY (source_seq)
);

CREATE TABLE {schema}.unknown_field (
    first_seq  bigint NOT NULL,
    source_seq bigint NOT NULL,
    events     bigint NOT NULL,
    path       text   COLLATE "C" NOT NULL,
    CONSTRAINT unknown_field_pkey PRIMARY KEY (path)
);

CREATE TABLE {schema}.foreign_network (
    first_seq  bigint NOT NULL,
    source_seq bigint NOT NULL,
    events     bigint NOT NULL,
    network    text   COLLATE "C" NOT NULL,
    CONSTRAINT foreign_network_pkey PRIMARY KEY (network)
);

CREATE TABLE {schema}.gap (
    height                  bigint NOT NULL,
    source_seq              bigint NOT NULL,
    parent_index_block_hash bytea  NOT NULL,
    CONSTRAINT gap_pkey PRIMARY KEY (parent_index_block_hash)
);

CREATE TABLE {schema}.unfinished (
    source_seq       bigint   NOT NULL,
    number           bigint   NOT NULL,
    kind             smallint NOT NULL,
    stage            smallint NOT NULL,
    index_block_hash bytea    NOT NULL,
    CONSTRAINT unfinished_pkey PRIMARY KEY (kind, number)
);

CREATE TABLE {schema}.step (
    step             bigint   NOT NULL,
    height           bigint   NOT NULL,
    block_seq        bigint   NOT NULL,
    block_size       bigint   NOT NULL,
    source_seq       bigint   NOT NULL,
    kind             smallint NOT NULL,
    index_block_hash bytea    NOT NULL,
    record           smallint,
    CONSTRAINT step_pkey PRIMARY KEY (step),
    CONSTRAINT step_kind_check CHECK (kind IN (1, 0, -1)),
    CONSTRAINT step_record_check CHECK ((record IS NULL) = (kind <> 0) AND record BETWEEN 1 AND 5)
);

CREATE TABLE {schema}.burn_block (
    height                 bigint  NOT NULL,
    source_seq             bigint  NOT NULL,
    changed_seq            bigint  NOT NULL,
    size                   bigint  NOT NULL,
    burn_amount            numeric NOT NULL,
    canonical              boolean NOT NULL,
    burn_block_hash        bytea   NOT NULL,
    consensus_hash         bytea   NOT NULL,
    parent_burn_block_hash bytea,
    CONSTRAINT burn_block_pkey PRIMARY KEY (burn_block_hash, consensus_hash)
);
CREATE INDEX burn_block_height_idx ON {schema}.burn_block (height);
CREATE UNIQUE INDEX burn_block_followed_idx ON {schema}.burn_block (height) WHERE canonical;
CREATE INDEX burn_block_consensus_hash_idx ON {schema}.burn_block (consensus_hash);

CREATE TABLE {schema}.transaction (
    source_seq          bigint  NOT NULL,
    tx_index            int     NOT NULL,
    execution_index     int     NOT NULL,
    event_count         int     NOT NULL,
    microblock_sequence int,
    type_id             smallint,
    nonce               numeric,
    sponsor_nonce       numeric,
    fee                 numeric NOT NULL,
    execution_cost_read_count   bigint  NOT NULL,
    execution_cost_read_length  bigint  NOT NULL,
    execution_cost_runtime      bigint  NOT NULL,
    execution_cost_write_count  bigint  NOT NULL,
    execution_cost_write_length bigint  NOT NULL,
    txid                bytea   NOT NULL,
    status              text    NOT NULL,
    sender              text,
    sponsor             text,
    contract_id         text,
    function_name       text,
    raw_result          bytea   NOT NULL,
    raw_tx              bytea   NOT NULL,
    microblock_hash     bytea,
    vm_error            text,
    burnchain_op        text,
    CONSTRAINT transaction_pkey PRIMARY KEY (source_seq, tx_index)
);

CREATE TABLE {schema}.event (
    source_seq          bigint   NOT NULL,
    tx_index            int      NOT NULL,
    event_index         int      NOT NULL,
    pointer             int      NOT NULL,
    unlock_height       bigint,
    amount              numeric,
    type                text     NOT NULL,
    asset_identifier    text,
    contract_identifier text,
    topic               text,
    sender              text,
    recipient           text,
    value               bytea,
    memo                bytea,
    CONSTRAINT event_pkey PRIMARY KEY (source_seq, tx_index, event_index)
);

CREATE TABLE {schema}.contract (
    source_seq      bigint   NOT NULL,
    tx_index        int      NOT NULL,
    clarity_version smallint,
    contract_id     text     NOT NULL,
    source_code     text     NOT NULL,
    interface       text,
    interface_seq   bigint,
    functions       bytea[],
    CONSTRAINT contract_pkey PRIMARY KEY (contract_id, source_seq, tx_index)
);

CREATE TABLE {schema}.microblock (
    source_seq              bigint NOT NULL,
    sequence                int    NOT NULL,
    tx_count                int    NOT NULL,
    microblock_hash         bytea  NOT NULL,
    microblock_parent_hash  bytea  NOT NULL,
    parent_index_block_hash bytea  NOT NULL,
    CONSTRAINT microblock_pkey PRIMARY KEY (microblock_hash, parent_index_block_hash)
);

CREATE TABLE {schema}.microblock_confirmation (
    source_seq      bigint NOT NULL,
    sequence        int    NOT NULL,
    microblock_hash bytea  NOT NULL,
    CONSTRAINT microblock_confirmation_pkey PRIMARY KEY (source_seq, microblock_hash)
);

CREATE INDEX block_hash_idx ON {schema}.block (block_hash);
CREATE INDEX contract_functions_idx ON {schema}.contract USING gin (functions) WHERE functions IS NOT NULL;
CREATE INDEX transaction_txid_idx ON {schema}.transaction (txid);
CREATE INDEX microblock_parent_idx ON {schema}.microblock (parent_index_block_hash, sequence);
CREATE INDEX microblock_confirmation_hash_idx ON {schema}.microblock_confirmation (microblock_hash);
