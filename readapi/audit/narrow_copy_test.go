package audit_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/rig/apitest"
)

func TestNarrowCopies(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	// Event 3 is a copy of block 20, whose content is event 120; block 30 has no better copy than its own event.
	s.Exec(`INSERT INTO chain_v1.narrow_copy (source_seq, tx_count, event_count, index_block_hash)
		SELECT v.seq, v.txs, v.events, b.index_block_hash
		FROM (VALUES (3, 20, 2, 0), (130, 30, 2, 1), (7, 40, 0, 0)) v (seq, height, txs, events) JOIN chain_v1.block b USING (height)`)
	const want = "3 20 2 0 120;7 40 0 0 140;130 30 2 1 <nil>"
	for limit := 1; limit <= 4; limit++ {
		got := keys(s, "/audit/v1/narrow-copies", limit, func(row map[string]any) string {
			return fmt.Sprint(row["seq"], " ", row["block_height"], " ", row["tx_count"], " ", row["event_count"], " ", row["content_seq"])
		})
		if strings.Join(got, ";") != want {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	s.Golden("narrow_copies", s.Get("/audit/v1/narrow-copies?limit=1").Body)
	traced := s.Trace("/audit/v1/narrow-copies", 2).In("chain.narrow_copy")
	if len(traced) != 3 || traced[2].Sources[0].Seq != 130 {
		t.Errorf("traced %v", traced)
	}
	if got := s.Get("/audit/v1/narrow-copies?cursor=x"); got.Status != http.StatusBadRequest {
		t.Errorf("an invalid cursor: got %d", got.Status)
	}
}

func TestNarrowCopiesBeforeTheProjection(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.Get("/audit/v1/narrow-copies"); got.Status != http.StatusOK || got.Body != empty {
		t.Errorf("without the projection: got %d %s, want %s", got.Status, got.Body, empty)
	}
}
