// Package diskspace keeps some space free on the disk of a database that is on this machine. A disk that is full makes Postgres
// panic, because it can't write its WAL. So the events of nodes, which these send again, are refused before that; and before
// these, what can wait: tables that are built.
package diskspace

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/instrument"
	"strata/internal/pause"
)

// buildFactor is how many times the floor must be free for builds to go on.
const buildFactor = 4

// interval is how often the free space is measured.
const interval = time.Second

// Guard measures the free space of a folder's disk. A nil Guard knows of no disk, and finds enough space.
type Guard struct {
	folder string
	floor  int64
	free   func(folder string) (bytes int64, known bool)
	logger *slog.Logger
	gauge  prometheus.Gauge

	level atomic.Int32
	bytes atomic.Int64
}

// Levels of free space.
const (
	enough = iota
	tight  // builds pause
	short  // events are refused, and nothing is fetched
)

// NewGuard returns a guard that keeps floor bytes free on the disk of a folder; nil if the folder or the floor is zero. Call Run.
func NewGuard(folder string, floor int64, logger *slog.Logger, registry prometheus.Registerer) *Guard {
	if folder == "" || floor <= 0 {
		return nil
	}
	g := &Guard{folder: folder, floor: floor, free: Free, logger: logger}
	g.gauge = instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strata_disk_free_bytes", Help: "Free space on the disk of the database.",
	}))
	instrument.Registered(registry, prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "strata_disk_floor_bytes", Help: "Free space below which events are refused; below four times as much, builds of read tables pause.",
	})).Set(float64(floor))
	g.measure(context.Background())
	return g
}

// Run measures until ctx ends.
func (g *Guard) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause.For(ctx, interval)
		g.measure(ctx)
	}
}

func (g *Guard) measure(ctx context.Context) {
	bytes, known := g.free(g.folder)
	if !known {
		g.level.Store(enough)
		return
	}
	g.bytes.Store(bytes)
	g.gauge.Set(float64(bytes))
	before := g.level.Load()
	// What has begun to wait goes on when there is a tenth more, so that it does not begin and wait in turn.
	with := func(limit int64, level int32) bool { return bytes < limit || before >= level && bytes < limit+limit/10 }
	now := int32(enough)
	switch {
	case with(g.floor, short):
		now = short
	case with(buildFactor*g.floor, tight):
		now = tight
	}
	if g.level.Swap(now) == now {
		return
	}
	attrs := []slog.Attr{slog.String("folder", g.folder), slog.Int64("free_bytes", bytes), slog.Int64("floor_bytes", g.floor)}
	switch now {
	case short:
		g.logger.LogAttrs(ctx, slog.LevelError, "the disk of the database is almost full: events are refused until there is space", attrs...)
	case tight:
		g.logger.LogAttrs(ctx, slog.LevelWarn, "the disk of the database has little space: builds of read tables pause", attrs...)
	default:
		g.logger.LogAttrs(ctx, slog.LevelInfo, "the disk of the database has enough space again", attrs...)
	}
}

// Short reports whether events have to be refused.
func (g *Guard) Short() bool { return g != nil && g.level.Load() == short }

// Tight reports whether builds have to wait.
func (g *Guard) Tight() bool { return g != nil && g.level.Load() >= tight }

// Room returns how many bytes may be used for builds; known is false when no disk is watched.
func (g *Guard) Room() (bytes int64, known bool) {
	if g == nil {
		return 0, false
	}
	bytes, known = g.free(g.folder)
	return max(bytes-buildFactor*g.floor, 0), known
}

// Notice returns what an operator should know; empty if there is enough space.
func (g *Guard) Notice() string {
	if g == nil {
		return ""
	}
	const mb = 1 << 20
	switch g.level.Load() {
	case short:
		return fmt.Sprintf("The disk of the database has %d MB left, less than --disk-floor (%d MB): events are refused with 503 until there is space.", g.bytes.Load()/mb, g.floor/mb)
	case tight:
		return fmt.Sprintf("The disk of the database has %d MB left, less than %d times --disk-floor (%d MB): builds of read tables pause.", g.bytes.Load()/mb, buildFactor, g.floor/mb)
	}
	return ""
}
