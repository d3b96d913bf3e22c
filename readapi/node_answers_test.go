package readapi_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

func someNodes() []readapi.NodeStatus { return []readapi.NodeStatus{{Name: "one"}} }

// Processes on one archive share what nodes answer; those of another archive, or of another network, take none of it.
func TestNodeAnswers(t *testing.T) {
	t.Parallel()
	pool, server := replay.Databases.New(t), redistest.New(t)
	url, keys := server.URL(), redistest.Client(t, server)
	open := func(config readapi.Config) *readapi.NodeAnswers {
		config.Redis, config.Nodes = apitest.Redis(t, url), someNodes
		return apitest.NewKeeper(t, pool, config).API.NodeAnswers()
	}
	first, second, testnet := open(readapi.Config{}), open(readapi.Config{}), open(readapi.Config{Network: "testnet"})
	another := must.Get(pgxpool.New(t.Context(), replay.Databases.Fresh(t)))(t)
	pgtest.AtEnd(t, another.Close)
	// Copies of one database are one archive until they are told apart.
	must.Get(another.Exec(t.Context(), `UPDATE strata.archive SET id = gen_random_uuid()`))(t)
	elsewhere := apitest.NewKeeper(t, another, readapi.Config{Redis: apitest.Redis(t, url), Nodes: someNodes}).API.NodeAnswers()
	n := byte(0)
	var key [32]byte
	eventually.Holds(t, "the second finds what the first has", func() bool {
		n++ // on a busy machine Redis may be too slow to be used: then again, with another key
		key = [32]byte{n, 1}
		before := keys.DBSize(t.Context()).Val()
		first.Set(key, []byte{n}, time.Hour)
		if got, ok := first.Get(key); !ok || len(got) != 1 || got[0] != n {
			t.Fatalf("the first has %v, %v", got, ok)
		}
		for looks := 0; keys.DBSize(t.Context()).Val() == before && looks < 200; looks++ {
		}
		if got, ok := second.Get(key); ok {
			t.Fatalf("the second has %v before it has looked", got)
		}
		got, ok := second.Find(t.Context(), key)
		return ok && got[0] == n
	})
	if got, ok := second.Get(key); !ok || got[0] != n {
		t.Errorf("after it was found: %v, %v", got, ok)
	}
	for name, other := range map[string]*readapi.NodeAnswers{"another archive": elsewhere, "another network": testnet} {
		if got, ok := other.Find(t.Context(), key); ok {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

// Until the database was seen, nothing is shared, as nobody knows whose it is.
func TestNodeAnswersAlone(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	api := readapi.New(readapi.Config{Redis: apitest.Redis(t, server.URL()), Nodes: someNodes})
	answers := api.NodeAnswers()
	key := [32]byte{1}
	answers.Set(key, []byte("x"), time.Hour)
	if got, ok := answers.Get(key); !ok || string(got) != "x" {
		t.Errorf("got %q, %v", got, ok)
	}
	if _, ok := answers.Find(t.Context(), key); ok {
		t.Error("found something")
	}
	api.Cache.Close() // which stores what is to be stored
	if keys := redistest.Client(t, server).DBSize(t.Context()).Val(); keys != 0 {
		t.Errorf("Redis has %d keys", keys)
	}
}

// The memory is a part of what the API has.
func TestNodeAnswersAreBounded(t *testing.T) {
	t.Parallel()
	const bytes = 4 << 20
	k := apitest.NewKeeper(t, replay.Databases.New(t), readapi.Config{Nodes: someNodes, CacheBytes: bytes})
	for i := range 4000 {
		k.API.NodeAnswers().Set([32]byte{byte(i), byte(i >> 8)}, make([]byte, 2<<10), time.Hour)
	}
	if held := k.Metric("strata_cache_bytes"); held > bytes/4 || held < bytes/8 {
		t.Errorf("%v bytes are held, of a quarter of %v", held, bytes)
	}
	none := apitest.NewKeeper(t, replay.Databases.New(t), readapi.Config{CacheBytes: bytes}).API.NodeAnswers()
	none.Set([32]byte{1}, []byte("x"), time.Hour)
	if _, ok := none.Get([32]byte{1}); ok {
		t.Error("an API without nodes keeps their answers")
	}
}
