package metadata

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"strata/domain/fetch"
	"strata/eventstore"
)

// dispatcher turns wants that are due into jobs.
type dispatcher struct {
	config  Config
	client  *river.Client[pgx.Tx]
	nodes   *nodes
	metrics *metrics

	dispatched dispatched
	turn       int // moves on with each look, so that every source is the first one in its turn
}

// outstandingPerRequest bounds how many jobs of a lane wait or run: enough that no worker is idle between two looks,
// and few enough that what is urgent soon has its turn.
const outstandingPerRequest = 8

// Pauses between two looks.
const (
	pauseShort   = 50 * time.Millisecond // while projections move all the time
	pauseFailed  = time.Second           // while the database can't be used
	lookTimeout  = 15 * time.Second
	lockDispatch = 0x7374726174610002
)

// channel is where projections tell that they moved.
const channel = "strata_projection"

// run looks until ctx is done.
func (d *dispatcher) run(ctx context.Context) {
	wake := eventstore.NewWake(d.config.Log.Pool(), channel, d.config.Interval, d.config.Logger)
	defer wake.Stop()
	failing := false
	for ctx.Err() == nil {
		moved := wake.C()
		more, err := d.lookOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				d.config.Logger.LogAttrs(ctx, slog.LevelWarn, "looking for what has to be fetched failed; trying again", slog.Any("error", err))
			}
			failing = true
			sleep(ctx, pauseFailed)
			continue
		case failing:
			failing = false
			d.config.Logger.LogAttrs(ctx, slog.LevelInfo, "looking for what has to be fetched works again")
		}
		sleep(ctx, pauseShort)
		if !more {
			wake.Wait(ctx, moved)
		}
	}
}

// lookOnce dispatches what there is room for. more says that it is worth looking again at once.
func (d *dispatcher) lookOnce(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err = pgx.BeginFunc(ctx, d.config.Log.Pool(), func(tx pgx.Tx) error {
		// One process dispatches at a time: the others would find the same wants. Without the lock the unique keys
		// of the jobs still keep them apart. Jobs that are lost with the database's last moments are made again of the
		// wants: no need to wait for the disk.
		var alone bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1) FROM set_config('synchronous_commit', 'off', true)`,
			int64(lockDispatch)).Scan(&alone); err != nil || !alone {
			return err
		}
		more, err = d.look(ctx, tx)
		return err
	})
	return more, err
}

func (d *dispatcher) look(ctx context.Context, tx pgx.Tx) (more bool, err error) {
	versions, err := current(ctx, tx)
	if err != nil {
		return false, err
	}
	d.dispatched.only(versions)
	versions, err = d.nearOnes(ctx, tx, versions)
	if err != nil {
		return false, err
	}
	waiting, err := outstanding(ctx, tx)
	if err != nil {
		return false, err
	}
	d.turn++
	chosen := choice{taken: map[raising]bool{}}
	for _, l := range d.config.lanes() {
		d.metrics.outstanding.WithLabelValues(string(l)).Set(float64(waiting[l]))
		if l == laneContract && !d.nodes.ready() {
			continue // whatever is dispatched now would only wait for a node
		}
		room := d.config.concurrency(l)*outstandingPerRequest - waiting[l]
		again, err := d.fill(ctx, tx, &chosen, l, rotate(sourcesOf(l, versions), d.turn), room)
		if err != nil {
			return false, err
		}
		more = more || again
	}
	inserted, err := d.insert(ctx, tx, chosen)
	// Where all of them had jobs already, the next look goes past them.
	return more && inserted < len(chosen.jobs), err
}

func (d *dispatcher) nearOnes(ctx context.Context, tx pgx.Tx, versions []version) ([]version, error) {
	var those []version
	for _, v := range versions {
		ok, err := near(ctx, tx, v)
		if err != nil {
			return nil, err
		}
		if ok {
			those = append(those, v)
		}
	}
	return those, nil
}

func sourcesOf(l lane, versions []version) []source {
	var sources []source
	for _, v := range versions {
		for _, kind := range kinds[l] {
			sources = append(sources, source{v.schema, kind})
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

// choice is what a look has chosen to dispatch.
type choice struct {
	jobs  []river.InsertManyParams
	from  []source // of each job
	taken map[raising]bool
}

// fill chooses wants of a lane's sources for the room that there is, which the sources share. more says that there may
// be further ones for this room.
func (d *dispatcher) fill(ctx context.Context, tx pgx.Tx, chosen *choice, l lane, sources []source, room int) (more bool, err error) {
	for i, s := range sources {
		left := len(sources) - i
		share := (max(room, 0) + left - 1) / left
		limit := share + len(d.dispatched[s])
		if share == 0 {
			limit = 1 // to tell that something is due
		}
		wants, err := dueWants(ctx, tx, s, limit)
		if err != nil {
			return false, err
		}
		d.metrics.due.WithLabelValues(s.schema, string(s.kind)).Set(float64(len(wants)))
		if share == 0 {
			continue
		}
		d.dispatched.keep(s, wants)
		for _, w := range wants {
			if share == 0 || d.dispatched.has(s, w.raising) {
				continue
			}
			if chosen.taken[w.raising] {
				d.dispatched.note(s, w.raising) // the job of another projection does it for both
				continue
			}
			chosen.taken[w.raising] = true
			chosen.jobs = append(chosen.jobs, task{w.raising, s.schema}.insert(l, w.priority))
			chosen.from = append(chosen.from, s)
			share--
			room--
		}
		more = more || len(wants) == limit
	}
	return more, nil
}

// insert makes the jobs that are not there yet, and counts them.
func (d *dispatcher) insert(ctx context.Context, tx pgx.Tx, chosen choice) (inserted int, err error) {
	if len(chosen.jobs) == 0 {
		return 0, nil
	}
	results, err := d.client.InsertManyTx(ctx, tx, chosen.jobs)
	if err != nil {
		return 0, fmt.Errorf("make %d jobs: %w", len(chosen.jobs), err)
	}
	for _, result := range results {
		if !result.UniqueSkippedAsDuplicate {
			inserted++
		}
	}
	// Should the commit fail, they are forgotten by and by: a want may then be a minute late, in an outage.
	for i, job := range chosen.jobs {
		d.dispatched.note(chosen.from[i], job.Args.(task).Raising)
	}
	return inserted, nil
}

// due is a want that may be dispatched.
type due struct {
	raising
	priority int16
}

// dueWants reads wants that are due, the most urgent first. It looks at each priority alone: what is due stands
// together in the index then, and what is not due yet, such as everything that is asked again by the clock, is not
// touched.
//
// A contract is read at the tip of the projection, which is below what the want asks for only in the middle of a
// reorganisation.
func dueWants(ctx context.Context, q querier, s source, limit int) ([]due, error) {
	table := pgx.Identifier{s.schema, "want"}.Sanitize()
	block := pgx.Identifier{s.schema, "block"}.Sanitize()
	rows, err := q.Query(ctx, `
		SELECT w.key_hash, w.source_seq, w.attempts, w.waits, w.due_at, w.priority
		FROM generate_series(1, 4) AS level, LATERAL (
			SELECT * FROM `+table+`
			WHERE kind = $1 AND priority = level::smallint AND due_at <= now()
			  AND ($3 OR (SELECT max(height) FROM `+block+`) >= coalesce(min_height, 0))
			ORDER BY due_at LIMIT $2) AS w
		ORDER BY w.priority, w.due_at LIMIT $2`, s.kind, limit, !ofContract(s.kind))
	if err != nil {
		return nil, fmt.Errorf("read what is due in %s: %w", s.schema, err)
	}
	wants, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (due, error) {
		var (
			w   due
			key []byte
			at  time.Time
		)
		err := row.Scan(&key, &w.Seq, &w.Attempts, &w.Waits, &at, &w.priority)
		w.Key, w.DueAt = hex.EncodeToString(key), at.UnixMicro()
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is due in %s: %w", s.schema, err)
	}
	return wants, nil
}

// ofContract says whether a want is answered by a node, at the tip.
func ofContract(kind fetch.Kind) bool {
	return kind == fetch.ContractRead || kind == fetch.ContractInterface
}

// outstanding counts the jobs of each lane that are not done.
func outstanding(ctx context.Context, q querier) (map[lane]int, error) {
	rows, err := q.Query(ctx, `
		SELECT queue, count(*) FROM `+schema+`.river_job
		WHERE state IN ('available', 'running', 'retryable', 'scheduled', 'pending') GROUP BY queue`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := map[string]int{}
	var (
		queue string
		count int
	)
	_, err = pgx.ForEachRow(rows, []any{&queue, &count}, func() error {
		counts[queue] = count
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	byLane := map[lane]int{}
	for l := range kinds {
		byLane[l] = counts[l.queue()]
	}
	return byLane, nil
}

// sleep waits, or returns early when ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(cmp.Or(d, time.Nanosecond))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
