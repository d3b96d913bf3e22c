package token_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// Each answer about tokens is one round trip while the state is known, and one between those that begin and end a transaction
// when it has to be looked up. Only a token that is not of the kind that the path names takes a second one to be found, or
// missed.
func TestMetadataRoundTrips(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.TokenTip(7)
	memes(s)
	s.Contract(token.NFT, apitest.N1, nil)
	for n := range 12 {
		s.Read(token.NFT, apitest.N1, fmt.Sprint(n), nil)
	}
	unknown, countUnknown := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) {})
	known, countKnown := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	plain := apitest.NewSiteOn(t, unknown, readapi.Config{ImageBase: apitest.Images})
	k := apitest.NewKeeper(t, known, readapi.Config{ImageBase: apitest.Images, WatchInterval: apitest.WatchRarely})
	for _, read := range []struct {
		target        string
		status, trips int
	}{
		{"/metadata/v1/nft/" + apitest.N1 + "/%d", http.StatusOK, 1},
		{"/metadata/v1/sft/" + apitest.N1 + "/%d", http.StatusOK, 2},
		{"/metadata/v1/nft/" + apitest.N1 + "-%d/1", http.StatusNotFound, 2},
		{"/metadata/v1/nft/" + apitest.N1 + "/%d/provenance", http.StatusOK, 1},
		{"/metadata/v1/sft/" + apitest.N1 + "/%d/provenance", http.StatusOK, 2},
		{"/metadata/v1/search?contract=" + apitest.N1 + ":%d&contract=" + apitest.N1 + ":3&contract=" + apitest.P1, http.StatusOK, 1},
		{"/metadata/v1/search?contract=" + apitest.N1 + "-%d&contract=" + apitest.N1 + "-none", http.StatusOK, 1},
		{"/metadata/v1/ft?offset=%d", http.StatusOK, 1},
		{"/metadata/v1/ft?order=desc&offset=%d", http.StatusOK, 1},
		{"/metadata/v1/ft?name=m&offset=%d", http.StatusOK, 1},
	} {
		target := read.target
		for _, tc := range []struct {
			name  string
			site  *apitest.Site
			count *apitest.Turns
			want  int
		}{{"state unknown", plain, countUnknown, 3}, {"state known", k.Site, countKnown, read.trips}} {
			tc.site.Get(fmt.Sprintf(target, 0)) // prepares the statements
			got := tc.count.Least(7, func(n int) {
				if got := tc.site.Get(fmt.Sprintf(target, 1+n)); got.Status != read.status {
					t.Fatalf("%s: got %d %s; the log: %s", target, got.Status, got.Body, tc.site.Log)
				}
			})
			check.Equal(t, fmt.Sprintf("%s, %s: round trips", target, tc.name), got, tc.want)
		}
	}
}

// Where the projections of other kinds stand is not asked for a token whose kind is known: when another has moved, the answer
// is still one round trip, and when its own has, the first one finds out.
func TestMetadataRoundTripsOfOneKind(t *testing.T) {
	t.Parallel()
	const reads = 8 // of each kind, of a token that nobody has asked for
	s := apitest.NewTokenSite(t)
	s.TokenTip(7)
	s.Contract(token.NFT, apitest.N1, nil)
	for n := range 1 + 3*reads {
		s.Read(token.NFT, apitest.N1, fmt.Sprint(n), nil)
	}
	pool, count := apitest.CountedPool(t, s.Pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	k := apitest.NewKeeper(t, pool, readapi.Config{ImageBase: apitest.Images, WatchInterval: apitest.WatchRarely})
	path := func(n int) string { return fmt.Sprintf("/metadata/v1/nft/%s/%d", apitest.N1, n) }
	k.Get(path(0)) // prepares the statement
	for i, tc := range []struct {
		moved string
		one   bool
	}{{"", true}, {"sft", true}, {"nft", false}} {
		var trips []int
		for n := range reads {
			if tc.moved != "" {
				s.Advance(tc.moved, shard.Token(apitest.N1, "1"))
			}
			target := path(1 + i*reads + n)
			var got apitest.Reply
			trips = append(trips, count.During(func() { got = k.Get(target) }))
			if want := s.Get(target); got.Status != http.StatusOK || got.Body != want.Body {
				t.Fatalf("%s: got %d %s, want %s", target, got.Status, got.Body, want.Body)
			}
			// The watch looks in between now and then: that makes a read one round trip longer, or finds the move before the read.
			if tc.one && trips[n] == 1 || !tc.one && trips[n] > 1 {
				break
			}
		}
		if got := trips[len(trips)-1]; (got == 1) != tc.one {
			t.Errorf("after moves of %q: got %v round trips, want one: %t", tc.moved, trips, tc.one)
		}
	}
}

// A block changes the answers about what it touches, and no others.
func TestMetadataTouched(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.TokenTip(7)
	memes(s)
	s.Contract(token.NFT, apitest.N1, nil)
	s.Read(token.NFT, apitest.N1, "1", nil)
	s.Read(token.NFT, apitest.N1, "2", nil)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{ImageBase: apitest.Images})
	first, second, status := "/metadata/v1/nft/"+apitest.N1+"/1", "/metadata/v1/nft/"+apitest.N1+"/2", "/metadata/v1"
	list, search := "/metadata/v1/ft", "/metadata/v1/search?contract="+apitest.N1+"&contract="+apitest.N1+":2"
	all := []string{first, second, status, list, search}
	for i, tc := range []struct {
		projection string
		touched    []string
		changed    []string
	}{
		{"nft", []string{shard.Token(apitest.N1, "1")}, []string{first, status, search}},
		{"nft", []string{shard.Token(apitest.N1, "2")}, []string{second, status, search}},
		{"nft", []string{shard.Account(apitest.N1)}, []string{first, second, status, search}},
		{"nft", []string{shard.Tokens}, []string{status}},
		{"ft", []string{shard.Tokens}, []string{status, list}},
		{"sft", []string{shard.Token(apitest.N1, "1")}, []string{first, status, search}},
		{"ft", nil, all},
	} {
		for _, target := range all {
			k.Get(target)
		}
		s.Advance(tc.projection, tc.touched...)
		eventually.Holds(t, "the status is built again", func() bool { return k.Builds(status) })
		for _, target := range all {
			if want := slices.Contains(tc.changed, target); target != status && k.Builds(target) != want {
				t.Errorf("step %d: %s: is built again: %t, want %t", i, target, !want, want)
			}
		}
	}
}
