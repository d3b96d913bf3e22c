package apitest

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/pgtest"
	"strata/readapi"
)

// NewLive runs an API behind a server, with short heartbeats, and waits until streams are served. It returns the server's URL, too.
func NewLive(t testing.TB, pool *pgxpool.Pool, config readapi.Config) (*Keeper, string) {
	t.Helper()
	if config.Heartbeat == 0 {
		config.Heartbeat = 20 * time.Millisecond
	}
	k := NewKeeper(t, pool, config)
	server := httptest.NewServer(k.API)
	pgtest.AtEnd(t, func() {
		server.CloseClientConnections()
		server.Close()
	})
	eventually.Holds(t, "streams are served", func() bool { return k.Request(http.MethodHead, "/stream/v1/blocks").Status == http.StatusOK })
	return k, server.URL
}

// NewLiveWorld is NewLive on the small archive.
func NewLiveWorld(t testing.TB, config readapi.Config) (*Site, *Keeper, string) {
	t.Helper()
	pool := Worlds.New(t)
	k, url := NewLive(t, Readers(t, pool), config)
	return &Site{T: t, Pool: pool}, k, url
}
