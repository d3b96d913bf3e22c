package audit_test

import (
	"testing"

	"strata/rig/apitest"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`INSERT INTO chain_v1.unknown_field (path, first_seq, source_seq, events)
		VALUES ('/new_block#/transactions/*/fresh', 20, 130, 7), ('/new_block#/a', 110, 110, 1), ('(others)', 120, 125, 2)`)
	keysAgree(s, "/audit/v1/unknown-fields", []string{"(others) 120 125 2", "/new_block#/a 110 110 1", "/new_block#/transactions/*/fresh 20 130 7"},
		apitest.Members("path", "first_seq", "last_seq", "count"))
	s.Golden("unknown_fields", s.Get("/audit/v1/unknown-fields?limit=2").Body)
	if traced := s.Trace("/audit/v1/unknown-fields", 2).In("chain.unknown_field"); len(traced) != 3 {
		t.Errorf("traced %v", traced)
	}
}
