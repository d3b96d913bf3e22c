package audit_test

import (
	"net/http"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

func TestNarrowCopies(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	// Event 3 is a copy of block 20, whose content is event 120; block 30 has no better copy than its own event.
	s.Exec(`INSERT INTO chain_v1.narrow_copy (source_seq, tx_count, event_count, index_block_hash)
		SELECT v.seq, v.txs, v.events, b.index_block_hash
		FROM (VALUES (3, 20, 2, 0), (130, 30, 2, 1), (7, 40, 0, 0)) v (seq, height, txs, events) JOIN chain_v1.block b USING (height)`)
	keysAgree(s, "/audit/v1/narrow-copies", []string{"3 20 2 0 120", "7 40 0 0 140", "130 30 2 1 <nil>"}, apitest.Members("seq", "block_height", "tx_count", "event_count", "content_seq"))
	s.Golden("narrow_copies", s.Get("/audit/v1/narrow-copies?limit=1").Body)
	traced := s.Trace("/audit/v1/narrow-copies", 2).In("chain.narrow_copy")
	if len(traced) != 3 || traced[2].Sources[0].Seq != 130 {
		t.Errorf("traced %v", traced)
	}
	check.Equal(t, "an invalid cursor", s.Get("/audit/v1/narrow-copies?cursor=x").Status, http.StatusBadRequest)
}
