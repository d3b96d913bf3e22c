package mempool_test

import (
	"testing"

	"strata/projections/mempool"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestRecordedReplacements folds what a node posted on a chain with replaced transactions and restarts: no transaction
// waits whose nonce a block has used.
func TestRecordedReplacements(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")...)
	replay.Run(t, log, rig.Chain(t), mempool.New())
	rig.Compare(t, "transactions", map[string]string{"mined": "326", "dropped_replace_by_fee": "1"},
		rig.Pairs(t, log.Pool(), schemas.In(`SELECT status, count(*)::text FROM {mempool}.transaction GROUP BY 1`)))
	for id, nonces := range rig.Pairs(t, log.Pool(), schemas.In(`
		SELECT '0x' || encode(t.txid, 'hex'), t.sender || ' ' || t.nonce || ' ' || used.nonce FROM {mempool}.transaction t
		CROSS JOIN LATERAL (
			SELECT max(c.nonce) AS nonce FROM {chain}.transaction c JOIN {chain}.canonical k ON k.block_seq = c.source_seq
			WHERE c.sender = t.sender AND c.raw_tx <> '\x00'
		) used WHERE t.status = 'pending'`)) {
		t.Errorf("%s waits: %s", id, nonces)
	}
}
