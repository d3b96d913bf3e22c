package lake

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/tablefile"
	"strata/internal/durable"
)

// partitioned are the views whose rows belong to one height each and do not change once that is final. The tables below have an index
// by height, so that a file is a range scan.
var partitioned = []string{
	"blocks", "transactions", "events", "contracts", "balance_changes", "supplies", "nft_transfers", "stx_locks",
}

// states are the views of a state: one file each, written anew. Those with a history are of the height that the lake has; the others
// are of the newest block.
var states = []struct {
	name    string
	history bool
}{
	{"stx_balances", true}, {"ft_balances", true}, {"nft_holdings", true},
	{"bns_names", false}, {"burn_blocks", false}, {"ft_tokens", false}, {"nft_tokens", false}, {"sft_tokens", false}, {"pox_cycles", false}, {"pox_signers", false},
	{"pox_stackers", false}, {"brc20_tokens", false}, {"brc20_balances", false}, {"inscriptions", false},
}

// unfinishedSuffix ends the names of files that are being written.
const unfinishedSuffix = ".unfinished"

// Writer writes a lake.
type Writer struct {
	Pool          *pgxpool.Pool
	Dir           string
	Confirmations int64
	Span          int64
	Logger        *slog.Logger

	manifest *manifest
}

// Write writes what has become final since the last time. What was written by then stays after an error, and the next call goes on.
func (w *Writer) Write(ctx context.Context) (err error) {
	if err := w.open(ctx); err != nil {
		return err
	}
	final, hash, err := w.final(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		w.Logger.LogAttrs(ctx, slog.LevelInfo, "no block is final yet")
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the newest block that is final: %w", err)
	}
	if err := w.check(ctx); err != nil {
		return err
	}
	if err := w.removeOthers(); err != nil {
		return err
	}
	for {
		next := final + 1
		for _, name := range partitioned {
			next = min(next, w.table(name, true).next())
		}
		if next > final {
			break
		}
		last := min(next-next%w.Span+w.Span-1, final)
		if err := w.writeSpan(ctx, last); err != nil {
			return err
		}
	}
	if err := w.writeStates(ctx, final, hash); err != nil {
		return err
	}
	w.manifest.Height, w.manifest.IndexBlockHash = final, hash
	if err := w.manifest.write(w.Dir); err != nil {
		return err
	}
	w.Logger.LogAttrs(ctx, slog.LevelInfo, "the lake is up to date", slog.Int64("height", final), slog.String("index_block_hash", hash))
	return nil
}

// open reads the manifest, and refuses the lake of another database.
func (w *Writer) open(ctx context.Context) (err error) {
	var archive string
	if err := w.Pool.QueryRow(ctx, `SELECT id::text FROM strata.archive`).Scan(&archive); err != nil {
		return fmt.Errorf("read the identity of the log: %w", err)
	}
	if w.manifest, err = readManifest(w.Dir); err != nil {
		return err
	}
	if w.manifest == nil {
		w.manifest = &manifest{Format: format, Archive: archive, Height: -1, Tables: map[string]*table{}}
	}
	if w.manifest.Archive != archive {
		return fmt.Errorf("%s has the lake of another database (%s, not %s): name another folder", w.Dir, w.manifest.Archive, archive)
	}
	return nil
}

func (w *Writer) table(name string, partitioned bool) *table {
	t := w.manifest.Tables[name]
	if t == nil {
		t = &table{Partitioned: partitioned}
		w.manifest.Tables[name] = t
	}
	return t
}

// final returns the newest Stacks block that enough Bitcoin blocks follow.
func (w *Writer) final(ctx context.Context) (height int64, hash string, err error) {
	var built bool
	if err := w.Pool.QueryRow(ctx, `SELECT to_regclass('api.blocks') IS NOT NULL`).Scan(&built); err != nil {
		return 0, "", err
	}
	if !built { // no server has begun to fold the log
		return 0, "", pgx.ErrNoRows
	}
	err = w.Pool.QueryRow(ctx, `
		SELECT height, index_block_hash FROM api.blocks
		WHERE burn_block_height <= (SELECT burn_block_height FROM api.blocks ORDER BY height DESC LIMIT 1) - $1
		ORDER BY height DESC LIMIT 1`, w.Confirmations).Scan(&height, &hash)
	return height, hash, err
}

// check drops files that are not of the canonical chain any more, because it was reorganised deeper than Confirmations; and those of
// tables that were built anew by other code, which may have other rows.
func (w *Writer) check(ctx context.Context) error {
	hashes := map[int64]string{}
	for name, t := range w.manifest.Tables {
		if !t.Partitioned {
			continue
		}
		built, err := w.built(ctx, name)
		if err != nil {
			return err
		}
		if t.Built != "" && t.Built != built {
			w.Logger.LogAttrs(ctx, slog.LevelWarn, "a table of the lake is written anew, as its rows come from another version now",
				slog.String("table", name), slog.String("before", t.Built), slog.String("now", built))
			t.Files = nil
		}
		for _, f := range t.Files {
			hash, known := hashes[f.Last]
			if !known {
				err := w.Pool.QueryRow(ctx, `SELECT index_block_hash FROM api.blocks WHERE height = $1`, f.Last).Scan(&hash)
				if err != nil && !errors.Is(err, pgx.ErrNoRows) {
					return fmt.Errorf("read the block at height %d: %w", f.Last, err)
				}
				hashes[f.Last] = hash
			}
			if hash == f.IndexBlockHash {
				continue
			}
			dropped := t.cut(f.Last)
			w.Logger.LogAttrs(ctx, slog.LevelWarn, "the chain was reorganised below what the lake has; files are written anew",
				slog.String("table", name), slog.Int64("height", f.Last), slog.Int("files", dropped))
			break
		}
	}
	return nil
}

// built names the version and the rules of the projection whose rows a view shows.
func (w *Writer) built(ctx context.Context, view string) (built string, err error) {
	result, err := tablefile.Look(ctx, w.Pool, view)
	return builtOf(result), err
}

// position is the position of the log that a view shows.
func (w *Writer) position(ctx context.Context, view string) (seq string, err error) {
	result, err := tablefile.Look(ctx, w.Pool, view)
	return result.Facts["strata.log_seq"], err
}

func builtOf(result tablefile.Result) string {
	return result.Facts["strata.projection"] + " with rules " + result.Facts["strata.rules"]
}

// writeSpan writes the rows up to a height of each partitioned table, which replace those of a part of the span.
func (w *Writer) writeSpan(ctx context.Context, last int64) error {
	var hash string
	if err := w.Pool.QueryRow(ctx, `SELECT index_block_hash FROM api.blocks WHERE height = $1`, last).Scan(&hash); err != nil {
		return fmt.Errorf("read the block at height %d: %w", last, err)
	}
	for _, name := range partitioned {
		t := w.table(name, true)
		if t.next() > last {
			continue
		}
		first := last - last%w.Span
		heights := tablefile.Heights{First: first, Last: last}
		path := fmt.Sprintf("%s/%010d-%010d.parquet", name, first, last)
		written, result, err := w.writeFile(ctx, path, hash, last, tablefile.Options{Name: name, Format: "parquet", Heights: &heights})
		if err != nil {
			return err
		}
		written.First = first
		t.cut(first)
		t.Files, t.Columns, t.Built = append(t.Files, written), result.Columns, builtOf(result)
	}
	return w.manifest.write(w.Dir)
}

// writeStates writes the views of a state anew.
func (w *Writer) writeStates(ctx context.Context, height int64, hash string) error {
	for _, s := range states {
		options := tablefile.Options{Name: s.name, Format: "parquet"}
		if s.history {
			options.At = &height
		}
		t := w.table(s.name, false)
		before := file{Last: -1}
		if len(t.Files) > 0 {
			before = t.Files[0]
		}
		seq, err := w.position(ctx, s.name)
		if err != nil {
			return err
		}
		if before.Last == height && before.IndexBlockHash == hash && (s.history || before.LogSeq == seq) {
			continue
		}
		path := fmt.Sprintf("%s/%010d-%s.parquet", s.name, height, seq)
		if path == before.Path {
			path = fmt.Sprintf("%s/%010d-%s-%s.parquet", s.name, height, seq, hash[2:10])
		}
		written, result, err := w.writeFile(ctx, path, hash, height, options)
		if err != nil {
			return err
		}
		t.Files, t.Columns, t.Built = []file{written}, result.Columns, builtOf(result)
	}
	return nil
}

// writeFile writes one file, in a snapshot in which a block is still canonical.
func (w *Writer) writeFile(ctx context.Context, path, hash string, height int64, options tablefile.Options) (f file, result tablefile.Result, err error) {
	full := filepath.Join(w.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return f, result, err
	}
	out, err := os.Create(full + unfinishedSuffix)
	if err != nil {
		return f, result, err
	}
	defer func() {
		_ = out.Close()
		if err != nil {
			_ = os.Remove(full + unfinishedSuffix)
		}
	}()
	digest := sha256.New()
	counted := &counter{w: io.MultiWriter(out, digest)}
	buffered := bufio.NewWriterSize(counted, 1<<20)
	err = pgx.BeginTxFunc(ctx, w.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		var now string
		if err := tx.QueryRow(ctx, `SELECT index_block_hash FROM api.blocks WHERE height = $1`, height).Scan(&now); err != nil {
			return fmt.Errorf("read the block at height %d: %w", height, err)
		}
		if now != hash {
			return fmt.Errorf("the chain was reorganised at height %d while %s was written; it is written anew the next time", height, path)
		}
		result, err = tablefile.ExportIn(ctx, tx, buffered, options)
		return err
	})
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = out.Sync()
	}
	if err == nil {
		err = os.Rename(full+unfinishedSuffix, full)
	}
	if err == nil {
		err = durable.SyncFolder(filepath.Dir(full))
	}
	if err != nil {
		return f, result, fmt.Errorf("write %s: %w", path, err)
	}
	return file{
		Path: path, Last: height, IndexBlockHash: hash, Rows: result.Rows, Bytes: counted.n, SHA256: hex.EncodeToString(digest.Sum(nil)),
		LogSeq: result.Facts["strata.log_seq"],
	}, result, nil
}

// removeOthers removes files that the manifest does not name: half-written ones, and those that were replaced the last time. Whoever
// has read the manifest before has had an interval to read them.
func (w *Writer) removeOthers() error {
	named := w.manifest.names()
	return filepath.WalkDir(w.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(w.Dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(below)
		ours := strings.HasSuffix(name, unfinishedSuffix) || strings.HasSuffix(name, ".parquet") && slices.Contains(w.folders(), filepath.Dir(name))
		if !ours || named[name] {
			return nil
		}
		return os.Remove(path)
	})
}

// folders are the folders that the lake has files in.
func (w *Writer) folders() []string {
	all := slices.Clone(partitioned)
	for _, s := range states {
		all = append(all, s.name)
	}
	return all
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
