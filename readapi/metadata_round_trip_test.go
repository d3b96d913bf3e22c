package readapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/readapi"
)

// Each answer about tokens is one round trip while the state is known, and two when it has to be looked up. Only a token
// that is not of the kind that the path names takes a second one to be found, or missed.
func TestMetadataRoundTrips(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	s.tokenTip(7)
	s.memes()
	s.contract(token.NFT, n1, nil)
	for n := range 12 {
		s.read(token.NFT, n1, fmt.Sprint(n), nil)
	}
	unknown, countUnknown := countedPool(t, s.pool, func(config *pgxpool.Config) {})
	known, countKnown := countedPool(t, s.pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	plain := newSiteOn(t, unknown, readapi.Config{ImageBase: images})
	k := newKeeper(t, known, readapi.Config{ImageBase: images, WatchInterval: watchRarely})
	for _, read := range []struct {
		target        string
		status, trips int
	}{
		{"/metadata/v1/nft/" + n1 + "/%d", http.StatusOK, 1},
		{"/metadata/v1/sft/" + n1 + "/%d", http.StatusOK, 2},
		{"/metadata/v1/nft/" + n1 + "-%d/1", http.StatusNotFound, 2},
		{"/metadata/v1/nft/" + n1 + "/%d/provenance", http.StatusOK, 1},
		{"/metadata/v1/sft/" + n1 + "/%d/provenance", http.StatusOK, 2},
		{"/metadata/v1/search?contract=" + n1 + ":%d&contract=" + n1 + ":3&contract=" + p1, http.StatusOK, 1},
		{"/metadata/v1/search?contract=" + n1 + "-%d&contract=" + n1 + "-none", http.StatusOK, 1},
		{"/metadata/v1/ft?offset=%d", http.StatusOK, 1},
		{"/metadata/v1/ft?order=desc&offset=%d", http.StatusOK, 1},
		{"/metadata/v1/ft?name=m&offset=%d", http.StatusOK, 1},
	} {
		target := read.target
		for _, tc := range []struct {
			name  string
			site  *site
			count *turns
			want  int
		}{{"state unknown", plain, countUnknown, 2}, {"state known", k.site, countKnown, read.trips}} {
			tc.site.get(fmt.Sprintf(target, 0)) // prepares the statements
			got := tc.count.least(7, func(n int) {
				if got := tc.site.get(fmt.Sprintf(target, 1+n)); got.status != read.status {
					t.Fatalf("%s: got %d %s", target, got.status, got.body)
				}
			})
			if got != tc.want {
				t.Errorf("%s, %s: got %d round trips, want %d", target, tc.name, got, tc.want)
			}
		}
	}
}

// Where the projections of other kinds stand is not asked for a token whose kind is known: when another has moved, the answer
// is still one round trip, and when its own has, the first one finds out.
func TestMetadataRoundTripsOfOneKind(t *testing.T) {
	t.Parallel()
	const reads = 8 // of each kind, of a token that nobody has asked for
	s := newTokenSite(t)
	s.tokenTip(7)
	s.contract(token.NFT, n1, nil)
	for n := range 1 + 3*reads {
		s.read(token.NFT, n1, fmt.Sprint(n), nil)
	}
	pool, count := countedPool(t, s.pool, func(config *pgxpool.Config) { readapi.Prepare(config, 0) })
	k := newKeeper(t, pool, readapi.Config{ImageBase: images, WatchInterval: watchRarely})
	path := func(n int) string { return fmt.Sprintf("/metadata/v1/nft/%s/%d", n1, n) }
	k.get(path(0)) // prepares the statement
	for i, tc := range []struct {
		moved string
		one   bool
	}{{"", true}, {"sft", true}, {"nft", false}} {
		var trips []int
		for n := range reads {
			if tc.moved != "" {
				s.advance(tc.moved, shard.Token(n1, "1"))
			}
			target := path(1 + i*reads + n)
			var got reply
			trips = append(trips, count.during(func() { got = k.get(target) }))
			if want := s.get(target); got.status != http.StatusOK || got.body != want.body {
				t.Fatalf("%s: got %d %s, want %s", target, got.status, got.body, want.body)
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
	s := newTokenSite(t)
	s.tokenTip(7)
	s.memes()
	s.contract(token.NFT, n1, nil)
	s.read(token.NFT, n1, "1", nil)
	s.read(token.NFT, n1, "2", nil)
	k := newKeeper(t, s.pool, readapi.Config{ImageBase: images})
	first, second, status := "/metadata/v1/nft/"+n1+"/1", "/metadata/v1/nft/"+n1+"/2", "/metadata/v1"
	list, search := "/metadata/v1/ft", "/metadata/v1/search?contract="+n1+"&contract="+n1+":2"
	all := []string{first, second, status, list, search}
	for i, tc := range []struct {
		projection string
		touched    []string
		changed    []string
	}{
		{"nft", []string{shard.Token(n1, "1")}, []string{first, status, search}},
		{"nft", []string{shard.Token(n1, "2")}, []string{second, status, search}},
		{"nft", []string{shard.Account(n1)}, []string{first, second, status, search}},
		{"nft", []string{shard.Tokens}, []string{status}},
		{"ft", []string{shard.Tokens}, []string{status, list}},
		{"sft", []string{shard.Token(n1, "1")}, []string{first, status, search}},
		{"ft", nil, all},
	} {
		before := map[string]string{}
		for _, target := range all {
			before[target] = k.get(target).header.Get("ETag")
		}
		s.advance(tc.projection, tc.touched...)
		eventually(t, "the status changes", func() bool { return k.get(status).header.Get("ETag") != before[status] })
		changed := map[string]bool{}
		for _, target := range tc.changed {
			changed[target] = true
		}
		for _, target := range all {
			if got := k.get(target); got.status != http.StatusOK || (got.header.Get("ETag") != before[target]) != changed[target] {
				t.Errorf("step %d: %s: got %d, ETag %s after %s, want changed: %t", i, target, got.status, got.header.Get("ETag"), before[target], changed[target])
			}
		}
	}
}
