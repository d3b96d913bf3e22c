-- Tables of the faucet. They exist only where a faucet has run, which is never on mainnet.
CREATE SCHEMA IF NOT EXISTS faucet;

-- The keys that pay. A process that sends locks all rows, so that transactions are sent one after the other, whichever
-- process sends them.
CREATE TABLE IF NOT EXISTS faucet.key (
    place      int         NOT NULL, -- of the last turn: the key with the lowest place is next
    next_nonce numeric     NOT NULL, -- one more than that of the last transaction that a node accepted
    sent_at    timestamptz NOT NULL, -- when that was; -infinity if there is none
    address    text        COLLATE "C" NOT NULL,
    CONSTRAINT key_pkey PRIMARY KEY (address)
);

-- What was sent in the last days, to limit it.
CREATE TABLE IF NOT EXISTS faucet.request (
    sent_at  timestamptz NOT NULL,
    stacking boolean     NOT NULL,
    address  text        COLLATE "C" NOT NULL,
    client   text        COLLATE "C" NOT NULL -- the address that the request came from
);
CREATE INDEX IF NOT EXISTS request_address_idx ON faucet.request (address, sent_at);
CREATE INDEX IF NOT EXISTS request_sent_at_idx ON faucet.request (sent_at);
