package metadata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/pause"
	"strata/internal/testsignal"
	"strata/metadata/internal/rotation"
)

// dispatcher takes leases on due wants, and gives each to a worker.
type dispatcher struct {
	config  Config
	pool    *pgxpool.Pool
	nodes   *rotation.Nodes
	metrics *metrics
	worker  *worker

	wake    *eventstore.Wake
	busy    map[lane]*atomic.Int64 // workers
	working sync.WaitGroup
	counted time.Time          // when countMissing last counted
	passes  int                // number of passes; it decides which source comes first
	pass    *testsignal.Signal // sent after each complete pass
}

// unfinishedPerRequest times the concurrency of a lane bounds its leases in all processes, together with the wants that are
// put off. A host that wants to be left alone thus keeps no other from being asked, unless very many wants are for it.
const unfinishedPerRequest = 64

const (
	pauseShort  = 20 * time.Millisecond // between two passes, while projections move or workers become free all the time
	pauseFailed = time.Second           // after a pass that failed
	passTimeout = 15 * time.Second
	takeTimeout = 5 * time.Second
)

// channel is the Postgres channel on which projections notify that they have moved.
const channel = "strata_projection"

// run makes passes until ctx is done, and returns when the last worker has ended. Workers that make requests have until
// Config.Grace is over.
func (d *dispatcher) run(ctx context.Context) {
	d.wake = d.config.Log.Listener().Wake(channel, d.config.Interval)
	defer d.wake.Stop()
	grace, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	context.AfterFunc(ctx, func() {
		pause.For(grace, d.config.Grace)
		cut()
	})
	defer d.working.Wait()
	failing := false
	for ctx.Err() == nil {
		if d.config.Full() {
			pause.For(ctx, pauseFailed) // wants taken now would only wait for space
			continue
		}
		moved := d.wake.C()
		err := d.runPass(ctx, grace)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				d.config.Logger.LogAttrs(ctx, slog.LevelWarn, "taking due wants failed; retrying", slog.Any("error", err))
			}
			failing = true
			pause.For(ctx, pauseFailed)
			continue
		case failing:
			failing = false
			d.config.Logger.LogAttrs(ctx, slog.LevelInfo, "taking due wants works again")
		}
		pause.For(ctx, pauseShort)
		d.wake.Wait(ctx, moved)
	}
}

// runPass makes one pass over all wants, and takes as many as there are workers for.
func (d *dispatcher) runPass(ctx, grace context.Context) error {
	limited, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	versions, err := activeVersions(limited, d.pool)
	if err != nil {
		return err
	}
	if versions, err = nearVersions(limited, d.pool, versions); err != nil {
		return err
	}
	if err := d.countMissing(limited, versions); err != nil {
		return err
	}
	counts, err := countLeases(limited, d.pool)
	if err != nil {
		return err
	}
	d.passes++
	for _, l := range d.config.lanes() {
		d.metrics.outstanding.WithLabelValues(string(l)).Set(float64(counts[l].held))
		d.metrics.resting.WithLabelValues(string(l)).Set(float64(counts[l].putOff))
		if (l == laneContract || l == laneAttachment) && !d.nodes.Ready() {
			continue // wants taken now would only wait for a node
		}
		room := min(d.config.workers(l)-int(d.busy[l].Load()), d.config.concurrency(l)*unfinishedPerRequest-counts[l].held-counts[l].putOff)
		sources := rotate(sourcesOf(l, versions), d.passes)
		for i, s := range sources { // they share the room
			left := len(sources) - i
			share := (max(room, 0) + left - 1) / left
			if share == 0 {
				break
			}
			leases, err := d.take(limited, l, s, share)
			if err != nil {
				return err
			}
			for _, taken := range leases {
				d.start(ctx, grace, taken)
			}
			room -= len(leases)
		}
	}
	d.pass.Send()
	return nil
}

// take is not cut short when the role stops, because the leases might then be taken, and nobody would know.
func (d *dispatcher) take(ctx context.Context, l lane, s source, limit int) ([]*lease, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeTimeout)
	defer cancel()
	return take(ctx, d.pool, l, s, limit, d.config.RescueAfter)
}

// start gives a lease to a worker. Its end is a reason for another pass.
func (d *dispatcher) start(ctx, grace context.Context, taken *lease) {
	d.busy[taken.lane].Add(1)
	d.working.Go(func() {
		d.worker.work(ctx, grace, taken)
		d.busy[taken.lane].Add(-1)
		d.wake.Signal()
	})
}

// nearVersions returns the versions that are close to the head of the log.
func nearVersions(ctx context.Context, q querier, versions []version) (near []version, err error) {
	for _, v := range versions {
		ok, err := isNear(ctx, q, v)
		if err != nil {
			return nil, err
		}
		if ok {
			near = append(near, v)
		}
	}
	return near, nil
}

// countInterval is the time between two counts of the missing attachments.
const countInterval = time.Minute

// countMissing counts the attachments that have not come, unless it did so within countInterval. It also forgets what nobody
// needs any more.
func (d *dispatcher) countMissing(ctx context.Context, versions []version) error {
	if time.Since(d.counted) < countInterval {
		return nil
	}
	for _, s := range sourcesOf(laneAttachment, versions) {
		var missing int64
		table := pgx.Identifier{s.schema, "want"}.Sanitize()
		if err := d.pool.QueryRow(ctx, `SELECT count(*) FROM `+table+` WHERE kind = $1`, s.kind).Scan(&missing); err != nil {
			return fmt.Errorf("count the missing attachments of %s: %w", s.schema, err)
		}
		d.metrics.missing.WithLabelValues(s.schema).Set(float64(missing))
	}
	d.counted = time.Now()
	return errors.Join(forgetSpent(ctx, d.pool), forgetLeases(ctx, d.pool))
}

func sourcesOf(l lane, versions []version) []source {
	var sources []source
	for _, v := range versions {
		for _, kind := range kinds[l] {
			if slices.Contains(projections[v.name], kind) {
				sources = append(sources, source{v.schema, kind})
			}
		}
	}
	return sources
}

func rotate(sources []source, by int) []source {
	if len(sources) == 0 {
		return nil
	}
	by %= len(sources)
	return slices.Concat(sources[by:], sources[:by])
}

// isContractKind reports whether a node answers wants of this kind, at its tip.
func isContractKind(kind fetch.Kind) bool {
	return kind == fetch.ContractRead || kind == fetch.ContractInterface
}
