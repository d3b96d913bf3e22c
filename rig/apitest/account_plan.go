package apitest

import (
	signed "strata/domain/transaction"
)

// longLists makes the lists of one account long: n blocks with ten transactions each, of which half call its contract; all
// are its own, and each moves something of it and prints something.
func (s *Site) LongLists(n int) {
	s.T.Helper()
	s.Projection("accounts", "chain_v1")
	s.Fill(n)
	s.Mine(120, MinedTx{Tx: From(s.T, 1, 49, &signed.SmartContract{ContractName: "coin"})})
	s.Deploy(120, 0, Alice+".coin", nil, AbiOfCoin)
	s.Mine(150, MinedTx{Tx: Call(s.T, 50, Alice+".coin", "transfer")}, MinedTx{Tx: Transfer(s.T, 51)})
	s.Exec(`
		INSERT INTO chain_v1.transaction
		SELECT made.*
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i
		JOIN chain_v1.transaction t ON t.source_seq = 150 AND t.tx_index = i % 2
		CROSS JOIN jsonb_populate_record(t, jsonb_build_object('source_seq', h + 100, 'tx_index', i, 'execution_index', i, 'event_count', 2, 'txid', '\x' || encode(sha256((h * 10 + i)::text::bytea), 'hex'))) made`, n)
	s.Exec(`
		INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, type, amount, sender, recipient, contract_identifier, topic, value)
		SELECT h + 100, i, k, 2 * i + k, CASE k WHEN 0 THEN 'stx_transfer_event' ELSE 'contract_event' END, 1, $2, $3, $2 || '.coin', 'print', '\x03'
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i CROSS JOIN generate_series(0, 1) k`, n, Alice, Bob)
	s.Exec(`INSERT INTO accounts_v1.account VALUES (110, 10, 1, $1), (110, 10, 2, $2), (110, 10, 3, $3)`, Alice, Bob, Alice+".coin")
	s.Exec(`INSERT INTO accounts_v1.account SELECT h + 100, h, h, 'SP' || h FROM generate_series(61, $1::int) h`, n)
	s.Exec(`
		INSERT INTO accounts_v1.block
		SELECT h, h + 100, (h - 61) * 10 + 1, (h - 60) * 10, (h - 60) * 5, 0, (h - 60) * 5, 0, 0, 0, h, h, h, h * 600, NULL, h, sha256(('i' || h)::bytea), sha256(('b' || h)::bytea), sha256('x'), '{1}'
		FROM generate_series(61, $1::int) h`, n)
	s.Exec(`
		INSERT INTO accounts_v1.transaction
		SELECT (h - 61) * 10 + i + 1, h, h + 100, (h - 61) * 5 + i / 2 + 1, i, NULL, CASE i % 2 WHEN 0 THEN 2 ELSE 0 END
		FROM generate_series(61, $1::int) h CROSS JOIN generate_series(0, 9) i`, n)
	s.Exec(`
		INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, calls, stx_transfers, involvement, stx_sent, fee_paid)
		SELECT n, source_seq, a, n, CASE a WHEN 3 THEN n END, 1, CASE a WHEN 1 THEN 97 WHEN 2 THEN 100 ELSE 8 END, 1, 180
		FROM accounts_v1.transaction CROSS JOIN generate_series(1, 3) a`)
	s.Exec(`
		INSERT INTO accounts_v1.account_transaction (tx, source_seq, account, n, involvement)
		SELECT (h - 61) * 10 + 1, h + 100, h, 1, 32 FROM generate_series(61, $1::int) h`, n)
	s.Exec(`
		INSERT INTO accounts_v1.account_event (tx, source_seq, account, n, event_index, inbound, stx_in, stx_out, kind, transfer_type, stx_side)
		SELECT n, source_seq, a, n, 0, CASE a WHEN 2 THEN n END, CASE a WHEN 2 THEN n END, CASE a WHEN 1 THEN n END, 1, CASE a WHEN 2 THEN 2 END, a % 2 + CASE a WHEN 2 THEN 2 ELSE 0 END FROM accounts_v1.transaction CROSS JOIN generate_series(1, 2) a`)
	s.Exec(`INSERT INTO accounts_v1.contract_event (tx, source_seq, contract, n, event_index) SELECT n, source_seq, 3, n, 1 FROM accounts_v1.transaction`)
	s.Exec(`UPDATE strata.projection SET position = $1::bigint, log_seq = $1::bigint + 100, block_height = $1::bigint, index_block_hash = sha256(('i' || $1::bigint)::bytea),
		block_hash = sha256(('b' || $1::bigint)::bytea), burn_block_height = $1::bigint WHERE name = 'accounts'`, n)
	for _, table := range []string{"chain_v1.transaction", "chain_v1.event", "accounts_v1.block", "accounts_v1.transaction", "accounts_v1.account", "accounts_v1.account_transaction", "accounts_v1.account_event", "accounts_v1.contract_event"} {
		s.Exec(`VACUUM ANALYZE ` + table)
	}
}
