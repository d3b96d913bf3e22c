// Package tokens measures the metadata of tokens: how fast it is fetched, and reads of it in a large world.
package tokens

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// Bench measures the metadata of tokens.
type Bench struct {
	*bench.Bench
	Known   int // tokens that Reads reads
	Fetched int // tokens that Backfill fetches
}

// Requests per second of token-metadata-api on a comparable machine; see docs/performance.md.
const (
	peerToken = 1550
	peerList  = 215
)

// Reads measures reads of token metadata: one token again and again, any token, the first page and a deep page of the list,
// and searches.
func (b *Bench) Reads(ctx context.Context) {
	url, coins, items := b.world(ctx)
	hot := b.ServeCaching(ctx, url)
	b.FromMemory(ctx, hot, "≥ 0.6×", []bench.HotRead{{What: "hot fungible token", Targets: []string{coins.target(0)}}})
	hot.Stop()
	b.FromTables(ctx, url, func(server *bench.Server) {
		b.coldTokens(ctx, server, url, coins, items)
		b.listPages(ctx, server, &coins)
		b.searches(ctx, server, &coins, &items)
	})
}

// coldTokens requests one token after the other, compared with a bare SELECT.
func (b *Bench) coldTokens(ctx context.Context, server *bench.Server, url string, kinds ...knownTokens) {
	pool := bench.Selecting(ctx, url)
	defer pool.Close()
	for _, known := range kinds {
		all := len(known.ids)
		list := load.Numbered(min(all, bench.Several), func(i int) string { return known.target(load.Scattered(i, all)) })
		target := fmt.Sprintf("≥ %d req/s (5 times the peer's), p99 < 10 ms", 5*peerToken)
		b.CompareOver([]int{1, 16, 64}, fmt.Sprintf("cold %s, one of %d", known.kind.Name, all), "bare SELECT", target,
			bench.SelectContender(known.selecting(ctx, pool)), server.Contender(ctx, list))
	}
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

// selecting returns what executes that SELECT for a random token.
func (k *knownTokens) selecting(ctx context.Context, pool *pgxpool.Pool) func(random *rand.Rand) error {
	query := k.kind.SQL(selectToken)
	return func(random *rand.Rand) error {
		i := random.IntN(len(k.ids))
		return bench.DecodeRows(ctx, pool, query, k.contracts[i], k.ids[i])
	}
}

// Pages of the list. Each page is requested at many offsets around it, so that concurrent requests do not read the same
// rows, and pages start anywhere in a stretch.
const (
	pageSize      = 20
	deepPage      = 5000
	offsetsAround = 500
)

// listPages compares a deep page of the list with the first one.
func (b *Bench) listPages(ctx context.Context, server *bench.Server, coins *knownTokens) {
	deep := max(min((deepPage-1)*pageSize, len(coins.ids)-offsetsAround-pageSize), 0)
	what := fmt.Sprintf("list of %d by name, page %d", len(coins.ids), deep/pageSize+1)
	target := fmt.Sprintf("≤ 1.5×; the peer: %d req/s", peerList)
	b.Deep(ctx, server, what, "page 1", target, offsetsAround, 0, deep, func(offset, i int) string {
		return fmt.Sprintf("/metadata/v1/ft?limit=%d&offset=%d&order_by=name", pageSize, offset+i)
	})
}

// searched is how many tokens a search asks for. Half of them are fungible.
const searched = 50

func (b *Bench) searches(ctx context.Context, server *bench.Server, coins, items *knownTokens) {
	b.Lookups(ctx, server, fmt.Sprintf("search for %d of %d tokens", searched, b.Known), "", func(n int) string {
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
			token := load.Scattered(n*searched+i, len(known.ids))
			_, _ = fmt.Fprintf(&target, "%scontract=%s:%d", separator, known.contracts[token], known.ids[token])
		}
		return target.String()
	})
}
