package apitest

import (
	"testing"

	"strata/internal/testkit/pgtest"
	"strata/readapi"
	"strata/readapi/internal/cache"
)

// redis is a client as the program has it.
func Redis(t testing.TB, url string) *cache.Client {
	t.Helper()
	client, err := readapi.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, func() { _ = client.Close() })
	return client
}
