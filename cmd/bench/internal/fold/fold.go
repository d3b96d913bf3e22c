// Package fold measures how fast events of the chain are imported and folded, and projections are rebuilt.
package fold

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/eventstore/archive"
	"strata/internal/synth/simulate"
	"strata/internal/synth/synthchain"
)

// Bench measures imports, folds and rebuilds.
type Bench struct {
	*bench.Bench
	Blocks     int      // of the chain of FoldSynthetic
	Recordings []string // paths of archives
	Rebuilt    int      // events in the longest synthetic log of Rebuild
}

// limits are the limits of a chain; 0 for none.
type limits struct {
	events, blocks int
	bytes          int64
}

// posts returns the posts of a synthetic chain until a limit is reached.
func posts(config synthchain.Config, atMost limits) iter.Seq[simulate.Post] {
	return func(yield func(simulate.Post) bool) {
		chain := synthchain.New(config)
		var events, blocks int
		var bytes int64
		for {
			p := chain.Next()
			if !yield(p) {
				return
			}
			events++
			bytes += int64(len(p.Body))
			if p.Path == "/new_block" {
				blocks++
			}
			if atMost.events > 0 && events >= atMost.events || atMost.blocks > 0 && blocks >= atMost.blocks || atMost.bytes > 0 && bytes >= atMost.bytes {
				return
			}
		}
	}
}

// Import compares `strata import` with a bare COPY of the same bodies into a table with one column, in turns.
func (b *Bench) Import(ctx context.Context) {
	config := synthchain.Config{Seed: 5, TxPerBlock: synthchain.Range{Min: 5, Max: 40}, SigningSample: 100, ForgetHistory: true, MempoolProbability: .3}
	path, size := b.archive("import.tsv", posts(config, limits{bytes: 300 << 20}))
	var strata, bare time.Duration
	for round := range 3 {
		url, pool := b.Database(ctx, fmt.Sprintf("import_%d", round))
		started := time.Now()
		if out, err := exec.CommandContext(ctx, b.Program, "import", "--database-url", url, path).CombinedOutput(); err != nil {
			bench.Check(fmt.Errorf("strata import: %w\n%s", err, out))
		}
		strata += time.Since(started)
		started = time.Now()
		copyBodies(ctx, pool, path)
		bare += time.Since(started)
		pool.Close()
	}
	b.Row("import", bench.MBPerSecond(3*size, strata), bench.MBPerSecond(3*size, bare)+" bare COPY", bench.Times(float64(bare), float64(strata)), "≥ 0.6×")
}

// archive writes posts to a file. size is the number of bytes of their bodies.
func (b *Bench) archive(name string, posts iter.Seq[simulate.Post]) (path string, size int64) {
	path = filepath.Join(b.Dir, name)
	file := bench.Must(os.Create(path))
	buffered := bufio.NewWriterSize(file, 1<<20)
	writer, id := archive.NewWriter(buffered, archive.Raw), int64(0)
	for p := range posts {
		id++
		size += int64(len(p.Body))
		record := archive.Record{ID: id, HasID: true, ReceivedAt: time.Unix(1_700_000_000+id, 0).UTC(), Path: p.Path, Payload: p.Body}
		bench.Check(writer.Write(record))
	}
	bench.Check(errors.Join(writer.Flush(), buffered.Flush(), file.Close()))
	return path, size
}

// copyBodies reads the archive and copies only its bodies, in one COPY.
func copyBodies(ctx context.Context, pool *pgxpool.Pool, path string) {
	bench.Must(pool.Exec(ctx, `CREATE TABLE public.bare (body bytea)`))
	file := bench.Must(os.Open(path))
	defer func() { _ = file.Close() }()
	reader := archive.NewReader(file, archive.Options{Dialect: archive.Raw, AnyPayload: true})
	bench.Must(pool.CopyFrom(ctx, pgx.Identifier{"public", "bare"}, []string{"body"}, pgx.CopyFromFunc(func() ([]any, error) {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []any{record.Payload}, nil
	})))
}

// longChain is a chain of many small blocks.
var longChain = synthchain.Config{
	Seed: 9, TxPerBlock: synthchain.Range{Min: 1, Max: 4}, SigningSample: 1000, ForgetHistory: true, Nakamoto: true,
	ForkProbability: .01, MempoolProbability: .1,
}

// FoldSynthetic measures how fast a server folds a long synthetic chain, and samples its memory.
func (b *Bench) FoldSynthetic(ctx context.Context) {
	url, pool, events, size := b.Log(ctx, "synthetic", posts(longChain, limits{blocks: b.Blocks}))
	defer pool.Close()
	started := time.Now()
	var scanned int64
	bench.Check(pool.QueryRow(ctx, `SELECT sum(octet_length(body)) FROM log.event`).Scan(&scanned))
	scan := time.Since(started)
	server := b.Serve(ctx, url)
	defer server.Stop()
	started = time.Now()
	memory := bench.WatchMemory(server.Pid())
	bench.UntilFolded(ctx, pool)
	took := time.Since(started)
	b.Row(fmt.Sprintf("fold %d synthetic blocks (%d events, %d MB)", b.Blocks, events, size/1e6),
		fmt.Sprintf("%.0f events/s, %s", float64(events)/took.Seconds(), bench.MBPerSecond(size, took)), bench.MBPerSecond(size, scan)+" scan of the log", "", "")
	b.Row("  memory meanwhile", memory.Summary(), "", "", "flat, < 300 MiB")
}
