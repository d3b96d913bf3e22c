package enginetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/c32"
	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
)

// A cold read costs three round trips: one that begins the snapshot and resolves the versions, one for all queries, and one
// for the end. Only what names a block by a hash, to look at the state there or to page from it, takes a fourth.
//
// While the state of the projections is known anyway, it costs one.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	pool, connection := apitest.CountedPool(t, s.Pool, func(*pgxpool.Config) {})
	counted := apitest.NewSiteOn(s.T, pool, readapi.Config{})
	for _, tc := range []struct {
		path string
		want int
	}{
		{"/extended", 3},
		{"/extended/v2/blocks", 3},
		{"/extended/v2/blocks/latest", 3},
		{"/extended/v2/blocks?cursor=" + apitest.ID(apitest.IndexHash, 40).String(), 4},
		{"/extended/v1/address/" + apitest.Alice + "/stx", 3},
		{"/extended/v1/address/" + apitest.Alice + "/stx?until_block=20", 3},
		{"/extended/v1/address/" + apitest.Alice + "/stx?until_block=" + apitest.ID(apitest.IndexHash, 20).String(), 4},
		{"/extended/v1/address/" + apitest.Alice + "/balances", 3},
		{"/extended/v1/address/" + apitest.Alice + "/balances?until_block=20", 3},
		{"/extended/v2/addresses/" + apitest.Alice + "/balances/stx", 3},
		{"/audit/v1/events/2", 3},
		{"/audit/v1/events/2/body", 3},
		{"/audit/v1/quarantine", 3},
		{"/audit/v1/negative-balances", 3},
		{"/readyz", 3},
	} {
		counted.Get(tc.path) // prepares the statements
		got := connection.Least(3, func(int) {
			if got := counted.Get(tc.path); got.Status != http.StatusOK {
				t.Errorf("%s: got %d %s", tc.path, got.Status, got.Body)
			}
		})
		check.Equal(t, fmt.Sprintf("%s: round trips", tc.path), got, tc.want)
	}
}

// While the state is known, a read costs one round trip; where the connections don't isolate what is sent together, it
// still sees one snapshot.
func TestRoundTripsOfKnownState(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, prepared := range []bool{true, false} {
		pool, connection := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) {
			if prepared {
				readapi.Prepare(config, 0)
			}
		})
		k := apitest.NewKeeper(t, pool, readapi.Config{WatchInterval: apitest.WatchRarely})
		for i, path := range []string{
			"/extended/v1/address/%s/stx", "/extended/v1/address/%s/balances", "/extended/v1/address/%s/stx?until_block=20",
			"/extended/v1/address/%s/stx?until_block=" + apitest.ID(apitest.IndexHash, 20).String(),
		} {
			k.Get(fmt.Sprintf(path, apitest.Alice)) // prepares the statements
			accounts := []string{apitest.Bob, apitest.Carol, apitest.Account(9), apitest.Account(10), apitest.Account(11), apitest.Account(12), apitest.Account(13), apitest.Account(14)}
			got := connection.Least(len(accounts), func(n int) {
				path := fmt.Sprintf(path, accounts[n])
				want := s.Get(path)
				if got := k.Get(path); got.Status != want.Status || got.Body != want.Body || got.Header.Get("Strata-Position") != want.Header.Get("Strata-Position") {
					t.Errorf("%s: got %d %s, want %d %s", path, got.Status, got.Body, want.Status, want.Body)
				}
			})
			trips := 1
			if i == 3 {
				trips++ // names a block by a hash
			}
			if !prepared {
				trips += 2
			}
			check.Equal(t, fmt.Sprintf("prepared=%t, %s: round trips", prepared, path), got, trips)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := apitest.NewWorld(b)
	for _, bc := range []struct{ name, path string }{
		{"Health", "/healthz"},
		{"STX", "/extended/v1/address/" + apitest.Alice + "/stx"},
		{"STXUntil", "/extended/v1/address/" + apitest.Alice + "/stx?until_block=20"},
		{"Balances", "/extended/v1/address/" + apitest.Alice + "/balances"},
		{"Blocks", "/extended/v2/blocks"},
		{"Block", "/extended/v2/blocks/latest"},
		{"Status", "/extended"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			request := httptest.NewRequest(http.MethodGet, bc.path, nil)
			for b.Loop() {
				w := httptest.NewRecorder()
				s.API.ServeHTTP(w, request)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

// BenchmarkCold makes answers that nobody has asked for before.
func BenchmarkCold(b *testing.B) {
	s := apitest.NewWorld(b)
	k := apitest.NewKeeper(b, apitest.Readers(b, s.Pool), readapi.Config{})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		w := httptest.NewRecorder()
		target := "/extended/v1/address/" + c32.Address{Version: c32.MainnetSingle, Hash160: [20]byte{17: byte(n >> 16), 18: byte(n >> 8), 19: byte(n)}}.String() + "/stx"
		k.API.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
