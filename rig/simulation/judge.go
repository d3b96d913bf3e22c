package simulation

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/domain/nodeevent"
	"strata/domain/packed"
	"strata/eventstore"
	"strata/projections"
	"strata/projections/decode"
	"strata/rig"
	"strata/rig/every"
	"strata/rig/foldtest"
	"strata/rig/replay"
)

// judge compares what the program has made of a history with what is true.
type judge struct {
	*History
	replay.TB
	pool  *pgxpool.Pool // of the world's database
	truth *pgxpool.Pool // of a database with empty tables
}

// Judge judges a history. truth is a database of Truth.
func Judge(t replay.TB, h *History, pool, truth *pgxpool.Pool) {
	j := &judge{h, t, pool, truth}
	stored := j.readLog()
	for _, sender := range h.Senders {
		j.acknowledged(sender, stored)
	}
	j.again(stored)
	j.check()
	if h.modelled() {
		rig.CheckState(j, pool, h.Chain.Expected())
		j.alone()
	}
	if !h.scene.Quarantines() {
		rig.CheckNoQuarantine(j, pool)
	}
	h.scene.Judge(j)
}

// Errorf implements replay.TB: what a check finds is wrong with the history.
func (j *judge) Errorf(format string, arguments ...any) { j.wrong(format, arguments...) }

// alone folds the canonical chain alone, and compares the rows that must not depend on what else happened.
func (j *judge) alone() {
	tx := j.begin()
	defer replay.End(j.TB, tx)
	var events []eventstore.Event
	for i, post := range j.Chain.CanonicalPosts() {
		events = append(events, eventstore.Event{Seq: int64(i + 1), Path: post.Path, Body: post.Body, Size: int64(len(post.Body))})
	}
	if err := fold(context.Background(), tx, events); err != nil {
		j.wrong("the canonical chain alone can't be folded: %v", err)
		return
	}
	rig.CheckSameRows(j, tx, j.pool, j.scene.Apart()...)
}

// begin begins a transaction on empty tables, beside which is written what the world's database says of its log as a whole.
func (j *judge) begin() pgx.Tx {
	j.Helper()
	tx := replay.Begin(j.TB, j.truth)
	ctx := context.Background()
	if _, err := tx.Exec(ctx, `DELETE FROM log.partial_history`); err != nil {
		j.Fatal(err)
	}
	for _, table := range []string{"log.network", "log.partial_history"} {
		for _, row := range replay.Texts(j, j.pool, `SELECT to_jsonb(r)::text FROM `+table+` r`) {
			if _, err := tx.Exec(ctx, `INSERT INTO `+table+` SELECT * FROM jsonb_populate_record(NULL::`+table+`, $1::jsonb)`, row); err != nil {
				j.Fatal(err)
			}
		}
	}
	return tx
}

// readLog returns what is in the log.
func (j *judge) readLog() []eventstore.Event {
	j.Helper()
	rows, err := j.pool.Query(context.Background(), `
		SELECT e.seq, e.received_at, e.source, e.path, e.content_type, e.size, h.body
		FROM log.event e JOIN log.event h ON h.seq = coalesce(e.body_seq, e.seq) ORDER BY e.seq`)
	if err != nil {
		j.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e eventstore.Event, err error) {
		err = row.Scan(&e.Seq, &e.ReceivedAt, &e.Source, &e.Path, &e.ContentType, &e.Size, &e.Body)
		e.Body = packed.Unpack(e.Body, e.Size)
		return e, err
	})
	if err != nil {
		j.Fatal(err)
	}
	return events
}

// acknowledged checks that the log has every event of a sender, in order and byte for byte; one that was sent again, perhaps again.
func (j *judge) acknowledged(sender *Sender, all []eventstore.Event) {
	stored := slices.DeleteFunc(slices.Clone(all), func(e eventstore.Event) bool { return e.Source != sender.source() })
	if len(stored) > sender.Tries {
		j.wrong("the log has %d events of sender %d, which has sent one %d times", len(stored), sender.host, sender.Tries)
	}
	// at are the numbers of events that the log may have reached.
	at := map[int]bool{0: true}
	for _, event := range stored {
		next := map[int]bool{}
		for n := range at {
			for _, m := range []int{n, n + 1} {
				if m > 0 && m <= len(sender.Posts) && sender.Posts[m-1].Path == event.Path && bytes.Equal(sender.Posts[m-1].Body, event.Body) {
					next[m] = true
				}
			}
		}
		if len(next) == 0 {
			j.wrong("event %d of the log, to %s, is not what sender %d has sent then", event.Seq, event.Path, sender.host)
			return
		}
		at = next
	}
	if !at[len(sender.Posts)] {
		j.wrong("the log lacks the last events of sender %d: it has %d", sender.host, len(stored))
	}
}

// check runs the checks that projections have of their own tables, as strata verify does.
func (j *judge) check() {
	run := func(projection any) {
		checked, ok := projection.(interface {
			Spec() projections.Spec
			projections.Checked
		})
		if !ok {
			return
		}
		for _, c := range checked.Checks() {
			if rows := foldtest.Violations(j, j.pool, checked.Spec(), c); len(rows) > 0 {
				j.wrong("check %q of %s fails for %s", c.Name, checked.Spec().Name, rows[0])
			}
		}
	}
	for _, line := range every.Lines() {
		run(line.Leader)
		switch followers := line.Followers.(type) {
		case projections.ChainFollowers:
			for _, f := range followers {
				run(f)
			}
		case projections.FeedFollowers:
			for _, f := range followers {
				run(f)
			}
		}
	}
}

// Truth is the source of databases with the empty tables of all projections.
var Truth = replay.Tables("truth", specs()...)

func specs() (all []projections.Spec) {
	for _, d := range every.Lines().Definitions() {
		all = append(all, d.Spec)
	}
	return all
}

// again folds the log once more, from nothing and in one piece, and compares the tables.
func (j *judge) again(stored []eventstore.Event) {
	j.Helper()
	tx := j.begin()
	defer replay.End(j.TB, tx)
	if err := fold(context.Background(), tx, stored); err != nil {
		j.wrong("the log can't be folded from nothing: %v", err)
		return
	}
	j.compare("a fold from nothing", j.dump(tx, specs()), j.dump(j.pool, specs()))
}

// compare compares rows by table.
func (j *judge) compare(with string, want, got map[string][]string) {
	differ := 0
	for _, name := range sortedKeys(want, got) {
		if diff := difference(got[name], want[name]); diff != "" {
			if differ++; differ <= 3 {
				j.wrong("table %s is not what %s gives: %s", name, with, diff)
			}
		}
	}
}

// fold folds events with all projections, in one batch.
func fold(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	decoder := decode.New(nil, 0, prometheus.NewCounter(prometheus.CounterOpts{}))
	for _, line := range every.Lines() {
		var err error
		leader := line.Leader.Spec()
		switch followers := line.Followers.(type) {
		case projections.ChainFollowers:
			err = foldLine(ctx, tx, line, followers, events, decoder.Decode, func(of projections.Spec, items []projections.LogItem) ([]projections.Step, error) {
				return stepsOf(ctx, tx, leader, of, items)
			})
		case projections.FeedFollowers:
			err = foldLine(ctx, tx, line, followers, events, decoder.DecodeFeed, func(_ projections.Spec, items []projections.LogItem) ([]projections.FeedStep, error) {
				return feedStepsOf(ctx, tx, leader, items)
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func foldLine[T projections.Item](
	ctx context.Context, tx pgx.Tx, line projections.Line, followers []projections.Projection[T], events []eventstore.Event,
	decode func(context.Context, []eventstore.Event) ([]projections.LogItem, error), stepsOf func(projections.Spec, []projections.LogItem) ([]T, error),
) error {
	items, err := decode(ctx, events)
	if err != nil || len(items) == 0 {
		return err
	}
	if _, err := line.Leader.Fold(ctx, tx, 0, items); err != nil {
		return fmt.Errorf("%s: %w", line.Name(), err)
	}
	for _, f := range followers {
		steps, err := stepsOf(f.Spec(), items)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			continue
		}
		if _, err := f.Fold(ctx, tx, 0, steps); err != nil {
			return fmt.Errorf("%s: %w", f.Spec().Name, err)
		}
	}
	return nil
}

// feedStepsOf returns the steps of ordinals with their content.
func feedStepsOf(ctx context.Context, tx pgx.Tx, ordinals projections.Spec, items []projections.LogItem) ([]projections.FeedStep, error) {
	rows, err := tx.Query(ctx, ordinals.SQL(`
		SELECT step, kind, height, block_hash, block_seq, block_index, source_seq FROM {schema}.step ORDER BY step`))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s projections.FeedStep, err error) {
		err = row.Scan(&s.Number, &s.Kind, &s.Height, &s.BlockHash, &s.BlockSeq, &s.BlockIndex, &s.SourceSeq)
		if err == nil && s.Kind == projections.Apply {
			s.Block = &items[s.BlockSeq-1].Feed.Apply[s.BlockIndex]
		}
		return s, err
	})
}

// stepsOf returns the steps of chain with their content.
func stepsOf(ctx context.Context, tx pgx.Tx, chain, of projections.Spec, items []projections.LogItem) ([]projections.Step, error) {
	rows, err := tx.Query(ctx, chain.SQL(`
		SELECT step, kind, coalesce(record, 0), height, index_block_hash, block_seq, source_seq FROM {schema}.step ORDER BY step`))
	if err != nil {
		return nil, err
	}
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s projections.Step, err error) {
		return s, row.Scan(&s.Number, &s.Kind, &s.RecordKind, &s.Height, &s.IndexBlockHash, &s.BlockSeq, &s.SourceSeq)
	})
	for i := range steps {
		s := &steps[i]
		item := items[s.BlockSeq-1]
		if s.Kind == projections.Apply {
			s.Block = item.Block
		}
		if slices.Contains(of.Records, s.RecordKind) {
			s.Record = item.Record
			if block, ok := item.Payload.(*nodeevent.BurnBlock); ok {
				s.Record = block
			}
		}
	}
	return steps, err
}

// dump returns the rows of all tables of projections, sorted, by table, without some columns.
func (j *judge) dump(db replay.Querier, of []projections.Spec, without ...string) map[string][]string {
	var names []string
	for _, s := range of {
		names = append(names, s.String())
	}
	return j.dumpOf(db, names, without...)
}

// dumpOf returns the rows of all tables of schemas, sorted, by table, without some columns.
func (j *judge) dumpOf(db replay.Querier, names []string, without ...string) map[string][]string {
	j.Helper()
	tables := replay.Texts(j.TB, db, `SELECT schemaname || '.' || tablename FROM pg_catalog.pg_tables WHERE schemaname = ANY($1) ORDER BY 1`, names)
	var queries []string
	for _, table := range tables {
		queries = append(queries, fmt.Sprintf(`SELECT '%[1]s', (to_jsonb(r) - $1::text[])::text FROM %[1]s r`, table))
	}
	rows, err := db.Query(context.Background(), strings.Join(queries, " UNION ALL "), append([]string{}, without...))
	if err != nil {
		j.Fatal(err)
	}
	all := map[string][]string{}
	var table, row string
	if _, err := pgx.ForEachRow(rows, []any{&table, &row}, func() error {
		all[table] = append(all[table], row)
		return nil
	}); err != nil {
		j.Fatal(err)
	}
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}

func sortedKeys(maps ...map[string][]string) (names []string) {
	for _, m := range maps {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// difference says how rows differ; empty if they don't.
func difference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%d rows, want %d; the first that differs:\n got %s\nwant %s", len(got), len(want), got[i], want[i])
		}
	}
	if len(got) != len(want) {
		longer := got
		if len(want) > len(got) {
			longer = want
		}
		first := longer[min(len(got), len(want))]
		return fmt.Sprintf("%d rows, want %d; the first more: %s", len(got), len(want), first)
	}
	return ""
}
