package internal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parquet-go/parquet-go"

	"strata/cmd/strata/internal/folding"
	"strata/cmd/strata/internal/lake"
	"strata/domain/ordinals"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/rig/replay"
)

// world is a log of a made-up chain with everything, and a lake of it.
type world struct {
	t      *testing.T
	log    *eventstore.Log
	chain  *synthchain.Chain
	dir    string
	writer *lake.Writer
	said   bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	config := synthchain.Everything(11, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts, config.Maturity, config.NakamotoFromHeight = synthchain.Mainnet, 1000, 12, 6, 5
	config.RewardCycle = 10
	config.Mix = synthchain.DefaultMix()
	config.Mix.Naming, config.Mix.Registry = 10, 60
	w := &world{t: t, log: replay.NewLog(t), chain: synthchain.New(config), dir: filepath.Join(t.TempDir(), "lake")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	feed := synthordinals.New(synthordinals.Everything(11, ordinals.Regtest))
	posts := replay.Take(40, feed.Next)
	replay.Append(t, w.log, posts...)
	w.writer = &lake.Writer{Pool: w.log.Pool(), Dir: w.dir, Confirmations: 2, Span: 10, Logger: slog.New(slog.NewTextHandler(&w.said, nil))}
	return w
}

// grow lets the chain go on by so many posts.
func (w *world) grow(n int) {
	w.t.Helper()
	posts := replay.Take(n, w.chain.Next)
	replay.Append(w.t, w.log, posts...)
	lines, err := folding.Lines("recommended", slog.New(slog.DiscardHandler), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	replay.RunLines(w.t, w.log, lines...)
}

func (w *world) write() {
	w.t.Helper()
	if err := w.writer.Write(w.t.Context()); err != nil {
		w.t.Fatalf("%v; it said %s", err, &w.said)
	}
}

// manifest is what a reader of the lake sees.
type manifest struct {
	Height int64
	Tables map[string]struct {
		Partitioned bool
		Files       []struct {
			Path, SHA256 string
			First        int64 `json:"first_height"`
			Last         int64 `json:"last_height"`
			Rows, Bytes  int64
		}
	}
}

func (w *world) manifest() (m manifest) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// check compares the lake with the database: the files are what the manifest says, and have the rows of the views up to the height.
func (w *world) check() manifest {
	w.t.Helper()
	m := w.manifest()
	for name, table := range m.Tables {
		var got []string
		next := int64(0)
		for _, f := range table.Files {
			content, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(f.Path)))
			if err != nil {
				w.t.Fatal(err)
			}
			if digest := sha256.Sum256(content); hex.EncodeToString(digest[:]) != f.SHA256 || int64(len(content)) != f.Bytes {
				w.t.Errorf("%s is not the file that the manifest names", f.Path)
			}
			if table.Partitioned && (f.First != next || f.Last < f.First || f.Last > m.Height) {
				w.t.Errorf("%s has the heights %d to %d, want them to follow %d", f.Path, f.First, f.Last, next)
			}
			next = f.Last + 1
			rows, count := rowsOf(w.t, content)
			if count != f.Rows {
				w.t.Errorf("%s has %d rows, and the manifest says %d", f.Path, count, f.Rows)
			}
			got = append(got, rows...)
		}
		if !table.Partitioned {
			continue
		}
		if next != m.Height+1 {
			w.t.Errorf("%s ends before height %d, and the lake has %d", name, next, m.Height)
		}
		// What identifies a row, and an amount or a hash of it, where there is one.
		var want []string
		for _, query := range []string{fmt.Sprintf(`SELECT coalesce(array_agg(height || ' ' || source_seq ORDER BY height, source_seq), '{}') FROM api.%s WHERE height <= $1`, name)} {
			if err := w.log.Pool().QueryRow(w.t.Context(), query, m.Height).Scan(&want); err != nil {
				w.t.Fatal(err)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			w.t.Errorf("%s: the lake has %d rows and the view %d, or other ones", name, len(got), len(want))
		}
	}
	return m
}

// rowsOf returns height and source of each row of a Parquet file, where it has these columns.
func rowsOf(t *testing.T, content []byte) (rows []string, count int64) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	height, hasHeight := f.Schema().Lookup("height")
	source, hasSource := f.Schema().Lookup("source_seq")
	reader := parquet.NewGenericReader[any](f)
	defer func() { _ = reader.Close() }()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := reader.ReadRows(buffer)
		for _, row := range buffer[:n] {
			count++
			if hasHeight && hasSource {
				rows = append(rows, fmt.Sprintf("%d %d", row[height.ColumnIndex].Int64(), row[source.ColumnIndex].Int64()))
			}
		}
		if err != nil {
			return rows, count
		}
	}
}

// TestLake writes a lake while the chain goes on, is interrupted, and is reorganised below what the lake has.
func TestLake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write()
	if _, err := os.Stat(filepath.Join(w.dir, "manifest.json")); err == nil {
		t.Error("there is a manifest before there is a final block")
	}
	w.grow(160)
	w.write()
	first := w.check()
	if first.Height < 20 || len(first.Tables["transactions"].Files) < 3 {
		t.Fatalf("got height %d and the files %v, want several spans", first.Height, first.Tables["transactions"].Files)
	}

	// Nothing new: nothing is written. A file that is half-written is removed.
	stray := filepath.Join(w.dir, "blocks", "0000000000-0000000999.parquet.unfinished")
	if err := os.WriteFile(stray, []byte("PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(w.dir, "notes.txt")
	if err := os.WriteFile(own, []byte("of a reader"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.write()
	if again := w.check(); again.Tables["blocks"].Files[0].SHA256 != first.Tables["blocks"].Files[0].SHA256 || again.Height != first.Height {
		t.Error("without news, the lake has changed")
	}
	if _, err := os.Stat(stray); err == nil {
		t.Error("a half-written file is still there")
	}
	if _, err := os.Stat(own); err != nil {
		t.Error("a file of somebody else was removed")
	}

	// It goes on, is interrupted, and goes on.
	w.grow(80)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.writer.Write(ctx); err == nil {
		t.Error("an interrupted run ended without an error")
	}
	w.check()
	w.write()
	second := w.check()
	if second.Height <= first.Height {
		t.Fatalf("got height %d after %d", second.Height, first.Height)
	}
	if second.Tables["events"].Files[0].SHA256 != first.Tables["events"].Files[0].SHA256 {
		t.Error("a span that was full was written again")
	}

	// The chain is reorganised deeper than was thought to be possible. The manifest says so by the hash of the block.
	text, err := os.ReadFile(filepath.Join(w.dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var hash string
	if err := w.log.Pool().QueryRow(t.Context(), `SELECT index_block_hash FROM api.blocks WHERE height = 19`).Scan(&hash); err != nil {
		t.Fatal(err)
	}
	other := strings.ReplaceAll(string(text), hash, "0x"+strings.Repeat("ab", 32))
	if other == string(text) {
		t.Fatal("no file ends with height 19")
	}
	if err := os.WriteFile(filepath.Join(w.dir, "manifest.json"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	w.said.Reset()
	w.write()
	if !strings.Contains(w.said.String(), "the chain was reorganised below what the lake has") {
		t.Errorf("it said %s", &w.said)
	}
	if third := w.check(); third.Height != second.Height {
		t.Errorf("got height %d, want %d", third.Height, second.Height)
	}

	// The lake of another database is left alone.
	stranger := *w.writer
	stranger.Pool = otherDatabase(t)
	if err := stranger.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "another database") {
		t.Errorf("got %v", err)
	}
	duckDB(t, w)
}

func otherDatabase(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := replay.NewLogApart(t).Pool()
	if _, err := pool.Exec(t.Context(), `UPDATE strata.archive SET id = gen_random_uuid()`); err != nil { // tests copy one template
		t.Fatal(err)
	}
	return pool
}

var parameter = regexp.MustCompile(`\$(\w+)`)

// duckDB asks the questions of docs/lake.md of the lake. STRATA_DUCKDB is a Python that has the package duckdb; make outside TEST=lake sets it.
func duckDB(t *testing.T, w *world) {
	t.Helper()
	python := os.Getenv("STRATA_DUCKDB")
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "lake.md"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for name, query := range map[string]string{
		"asset":   `SELECT asset FROM api.ft_balances GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
		"account": `SELECT account FROM api.stx_balances ORDER BY changes DESC, 1 LIMIT 1`,
		"height":  fmt.Sprint(`SELECT '`, w.manifest().Height, `'`),
		"nft":     `SELECT asset FROM api.nft_transfers ORDER BY height LIMIT 1`,
		"nft_id":  `SELECT value FROM api.nft_transfers ORDER BY height LIMIT 1`,
		"ticker":  `SELECT ticker FROM api.brc20_balances ORDER BY 1 LIMIT 1`,
	} {
		var value string
		if err := w.log.Pool().QueryRow(t.Context(), query).Scan(&value); err != nil {
			t.Fatalf("find %s: %v", name, err)
		}
		values[name] = value
	}
	var queries []string
	for i, part := range strings.Split(string(document), "\n```") {
		if query, isSQL := strings.CutPrefix(part, "sql\n"); i%2 == 1 && isSQL {
			queries = append(queries, parameter.ReplaceAllStringFunc(query, func(p string) string { return "'" + values[p[1:]] + "'" }))
		}
	}
	if len(queries) < 10 {
		t.Fatalf("docs/lake.md has %d queries, want the ten questions", len(queries))
	}
	if python == "" {
		t.Log("STRATA_DUCKDB is not set: the questions of docs/lake.md are not asked (make outside TEST=lake)")
		return
	}
	script := `
import duckdb, json, sys
con = duckdb.connect()
con.execute(open("duckdb.sql").read())
for q in json.load(sys.stdin):
    try:
        print(len(con.execute(q).fetchall()))
    except Exception as e:
        print("failed:", str(e).replace("\n", " "))
con.execute("SELECT sum(fee::HUGEINT) FROM transactions")
print(con.fetchone()[0])
`
	input, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", script)
	cmd.Dir, cmd.Stdin, cmd.Stderr = w.dir, bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, query := range queries {
		if i < len(lines) && (lines[i] == "0" || strings.HasPrefix(lines[i], "failed")) {
			t.Errorf("%s\ngot %s rows", query, lines[i])
		}
	}
	var fees string
	if err := w.log.Pool().QueryRow(t.Context(), `SELECT sum(fee)::text FROM api.transactions WHERE height <= $1`, w.manifest().Height).Scan(&fees); err != nil {
		t.Fatal(err)
	}
	if got := lines[len(lines)-1]; got != fees {
		t.Errorf("DuckDB sums the fees to %s, and Postgres to %s", got, fees)
	}
}
