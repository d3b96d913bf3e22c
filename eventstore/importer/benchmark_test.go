package importer_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
)

// corpus is what the benchmarks carry: bodies of the sizes of blocks, or of small events only.
type corpus struct {
	name   string
	events int
	small  bool
}

var corpora = []corpus{{"blocks", 20_000, false}, {"small", 100_000, true}}

// make writes an archive of hex-laden bodies, and returns its records too.
func (c corpus) make() (text string, records []archive.Record) {
	r := rand.New(rand.NewPCG(1, 2))
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := range c.events {
		size := 300
		switch k := r.IntN(100); {
		case c.small:
		case k == 0:
			size = 200_000
		case k < 20:
			size = 8000
		case k < 70:
			size = 2000
		}
		hex := make([]byte, size/2)
		for j := range hex {
			hex[j] = digits[r.IntN(16)]
		}
		body := fmt.Sprintf(`{"raw_tx":"0x%s","events":[%s]}`, hex, strings.TrimSuffix(strings.Repeat(`{"committed":true,"type":"stx_transfer_event"},`, size/2/46), ","))
		at := time.Date(2024, 3, 13, 15, 34, 10, i%1000*1000, time.UTC)
		fmt.Fprintf(&b, "%d\t%s\t/new_block\t%s\n", i, at.Format("2006-01-02 15:04:05.999999-07"), body)
		records = append(records, archive.Record{ID: int64(i), ReceivedAt: at, Path: "/new_block", Payload: []byte(body)})
	}
	return b.String(), records
}

// forCorpora runs a benchmark with each corpus.
func forCorpora(b *testing.B, run func(b *testing.B, c corpus)) {
	for _, c := range corpora {
		b.Run(c.name, func(b *testing.B) { run(b, c) })
	}
}

func report(b *testing.B, events int, bytes int) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(events)/seconds, "events/s")
	b.ReportMetric(float64(bytes)/seconds/1e6, "MB/s")
}

// BenchmarkImport measures the whole way from a file into the log, and BenchmarkAppendBatch its last part alone.
// BenchmarkBareCopy is what they are compared with: COPY of the same rows into a plain table with the same columns and
// a primary key.
func BenchmarkImport(b *testing.B) {
	for _, c := range corpora {
		text, _ := c.make()
		for _, file := range []string{writeFile(b, "a.tsv", text), writeFile(b, "a.tsv.gz", packed(b, text))} {
			b.Run(c.name+filepath.Ext(file), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					log := openLog(b)
					b.StartTimer()
					mustImport(b, log, files(file))
				}
				report(b, c.events, len(text))
			})
		}
	}
}

func BenchmarkAppendBatch(b *testing.B) {
	forCorpora(b, func(b *testing.B, c corpus) {
		text, records := c.make()
		for b.Loop() {
			b.StopTimer()
			log := openLog(b)
			b.StartTimer()
			var batch []eventstore.Incoming
			bytes := 0
			flush := func() {
				must.Get(log.AppendBatch(context.Background(), batch, nil))(b)
				batch, bytes = batch[:0], 0
			}
			for _, rec := range records {
				batch = append(batch, eventstore.Incoming{ReceivedAt: rec.ReceivedAt, Source: "archive:a.tsv", Path: rec.Path,
					ContentType: "application/json", Origin: "1\t2024-03-13 15:34:10+00", Body: eventstore.NewBody(rec.Payload)})
				if bytes += len(rec.Payload); bytes > 8<<20 || len(batch) == 4096 {
					flush()
				}
			}
			flush()
		}
		report(b, c.events, len(text))
	})
}

func BenchmarkBareCopy(b *testing.B) {
	forCorpora(b, func(b *testing.B, c corpus) {
		text, records := c.make()
		ctx := context.Background()
		for b.Loop() {
			b.StopTimer()
			pool := must.Get(pgxpool.New(ctx, migrated.Fresh(b)))(b)
			must.Get(pool.Exec(ctx, `CREATE TABLE public.bare (
				seq bigint PRIMARY KEY, received_at timestamptz, size bigint, body_seq bigint, sha256 bytea,
				source text, path text, content_type text, origin text, body bytea COMPRESSION lz4)`))(b)
			digest := make([]byte, 32)
			b.StartTimer()
			for from := 0; from < len(records); from += 2000 { // about 8 MB a transaction
				part := records[from:min(from+2000, len(records))]
				must.Get(pool.CopyFrom(ctx, pgx.Identifier{"public", "bare"},
					[]string{"seq", "received_at", "size", "body_seq", "sha256", "source", "path", "content_type", "origin", "body"},
					pgx.CopyFromSlice(len(part), func(i int) ([]any, error) {
						return []any{int64(from + i), part[i].ReceivedAt, int64(len(part[i].Payload)), nil, digest, "archive:a.tsv", part[i].Path,
							"application/json", "1\t2024-03-13 15:34:10+00", part[i].Payload}, nil
					})))(b)
			}
			b.StopTimer()
			pool.Close()
			b.StartTimer()
		}
		report(b, c.events, len(text))
	})
}

func BenchmarkRead(b *testing.B) {
	forCorpora(b, func(b *testing.B, c corpus) {
		text, _ := c.make()
		for b.Loop() {
			r := archive.NewReader(strings.NewReader(text), archive.Options{})
			for {
				if _, err := r.Next(); err != nil {
					break
				}
			}
		}
		report(b, c.events, len(text))
	})
}

func BenchmarkExport(b *testing.B) {
	forCorpora(b, func(b *testing.B, c corpus) {
		text, _ := c.make()
		log := openLog(b)
		mustImport(b, log, files(writeFile(b, "a.tsv", text)))
		for b.Loop() {
			must.Get(importer.Export(context.Background(), log, io.Discard, importer.ExportOptions{}))(b)
		}
		report(b, c.events, len(text))
	})
}
