// Package fold measures how fast events of the chain are imported and folded, and projections are rebuilt.
package fold

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/eventstore/archive"
	"strata/internal/synth/synthchain"
)

// Bench measures imports, folds and rebuilds.
type Bench struct {
	*bench.Bench
	Blocks     int      // of the chain of FoldSynthetic
	Recordings []string // paths of archives
	Rebuilt    int      // events in the longest synthetic log of Rebuild
}

// Parts are the parts of this package.
var Parts = bench.Parts{"rebuild": rebuildAll}

// archive writes posts of a synthetic chain to a file until a limit is reached. size is the number of bytes of the
// bodies.
func (b *Bench) archive(name string, config synthchain.Config, atMost limits) (path string, events int64, size int64, err error) {
	path = filepath.Join(b.Dir, name)
	file, err := os.Create(path)
	if err != nil {
		return "", 0, 0, err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	writer := archive.NewWriter(buffered, archive.Raw)
	chain := synthchain.New(config)
	for blocks := 0; !atMost.reached(int(events), blocks, size); {
		p := chain.Next()
		events++
		size += int64(len(p.Body))
		record := archive.Record{ID: events, HasID: true, ReceivedAt: time.Unix(1_700_000_000+events, 0).UTC(), Path: p.Path, Payload: p.Body}
		if err := writer.Write(record); err != nil {
			return "", 0, 0, err
		}
		if p.Path == "/new_block" {
			blocks++
		}
	}
	if err := writer.Flush(); err != nil {
		return "", 0, 0, err
	}
	return path, events, size, buffered.Flush()
}

// limits are the limits of an archive; 0 for none.
type limits struct {
	events, blocks int
	bytes          int64
}

func (l limits) reached(events, blocks int, bytes int64) bool {
	return l.events > 0 && events >= l.events || l.blocks > 0 && blocks >= l.blocks || l.bytes > 0 && bytes >= l.bytes
}

// Import compares `strata import` with a bare COPY of the same bodies into a table with one column, in turns.
func (b *Bench) Import(ctx context.Context) error {
	config := synthchain.Config{Seed: 5, TxPerBlock: synthchain.Range{Min: 5, Max: 40}, SigningSample: 100, ForgetHistory: true, MempoolProbability: .3}
	path, _, size, err := b.archive("import.tsv", config, limits{bytes: 300 << 20})
	if err != nil {
		return err
	}
	var strata, bare time.Duration
	for round := range 3 {
		url, pool, err := b.Database(ctx, fmt.Sprintf("import_%d", round))
		if err != nil {
			return err
		}
		started := time.Now()
		if err := b.command(ctx, "import", "--database-url", url, path); err != nil {
			return err
		}
		strata += time.Since(started)
		started = time.Now()
		if err := copyBodies(ctx, pool, path); err != nil {
			return err
		}
		bare += time.Since(started)
		pool.Close()
	}
	b.Row("import", bench.MBPerSecond(3*size, strata), bench.MBPerSecond(3*size, bare)+" bare COPY", bench.Times(float64(bare), float64(strata)), "≥ 0.6×")
	return nil
}

func (b *Bench) command(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, b.Program, args...)
	out, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("strata %v: %w\n%s", args, err, out)
	}
	return nil
}

// copyBodies reads the archive and copies only its bodies, in one COPY.
func copyBodies(ctx context.Context, pool *pgxpool.Pool, path string) error {
	if _, err := pool.Exec(ctx, `CREATE TABLE public.bare (body bytea)`); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	reader := archive.NewReader(file, archive.Options{Dialect: archive.Raw, AnyPayload: true})
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"public", "bare"}, []string{"body"}, pgx.CopyFromFunc(func() ([]any, error) {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []any{record.Payload}, nil
	}))
	return err
}

// FoldRecordings measures how fast imported recordings are folded.
func (b *Bench) FoldRecordings(ctx context.Context) error {
	for i, path := range b.Recordings {
		if err := b.fold(ctx, fmt.Sprintf("recording_%d", i), path, filepath.Base(path)); err != nil {
			return err
		}
	}
	return nil
}

// longChain is a chain of many small blocks.
var longChain = synthchain.Config{
	Seed: 9, TxPerBlock: synthchain.Range{Min: 1, Max: 4}, SigningSample: 1000, ForgetHistory: true, Nakamoto: true,
	ForkProbability: .01, MempoolProbability: .1,
}

// FoldSynthetic does the same for a long synthetic chain, and samples the memory.
func (b *Bench) FoldSynthetic(ctx context.Context) error {
	path, events, size, err := b.archive("synthetic.tsv", longChain, limits{blocks: b.Blocks})
	if err != nil {
		return err
	}
	return b.fold(ctx, "synthetic", path, fmt.Sprintf("%d synthetic blocks (%d events, %d MB)", b.Blocks, events, size/1e6))
}

// importArchive creates a database and imports an archive into its log. events and size are the numbers of events and
// of bytes of their bodies.
func (b *Bench) importArchive(ctx context.Context, database, path string) (url string, pool *pgxpool.Pool, events, size int64, err error) {
	if url, pool, err = b.Database(ctx, database); err != nil {
		return "", nil, 0, 0, err
	}
	if err = b.command(ctx, "import", "--database-url", url, path); err == nil {
		err = pool.QueryRow(ctx, `SELECT count(*), sum(size) FROM log.event`).Scan(&events, &size)
	}
	if err != nil {
		pool.Close()
		return "", nil, 0, 0, err
	}
	return url, pool, events, size, nil
}

func (b *Bench) fold(ctx context.Context, database, path, what string) error {
	url, pool, events, size, err := b.importArchive(ctx, database, path)
	if err != nil {
		return err
	}
	defer pool.Close()
	started := time.Now()
	var scanned int64
	if err := pool.QueryRow(ctx, `SELECT sum(octet_length(body)) FROM log.event`).Scan(&scanned); err != nil {
		return err
	}
	scan := time.Since(started)
	server, err := b.Serve(ctx, url)
	if err != nil {
		return err
	}
	defer server.Stop()
	started = time.Now()
	memory := bench.WatchMemory(server.Pid())
	if err := bench.UntilFolded(ctx, pool); err != nil {
		return err
	}
	took := time.Since(started)
	usage := memory.Summary()
	rate := float64(events) / took.Seconds()
	b.Row("fold "+what, fmt.Sprintf("%.0f events/s, %s", rate, bench.MBPerSecond(size, took)), bench.MBPerSecond(size, scan)+" scan of the log", "", "")
	if took > 5*time.Second {
		b.Row("  memory meanwhile", usage, "", "", "flat, < 300 MiB")
	}
	return nil
}
