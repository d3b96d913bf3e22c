package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
	"strata/eventstore"
)

const (
	// bloatAppends is the number of events that are appended beside a snapshot, one at a time: those of eight hours with one a
	// second. bloatPart is how many of the first and of the last are compared.
	bloatAppends = 28_800
	bloatPart    = 1_000
)

// Bloat appends beside a snapshot that stays open, as a backup or a long query holds one: Postgres can't remove the old
// versions of the log's head meanwhile. It compares the first appends with the last.
func (b *Bench) Bloat(ctx context.Context) {
	_, pool := b.Database(ctx, "bloat")
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	snapshot := bench.Must(pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}))
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	var before int64
	bench.Check(snapshot.QueryRow(ctx, `SELECT size FROM log.head`).Scan(&before)) // the first query takes the snapshot
	took := make([]time.Duration, 0, bloatAppends)
	for i := range bloatAppends {
		event := eventstore.Incoming{ReceivedAt: time.Now(), Source: "bench", Path: "/bench", Body: eventstore.NewBody(fmt.Appendf(nil, `{"n":%d}`, i))}
		started := time.Now()
		bench.Must(log.Append(ctx, event))
		took = append(took, time.Since(started))
	}
	first, last := took[:bloatPart], took[bloatAppends-bloatPart:]
	p50, baseline := load.Percentile(last, .5), load.Percentile(first, .5)
	b.Row(fmt.Sprintf("append beside a snapshot, p50, the last %d of %d", bloatPart, bloatAppends),
		bench.Milliseconds(p50), bench.Milliseconds(baseline)+fmt.Sprintf(" the first %d", bloatPart), bench.Times(float64(p50), float64(baseline)), "≤ 1.5×")
}
