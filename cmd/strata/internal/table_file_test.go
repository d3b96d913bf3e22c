package internal_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parquet-go/parquet-go"

	"strata/cmd/strata/internal/tablefile"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/rig/replay"
)

func newTableWorld(t *testing.T) *pgxpool.Pool {
	t.Helper()
	log := replay.NewLog(t)
	made := synthchain.New(synthchain.Config{Seed: 5, SigningSample: 1000})
	posts := replay.Take(60, made.Next)
	replay.Append(t, log, posts...)
	fold := must.Get(chain.New(chain.Recommended, nil))(t)
	replay.Run(t, log, fold, balances.New(nil))
	return log.Pool()
}

func export(t *testing.T, pool *pgxpool.Pool, options tablefile.Options) ([]byte, int64) {
	t.Helper()
	var out bytes.Buffer
	result := must.Get(tablefile.Export(t.Context(), pool, &out, options))(t)
	return out.Bytes(), result.Rows
}

// want returns the rows of a query, as text, in the order of their text.
func want(t *testing.T, pool *pgxpool.Pool, query string) []string {
	t.Helper()
	return pgtest.Value[[]string](t, pool, `SELECT array_agg(x::text ORDER BY x::text COLLATE "C") FROM (`+query+`) AS q (x)`)
}

// All formats have the same rows as the view, now and at an earlier height.
func TestExportFormats(t *testing.T) {
	t.Parallel()
	pool := newTableWorld(t)
	var tip, seq int64
	must.Do(t, pool.QueryRow(t.Context(), `SELECT block_height, log_seq FROM strata.projection WHERE name = 'balances'`).Scan(&tip, &seq))
	earlier := tip / 2
	for _, at := range []*int64{nil, &earlier} {
		from := `api.stx_balances`
		if at != nil {
			from = fmt.Sprintf(`api.stx_balances_at(%d)`, *at)
		}
		rows := want(t, pool, `SELECT account || ' ' || balance || ' ' || source_seq FROM `+from)
		if len(rows) < 3 {
			t.Fatalf("%s has %d rows", from, len(rows))
		}
		for format, read := range map[string]func(*testing.T, []byte) []string{"parquet": readParquet, "csv": readCSV, "ndjson": readNDJSON} {
			body, n := export(t, pool, tablefile.Options{Name: "stx_balances", Format: format, At: at})
			if got := read(t, body); !slices.Equal(got, rows) || n != int64(len(rows)) {
				t.Errorf("%s of %s: got %d rows %q, want %q", format, from, n, got, rows)
			}
		}
	}

	body, _ := export(t, pool, tablefile.Options{Name: "api.stx_balances", Format: "parquet", At: &earlier})
	file := must.Get(parquet.OpenFile(bytes.NewReader(body), int64(len(body))))(t)
	for key, want := range map[string]string{
		"strata.relation": "api.stx_balances", "strata.projection": fmt.Sprintf("balances_v%d", balances.Version), "strata.log_seq": strconv.FormatInt(seq, 10),
		"strata.block_height": strconv.FormatInt(tip, 10), "strata.at_height": strconv.FormatInt(earlier, 10), "strata.rules": strconv.Itoa(balances.Version),
	} {
		if got, _ := file.Lookup(key); got != want {
			t.Errorf("the metadata have %s=%q, want %q", key, got, want)
		}
	}
	if got := file.Schema().Columns()[0][0]; got != "account" {
		t.Errorf("the first column is %s, want that of the view", got)
	}
}

// A table has bytes, lists, truth values, nulls and times.
func TestExportTable(t *testing.T) {
	t.Parallel()
	pool := newTableWorld(t)
	const rows = `SELECT height || ' ' || nakamoto || ' ' || encode(index_block_hash, 'hex') || ' ' || coalesce(block_time::text, 'null') FROM %s.block`
	body, _ := export(t, pool, tablefile.Options{Name: "chain.block", Format: "ndjson"})
	var got []string
	for line := range bytes.Lines(body) {
		var row struct {
			Height           int64
			Nakamoto         bool
			IndexBlockHash   string            `json:"index_block_hash"`
			BlockTime        *int64            `json:"block_time"`
			SignerSignatures []json.RawMessage `json:"signer_signatures"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		time := "null"
		if row.BlockTime != nil {
			time = strconv.FormatInt(*row.BlockTime, 10)
		}
		got = append(got, fmt.Sprintf("%d %t %s %s", row.Height, row.Nakamoto, strings.TrimPrefix(row.IndexBlockHash, "0x"), time))
	}
	slices.Sort(got)
	if want := want(t, pool, fmt.Sprintf(rows, fmt.Sprintf("chain_v%d", chain.Version))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, format := range []string{"parquet", "csv"} {
		for _, name := range []string{"chain.block", "blocks", "chain.transaction", "balances.holding", "supplies"} {
			if _, n := export(t, pool, tablefile.Options{Name: name, Format: format}); n == 0 {
				t.Errorf("%s as %s: no rows", name, format)
			}
		}
	}
}

func TestExportErrors(t *testing.T) {
	t.Parallel()
	pool := newTableWorld(t)
	height, high := int64(1), int64(math.MaxInt32)
	for _, tc := range []struct {
		options tablefile.Options
		want    string
	}{
		{tablefile.Options{Name: "nothing"}, `schema api has no view "nothing"`},
		{tablefile.Options{Name: "nobody.block"}, `no active version of a projection "nobody"`},
		{tablefile.Options{Name: "chain.nothing"}, "there is no table chain.nothing"},
		{tablefile.Options{Name: "blocks", At: &height}, "no earlier states to export with --at; these have: ft_balances, nft_holdings, stx_balances, supplies"},
		{tablefile.Options{Name: "balances.holding", At: &height}, "no earlier states"},
		{tablefile.Options{Name: "stx_balances", At: &high}, "there is no block at height 2147483647 yet; the newest one is at "},
	} {
		tc.options.Format = "csv"
		_, err := tablefile.Export(t.Context(), pool, &bytes.Buffer{}, tc.options)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: got %v, want %q", tc.options, err, tc.want)
		}
	}
}

// DuckDB reads what was written: a reader that is not the library that wrote it.
func TestDuckDB(t *testing.T) {
	t.Parallel()
	python := os.Getenv("STRATA_TEST_DUCKDB_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.CommandContext(t.Context(), python, "-c", "import duckdb").Run(); err != nil {
		t.Skip("python3 has no duckdb: make a virtual environment with pip install duckdb, and name its python in STRATA_TEST_DUCKDB_PYTHON")
	}
	pool := newTableWorld(t)
	body, n := export(t, pool, tablefile.Options{Name: "blocks", Format: "parquet"})
	file := filepath.Join(t.TempDir(), "blocks.parquet")
	must.Do(t, os.WriteFile(file, body, 0o600))
	got, err := exec.CommandContext(t.Context(), python, "-c", `
import duckdb, sys
c = duckdb.connect()
print(*c.execute(f"SELECT count(*), sum(height), max(index_block_hash), count(DISTINCT block_time) > 1, octet_length(any_value(block_hash_bytes)) FROM '{sys.argv[1]}'").fetchall()[0])
print(c.execute(f"SELECT decode(value) FROM parquet_kv_metadata('{sys.argv[1]}') WHERE decode(key) = 'strata.relation'").fetchall()[0][0])`, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	var sum int64
	var hash string
	must.Do(t, pool.QueryRow(t.Context(), `SELECT sum(height), max(index_block_hash) FROM api.blocks`).Scan(&sum, &hash))
	if want := fmt.Sprintf("%d %d %s True 32\napi.blocks\n", n, sum, hash); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func readParquet(t *testing.T, body []byte) (rows []string) {
	t.Helper()
	type row struct {
		Account   string `parquet:"account,optional"`
		Balance   string `parquet:"balance,optional"`
		SourceSeq int64  `parquet:"source_seq,optional"`
	}
	all := must.Get(parquet.Read[row](bytes.NewReader(body), int64(len(body))))(t)
	for _, r := range all {
		rows = append(rows, fmt.Sprintf("%s %s %d", r.Account, r.Balance, r.SourceSeq))
	}
	slices.Sort(rows)
	return rows
}

func readCSV(t *testing.T, body []byte) (rows []string) {
	t.Helper()
	all := must.Get(csv.NewReader(bytes.NewReader(body)).ReadAll())(t)
	at := func(name string) int { return slices.Index(all[0], name) }
	for _, r := range all[1:] {
		rows = append(rows, r[at("account")]+" "+r[at("balance")]+" "+r[at("source_seq")])
	}
	slices.Sort(rows)
	return rows
}

func readNDJSON(t *testing.T, body []byte) (rows []string) {
	t.Helper()
	for line := range bytes.Lines(body) {
		var r struct {
			Account, Balance string
			SourceSeq        int64 `json:"source_seq"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, fmt.Sprintf("%s %s %d", r.Account, r.Balance, r.SourceSeq))
	}
	slices.Sort(rows)
	return rows
}
