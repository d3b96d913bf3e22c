-- Tables of the projection brc20: tokens, what was done with them, and who has how much. Rows are of blocks that are applied
-- now. Amounts are in whole tokens, with the 18 decimals that a token has at most.
--
-- source_seq is the event of the log that a row came from; "transaction" says where in its block: the JSON pointer is
-- /apply/<block_index>/transactions/<transaction>/metadata/brc20_operation. Tickers and addresses are ordinals.Bounded.

CREATE TABLE {schema}.block (
    height      bigint NOT NULL,
    source_seq  bigint NOT NULL,
    time        bigint NOT NULL, -- unix seconds
    block_index int    NOT NULL, -- in the list under apply
    block_hash  bytea  NOT NULL,
    CONSTRAINT block_pkey PRIMARY KEY (height)
);

-- A token, or one of which operations are known and its deploy is not, as the feed lacks a block: height is null then, with
-- all else that the deploy says. Of two deploys, one of which must be of a block that is still to be taken back, the last
-- counts.
CREATE TABLE {schema}.token (
    height       bigint,            -- of the deploy
    tx_index     bigint,
    source_seq   bigint,
    number       bigint,            -- of the deploying inscription; null when the feed does not say
    tx_count     bigint   NOT NULL, -- operations, the deploy included
    holders      bigint   NOT NULL, -- addresses with more than nothing
    decimals     smallint,
    self_mint    boolean,
    ticker       text     COLLATE "C" NOT NULL, -- lower case
    tick         text,              -- as it was deployed
    id           text     COLLATE "C",          -- of the deploying inscription
    txid         bytea,
    address      text     COLLATE "C",
    max_supply   numeric(60, 18),
    mint_limit   numeric(60, 18),   -- null for none
    minted       numeric(60, 18) NOT NULL,
    CONSTRAINT token_pkey PRIMARY KEY (ticker)
);
CREATE INDEX token_deploy_idx ON {schema}.token (height, tx_index) WHERE height IS NOT NULL;

-- At most one of each transaction. Where a feed gives two transactions of a block one index, the later one has another here.
CREATE TABLE {schema}.operation (
    height        bigint   NOT NULL,
    tx_index      bigint   NOT NULL,
    source_seq    bigint   NOT NULL,
    number        bigint,            -- of the inscription; null when the feed has not said it (of a send: what its transfer said)
    sat           bigint,            -- that it is on
    sent_height   bigint,            -- of a transfer: where it was sent; null when it was not yet
    sent_tx_index bigint,
    "transaction" int      NOT NULL,
    kind          smallint NOT NULL, -- 1 deploy, 2 mint, 3 transfer, 4 transfer_send
    decimals      smallint,          -- of a deploy, as are the next two
    self_mint     boolean,
    tick          text,
    ticker        text     COLLATE "C" NOT NULL,
    id            text     COLLATE "C" NOT NULL, -- of the inscription
    address       text     COLLATE "C" NOT NULL, -- who deploys, mints, inscribes or sends
    receiver      text     COLLATE "C",          -- of a send; '' when it was burnt
    amount        numeric(60, 18),   -- null for a deploy
    max_supply    numeric(60, 18),   -- of a deploy
    mint_limit    numeric(60, 18),   -- of a deploy; null for none
    txid          bytea    NOT NULL,
    satpoint      text,              -- where the inscription is after it; null when the feed does not say
    -- Of a send: where its transaction took which sats, if it moved several. Which of them it was may turn out later.
    moved_sats    bigint[],
    moved_to      text[],
    CONSTRAINT operation_pkey PRIMARY KEY (height, tx_index)
);
CREATE INDEX operation_kind_idx ON {schema}.operation (kind, height, tx_index);
CREATE INDEX operation_ticker_idx ON {schema}.operation (ticker, kind, height, tx_index);
CREATE INDEX operation_address_idx ON {schema}.operation (address, kind, height, tx_index);
CREATE INDEX operation_receiver_idx ON {schema}.operation (receiver, height, tx_index) WHERE receiver IS NOT NULL;
CREATE INDEX operation_id_idx ON {schema}.operation (id) WHERE kind IN (3, 4);
CREATE INDEX operation_transferable_idx ON {schema}.operation (address, height, tx_index) WHERE kind = 3 AND sent_height IS NULL;

-- The ledger: every change of a balance, with what it was afterwards.
CREATE TABLE {schema}.entry (
    height              bigint NOT NULL,
    tx_index            bigint NOT NULL,
    source_seq          bigint NOT NULL,
    ticker              text   COLLATE "C" NOT NULL,
    address             text   COLLATE "C" NOT NULL,
    available_delta     numeric(60, 18) NOT NULL,
    transferrable_delta numeric(60, 18) NOT NULL,
    available           numeric(60, 18) NOT NULL, -- after it
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
    total         numeric(60, 18) NOT NULL,
    CONSTRAINT balance_pkey PRIMARY KEY (ticker, address)
) WITH (fillfactor = 80);

-- Lists that the API pages through, and how long they are: see package ranked. Names and keys:
--
--   all, kind:<n>, ticker:<ticker>, ticker_kind:<n>:<ticker>,
--   address:<address>, address_kind:<n>:<address>        (height, tx_index, 0), of operations
--   transferable:<address>                               (height, tx_index, 0), of transfers that were not sent yet
--   tokens                                               (height, tx_index, 0), of tokens with a deploy
--
-- A send is in the lists of both its sender and its receiver, once where they are the same.
{ranked}

-- Indexes for readers: a build makes them at its end.

CREATE INDEX token_tx_count_idx ON {schema}.token (tx_count DESC, ticker) WHERE height IS NOT NULL;
CREATE INDEX balance_total_idx ON {schema}.balance (ticker, total DESC, address) WHERE total > 0;
CREATE INDEX balance_address_idx ON {schema}.balance (address, total DESC, ticker);
