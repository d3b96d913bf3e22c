-- Tables of the projection brc20: tokens, their operations, and balances. Rows come from blocks that are applied now.
-- Amounts are in whole tokens, with 18 decimals, which is the most that a token can have.
--
-- source_seq is the event of the log that a row comes from; "transaction" is the position within its block. The JSON
-- pointer is /apply/<block_index>/transactions/<transaction>/metadata/brc20_operation. Tickers and addresses are
-- ordinals.Bounded.
--
-- Columns without a comment of their own:
--   height: Bitcoin height; field block_identifier/index of the feed
--   source_seq: position in the log of the event that the row comes from (log.event.seq; at the API
--     /audit/v1/events/{seq})
--   block_hash: hash of the Bitcoin block, 32 bytes in the order that explorers show; field block_identifier/hash of
--     the feed
--   tx_index: index of the Bitcoin transaction in its block
--   txid: id of the Bitcoin transaction, 32 bytes
--   ticker: lower case
--   address: Bitcoin address, as text
--   transferrable: whole tokens inscribed as transfers that were not sent yet
--   available: whole tokens that are not inscribed as transfers

-- The Bitcoin blocks that are applied now.
CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    time        bigint NOT NULL, -- unix seconds
    block_index int    NOT NULL, -- position in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- The tokens with operations. If the deploy of a token is not known, because the feed lacks its block, height and all
-- other columns that come from the deploy are null. Of two deploys the last one counts; the feed has yet to revert the
-- block of one of them.
CREATE TABLE {schema}.token (
    height       bigint,            -- of the deploy
    tx_index     bigint,
    source_seq   bigint,
    number       bigint,            -- of the deploying inscription; null if the feed does not tell
    tx_count     bigint   NOT NULL, -- number of operations, including the deploy
    holders      bigint   NOT NULL, -- number of addresses with a balance above zero
    decimals     smallint, -- of the deploy; 18 unless it says otherwise
    self_mint    boolean, -- only the deployer may mint
    ticker       text     COLLATE "C" NOT NULL, -- lower case
    tick         text,              -- as deployed
    id           text     COLLATE "C",          -- of the deploying inscription
    txid         bytea,
    address      text     COLLATE "C",
    max_supply   numeric(60, 18), -- whole tokens
    mint_limit   numeric(60, 18),   -- null for none
    minted       numeric(60, 18) NOT NULL, -- whole tokens
    CONSTRAINT token_pkey PRIMARY KEY (ticker)
);
CREATE INDEX token_deploy_idx ON {schema}.token (height, tx_index) WHERE height IS NOT NULL;

-- The operations, at most one for each transaction. If a feed gives two transactions of a block the same index, the
-- later one has another index here.
CREATE TABLE {schema}.operation (
    height        bigint   NOT NULL,
    tx_index      bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    number        bigint,            -- of the inscription; null if the feed has not told (a send takes it from its transfer)
    sat           bigint,            -- of the inscription; null as number, and if the inscription is unbound
    sent_height   bigint,            -- of a transfer: the key of its send; null if it was not sent yet
    sent_tx_index bigint, -- see sent_height
    "transaction" int      NOT NULL, -- position of the transaction in the event's block
    kind          smallint NOT NULL, -- 1 deploy, 2 mint, 3 transfer, 4 transfer_send
    decimals      smallint,          -- of a deploy, as are the next two
    self_mint     boolean, -- only the deployer may mint
    tick          text, -- ticker as inscribed
    ticker        text     COLLATE "C" NOT NULL,
    id            text     COLLATE "C" NOT NULL, -- of the inscription
    address       text     COLLATE "C" NOT NULL, -- who deploys, mints, inscribes or sends
    receiver      text     COLLATE "C",          -- of a send; '' if the amount was burnt
    amount        numeric(60, 18),   -- null for a deploy
    max_supply    numeric(60, 18),   -- of a deploy
    mint_limit    numeric(60, 18),   -- of a deploy; null for none
    txid          bytea    NOT NULL,
    satpoint      text,              -- of the inscription after the operation; null if the feed does not tell
    -- Of a send whose transaction moved several sats: these sats, and the satpoints to which they moved. The fold may
    -- learn only later which of them is the inscription's.
    moved_sats    bigint[],
    moved_to      text[], -- see moved_sats
    CONSTRAINT operation_pkey PRIMARY KEY (height, tx_index)
);
CREATE INDEX operation_kind_idx ON {schema}.operation (kind, height, tx_index);
CREATE INDEX operation_ticker_idx ON {schema}.operation (ticker, kind, height, tx_index);
CREATE INDEX operation_address_idx ON {schema}.operation (address, kind, height, tx_index);
CREATE INDEX operation_receiver_idx ON {schema}.operation (receiver, height, tx_index) WHERE receiver IS NOT NULL;
CREATE INDEX operation_id_idx ON {schema}.operation (id) WHERE kind IN (3, 4);
CREATE INDEX operation_transferable_idx ON {schema}.operation (address, height, tx_index) WHERE kind = 3 AND sent_height IS NULL;

-- The ledger: every change of a balance, with the balance after it.
CREATE TABLE {schema}.entry (
    height              bigint NOT NULL,
    tx_index            bigint NOT NULL,
    source_seq          bigint NOT NULL,
    ticker              text   COLLATE "C" NOT NULL,
    address             text   COLLATE "C" NOT NULL,
    available_delta     numeric(60, 18) NOT NULL, -- whole tokens
    transferrable_delta numeric(60, 18) NOT NULL, -- whole tokens
    available           numeric(60, 18) NOT NULL, -- after the change
    transferrable       numeric(60, 18) NOT NULL,
    CONSTRAINT entry_pkey PRIMARY KEY (address, ticker, height, tx_index)
);
CREATE INDEX entry_height_idx ON {schema}.entry (height);

-- The last entry of each ticker and address; zero balances too.
CREATE TABLE {schema}.balance (
    height        bigint NOT NULL,
    tx_index      bigint NOT NULL,
    source_seq    bigint NOT NULL,
    ticker        text   COLLATE "C" NOT NULL,
    address       text   COLLATE "C" NOT NULL,
    available     numeric(60, 18) NOT NULL,
    transferrable numeric(60, 18) NOT NULL,
    total         numeric(60, 18) NOT NULL, -- whole tokens: available and transferrable
    CONSTRAINT balance_pkey PRIMARY KEY (ticker, address)
) WITH (fillfactor = 80);

-- The balances of which a part is below zero, which no token allows: the feed lacks operations. There are few, so they have a table
-- of their own instead of an index of balances, which would make each change of a balance dearer.
CREATE TABLE {schema}.below_zero (
    ticker  text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    CONSTRAINT below_zero_pkey PRIMARY KEY (ticker, address)
);

-- These balances, with the operation that changed each last.
CREATE VIEW {schema}.negative_balance AS
SELECT
    b.source_seq, -- position in the log of the event with that operation
    b.height, -- Bitcoin height of the operation
    b.ticker, -- lower case
    b.address, -- Bitcoin address
    b.available, -- whole tokens that are not inscribed as transfers
    b.transferrable, -- whole tokens inscribed as transfers that were not sent yet
    '/apply/' || k.block_index || '/transactions/' || o."transaction" || '/metadata/brc20_operation' AS pointer -- JSON pointer of the operation
FROM {schema}.below_zero z
JOIN {schema}.balance b USING (ticker, address)
JOIN {schema}.operation o ON o.height = b.height AND o.tx_index = b.tx_index
JOIN {schema}.block k ON k.height = b.height;

-- The lists that the read API pages through, and their lengths: see package ranked. Names and keys:
--
--   all, kind:<n>, ticker:<ticker>, ticker_kind:<n>:<ticker>,
--   address:<address>, address_kind:<n>:<address>        (height, tx_index, 0), of operations
--   transferable:<address>                               (height, tx_index, 0), of transfers that were not sent yet
--   tokens                                               (height, tx_index, 0), of tokens with a deploy
--
-- A send is in the lists of both its sender and its receiver, or once in one list if these are the same.
{ranked}

-- Indexes for readers: a build makes them at its end.

CREATE INDEX token_tx_count_idx ON {schema}.token (tx_count DESC, ticker) WHERE height IS NOT NULL;
CREATE INDEX balance_total_idx ON {schema}.balance (ticker, total DESC, address) WHERE total > 0;
CREATE INDEX balance_address_idx ON {schema}.balance (address, total DESC, ticker);
