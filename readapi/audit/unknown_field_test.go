package audit_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/rig/apitest"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`INSERT INTO chain_v1.unknown_field (path, first_seq, source_seq, events)
		VALUES ('/new_block#/transactions/*/fresh', 20, 130, 7), ('/new_block#/a', 110, 110, 1), ('(others)', 120, 125, 2)`)
	const want = "(others) 120 125 2;/new_block#/a 110 110 1;/new_block#/transactions/*/fresh 20 130 7"
	for limit := 1; limit <= 4; limit++ {
		got := keys(s, "/audit/v1/unknown-fields", limit, func(row map[string]any) string {
			return fmt.Sprint(row["path"], " ", row["first_seq"], " ", row["last_seq"], " ", row["count"])
		})
		if strings.Join(got, ";") != want {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	s.Golden("unknown_fields", s.Get("/audit/v1/unknown-fields?limit=2").Body)
	if traced := s.Trace("/audit/v1/unknown-fields", 2).In("chain.unknown_field"); len(traced) != 3 {
		t.Errorf("traced %v", traced)
	}
}

func TestUnknownFieldsBeforeTheProjection(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	const empty = `{"limit":50,"cursor":{"next":null,"current":null},"results":[]}`
	if got := s.Get("/audit/v1/unknown-fields"); got.Status != http.StatusOK || got.Body != empty {
		t.Errorf("without the projection: got %d %s, want %s", got.Status, got.Body, empty)
	}
}
