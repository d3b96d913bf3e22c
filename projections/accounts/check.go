package accounts

import "strata/projections"

// lists are all lists with an owner: the table, the columns of the owner and of the number, the column within whose
// values rows are numbered (0 for none), and the column that orders the rows of a transaction.
var lists = []struct{ table, owner, number, within, events string }{
	{"account_transaction", "account", "n", "0", "0"},
	{"account_event", "account", "n", "0", "event_index"},
	{"contract_event", "contract", "n", "0", "event_index"},
	{"contract_event", "contract", "topic_n", "topic", "event_index"},
	{"contract_event", "contract", "function_n", "function", "event_index"},
	{"account_event", "account", "asset_n", "asset", "event_index"},
}

// Checks implements projections.Checked.
func (p *Accounts) Checks() []projections.Check {
	checks := []projections.Check{
		{Name: "blocks continue each other", SQL: `
			SELECT height FROM (
				SELECT b.*, lag(height) OVER w AS below, lag(last_tx, 1, 0::bigint) OVER w AS tx_below, lag(accounts, 1, 0) OVER w AS accounts_below
				FROM {schema}.block b WINDOW w AS (ORDER BY height)
			) b
			WHERE height <> below + 1 OR first_tx <> tx_below + 1 OR last_tx < first_tx - 1 OR accounts < accounts_below`},
		{Name: "Bitcoin blocks with Stacks blocks are numbered without gaps", SQL: `
			SELECT height FROM (
				SELECT b.*, lag(burn_blocks, 1, 0::bigint) OVER w AS blocks_below, lag(burn_block_hash) OVER w AS below
				FROM {schema}.block b WINDOW w AS (ORDER BY height)
			) b
			WHERE burn_blocks <> blocks_below + (burn_block_hash IS DISTINCT FROM below)::int`},
		{Name: "deployments are of transactions that deploy contracts", SQL: `
			SELECT d.tx FROM {schema}.deployment d LEFT JOIN {schema}.transaction t USING (tx_index, source_seq)
			WHERE t.n IS DISTINCT FROM d.tx OR t.type IS DISTINCT FROM 1`},
		{Name: "transactions are numbered without gaps, in the order of their blocks", SQL: `
			SELECT n, t.height FROM (SELECT t.*, row_number() OVER (ORDER BY n) AS place FROM {schema}.transaction t) t
			LEFT JOIN {schema}.block b ON b.height = t.height AND b.source_seq = t.source_seq AND t.n BETWEEN b.first_tx AND b.last_tx
			WHERE n <> place OR b.height IS NULL`},
		{Name: "transactions of a block are in the order of execution", SQL: `
			SELECT n, height FROM (
				SELECT n, height, microblock_sequence, lag(coalesce(microblock_sequence, 2147483647)) OVER w AS sequence_before
				FROM {schema}.transaction WINDOW w AS (PARTITION BY height ORDER BY n)
			) t WHERE coalesce(microblock_sequence, 2147483647) < sequence_before`},
		{Name: "the transactions of a type are numbered without gaps", SQL: `
			SELECT type, n FROM (
				SELECT type, n, type_n, row_number() OVER (PARTITION BY type ORDER BY n) AS place FROM {schema}.transaction WHERE type IS NOT NULL
			) t WHERE type_n IS DISTINCT FROM place`},
		{Name: "totals of transactions by type in the newest block are right", SQL: `
			SELECT b.height, t.type FROM (SELECT * FROM {schema}.block ORDER BY height DESC LIMIT 1) b
			CROSS JOIN LATERAL (VALUES (0, token_transfers), (1, smart_contracts), (2, contract_calls),
				(3, poison_microblocks), (4, coinbases), (7, tenure_changes)) t (type, total)
			WHERE t.total <> (SELECT count(*) FROM {schema}.transaction r WHERE r.type = t.type)`},
		{Name: "accounts are numbered without gaps, in the order of first appearance", SQL: `
			SELECT id, account FROM (
				SELECT a.*, row_number() OVER w AS place, lag(first_height) OVER w AS before FROM {schema}.account a WINDOW w AS (ORDER BY id)
			) a WHERE id <> place OR first_height < before
			UNION ALL
			SELECT accounts, NULL FROM (SELECT accounts FROM {schema}.block ORDER BY height DESC LIMIT 1) b
			WHERE accounts <> (SELECT count(*) FROM {schema}.account)`},
		{Name: "topics are numbered without gaps, and have rows", SQL: `
			SELECT contract, topic FROM (
				SELECT contract, topic, row_number() OVER (PARTITION BY contract ORDER BY topic) AS place FROM {schema}.contract_topic
			) t
			FULL JOIN (SELECT DISTINCT contract, topic, 1 AS here FROM {schema}.contract_event WHERE topic IS NOT NULL) e USING (contract, topic)
			WHERE topic IS DISTINCT FROM place OR here IS NULL`},
		{Name: "running counts of calls are right", SQL: `
			SELECT account, n FROM (
				SELECT account, n, calls, count(*) FILTER (WHERE involvement & 8 <> 0) OVER (PARTITION BY account ORDER BY n) AS counted
				FROM {schema}.account_transaction
			) t WHERE coalesce(calls, 0) <> counted`},
		{Name: "running counts of inbound transfers are right", SQL: `
			SELECT account, n FROM (
				SELECT account, n, inbound, count(transfer_type) OVER (PARTITION BY account ORDER BY n) AS counted
				FROM {schema}.account_event
			) e WHERE coalesce(inbound, 0) <> counted`},
		{Name: "running counts of events that give or take STX are right", SQL: `
			SELECT account, n FROM (
				SELECT account, n, stx_in, stx_out, stx_side, kind, count(*) FILTER (WHERE stx_side & 2 <> 0) OVER w AS ins, count(*) FILTER (WHERE stx_side & 1 <> 0) OVER w AS outs
				FROM {schema}.account_event WINDOW w AS (PARTITION BY account ORDER BY n)
			) e WHERE coalesce(stx_in, 0) <> ins OR coalesce(stx_out, 0) <> outs OR (stx_side IS NULL) <> (kind > 3)`},
		{Name: "rewards of miners are numbered without gaps, with their sums", SQL: `
			SELECT account, n FROM (
				SELECT r.*, row_number() OVER w AS place, sum(coinbase) OVER w AS all_coinbase, sum(fees) OVER w AS all_fees
				FROM {schema}.miner_reward r WINDOW w AS (PARTITION BY account ORDER BY height, position)
			) r LEFT JOIN {schema}.block b USING (height, source_seq)
			WHERE n <> place OR coinbase_sum <> all_coinbase OR fees_sum <> all_fees OR b.first_tx IS NULL`},
		{Name: "blocks name the accounts with rows of them, and accounts name their first block", SQL: `
			WITH listed AS (
				SELECT tx, account, source_seq FROM {schema}.account_transaction
				UNION SELECT tx, account, source_seq FROM {schema}.account_event
				UNION SELECT tx, contract, source_seq FROM {schema}.contract_event
			), here AS (
				SELECT DISTINCT t.height, l.account FROM listed l LEFT JOIN {schema}.transaction t ON t.n = l.tx AND t.source_seq = l.source_seq
				UNION SELECT height, account FROM {schema}.miner_reward
			), named AS (
				SELECT b.height, unnest(b.touched) AS account FROM {schema}.block b
			)
			SELECT height, account FROM here FULL JOIN named USING (height, account) WHERE here.account IS NULL OR named.account IS NULL
			UNION ALL
			SELECT a.first_height, a.id FROM {schema}.account a
			LEFT JOIN (SELECT account, min(height) AS height FROM here GROUP BY account) first ON first.account = a.id
			LEFT JOIN {schema}.block b ON b.height = a.first_height
			WHERE (a.first_height, a.source_seq) IS DISTINCT FROM (first.height, b.source_seq)`},
	}
	for _, l := range lists {
		checks = append(checks, projections.Check{
			Name: "rows of " + l.table + " are numbered by " + l.number + " without gaps, in the order of transactions",
			SQL: `
			SELECT owner, within, number FROM (
				SELECT owner, within, number, row_number() OVER w AS place FROM (
					SELECT ` + l.owner + ` AS owner, ` + l.within + ` AS within, ` + l.number + ` AS number, tx, ` + l.events + ` AS event
					FROM {schema}.` + l.table + ` WHERE ` + l.number + ` IS NOT NULL
				) r WINDOW w AS (PARTITION BY owner, within ORDER BY tx, event)
			) r WHERE number <> place`,
		})
	}
	return checks
}
