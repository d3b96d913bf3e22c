package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// What token-metadata-api does on a machine like ours, see docs/performance.md: requests a second.
const (
	peerToken = 1550
	peerList  = 215
)

// tokens measures reads of token metadata: one token again and again, tokens that nobody asked for before, the first
// page of the list and a late one, and searches.
func (b *bench) tokens(ctx context.Context) error {
	url, err := b.knownTokens(ctx)
	if err != nil {
		return err
	}
	server, err := b.serveKeeping(ctx, url)
	if err != nil {
		return err
	}
	coins, items := knownCoins(b.known), knownItems(b.known)
	err = b.fromMemory(ctx, server, "≥ 0.6×", []kept{
		{"hot fungible token", []string{coins.target(0)}, asked{}},
		{"304 fungible token", []string{coins.target(0)}, asked{repeated: true}},
	})
	if err == nil {
		err = b.coldTokens(ctx, server, url)
	}
	server.stop()
	if err != nil {
		return err
	}
	// No answer fits into a byte: whatever is asked comes from the tables, as often as it is asked.
	if server, err = b.serveKeeping(ctx, url, "--cache-memory", "1"); err != nil {
		return err
	}
	defer server.stop()
	before, err := server.tally(ctx)
	if err != nil {
		return err
	}
	if err := b.listPages(ctx, server, &coins); err != nil {
		return err
	}
	if err := b.searches(ctx, server, &coins, &items); err != nil {
		return err
	}
	return b.sources(ctx, server, before, "made from the tables", func(t tally) float64 { return t.made })
}

// coldTokens asks for each token once.
func (b *bench) coldTokens(ctx context.Context, server *server, url string) error {
	selecting, err := b.selecting(ctx, "tokens", url)
	if err != nil {
		return err
	}
	defer selecting.stop()
	before, err := server.tally(ctx)
	if err != nil {
		return err
	}
	for _, of := range []someTokens{{Known: b.known}, {Known: b.known, Items: true}} {
		known, a := of.tokens(), &aims{once: true}
		for i := range known.all {
			a.all = append(a.all, aim{request(known.target(scattered(i, known.all)), http.Header{}), http.StatusOK, -1})
		}
		what := fmt.Sprintf("cold %s, one of %d", known.kind.Name, known.all)
		target := fmt.Sprintf("≥ %d req/s (5 times the peer's), p99 < 10 ms", 5*peerToken)
		if err := b.compareOver([]int{1, 16, 64}, what, "bare SELECT", target, selectingOf(selecting, of), server.loading(ctx, a)); err != nil {
			return err
		}
	}
	return b.sources(ctx, server, before, "made from the tables", func(t tally) float64 { return t.made })
}

// someTokens are those of one kind, of so many.
type someTokens struct {
	Known int
	Items bool
}

func (s someTokens) tokens() knownTokens {
	if s.Items {
		return knownItems(s.Known)
	}
	return knownCoins(s.Known)
}

// selectToken reads what an answer about one token is made of.
const selectToken = `
	SELECT c.txid, c.fungible_token, t.name, t.symbol, t.decimals, t.total_supply::text, t.uri, d.content, i.sha256
	FROM {schema}.contract c
	JOIN {schema}.token t ON t.contract_id = c.contract_id AND t.token_id = $2
	JOIN {schema}.reference dr ON dr.contract_id = t.contract_id AND dr.token_id = t.token_id AND dr.role = 'document' AND dr.locale = ''
	JOIN {schema}.document d ON d.uri_hash = dr.uri_hash
	JOIN {schema}.reference ir ON ir.contract_id = t.contract_id AND ir.token_id = t.token_id AND ir.role = 'image' AND ir.locale = ''
	JOIN {schema}.image i ON i.uri_hash = ir.uri_hash
	WHERE c.contract_id = $1`

// selectTokens is that SELECT as a process.
func selectTokens(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	return selectRounds(ctx, in, out, func(of someTokens) selectRow {
		known := of.tokens()
		query := known.kind.SQL(selectToken)
		contracts := make([]string, known.contracts())
		for n := range contracts {
			contracts[n] = known.contract(n * known.each)
		}
		return func(pool *pgxpool.Pool, random *rand.Rand) error {
			at := random.IntN(known.all)
			var txid, digest []byte
			var asset, name, symbol, supply, uri, content *string
			var decimals *int
			return pool.QueryRow(ctx, query, contracts[at/known.each], known.id(at)).
				Scan(&txid, &asset, &name, &symbol, &decimals, &supply, &uri, &content, &digest)
		}
	})
}

// scattered is a permutation of the numbers below n in which no two neighbours stand together in an index.
func scattered(i, n int) int { return i * 7919 % n }

// Pages of the list. Around each there are so many offsets that no two requests under way at the same time are for the
// same rows, and that they begin anywhere in a stretch.
const (
	pageSize     = 20
	latePage     = 5000
	offsetsAbout = tokensOfStretch + 100
)

// listPages compares a late page of the list with the first one. Ratios are of latencies.
func (b *bench) listPages(ctx context.Context, server *server, coins *knownTokens) error {
	late := max(min((latePage-1)*pageSize, coins.all-offsetsAbout-pageSize), 0)
	for _, order := range []string{"name", "symbol"} {
		about := func(offset int) *aims {
			a := &aims{}
			for i := range offsetsAbout {
				target := fmt.Sprintf("/metadata/v1/ft?limit=%d&offset=%d&order_by=%s", pageSize, offset+i, order)
				a.all = append(a.all, aim{request(target, http.Header{}), http.StatusOK, -1})
			}
			return a
		}
		for _, connections := range []int{1, 16, 64} {
			f, err := b.inTurns(connections, server.loading(ctx, about(0)), server.loading(ctx, about(late)))
			if err != nil {
				return fmt.Errorf("list by %s: %w", order, err)
			}
			b.row(fmt.Sprintf("list of %d by %s, page %d, %s", coins.all, order, late/pageSize+1, connectionsText(connections)),
				f[1].String(), f[0].String()+" page 1", ratioOf(f[1].p50, f[0].p50)+" p50, "+ratioOf(f[1].p99, f[0].p99)+" p99",
				fmt.Sprintf("≤ 1.5×; the peer: %d req/s", peerList))
		}
	}
	return nil
}

func ratioOf(a, b time.Duration) string { return times(float64(a), float64(b)) }

// Searches ask for so many tokens, half of them fungible.
const (
	searched = 50
	searches = 500
)

func (b *bench) searches(ctx context.Context, server *server, coins, items *knownTokens) error {
	a := &aims{}
	for n := range searches {
		var target strings.Builder
		target.WriteString("/metadata/v1/search")
		for i := range searched {
			known, at := coins, n*searched+i
			if i%2 == 1 {
				known = items
			}
			separator := "&"
			if i == 0 {
				separator = "?"
			}
			at = scattered(at, known.all)
			_, _ = fmt.Fprintf(&target, "%scontract=%s:%d", separator, known.contract(at), known.id(at))
		}
		a.all = append(a.all, aim{request(target.String(), http.Header{}), http.StatusOK, -1})
	}
	for _, connections := range []int{1, 16} {
		f, err := b.inTurns(connections, server.loading(ctx, a))
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		b.row(fmt.Sprintf("search for %d of %d tokens, %s", searched, b.known, connectionsText(connections)), f[0].String(), "", "", "")
	}
	return nil
}
