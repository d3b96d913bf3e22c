package apitest

import (
	"testing"

	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// Redis is a client as the program has it.
func Redis(t testing.TB, url string) *readapi.Redis {
	t.Helper()
	client, err := readapi.OpenRedis(url)
	check(t, err)
	pgtest.AtEnd(t, func() { _ = client.Close() })
	return client
}
