package apitest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/readapi"
)

// costs expects that answers touch no more than so many blocks of 8 KiB of the tables, whatever Postgres guesses: with plans
// for the arguments as with one for any.
func (s *Site) Costs(t *testing.T, most map[string]int64) {
	t.Helper()
	seen := &Queries{}
	config := must.Get(pgxpool.ParseConfig(s.Pool.Config().ConnString()))(t)
	config.ConnConfig.Tracer = seen
	reader := NewSiteOn(t, openPool(t, config), readapi.Config{})
	for target, most := range most {
		seen.Take()
		if got := reader.Get(target); got.Status != 200 {
			t.Errorf("%s: got %d %s", target, got.Status, got.Body)
		}
		asked := seen.Take("chain", "accounts", "balances")
		if len(asked) == 0 {
			t.Errorf("%s: nothing was asked", target)
		}
		reader.CheckTouched(target, asked, most)
	}
}
