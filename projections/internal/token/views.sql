-- Views in schema api for SQL users. They show canonical rows only: amounts as numeric, hashes as text, times as timestamptz.

-- Tokens of the kind {kind}, with what their contracts answered about them. Key: (contract_id, token_id). Index: the key.
CREATE VIEW api.{kind}_tokens AS
SELECT
    t.contract_id, -- the contract of the token
    t.token_id, -- number of the token in the contract; 1 for a fungible one
    c.contract_id || '::' || coalesce(c.fungible_token, c.non_fungible_token) AS asset, -- asset identifier, as in views of balances; null if the interface names no token
    t.name, -- as the contract answered; null if it did not
    t.symbol, -- as the contract answered; null if it did not
    t.decimals, -- as the contract answered: a balance is divided by 10 to this power; null if it did not
    t.total_supply, -- base units, as the contract answered; null if it did not
    t.uri, -- of the token's document (SIP-016); null for none
    t.height, -- height of the Stacks block that made the token known
    t.read_height, -- height of the block at which the contract was read; null if never
    t.read_at, -- when it was read; null if never
    t.source_seq -- position in the log of the event that made the token known
FROM {schema}.token t
LEFT JOIN {schema}.contract c ON c.contract_id = t.contract_id;
