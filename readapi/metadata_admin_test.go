package readapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/replay"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/nft"
	"strata/projections/sft"
	"strata/readapi"
)

// Rows C1 to C14 of the conformance list, as far as POST /metadata/v1/refresh is what the calls of an administrator are there.
// It answers 202, because the wish is an event, and 404 where they have 422.
//
// The others have no counterpart. C4 for everything at once: whatever failed is tried again by itself. C6: what is wanted does
// not depend on who has a store for images. C7 to C12: contracts come from the log, and an interface that is missing is
// fetched without being asked for.
func TestRefreshInPlaceOfAdmin(t *testing.T) {
	t.Parallel()
	r := newRefreshed(t)
	piece, coin := r.contract("nft"), r.contract("ft")
	read := func(kind token.Kind, contract string, id int64) string { return tokenWant(kind, contract, id).Key() }
	last := fetch.Want{Kind: fetch.ContractRead, Contract: piece, Calls: []fetch.Call{token.LastTokenIDCall()}}.Key()
	ids := r.ids("nft", piece)
	if len(ids) < 2 {
		t.Fatalf("%s has the tokens %v, want two or more", piece, ids)
	}
	one := fmt.Sprintf(`{"contract_id":%q,"token_id":"%d"}`, piece, ids[0])

	t.Run("C1 a token", func(t *testing.T) {
		r.done()
		r.accepted(t, one)
		r.wanted(t, read(token.NFT, piece, ids[0]))
	})
	t.Run("C2 all tokens of a contract", func(t *testing.T) { // and, unlike there, how many it says there are
		r.done()
		r.accepted(t, fmt.Sprintf(`{"contract_id":%q}`, piece))
		all := []string{last}
		for _, id := range ids {
			all = append(all, read(token.NFT, piece, id))
		}
		r.wanted(t, all...)
	})
	t.Run("C3 a contract that is not there", func(t *testing.T) {
		r.done()
		r.refused(t, `{"contract_id":"`+p1+`"}`, noContract)
	})
	t.Run("C4 what has failed", func(t *testing.T) {
		r.done()
		r.accepted(t, one)
		r.exec(`UPDATE nft_v1.want SET attempts = 3, waits = 1, severity = 2, reason = 105, priority = 3, due_at = now() + interval '1 week'`)
		r.accepted(t, one)
		r.wanted(t, read(token.NFT, piece, ids[0]))
	})
	t.Run("C5 an image", func(t *testing.T) { // with the rest of its token
		r.done()
		r.document(token.NFT, uri, fullDocument(), nil)
		r.refer(token.NFT, piece, fmt.Sprint(ids[0]), "document", "", uri)
		r.image(token.NFT, imageURI, true, nil)
		r.refer(token.NFT, piece, fmt.Sprint(ids[0]), "image", "", imageURI)
		r.accepted(t, one)
		r.wanted(t, read(token.NFT, piece, ids[0]),
			fetch.Want{Kind: fetch.Document, URI: uri}.Key(), fetch.Want{Kind: fetch.Image, URI: imageURI}.Key())
	})
	t.Run("C13 a supply", func(t *testing.T) { // with the rest of its token
		r.done()
		r.accepted(t, fmt.Sprintf(`{"contract_id":%q}`, coin))
		r.wanted(t, read(token.FT, coin, 1))
		if calls := token.Calls(token.FT, big.NewInt(1)); !slices.ContainsFunc(calls, func(c fetch.Call) bool { return c.Function == "get-total-supply" }) {
			t.Errorf("the supply is not among %v", calls)
		}
	})
	t.Run("C14 a token that is not there", func(t *testing.T) {
		r.done()
		r.refused(t, fmt.Sprintf(`{"contract_id":%q,"token_id":"999999"}`, piece), noToken)
	})
}

// refreshed is an API, the log that it notes wishes in, and the projections that fold them.
type refreshed struct {
	*site
	events *eventstore.Log
	posts  int // so many wishes were made, each by another client
}

// newRefreshed has a chain with contracts of fungible and of non-fungible tokens.
func newRefreshed(t *testing.T) *refreshed {
	t.Helper()
	r := &refreshed{events: replay.NewLog(t)}
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Start(t, r.events, canonical, ft.New(nil), sft.New(nil), nft.New(nil))
	made := synthchain.New(synthchain.Config{Seed: 2, Mix: synthchain.Mix{Deploy: 1, CollectibleMint: 3}, SigningSample: 1000})
	var posts []replay.Post
	for range 30 {
		posts = append(posts, replay.Post(made.Next()))
	}
	replay.Append(t, r.events, posts...)
	replay.Wait(t, r.events)
	r.site = newSiteOn(t, r.events.Pool(), readapi.Config{Refresh: r.note})
	return r
}

// note puts a wish into the log.
func (r *refreshed) note(ctx context.Context, wish fetch.Refresh) error {
	text, err := wish.Encode()
	if err != nil {
		return err
	}
	_, err = r.events.Append(ctx, eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "api", Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(text),
	})
	return err
}

// contract is the one of a kind that has the most tokens.
func (r *refreshed) contract(kind string) (id string) {
	r.t.Helper()
	if err := r.pool.QueryRow(r.t.Context(), `
		SELECT contract_id FROM `+kind+`_v1.token GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`).Scan(&id); err != nil {
		r.t.Fatal(err)
	}
	return id
}

// ids are those of a contract's tokens.
func (r *refreshed) ids(kind, contract string) []int64 {
	r.t.Helper()
	rows, err := r.pool.Query(r.t.Context(), `SELECT token_id::bigint FROM `+kind+`_v1.token WHERE contract_id = $1 ORDER BY 1`, contract)
	if err != nil {
		r.t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		r.t.Fatal(err)
	}
	return ids
}

// done ends all that is wanted.
func (r *refreshed) done() {
	r.t.Helper()
	replay.Wait(r.t, r.events)
	for _, kind := range kinds {
		r.exec(`DELETE FROM ` + string(kind) + `_v1.want`)
	}
}

func (r *refreshed) post(body string) reply {
	r.posts++
	return r.wish("/metadata/v1/refresh", body, fmt.Sprintf("192.0.2.%d:80", r.posts))
}

func (r *refreshed) accepted(t *testing.T, body string) {
	t.Helper()
	if got := r.post(body); got.status != 202 || got.body != `{"accepted":true}` {
		t.Fatalf("%s: got %d %s", body, got.status, got.body)
	}
	replay.Wait(t, r.events)
}

// refused checks that a wish leaves no trace.
func (r *refreshed) refused(t *testing.T, body, why string) {
	t.Helper()
	before, err := r.events.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.post(body); got.status != 404 || got.body != why {
		t.Errorf("%s: got %d %s, want 404 %s", body, got.status, got.body, why)
	}
	if after, err := r.events.Size(t.Context()); err != nil || after != before {
		t.Errorf("the log has %d events (%v), want %d", after, err, before)
	}
	r.wanted(t)
}

// wanted checks what is wanted, by the keys of wants: all of it now, for a person, and as if it had never failed.
func (r *refreshed) wanted(t *testing.T, want ...string) {
	t.Helper()
	rows, err := r.pool.Query(t.Context(), `
		SELECT want, due_at <= now() AND priority = 1 AND attempts + waits + reason + severity = 0
		FROM (SELECT * FROM ft_v1.want UNION ALL SELECT * FROM sft_v1.want UNION ALL SELECT * FROM nft_v1.want) want`)
	if err != nil {
		t.Fatal(err)
	}
	var (
		got  []string
		text string
		now  bool
	)
	if _, err := pgx.ForEachRow(rows, []any{&text, &now}, func() error {
		var w fetch.Want
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			return err
		}
		got = append(got, w.Key())
		if !now {
			t.Errorf("%s is not wanted now, for a person", w.Key())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got the wants\n%q, want\n%q", got, want)
	}
}
