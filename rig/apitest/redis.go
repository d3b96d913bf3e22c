package apitest

import (
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// Redis is a client as the program has it.
func Redis(t testing.TB, url string) *readapi.Redis {
	t.Helper()
	client := must.Get(readapi.OpenRedis(url))(t)
	pgtest.AtEnd(t, func() { _ = client.Close() })
	return client
}
