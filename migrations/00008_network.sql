-- +goose Up

-- The network whose events the log has. The first start or import writes it, and a start with another network is refused.
-- It is beside the log, so that a backup of the schema log has it.
CREATE TABLE log.network (
    name     text   NOT NULL CHECK (name IN ('mainnet', 'testnet')), -- decides the versions of addresses
    chain_id bigint NOT NULL CHECK (chain_id BETWEEN 1 AND 4294967295)
);
CREATE UNIQUE INDEX network_one_row ON log.network ((true));
