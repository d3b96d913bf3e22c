package apitest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/readapi"
)

func NewChain(t testing.TB) *chain.Chain {
	t.Helper()
	return must.Get(chain.New(chain.Recommended, nil))(t)
}

// readers is a pool of connections for an API alone.
func Readers(t testing.TB, pool *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	config := pool.Config()
	readapi.Prepare(config, 0)
	return openPool(t, config)
}
