package folding_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/folding"
	"strata/domain/ordinals"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/rig/replay"
)

// variables are what a reader of docs/sql.md sets, and where a made-up chain has it.
var variables = map[string]string{
	"asset":   `SELECT asset FROM api.ft_balances GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
	"account": `SELECT account FROM api.stx_balances ORDER BY changes DESC, 1 LIMIT 1`,
	"txid":    `SELECT substr(txid, 3) FROM api.transactions ORDER BY height DESC, tx_index LIMIT 1`,
	"height":  `SELECT max(height)::text FROM api.blocks`,
	"nft":     `SELECT asset FROM api.nft_holdings ORDER BY asset, value LIMIT 1`,
	"nft_id":  `SELECT substr(value, 3) FROM api.nft_holdings ORDER BY asset, value LIMIT 1`,
	"ticker":  `SELECT upper(ticker) FROM api.brc20_balances ORDER BY 1 LIMIT 1`,
}

// sqlWorld returns a database with the tables of all projections of a made-up chain and a made-up ordinals feed.
func sqlWorld(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config := synthchain.Everything(11, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts, config.Maturity, config.NakamotoFromHeight = synthchain.Mainnet, 1000, 12, 6, 5
	config.RewardCycle = 10
	config.Mix = synthchain.DefaultMix()
	config.Mix.Naming, config.Mix.Registry = 10, 60
	chain, feed := synthchain.New(config), synthordinals.New(synthordinals.Everything(11, ordinals.Regtest))
	log := replay.NewLog(t)
	posts := replay.Take(500, chain.Next)
	posts = append(posts, replay.Take(60, feed.Next)...)
	replay.Append(t, log, posts...)
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	replay.RunLines(t, log, lines...)
	return log.Pool()
}

// Every query of docs/sql.md runs and finds something, the views that it lists are there, and each has a row of what a chain
// with everything has.
func TestDocumentedSQL(t *testing.T) {
	t.Parallel()
	document := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "sql.md")))(t)
	pool := sqlWorld(t)
	values := map[string]string{}
	for name, query := range variables {
		values[name] = pgtest.Value[string](t, pool, query)
	}
	run := 0
	for i, part := range strings.Split(string(document), "\n```") {
		query, isSQL := strings.CutPrefix(part, "sql\n")
		if i%2 == 0 || !isSQL {
			continue
		}
		run++
		query = regexp.MustCompile(`([^:]):('?)([a-z_]+)('?)`).ReplaceAllStringFunc(query, func(found string) string {
			m := regexp.MustCompile(`([^:]):('?)([a-z_]+)('?)`).FindStringSubmatch(found)
			value, ok := values[m[3]]
			if !ok {
				t.Errorf("%s: the test has no value of %s", query, m[3])
			}
			return m[1] + m[2] + value + m[4]
		})
		if n := count(t, pool, query); n == 0 {
			t.Errorf("no row from\n%s", query)
		}
	}
	if run < 11 {
		t.Errorf("%d queries were run, want the one with a hash and ten questions", run)
	}

	views := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(string(document), -1) {
		for _, name := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(m[1], -1) {
			views[name[1]] = true
		}
	}
	for name := range views {
		n := count(t, pool, `SELECT * FROM api.`+name)
		if n == 0 && !strings.HasPrefix(name, "staking_") && name != "sft_tokens" { // the chain ends before pox-5, and has no such tokens
			t.Errorf("view %s is empty", name)
		}
	}
	for _, name := range []string{"stx_balances", "ft_balances", "nft_holdings", "bns_names"} {
		// At the newest block, each function shows what its view does.
		a := fmt.Sprintf(`SELECT %s FROM api.%s`, common[name], name)
		b := fmt.Sprintf(`SELECT %s FROM api.%s_at(%s)`, common[name], name, values["height"])
		if n := count(t, pool, `(`+a+` EXCEPT ALL `+b+`) UNION ALL (`+b+` EXCEPT ALL `+a+`)`); n != 0 {
			t.Errorf("%s differs from %s_at the newest block in %d rows", name, name, n)
		}
	}
	if n := count(t, pool, `SELECT FROM pg_views v WHERE v.schemaname = 'api'`); n < len(views)+60 {
		t.Errorf("there are %d views, want those of tables as they are, too", n)
	}
	// In small tables the planner prefers to read everything.
	config := pool.Config()
	config.ConnConfig.RuntimeParams["enable_seqscan"], config.ConnConfig.RuntimeParams["enable_bitmapscan"] = "off", "off"
	picky := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer picky.Close()
	checkLookUps(t, picky)
	unlisted := count(t, pool, `SELECT FROM pg_views WHERE schemaname = 'api' AND definition NOT LIKE '%FROM %\_v%'`)
	if unlisted != 0 {
		t.Errorf("%d views show no version of a projection", unlisted)
	}
}

// lookUps are filters that docs/sql.md and the comments on views promise an index for, and what a plan with it says. Where
// tables are too small for the planner to care which of several indexes it takes, any will do.
var lookUps = map[string]string{
	`SELECT * FROM api.blocks WHERE height = 5`:                                                 "canonical_pkey",
	`SELECT * FROM api.blocks WHERE index_block_hash_bytes = '\x00'`:                            "block_index_block_hash_key",
	`SELECT * FROM api.transactions WHERE txid_bytes = '\x00'`:                                  "transaction_txid_idx",
	`SELECT * FROM api.events WHERE height BETWEEN 5 AND 6`:                                     "canonical_pkey",
	`SELECT * FROM api.contracts WHERE contract_id = 'x'`:                                       "contract_pkey",
	`SELECT * FROM api.account_events WHERE account = 'x' AND n > 7`:                            "account_event_pkey",
	`SELECT * FROM api.contract_prints WHERE contract_id = 'x' ORDER BY n DESC LIMIT 9`:         "Index Cond: (contract = a.id)",
	`SELECT * FROM api.ft_balances WHERE asset = 'x' ORDER BY balance DESC LIMIT 9`:             "holding_most_idx",
	`SELECT * FROM api.stx_balances WHERE account = 'x'`:                                        "Index Scan using holding_",
	`SELECT * FROM api.stx_balances_at(7) WHERE account = 'x'`:                                  "entry_pkey",
	`SELECT * FROM api.balance_changes WHERE account = 'x' AND asset = 'stx' ORDER BY n DESC`:   "entry_pkey",
	`SELECT * FROM api.nft_holdings WHERE owner = 'x'`:                                          "nft_custody_",
	`SELECT * FROM api.nft_holdings_at(7) WHERE asset = 'x' AND value_hash_bytes = '\x00'`:      "nft_event_pkey",
	`SELECT * FROM api.supplies WHERE asset = 'x' AND height <= 9 ORDER BY height DESC LIMIT 1`: "asset_pkey",
	`SELECT * FROM api.inscriptions WHERE number = 9`:                                           "inscription_number_idx",
	`SELECT * FROM api.brc20_balances WHERE ticker = 'x' ORDER BY total DESC LIMIT 9`:           "balance_total_idx",
	`SELECT * FROM api.pox_signers WHERE cycle_number = 3`:                                      "Index Cond: (cycle_number = 3)",
}

// checkLookUps checks that views keep indexes usable.
func checkLookUps(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	for query, index := range lookUps {
		lines := pgtest.Values[string](t, pool, `EXPLAIN `+query)
		if plan := strings.Join(lines, "\n"); !strings.Contains(plan, index) {
			t.Errorf("%s does not use %s:\n%s", query, index, plan)
		}
	}
}

// common are the columns that a view and the function with its history share.
var common = map[string]string{
	"stx_balances": `account, balance, locked, sent, received, fees, rewards, changes, height, source_seq`,
	"ft_balances":  `asset, account, balance, sent, received, changes, height, source_seq`,
	"nft_holdings": `asset, value, owner, events, height, source_seq`,
	"bns_names":    `name, namespace, id, owner, expires_at, registered_at, listed_price, height, source_seq`,
}

func count(t *testing.T, pool *pgxpool.Pool, query string) int {
	t.Helper()
	return pgtest.Value[int](t, pool, `SELECT count(*) FROM (`+query+`) AS counted`)
}
