package fold

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"strata/cmd/bench/internal/bench"
	"strata/internal/synth/synthchain"
)

// History measures how fast a log is published, verified, and brought into another database; beside a scan of the log, reading the files,
// and a COPY of the bodies.
func (b *Bench) History(ctx context.Context) {
	config := longChain
	config.TxPerBlock = synthchain.Range{Min: 5, Max: 40}
	url := b.World(ctx, "history", posts(config, limits{bytes: 300 << 20}))
	pool := bench.Selecting(ctx, url)
	defer pool.Close()
	var size int64
	bench.Check(pool.QueryRow(ctx, `SELECT sum(size)::bigint FROM log.event`).Scan(&size))
	folder := filepath.Join(b.Dir, "history")
	published, scanned := b.strata(ctx, "history", "publish", folder, "--database-url", url, "--log-key", filepath.Join(b.Dir, "history.key")), scanLog(ctx, pool)
	stored, read := readFiles(folder)
	b.Row("history published", bench.MBPerSecond(size, published), bench.MBPerSecond(size, scanned)+" scan of the log", bench.Times(float64(scanned), float64(published)), "")
	b.Row("  files", fmt.Sprintf("%.1f MB of %.1f MB, log and chain", float64(stored)/1e6, float64(size)/1e6), "", "", "")
	verified := b.strata(ctx, "history", "verify", folder, "--unsigned")
	b.Row("history verified", bench.MBPerSecond(size, verified), bench.MBPerSecond(size, read)+" reading the files", bench.Times(float64(read), float64(verified)), "")
	path, _ := b.archive("history.tsv", posts(config, limits{bytes: 300 << 20}))
	other, otherPool := b.Database(ctx, "history_brought")
	defer otherPool.Close()
	brought := b.strata(ctx, "history", "bootstrap", folder, "--unsigned", "--database-url", other, "--data-dir", b.Dir)
	started := time.Now()
	copyBodies(ctx, otherPool, path)
	bare := time.Since(started)
	b.Row("history brought into a log", bench.MBPerSecond(size, brought), bench.MBPerSecond(size, bare)+" bare COPY", bench.Times(float64(bare), float64(brought)), "")
	b.strata(ctx, "history", "publish", folder, "--tables", "--database-url", url, "--log-key", filepath.Join(b.Dir, "history.key"))
	folded, loaded := b.begin(ctx, "history_folded", folder, "--fold"), b.begin(ctx, "history_loaded", folder)
	b.Row("ready from a history with tables", loaded.Round(100*time.Millisecond).String(), folded.Round(100*time.Millisecond).String()+" by folding", bench.Times(float64(folded), float64(loaded)), "≥ 8×")
}

// begin brings a history into a new database, lets a server fold what is left to fold, and returns how long that takes until all tables have
// their indexes.
func (b *Bench) begin(ctx context.Context, database, folder string, more ...string) time.Duration {
	url, pool := b.Database(ctx, database)
	defer pool.Close()
	started := time.Now()
	b.strata(ctx, append([]string{"history", "bootstrap", folder, "--unsigned", "--database-url", url, "--data-dir", b.Dir}, more...)...)
	server := b.Serve(ctx, url)
	defer server.Stop()
	bench.UntilFolded(ctx, pool)
	for built := false; !built; time.Sleep(20 * time.Millisecond) {
		bench.Check(pool.QueryRow(ctx, `SELECT bool_and(state = 'live' AND indexed) FROM strata.projection`).Scan(&built))
	}
	return time.Since(started)
}

// strata runs a command of the program.
func (b *Bench) strata(ctx context.Context, arguments ...string) time.Duration {
	started := time.Now()
	if out, err := exec.CommandContext(ctx, b.Program, arguments...).CombinedOutput(); err != nil {
		bench.Check(fmt.Errorf("strata %v: %w\n%s", arguments, err, out))
	}
	return time.Since(started)
}

// readFiles hashes the files of a history, and what is in them.
func readFiles(folder string) (stored int64, took time.Duration) {
	started := time.Now()
	bench.Check(filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".zst" {
			return err
		}
		file := bench.Must(os.Open(path))
		defer func() { _ = file.Close() }()
		digest := sha256.New()
		in := bench.Must(zstd.NewReader(io.TeeReader(file, digest)))
		defer in.Close()
		bench.Must(io.Copy(sha256.New(), in))
		stored += bench.Must(entry.Info()).Size()
		return nil
	}))
	return stored, time.Since(started)
}
