package transaction_test

import (
	"testing"

	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// No read of transactions scans a table that grows with the chain, at any depth and with generic plans, too.
func TestIndexesOfTransactionsAreUsed(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const n = 4_000
	s.Fill(n)
	many := crowd(s, 200)
	s.Exec(`
		INSERT INTO chain_v1.transaction
		SELECT made.*
		FROM chain_v1.transaction t CROSS JOIN chain_v1.block b
		CROSS JOIN jsonb_populate_record(t, jsonb_build_object('source_seq', b.source_seq, 'tx_index', 0, 'execution_index', 0, 'event_count', 1, 'txid', '\x' || encode(sha256(b.height::text::bytea), 'hex'))) made
		WHERE t.source_seq = 150 AND b.height > 60`)
	s.Exec(`INSERT INTO chain_v1.event (source_seq, tx_index, event_index, pointer, type, amount, sender) SELECT source_seq, 0, 0, 0, 'stx_burn_event', 1, $1 FROM chain_v1.block WHERE height > 60`, apitest.Alice)
	s.Exec(`INSERT INTO chain_v1.contract (source_seq, tx_index, contract_id, source_code) SELECT source_seq, 0, 'SP' || height || '.a', '' FROM chain_v1.block WHERE height > 60`)
	for _, table := range []string{"transaction", "event", "block", "contract", "canonical"} {
		s.Exec(`ANALYZE chain_v1.` + table)
	}
	var deep string
	must.Do(t, s.Pool.QueryRow(t.Context(), `SELECT encode(block_hash, 'hex') FROM chain_v1.block WHERE height = 500`).Scan(&deep))
	s.ScansNothing(t, []string{"chain_v1"}, nil,
		"/extended/v1/tx/"+many, "/extended/v1/tx/"+many+"/raw", "/extended/v1/tx/multiple?tx_id="+many+"&tx_id="+apitest.ID(apitest.TxHash, 1).String(),
		"/extended/v1/tx/events?tx_id="+many+"&offset=150", "/extended/v1/tx/events?tx_id="+many+"&type=stx_asset",
		"/extended/v1/tx/block/"+deep, "/extended/v1/tx/block_height/55?offset=150&limit=50", "/extended/v2/blocks/500/transactions", "/extended/v2/blocks/"+deep+"/transactions",
		"/extended/v3/transactions/"+many, "/extended/v3/transactions/"+many+"/events?cursor=150", "/extended/v3/blocks/"+deep+"/transactions",
		"/extended/v3/blocks/55/transactions?cursor=55:2147483647:100", "/extended/v1/contract/"+apitest.Alice+".coin", "/extended/v2/smart-contracts/status?contract_id="+apitest.Alice+".coin",
	)
}
