package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Requests per second of token-metadata-api on a comparable machine; see docs/performance.md.
const (
	peerToken = 1550
	peerList  = 215
)

// tokens measures reads of token metadata: one token again and again, each token once, the first page and a deep page
// of the list, and searches.
func (b *bench) tokens(ctx context.Context) error {
	url, err := b.tokenWorld(ctx)
	if err != nil {
		return err
	}
	hot, err := b.serveCaching(ctx, url)
	if err != nil {
		return err
	}
	coins, items := knownCoins(b.known), knownItems(b.known)
	err = b.fromMemory(ctx, hot, "≥ 0.6×", []hotRead{
		{"hot fungible token", []string{coins.target(0)}, conditions{}},
		{"304 fungible token", []string{coins.target(0)}, conditions{conditional: true}},
	})
	if err == nil {
		err = b.coldTokens(ctx, hot, url)
	}
	hot.stop()
	if err != nil {
		return err
	}
	return b.fromTables(ctx, url, func(server *server) error {
		if err := b.listPages(ctx, server, &coins); err != nil {
			return err
		}
		return b.searches(ctx, server, &coins, &items)
	})
}

// coldTokens requests each token once.
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
	for _, selection := range []tokenSelection{{Known: b.known}, {Known: b.known, Items: true}} {
		known := selection.tokens()
		list := numberedOnce(known.all, func(i int) string { return known.target(scattered(i, known.all)) })
		what := fmt.Sprintf("cold %s, one of %d", known.kind.Name, known.all)
		target := fmt.Sprintf("≥ %d req/s (5 times the peer's), p99 < 10 ms", 5*peerToken)
		if err := b.compareOver([]int{1, 16, 64}, what, "bare SELECT", target, selectingOf(selecting, selection), server.loading(ctx, list)); err != nil {
			return err
		}
	}
	return b.sources(ctx, server, before, "made from the tables", func(t tally) float64 { return t.tables })
}

// tokenSelection selects the tokens of one kind in a token world of a size.
type tokenSelection struct {
	Known int
	Items bool
}

func (s tokenSelection) tokens() knownTokens {
	if s.Items {
		return knownItems(s.Known)
	}
	return knownCoins(s.Known)
}

// selectToken reads the contents of an answer about one token.
const selectToken = `
	SELECT c.txid, c.fungible_token, t.name, t.symbol, t.decimals, t.total_supply::text, t.uri, d.content, i.sha256
	FROM {schema}.contract c
	JOIN {schema}.token t ON t.contract_id = c.contract_id AND t.token_id = $2
	JOIN {schema}.reference dr ON dr.contract_id = t.contract_id AND dr.token_id = t.token_id AND dr.role = 'document' AND dr.locale = ''
	JOIN {schema}.document d ON d.uri_hash = dr.uri_hash
	JOIN {schema}.reference ir ON ir.contract_id = t.contract_id AND ir.token_id = t.token_id AND ir.role = 'image' AND ir.locale = ''
	JOIN {schema}.image i ON i.uri_hash = ir.uri_hash
	WHERE c.contract_id = $1`

// selectTokens runs that SELECT as a helper process.
func selectTokens(ctx context.Context, in *json.Decoder, out *json.Encoder) error {
	return selectRounds(ctx, in, out, func(selection tokenSelection) selectRow {
		known := selection.tokens()
		query := known.kind.SQL(selectToken)
		contracts := make([]string, known.contracts())
		for n := range contracts {
			contracts[n] = known.contract(n * known.each)
		}
		return func(pool *pgxpool.Pool, random *rand.Rand) error {
			i := random.IntN(known.all)
			var txid, digest []byte
			var asset, name, symbol, supply, uri, content *string
			var decimals *int
			return pool.QueryRow(ctx, query, contracts[i/known.each], known.id(i)).
				Scan(&txid, &asset, &name, &symbol, &decimals, &supply, &uri, &content, &digest)
		}
	})
}

// scattered returns a permutation of the numbers below n. Consecutive i give numbers that are far apart in an index.
func scattered(i, n int) int { return i * 7919 % n }

// Pages of the list. Each page is requested at many offsets around it, so that concurrent requests do not read the same
// rows, and pages start anywhere in a stretch.
const (
	pageSize      = 20
	deepPage      = 5000
	offsetsAround = tokensOfStretch + 100
)

// listPages compares a deep page of the list with the first one.
func (b *bench) listPages(ctx context.Context, server *server, coins *knownTokens) error {
	deep := max(min((deepPage-1)*pageSize, coins.all-offsetsAround-pageSize), 0)
	for _, order := range []string{"name", "symbol"} {
		around := func(offset int) contender {
			return server.loading(ctx, numbered(offsetsAround, func(i int) string {
				return fmt.Sprintf("/metadata/v1/ft?limit=%d&offset=%d&order_by=%s", pageSize, offset+i, order)
			}))
		}
		what := fmt.Sprintf("list of %d by %s, page %d", coins.all, order, deep/pageSize+1)
		target := fmt.Sprintf("≤ 1.5×; the peer: %d req/s", peerList)
		if err := b.compareLatencies([]int{1, 16, 64}, what, "page 1", target, around(0), around(deep)); err != nil {
			return err
		}
	}
	return nil
}

// Each of the searches asks for several tokens, half of which are fungible.
const (
	searched = 50 // tokens per search
	searches = 500
)

func (b *bench) searches(ctx context.Context, server *server, coins, items *knownTokens) error {
	list := numbered(searches, func(n int) string {
		var target strings.Builder
		target.WriteString("/metadata/v1/search")
		for i := range searched {
			known, separator := coins, "&"
			if i%2 == 1 {
				known = items
			}
			if i == 0 {
				separator = "?"
			}
			token := scattered(n*searched+i, known.all)
			_, _ = fmt.Fprintf(&target, "%scontract=%s:%d", separator, known.contract(token), known.id(token))
		}
		return target.String()
	})
	for _, connections := range []int{1, 16} {
		f, err := b.inTurns(connections, server.loading(ctx, list))
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		b.row(fmt.Sprintf("search for %d of %d tokens, %s", searched, b.known, connectionsText(connections)), f[0].String(), "", "", "")
	}
	return nil
}
