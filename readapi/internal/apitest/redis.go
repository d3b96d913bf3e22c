package apitest

import (
	"testing"

	redisclient "github.com/redis/go-redis/v9"

	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// redis is a client as the program has it.
func Redis(t testing.TB, url string) redisclient.UniversalClient {
	t.Helper()
	client, err := readapi.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	pgtest.AtEnd(t, func() { _ = client.Close() })
	return client
}
