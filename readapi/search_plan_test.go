package readapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/trigram"
	"strata/internal/testkit/must"
	"strata/projections/search"
	"strata/rig/apitest"
)

// A search costs the same among many names as among few, with a plan for its arguments as with one for any; what is found is in order.
func TestSearchPlans(t *testing.T) {
	t.Parallel()
	const n = 60_000
	s, seen := apitest.NewSeenSite(t)
	s.ChainTables(search.Spec(), n, n)
	var rows [][]any
	for i := range n {
		name := fmt.Sprintf("SP%039d.swap-%x-pool", i%1000, i)
		if i%2 == 1 {
			name += "::lp-token"
		}
		rows = append(rows, []any{i, i, 0, len(name), i % 2, true, name, name[strings.LastIndexAny(name, ".:")+1:], append(trigram.Of(name), int32(i%2))})
	}
	rows = append(rows, []any{n, n, 0, 12, 1, false, "SP1.rare::One", "one", append(trigram.Of("SP1.rare::One"), 1)})
	columns := []string{"height", "source_seq", "tx_index", "length", "class", "fungible", "name", "last", "trigrams"}
	must.Get(s.Pool.CopyFrom(t.Context(), pgx.Identifier{search.Spec().String(), "name"}, columns, pgx.CopyFromRows(rows)))(t)
	s.Exec(`VACUUM ANALYZE`)
	const (
		few  = 350
		many = 2600 // of a part that most names have, so many are looked at
	)
	at := "/extended/v3/search?type=smart_contract,token&q="
	s.CheckTouches(seen, "search", apitest.TouchLimits{
		{at + "swap", few}, {at + "lp-t", few}, {at + "one", few}, {at + "rare::on", few}, {at + "SP1.rare", few}, {at + "swap-3e8-pool", few}, {at + "zzz", few},
		{at + fmt.Sprintf("SP%039d.swap-3e8-pool::lp-", 0), few}, {at + fmt.Sprintf("SP%039d.", 7), few},
		{at + "pool", many}, {at + "ool::lp", many}, {at + "sp00", many},
	})
	for term, want := range map[string]string{
		"One": "SP1.rare::One", "are::o": "SP1.rare::One", "sp1.rare": "SP1.rare::One", "swap-3e8-pool": fmt.Sprintf("SP%039d.swap-3e8-pool", 0),
	} {
		if got := s.Get(at + term).Body; !strings.Contains(got, `"results":[{`) || !strings.Contains(strings.SplitAfter(got, "}")[0]+got, want) {
			t.Errorf("%s: got %.400s, want %s", term, got, want)
		}
	}
}
