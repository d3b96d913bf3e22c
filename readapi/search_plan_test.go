package readapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/trigram"
	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/brc20"
	"strata/projections/ft"
	"strata/projections/search"
	"strata/rig/apitest"
)

// A search costs the same among many names as among few, with a plan for its arguments as with one for any; what is found is in order.
func TestSearchPlans(t *testing.T) {
	t.Parallel()
	const n = 60_000
	s, seen := apitest.NewSeenSite(t)
	s.ChainTables(search.Spec(), n, n)
	var rows [][]any
	for i := range n {
		name := fmt.Sprintf("SP%039d.swap-%x-pool", i%1000, i)
		if i%2 == 1 {
			name += "::lp-token"
		}
		rows = append(rows, []any{i, i, 0, len(name), i % 2, true, name, name[strings.LastIndexAny(name, ".:")+1:], append(trigram.Of(name), int32(i%2))})
	}
	rows = append(rows, []any{n, n, 0, 12, 1, false, "SP1.rare::One", "one", append(trigram.Of("SP1.rare::One"), 1)})
	columns := []string{"height", "source_seq", "tx_index", "length", "class", "fungible", "name", "last", "trigrams"}
	must.Get(s.Pool.CopyFrom(t.Context(), pgx.Identifier{search.Spec().String(), "name"}, columns, pgx.CopyFromRows(rows)))(t)
	s.Exec(`VACUUM ANALYZE`)
	const (
		few  = 350
		many = 2600 // of a part that most names have, so many are looked at
	)
	at := "/extended/v3/search?type=smart_contract,token&q="
	s.CheckTouches(seen, "search", apitest.TouchLimits{
		{at + "swap", few}, {at + "lp-t", few}, {at + "one", few}, {at + "rare::on", few}, {at + "SP1.rare", few}, {at + "swap-3e8-pool", few}, {at + "zzz", few},
		{at + fmt.Sprintf("SP%039d.swap-3e8-pool::lp-", 0), few}, {at + fmt.Sprintf("SP%039d.", 7), few},
		{at + "pool", many}, {at + "ool::lp", many}, {at + "sp00", many},
	})
	for term, want := range map[string]string{
		"One": "SP1.rare::One", "are::o": "SP1.rare::One", "sp1.rare": "SP1.rare::One", "swap-3e8-pool": fmt.Sprintf("SP%039d.swap-3e8-pool", 0),
	} {
		if got := s.Get(at + term).Body; !strings.Contains(got, `"results":[{`) || !strings.Contains(strings.SplitAfter(got, "}")[0]+got, want) {
			t.Errorf("%s: got %.400s, want %s", term, got, want)
		}
	}
}

// A search for the beginning of a token's name, symbol or ticker reads a stretch of an index, whatever begins alike.
func TestTokenSearchPlans(t *testing.T) {
	t.Parallel()
	const n = 60_000
	s, seen := apitest.NewSeenSite(t)
	s.ChainTables(ft.Spec(), n, n)
	tickers := brc20.Spec()
	s.Exec(tickers.DDL())
	s.Exec(`INSERT INTO strata.projection (name, version, input, state, block_height, index_block_hash, block_hash, burn_block_height)
		VALUES ($1, $2, 'ordinals_v1', 'live', $3, $4, $4, $3)`, tickers.Name, tickers.Version, n, apitest.ID(1, 1))
	s.Exec(`INSERT INTO strata.active (name, version) VALUES ($1, $2)`, tickers.Name, tickers.Version)
	fill := func(spec projections.Spec, table string, columns []string, rows [][]any) {
		must.Get(s.Pool.CopyFrom(t.Context(), pgx.Identifier{spec.String(), table}, columns, pgx.CopyFromRows(rows)))(t)
	}
	var contracts, tokens, deployed [][]any
	for i := range n {
		contract := fmt.Sprintf("SP%039d.coin-%x", i%1000, i)
		contracts = append(contracts, []any{i, i, 0, 0, []byte{1}, contract, "coin"})
		name, symbol := fmt.Sprintf("Coin %x", i), fmt.Sprintf("C%d", i%10)
		tokens = append(tokens, []any{i, i, 0, 1, contract, name, symbol, "0" + strings.ToLower(name), "0" + strings.ToLower(symbol)})
		ticker := fmt.Sprintf("o%04x", i)
		deploy := []any{i, i, i, 1, 0, ticker, ticker, "i0", apitest.ID(2, i), "bc1q", 1, 0}
		if i >= n/2 { // the feed lacks the deploy
			deploy = []any{nil, nil, nil, 1, 0, ticker, nil, nil, nil, nil, nil, 0}
		}
		deployed = append(deployed, deploy)
	}
	fill(ft.Spec(), "contract", []string{"height", "source_seq", "tx_index", "reason", "txid", "contract_id", "fungible_token"}, contracts)
	fill(ft.Spec(), "token", []string{"height", "source_seq", "reason", "token_id", "contract_id", "name", "symbol", "name_key", "symbol_key"}, tokens)
	fill(tickers, "token", []string{"height", "tx_index", "source_seq", "tx_count", "holders", "ticker", "tick", "id", "txid", "address", "max_supply", "minted"}, deployed)
	s.Exec(`VACUUM ANALYZE`)
	const few = 250
	at := "/extended/v3/search?type=token_metadata&q="
	s.CheckTouches(seen, "ft", apitest.TouchLimits{{at + "c", few}, {at + "coin", few}, {at + "coin+3e8", few}, {at + "C7", few}, {at + "zzz", few}, {at + "%24", few}})
	at = "/extended/v3/search?type=brc20_token&q="
	s.CheckTouches(seen, "brc20", apitest.TouchLimits{{at + "o", few / 5}, {at + "o01", few / 5}, {at + "o0001", few / 5}, {at + "zzz", few / 5}, {at + "oe", few / 5}})
}
