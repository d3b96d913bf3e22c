package tokentest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/rig/replay"
)

func TestBudgets(t *testing.T) { each(t, budgetRules) }

var budgetRules = map[string]func(w *world){
	// A contract that rests gets nothing fetched, whatever it prints, until the rest is over. A person gets it fetched all the
	// same, and other contracts are not concerned.
	"Rest": func(w *world) {
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
			w.t.Errorf("asked for %q of a contract that rests", asked)
		}
		if asked := w.settle(token.FT); len(asked) == 0 {
			w.t.Errorf("another contract rests, too")
		}
		w.rest(punks, time.Hour)
		w.checkFailed("a shorter rest", token.NFT, "read punks 2", 9*time.Hour, 0, 0, 0)
		w.refresh(punks, "1")
		if asked := w.settle(token.NFT); len(asked) == 0 || asked[0] != "document http://m.io/1.json" {
			w.t.Errorf("asked for %q for a person", asked)
		}
		w.now = w.now.Add(9 * time.Hour)
		if asked := w.settle(token.NFT); len(asked) == 0 || !slices.Contains(asked, "read punks 2") {
			w.t.Errorf("asked for %q after the rest", asked)
		}
	},
	// One fetch serves all notifications in quick succession.
	"NotificationsInQuickSuccession": func(w *world) {
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
			w.t.Errorf("asked for %q at once, and for %q later", first, again)
		}
		w.checkWants("in the end", token.NFT, "image http://m.io/1.png")
	},
	// A document or an image that did not change keeps its content, and says when that was seen last.
	"Unchanged": func(w *world) {
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
	},
	// A token of which the contract says what it said before keeps its properties, and the row says when that was.
	"UnchangedRead": func(w *world) {
		usdcRead(w)
		const (
			name     = "read usdc"
			seqRow   = `SELECT read_seq::text FROM {schema}.token`
			checkRow = `SELECT coalesce(checked_seq - read_seq, 0) || ' ' || read_height || ' ' || extract(epoch FROM read_at)::bigint || ' ' || reason || ' ' || in_vain FROM {schema}.token`
		)
		seq := w.number(token.FT, seqRow)
		read := func(since int64) {
			w.later()
			w.mine(by(announce(usdc, "ft")))
			r := w.answer(token.FT, name)
			unchanged(r, since)
			w.record(r)
		}
		read(seq)
		w.check("unchanged", token.FT, checkRow, fmt.Sprint(2, " ", len(w.chain), " ", w.now.Unix(), " 0 1"))
		w.checkWants("unchanged", token.FT)
		w.check("properties", token.FT, factRows, "usdc 1 - USD Coin USDC 6 10000")

		read(seq - 1)
		w.checkFailed("answers that are not here", token.FT, name, 5*time.Second, 0, 1, int(fetch.Waiting))
		w.outside.says(usdc, "get-name", clarity.NewOk(value.Text("Dollar")))
		w.now = w.now.Add(time.Minute)
		w.ask(token.FT, name)
		w.check("other answers", token.FT, checkRow, fmt.Sprint(0, " ", len(w.chain), " ", w.now.Unix(), " 0 0"))
		w.check("properties", token.FT, factRows, "usdc 1 - Dollar USDC 6 10000")

		seq = w.number(token.FT, seqRow)
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(777)))
		w.ask(token.FT, "supply usdc")
		read(seq)
		w.checkFailed("another supply has come since", token.FT, name, 5*time.Second, 0, 1, int(fetch.Waiting))
		w.check("properties", token.FT, factRows, "usdc 1 - Dollar USDC 6 777 100")
	},
	// A recheck changes the rows as its reports do one by one, whether or not what they name is here.
	"Recheck": func(w *world) {
		w.outside.web["http://m.io/1.png"] = has("pixels")
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.later()
		w.mine(by(announce(punks, "nft")))
		tip, outside := w.tip(), w.tx
		take := func(seq int64, r projections.Record) projections.Step {
			return projections.Step{Kind: projections.TakeRecord, Height: tip.Height, IndexBlockHash: tip.IndexBlockHash, BlockSeq: seq, SourceSeq: seq, Record: r}
		}
		for name, late := range map[string]int64{"all is here": 0, "the image is not": 1} {
			var read, resources fetch.Recheck
			var single []projections.Step
			for _, of := range []struct {
				want, seq string
				recheck   *fetch.Recheck
				late      int64
			}{
				{"read punks 1", `SELECT read_seq::text FROM {schema}.token`, &read, 0},
				{"document http://m.io/1.json", `SELECT source_seq::text FROM {schema}.document`, &resources, 0},
				{"image http://m.io/1.png", `SELECT source_seq::text FROM {schema}.image`, &resources, late},
			} {
				r := w.answer(token.NFT, of.want)
				unchanged(r, w.number(token.NFT, of.seq)-of.late)
				if !of.recheck.Add(r) {
					w.t.Fatalf("%s is not taken", of.want)
				}
				seq := w.seq + 1
				if of.recheck == &resources {
					seq++
				}
				single = append(single, take(seq, r))
			}
			rowsAfter := func(steps ...projections.Step) []string {
				w.t.Helper()
				attempt, err := outside.Begin(w.t.Context())
				if err != nil {
					w.t.Fatal(err)
				}
				before := w.step
				w.tx = attempt
				w.fold(steps...)
				rows := w.dump(token.NFT)
				if err := attempt.Rollback(w.t.Context()); err != nil {
					w.t.Fatal(err)
				}
				w.tx, w.step = outside, before
				return rows
			}
			want := rowsAfter(single...)
			got := rowsAfter(take(w.seq+1, &read), take(w.seq+2, &resources))
			if !slices.Equal(got, want) || slices.Equal(want, w.dump(token.NFT)) {
				w.t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	},
	// The pause after which a notification is believed doubles with each fetch that finds nothing new, up to a day, and is short
	// again once there was something new. What a person asks for changes nothing about it.
	"NotificationsInVain": func(w *world) {
		punk(w, `{"name":"Punk"}`)
		notify := func() (pause time.Duration) {
			w.t.Helper()
			w.mine(by(announce(punks, "nft")))
			s := w.openWant(token.NFT, "document http://m.io/1.json")
			if read := w.openWant(token.NFT, "read punks 1"); !read.due.Equal(s.due) {
				w.t.Errorf("the read is due at %s, the document at %s", read.due, s.due)
			}
			pause = s.due.Sub(w.now)
			w.now = s.due
			w.settle(token.NFT)
			return pause
		}
		for i, want := range []string{"5m", "10m", "20m", "40m", "80m", "160m", "320m", "640m", "1280m", "24h", "24h"} {
			if pause := notify(); pause != duration(w.t, want) {
				w.t.Errorf("notification %d: a pause of %s, want %s", i+1, pause, want)
			}
		}
		w.outside.web["http://m.io/1.json"] = has(`{"name":"Bunk"}`)
		notify()
		w.check("the document", token.NFT, documentRows, `http://m.io/1.json {"name":"Bunk"}`)
		for _, want := range []string{"5m", "10m"} {
			w.refresh(punks, "1")
			w.settle(token.NFT)
			if pause := notify(); pause != duration(w.t, want) {
				w.t.Errorf("after something new: a pause of %s, want %s", pause, want)
			}
		}
	},
}

func duration(t replay.TB, s string) time.Duration {
	t.Helper()
	return must.Get(time.ParseDuration(s))(t)
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
