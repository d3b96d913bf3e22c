package enginetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// Whoever asks for the position of what was just appended gets an answer that reflects it, however far the tables were, and
// also when the last events concerned nobody.
func TestMinPosition(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil))
	k := apitest.NewKeeper(t, apitest.Readers(t, log.Pool()), readapi.Config{})
	plain := apitest.NewSiteOn(t, k.Pool, readapi.Config{}) // which keeps nothing
	made := synthchain.New(synthchain.Everything(3, synthchain.V40))
	appended := 0
	for n := range 40 {
		var posts []replay.Post
		for range 1 + n%4 {
			post := made.Next()
			posts = append(posts, post)
		}
		if n%3 == 0 {
			posts = append(posts, replay.Post{Path: "/nobody/reads/this", Body: []byte(`{}`)})
		}
		replay.Append(t, log, posts...)
		appended += len(posts)
		var got []apitest.Reply
		targets := []string{"/extended/v2/blocks", "/extended/v1/address/SP000000000000000000002Q6VF78/stx"}
		for _, target := range targets {
			got = append(got, k.Get(target+"?min_position="+strconv.Itoa(appended)))
		}
		replay.Wait(t, log)
		for i, target := range targets {
			if want := plain.Get(target); got[i].Status != want.Status || got[i].Body != want.Body {
				t.Fatalf("%s after %d events: got %d %s, want %d %s", target, appended, got[i].Status, got[i].Body, want.Status, want.Body)
			}
		}
	}
}

// An answer that is kept is not given to who has seen more.
func TestMinPositionKept(t *testing.T) {
	t.Parallel()
	s, k := apitest.NewKeptWorld(t, readapi.Config{WatchInterval: time.Hour})
	const target = "/extended/v2/blocks"
	before := k.Get(target)
	if again := k.Get(target); again.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Fatalf("got %s, then %s", before.Header, again.Header)
	}
	s.Advance("chain")
	s.Advance("balances")
	var position string
	must.Do(t, s.Pool.QueryRow(t.Context(), `SELECT log_seq::text FROM strata.projection WHERE name = 'chain'`).Scan(&position))
	for _, header := range []string{"", "Strata-Position"} {
		var got apitest.Reply
		if header == "" {
			got = k.Get(target + "?min_position=log%3D" + position)
		} else {
			got = k.Request(http.MethodGet, target, header, "log="+position)
		}
		if got.Status != http.StatusOK || !strings.HasPrefix(got.Header.Get("Strata-Position"), "log="+position+";") {
			t.Errorf("%s: got %d at %q, want log=%s", header, got.Status, got.Header.Get("Strata-Position"), position)
		}
	}
}

func TestMinPositionErrors(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	// Time enough to read on a busy machine; a request for a position that is not reached waits for all of it.
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{RequestTimeout: 3 * time.Second})
	for _, text := range []string{"", "x", "-1", "1.5", "log=", "log=1; height=2", "99999999999999999999"} {
		got := k.Get("/extended/v2/blocks?min_position=" + url.QueryEscape(text))
		if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `querystring/min_position want a position`) {
			t.Errorf("%q: got %d %s", text, got.Status, got.Body)
		}
	}
	for _, family := range []string{"/extended/v2/blocks", "/audit/v1/quarantine", "/extended"} {
		got := k.Get(family + "?min_position=999999")
		if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") != "1" || !strings.Contains(got.Body, "and 999999 were asked for") {
			t.Errorf("%s: got %d %s %s", family, got.Status, got.Header, got.Body)
		}
	}
	for _, text := range []string{"0", "1", "log=1", fmt.Sprintf("log=1; height=1; index_block_hash=0x%064d", 7)} {
		k.ExpectTexts("/extended/v2/blocks?min_position="+url.QueryEscape(text), http.StatusOK)
	}
}
