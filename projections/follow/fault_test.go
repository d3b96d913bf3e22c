package follow_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgfault"
	"strata/internal/testkit/pgtest"
	"strata/projections"
	"strata/projections/follow"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
)

// Whichever request to the database fails, what a follower was to do is said to have failed, and done the next time. At the end there
// are the rows that the log gives.
func TestNthRequest(t *testing.T) {
	t.Parallel()
	ctx, log, recorder := t.Context(), replay.NewLog(t), &rig.Recorder{}
	lines := projections.Lines{projections.Chain(rig.Chain(t), &keyed{}, recorder)}
	pool, fault := pgfault.New(t, log.Pool(), pgfault.Refused)
	failing := eventstore.Open(pool, eventstore.Config{})
	pgtest.AtEnd(t, failing.Close)
	must.Get(version.Register(ctx, log.Pool(), lines, false, nil))(t)
	still := follow.NewStill(t, failing, lines[0])
	replay.Append(t, log, replay.Post{Path: "/new_block", Body: []byte(`{}`)}) // makes no step
	var blocks, skipped, commanded int64
	block := func() {
		replay.Append(t, log, rig.Blocks(int(blocks), 1)...)
		blocks++
	}
	fold := func() error { // one after the other
		for i := range 3 {
			if err := still.Fold(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range []struct {
		name    string
		members int
		prepare func() // before each time
		run     func() error
		left    int // how many members leave
		from    int // the requests before it, but for the first ones, make tables only
	}{
		{name: "alone", prepare: block, run: fold},
		{name: "join", prepare: func() { still.Leave(); block(); must.Do(t, still.Fold(ctx, 0)) }, run: func() error { return still.Join(ctx) }},
		{name: "together", members: 2, prepare: block, run: func() error { return still.Fold(ctx, 0) }},
		{name: "together, and one fails", members: 2, left: 1, prepare: func() { block(); recorder.BreakAt(blocks, false) }, run: func() error { return still.Fold(ctx, 0) }},
		{name: "skipped", prepare: func() {
			block()
			skipped++
			must.Do(t, still.Fold(ctx, 0))
			rig.Execute(t, log, `DELETE FROM strata.quarantine WHERE name = 'keyed'`) // a projection skips some events only
		}, run: func() error { return still.Skip(ctx, 1, &pgconn.PgError{Code: "23505"}) }},
		{name: "skipped by a command", prepare: func() {
			block()
			commanded++
			must.Do(t, still.Fold(ctx, 0))
			recorder.BreakAt(blocks, false)
			rig.Execute(t, log, `INSERT INTO strata.skip (name, rules, seq, reason, command_seq) VALUES ('recorder', 1, $1, 'a test', 1)`, blocks+1)
		}, run: func() error { return still.Skip(ctx, 2, errors.New("a bug")) }},
		{name: "look", members: 2, prepare: func() {}, run: func() error { return still.Look(ctx) }},
		{name: "verify", from: 30, prepare: func() {}, run: func() error {
			return follow.VerifyRows(ctx, failing, lines, follow.VerifyRowsOptions{Names: []string{"chain"}, Difference: func(string, version.Difference) bool { return true }})
		}},
	} {
		for n, failed := 1, true; failed; n++ {
			if n == 6 {
				n = max(n, c.from)
			}
			still.Leave()
			must.Do(t, fold())
			if c.members > 0 {
				must.Do(t, still.Join(ctx))
			}
			c.prepare()
			var err error
			if _, failed, _ = fault.During(n, func() { err = c.run() }); failed != (err != nil) {
				t.Fatalf("%s: request %d fails: %t, got %v", c.name, n, failed, err)
			}
			if failed && c.from == 0 {
				must.Do(t, c.run())
			}
			if c.members > 0 && still.Members() != c.members-c.left {
				t.Errorf("%s: after request %d has failed, %d are members", c.name, n, still.Members())
			}
			recorder.BreakAt(0, false)
		}
	}
	block()
	if first, second := still.Again(ctx), still.Again(ctx); first != nil || !errors.Is(second, follow.ErrMoved) {
		t.Errorf("all events, of which the last one was not folded, and all again: got %v and %v", first, second)
	}
	must.Do(t, fold())
	if !rig.Query[bool](t, log, `
		SELECT (SELECT min(position) FROM strata.projection) = $1 AND (SELECT count(*) FROM keyed_v1.block) = $1
		   AND (SELECT count(*) FROM keyed_v1.id) = $1 - $2 AND (SELECT count(*) FROM recorder_v1.recorded) = $1 - $3`, blocks, skipped, commanded) {
		t.Errorf("not all of %d blocks are folded, but for %d that one skips and %d that another one skips", blocks, skipped, commanded)
	}
	if wrong := rig.WrongRows(t, log, lines, "chain"); len(wrong) > 0 {
		t.Errorf("the log gives other rows: %q", wrong)
	}
}
