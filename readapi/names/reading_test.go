package names_test

import (
	"strings"
	"testing"

	domain "strata/domain/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestReadFromTheRegistry expects what the registry told of a renewal and of prices, and traces that lead to its answer.
func TestReadFromTheRegistry(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
	tables(s, 500)
	launch(s, "id", 1000)
	operate(s, "bob.id", 1, domain.Register, alice, "", 300, nil)
	operate(s, "bob.id", 2, domain.Renewal, alice, "", 450, nil)
	s.Exec(`UPDATE ` + namesSchema + `.operation SET source_seq = 999, pointer = NULL, exchange = 0 WHERE n = 2`)
	s.Exec(`INSERT INTO ` + namesSchema + `.list VALUES (1, 'names'), (1, 'names:id')`)
	s.Exec(`INSERT INTO `+namesSchema+`.namespace VALUES (2, 460, 998, 0, NULL, 200, true, 100, 200, 1000, 3, 250, 10, 20, ARRAY[6,5,4,3,2,1,0,0,0,0,0,0,0,0,0,0], '\x03', 'id', $1, 1)`, alice)
	for _, tc := range []struct{ target, body, pointer string }{
		{"/v1/names/bob.id", `{"address":"` + alice + `","blockchain":"stacks","expire_block":1450,"last_txid":"` + tx(2) + `","status":"name-renewal","zonefile":"","zonefile_hash":"",` +
			`"expire_tenure_height":1450,"expired":false,"in_grace":false,"source":"bns-v1"}`, `"/exchanges/0/body"`},
		{"/v2/prices/names/bob.id", `{"units":"STX","amount":"202500"}`, `"/exchanges/1/body"`}, // 250 · 3^4 · 10
	} {
		s.Expect(tc.target, 200, tc.body)
		if traced := s.Get(apitest.TracePath(tc.target)).Body; !strings.Contains(traced, tc.pointer) {
			t.Errorf("trace of %s: got %s, want %s", tc.target, traced, tc.pointer)
		}
	}
}
