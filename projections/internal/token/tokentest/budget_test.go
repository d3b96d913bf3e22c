package tokentest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
)

// A contract that rests gets nothing fetched, whatever it prints, until the rest is over. A person gets it fetched all the
// same, and other contracts are not concerned.
func TestRest(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		usdcRead(w)
		w.later()
		w.mine(by(announce(punks, "nft")))
		w.rest(punks, 9*time.Hour)
		for _, name := range []string{"read punks 1", "document http://m.io/1.json"} {
			w.checkFailed("open when the rest begins", token.NFT, name, 9*time.Hour, 0, 0, 0)
		}
		w.mine(by(announce(punks, "nft"), mintNFT(punks, 2), mintFT(usdc)))
		w.checkFailed("raised meanwhile", token.NFT, "read punks 2", 9*time.Hour, 0, 0, 0)
		if asked := w.settle(token.NFT); len(asked) != 0 {
			t.Errorf("asked for %q of a contract that rests", asked)
		}
		if asked := w.settle(token.FT); len(asked) == 0 {
			t.Error("another contract rests, too")
		}
		w.rest(punks, time.Hour)
		w.checkFailed("a shorter rest", token.NFT, "read punks 2", 9*time.Hour, 0, 0, 0)
		w.refresh(punks, "1")
		if asked := w.settle(token.NFT); len(asked) == 0 || asked[0] != "document http://m.io/1.json" {
			t.Errorf("asked for %q for a person", asked)
		}
		w.now = w.now.Add(9 * time.Hour)
		if asked := w.settle(token.NFT); len(asked) == 0 || !slices.Contains(asked, "read punks 2") {
			t.Errorf("asked for %q after the rest", asked)
		}
	})
}

// One fetch serves all notifications in quick succession.
func TestNotificationsInQuickSuccession(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.later()
		var first []string
		for range 20 {
			w.mine(by(announce(punks, "nft")))
			w.mine(by(announce(punks, "nft", "token-ids", ids(1))))
			first = append(first, w.settle(token.NFT)...)
		}
		w.now = w.now.Add(10 * time.Minute)
		if again := w.settle(token.NFT); len(first) != 3 || len(again) != 3 {
			t.Errorf("asked for %q at once, and for %q later", first, again)
		}
		w.checkWants("in the end", token.NFT, "image http://m.io/1.png")
	})
}

// A document or an image that did not change keeps its content, and says when that was seen last.
func TestUnchanged(t *testing.T) {
	worlds(t, func(t *testing.T, w *world) {
		w.outside.web["http://m.io/1.png"] = has("pixels")
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		for _, table := range []string{"document", "image"} {
			name := table + " http://m.io/1.json"
			if table == "image" {
				name = "image http://m.io/1.png"
			}
			const seqRows = `SELECT source_seq || ' ' || (checked_seq > source_seq) || ' ' || extract(epoch FROM fetched_at)::bigint || ' ' || reason FROM {schema}.`
			seq := w.number(token.NFT, `SELECT source_seq::text FROM {schema}.`+table)
			w.later()
			w.refresh(punks, "")
			r := w.answer(token.NFT, name)
			unchanged(r, seq)
			w.record(r)
			w.check("unchanged "+table, token.NFT, seqRows+table, fmt.Sprint(seq, true, w.now.Unix(), 0))
			w.refresh(punks, "")
			r = w.answer(token.NFT, name)
			unchanged(r, seq-1)
			w.record(r)
			w.checkFailed("a report about content that is not here", token.NFT, name, 5*time.Second, 0, 1, int(fetch.Waiting))
			w.now = w.now.Add(time.Minute)
			w.settle(token.NFT)
			w.check("fetched again", token.NFT, `SELECT (checked_seq IS NULL) || ' ' || reason FROM {schema}.`+table, "true 0")
		}
		w.check("document", token.NFT, documentRows, `http://m.io/1.json {"name":"Punk","image":"http://m.io/1.png"}`)
	})
}

// number returns the only row of a query, a number.
func (w *world) number(kind token.Kind, query string) int64 {
	w.t.Helper()
	rows := w.rows(kind, query)
	if len(rows) != 1 {
		w.t.Fatalf("got %q, want a number", rows)
	}
	n, err := strconv.ParseInt(rows[0], 10, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}
