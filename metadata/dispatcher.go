package metadata

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"strata/domain/fetch"
	"strata/internal/locks"
	"strata/internal/pause"
	"strata/internal/testsignal"
	"strata/metadata/internal/jobqueue"
	"strata/metadata/internal/rotation"
)

// dispatcher turns due wants into jobs.
type dispatcher struct {
	config  Config
	client  *river.Client[pgx.Tx]
	nodes   *rotation.Nodes
	metrics *metrics

	memory  dispatchMemory
	counted time.Time          // when countMissing last counted
	passes  int                // number of passes; it decides which source comes first
	pass    *testsignal.Signal // sent after each complete pass
}

// These times the concurrency of a lane bound its jobs.
const (
	// activePerRequest is for those that wait for a worker, or run. It is large enough that no worker is idle between two
	// passes, and small enough that urgent wants soon have their turn.
	activePerRequest = 8
	// unfinishedPerRequest is for these and the ones that are put off. A host that wants to be left alone thus keeps no other
	// from being asked, unless very many wants are for it.
	unfinishedPerRequest = 64
)

const (
	pauseShort  = 50 * time.Millisecond // between two passes, while projections move all the time
	pauseFailed = time.Second           // after a pass that failed
	passTimeout = 15 * time.Second
)

// channel is the Postgres channel on which projections notify that they have moved.
const channel = "strata_projection"

// run makes passes until ctx is done.
func (d *dispatcher) run(ctx context.Context) {
	wake := d.config.Log.Listener().Wake(channel, d.config.Interval)
	defer wake.Stop()
	failing := false
	for ctx.Err() == nil {
		if d.config.Full() {
			pause.For(ctx, pauseFailed) // jobs dispatched now would only wait for space
			continue
		}
		moved := wake.C()
		more, err := d.runPass(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				d.config.Logger.LogAttrs(ctx, slog.LevelWarn, "dispatching wants failed; retrying", slog.Any("error", err))
			}
			failing = true
			pause.For(ctx, pauseFailed)
			continue
		case failing:
			failing = false
			d.config.Logger.LogAttrs(ctx, slog.LevelInfo, "dispatching wants works again")
		}
		pause.For(ctx, pauseShort)
		if !more {
			wake.Wait(ctx, moved)
		}
	}
}

// runPass makes one pass over all wants, and dispatches as many as there is room for. more means that the next pass
// should begin at once.
func (d *dispatcher) runPass(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	err = locks.Hold(ctx, d.config.Log.Pool(), passTimeout, func(tx pgx.Tx) error {
		// Only one process makes a pass at a time, because the others would find the same wants. Without the lock, the
		// unique keys of the jobs would still prevent duplicates. The commit need not wait for the disk: jobs that are
		// lost when the database crashes are created again from the wants.
		if err := locks.TryTable(ctx, tx, jobqueue.Dispatch); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
			return err
		}
		more, err = d.dispatch(ctx, tx)
		return err
	})
	if errors.Is(err, locks.ErrHeld) {
		return false, nil
	}
	if err == nil {
		d.pass.Send()
	}
	return more, err
}

// dispatch makes a pass in a transaction.
func (d *dispatcher) dispatch(ctx context.Context, tx pgx.Tx) (more bool, err error) {
	versions, err := activeVersions(ctx, tx)
	if err != nil {
		return false, err
	}
	d.memory.keepVersions(versions) // before nearVersions: a version that is behind for the moment keeps its memory
	versions, err = nearVersions(ctx, tx, versions)
	if err != nil {
		return false, err
	}
	if err := d.countMissing(ctx, tx, versions); err != nil {
		return false, err
	}
	unfinished, err := jobqueue.Unfinished(ctx, tx)
	if err != nil {
		return false, err
	}
	d.passes++
	chosen := selection{revisions: map[revision]bool{}}
	for _, l := range d.config.lanes() {
		jobs := unfinished[l.queue()]
		d.metrics.outstanding.WithLabelValues(string(l)).Set(float64(jobs.Active))
		d.metrics.resting.WithLabelValues(string(l)).Set(float64(jobs.Resting))
		if (l == laneContract || l == laneAttachment) && !d.nodes.Ready() {
			continue // jobs dispatched now would only wait for a node
		}
		slots := d.config.concurrency(l)
		room := min(slots*activePerRequest-jobs.Active, slots*unfinishedPerRequest-jobs.Active-jobs.Resting)
		laneHasMore, err := d.fill(ctx, tx, &chosen, l, rotate(sourcesOf(l, versions), d.passes), room)
		if err != nil {
			return false, err
		}
		more = more || laneHasMore
	}
	inserted, err := d.insertJobs(ctx, tx, chosen)
	// If some of the chosen wants already had jobs, the next pass skips those.
	return more && inserted < len(chosen.jobs), err
}

// nearVersions returns the versions that are close to the head of the log.
func nearVersions(ctx context.Context, tx pgx.Tx, versions []version) (near []version, err error) {
	for _, v := range versions {
		ok, err := isNear(ctx, tx, v)
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

// countMissing counts the attachments that have not come, if it did not do so lately.
func (d *dispatcher) countMissing(ctx context.Context, tx pgx.Tx, versions []version) error {
	if time.Since(d.counted) < countInterval {
		return nil
	}
	for _, s := range sourcesOf(laneAttachment, versions) {
		var missing int64
		table := pgx.Identifier{s.schema, "want"}.Sanitize()
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+table+` WHERE kind = $1`, s.kind).Scan(&missing); err != nil {
			return fmt.Errorf("count the missing attachments of %s: %w", s.schema, err)
		}
		d.metrics.missing.WithLabelValues(s.schema).Set(float64(missing))
	}
	d.counted = time.Now()
	return forgetSpent(ctx, tx)
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

// selection is the wants that a pass has chosen to dispatch.
type selection struct {
	jobs      []river.InsertManyParams
	from      []source // of each job
	revisions map[revision]bool
}

// fill chooses wants of a lane for the room that it has. The lane's sources share the room. more means that there may
// be further wants for this room.
func (d *dispatcher) fill(ctx context.Context, tx pgx.Tx, chosen *selection, l lane, sources []source, room int) (more bool, err error) {
	for i, s := range sources {
		left := len(sources) - i
		share := (max(room, 0) + left - 1) / left
		limit := share + len(d.memory[s])
		if share == 0 {
			limit = 1 // only for the metric
		}
		wants, err := dueWants(ctx, tx, s, limit)
		if err != nil {
			return false, err
		}
		d.metrics.due.WithLabelValues(s.schema, string(s.kind)).Set(float64(len(wants)))
		if share == 0 {
			continue
		}
		d.memory.prune(s, wants)
		for _, w := range wants {
			if share == 0 || d.memory.has(s, w.revision) {
				continue
			}
			if chosen.revisions[w.revision] {
				d.memory.add(s, w.revision) // another projection's job serves both
				continue
			}
			chosen.revisions[w.revision] = true
			chosen.jobs = append(chosen.jobs, task{w.revision, s.schema}.insertParams(l, w.priority))
			chosen.from = append(chosen.from, s)
			share--
			room--
		}
		more = more || len(wants) == limit
	}
	return more, nil
}

// insertJobs inserts the chosen jobs. It returns how many of them did not exist yet.
func (d *dispatcher) insertJobs(ctx context.Context, tx pgx.Tx, chosen selection) (inserted int, err error) {
	if len(chosen.jobs) == 0 {
		return 0, nil
	}
	results, err := d.client.InsertManyTx(ctx, tx, chosen.jobs)
	if err != nil {
		return 0, fmt.Errorf("insert %d jobs: %w", len(chosen.jobs), err)
	}
	for _, result := range results {
		if !result.UniqueSkippedAsDuplicate {
			inserted++
		}
	}
	// If the commit fails, these entries are wrong until they expire, and wants may be a minute late. That only happens
	// in an outage.
	for i, job := range chosen.jobs {
		d.memory.add(chosen.from[i], job.Args.(task).Revision)
	}
	return inserted, nil
}

// dueWant is a want that may be dispatched.
type dueWant struct {
	revision
	priority int16
}

// dueWants reads due wants, the most urgent first. It queries each priority separately, because then the due wants are
// adjacent in the index, and the query does not touch those that are not due yet, such as all periodic ones.
//
// A contract is read at the projection's tip. The tip is below the want's min_height only in the middle of a
// reorganisation.
func dueWants(ctx context.Context, q querier, s source, limit int) ([]dueWant, error) {
	table := pgx.Identifier{s.schema, "want"}.Sanitize()
	rows, err := q.Query(ctx, `
		SELECT w.key_hash, w.source_seq, w.attempts, w.waits, w.due_at, w.priority
		FROM generate_series(1, 4) AS level, LATERAL (
			SELECT * FROM `+table+`
			WHERE kind = $1 AND priority = level::smallint AND due_at <= now()
			  AND ($3 OR (SELECT height FROM (`+tipSQL(s.schema)+`) tip) >= coalesce(min_height, 0))
			ORDER BY due_at LIMIT $2) AS w
		ORDER BY w.priority, w.due_at LIMIT $2`, s.kind, limit, !isContractKind(s.kind))
	if err != nil {
		return nil, fmt.Errorf("read the due wants of %s: %w", s.schema, err)
	}
	wants, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (dueWant, error) {
		var (
			w   dueWant
			key []byte
			due time.Time
		)
		err := row.Scan(&key, &w.Seq, &w.Attempts, &w.Waits, &due, &w.priority)
		w.Key, w.DueAt = hex.EncodeToString(key), due.UnixMicro()
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the due wants of %s: %w", s.schema, err)
	}
	return wants, nil
}

// isContractKind reports whether a node answers wants of this kind, at its tip.
func isContractKind(kind fetch.Kind) bool {
	return kind == fetch.ContractRead || kind == fetch.ContractInterface
}
