package ingest

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/eventstore"
)

const (
	// bodyRounds is the number of turns that the logs take, bodyBatch the number of events of each batch of an import, and
	// bodySingles that of events that are appended one at a time in a turn.
	bodyRounds  = 20
	bodyBatch   = 2000
	bodySingles = 200
	// bodyShare is how much shorter the log is with which a long one is compared.
	bodyShare = 10
)

// bodyLog is a log of many small events.
type bodyLog struct {
	pool            *pgxpool.Pool
	log             *eventstore.Log
	batches, single []time.Duration
	wal             int64
}

// Body appends small events to a log of many, and to one of a tenth as many, in turns: what it costs to know a body that comes
// again must not grow with the log.
func (b *Bench) Body(ctx context.Context) {
	logs := make([]*bodyLog, 2)
	for i, events := range []int{b.Events / bodyShare, b.Events} {
		l := b.bodyLog(ctx, events)
		defer l.pool.Close()
		defer l.log.Close()
		logs[i] = l
	}
	b.checkpoint(ctx)
	for round := range bodyRounds {
		for i, l := range logs {
			l.turn(ctx, round*len(logs)+i)
		}
	}
	for _, part := range []struct {
		what string
		of   func(*bodyLog) []time.Duration
		each int
	}{
		{"an event in batches of 2,000", func(l *bodyLog) []time.Duration { return l.batches }, bodyBatch},
		{"an event alone", func(l *bodyLog) []time.Duration { return l.single }, 1},
	} {
		var p50 [2]float64
		for i, l := range logs {
			p50[i] = float64(load.Percentile(part.of(l), .5).Nanoseconds()) / 1e3 / float64(part.each)
		}
		b.Row(fmt.Sprintf("append %s to a log of %d, p50", part.what, b.Events), fmt.Sprintf("%.1f µs", p50[1]),
			fmt.Sprintf("%.1f µs to one of %d", p50[0], b.Events/bodyShare), bench.Times(p50[1], p50[0]), "≤ 1.3×")
	}
	written := int64(bodyRounds * (bodyBatch + bodySingles))
	b.Row("… WAL of an event", fmt.Sprintf("%d bytes", logs[1].wal/written), fmt.Sprintf("%d bytes", logs[0].wal/written),
		bench.Times(float64(logs[1].wal), float64(logs[0].wal)), "")
}

// checkpoint makes the fills part of the files, so that both logs begin to write whole pages into the WAL at the same time.
func (b *Bench) checkpoint(ctx context.Context) {
	admin := bench.Must(pgx.Connect(ctx, b.Cluster.AdminURL()))
	bench.Must(admin.Exec(ctx, `CHECKPOINT`))
	bench.Check(admin.Close(ctx))
}

// bodyLog creates a log that has the head, the partitions and the known bodies of this many small events, but not their rows.
func (b *Bench) bodyLog(ctx context.Context, events int) *bodyLog {
	_, pool := b.Database(ctx, fmt.Sprintf("body_%d", events))
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{`SELECT log.add_partition(n, 1000000) FROM generate_series(0::bigint, $1, 1000000) n`, []any{events + 1_000_000}},
		{`INSERT INTO log.small_body (span, seq, sha256) SELECT n >> 18, n, sha256(int8send(n)) FROM generate_series(1::bigint, $1) n`, []any{events}},
		{`UPDATE log.head SET size = $1, frontier = $2`, []any{events, make([]byte, 32*bits.OnesCount(uint(events)))}},
		{`ANALYZE log.small_body`, nil},
	} {
		_, err := pool.Exec(ctx, step.sql, step.args...)
		bench.CheckOf(step.sql, err)
	}
	return &bodyLog{pool: pool, log: eventstore.Open(pool, eventstore.Config{})}
}

// turn appends a batch, and then single events.
func (l *bodyLog) turn(ctx context.Context, turn int) {
	event := func(i int) eventstore.Incoming {
		return eventstore.Incoming{ReceivedAt: time.Now(), Source: "bench", Path: "/bench", Body: eventstore.NewBody(fmt.Appendf(nil, `{"turn":%d,"n":%d}`, turn, i))}
	}
	var before, after int64
	const position = `SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint`
	bench.Check(l.pool.QueryRow(ctx, position).Scan(&before))
	batch := make([]eventstore.Incoming, bodyBatch)
	for i := range batch {
		batch[i] = event(i)
	}
	started := time.Now()
	bench.Must(l.log.AppendBatch(ctx, batch, nil))
	l.batches = append(l.batches, time.Since(started))
	for i := range bodySingles {
		in := event(bodyBatch + i)
		started := time.Now()
		bench.Must(l.log.Append(ctx, in))
		l.single = append(l.single, time.Since(started))
	}
	bench.Check(l.pool.QueryRow(ctx, position).Scan(&after))
	l.wal += after - before
}
