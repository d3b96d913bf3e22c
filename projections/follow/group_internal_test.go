package follow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/metric"
	"strata/projections"
)

// candidate is a follower that stands where its leader stands after some attempts to join.
type candidate struct {
	joiner
	name             string
	attempts         int
	rested           int
	failRest, failed error
	own              *group
}

func (c *candidate) foldRest(_ context.Context, position int64) error {
	if position == math.MaxInt64 {
		c.rested++
	}
	return c.failRest
}

func (c *candidate) reachLeader(context.Context, *follower[projections.LogItem]) (bool, error) {
	c.attempts--
	return c.attempts <= 0 && c.failed == nil, c.failed
}

func (c *candidate) leads() *group { return c.own }

// TestMembers lets followers join groups, and leave them in all ways that there are.
func TestMembers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testMembers)
}

func testMembers(t *testing.T) {
	registry, all := prometheus.NewRegistry(), &groups{}
	leader := &follower[projections.LogItem]{metrics: newMetrics(registry)}
	leader.spec.Schema = projections.Schema{Name: "chain", Version: 2}
	g := all.ledBy(leader)
	if all.of(leader.spec.Schema) != g || all.of(projections.Schema{Name: "chain", Version: 3}) == g || g.leader != leader {
		t.Error("each version of a leader has a group of its own")
	}
	errRest, errReach := errors.New("can't fold the rest"), errors.New("can't reach the leader")
	ended := make(chan string, 8)
	join := func(ctx context.Context, c *candidate) { ended <- fmt.Sprint(c.name, ": ", g.join(ctx, c)) }
	expect := func(members int, want ...string) {
		t.Helper()
		synctest.Wait()
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, w := range want {
			if got := <-ended; got != w {
				t.Errorf("got %q, want %q", got, w)
			}
		}
		if n, _ := metric.Sum(t, registry, "strata_projection_on_board"); len(g.members) != members || int(n) != members || len(ended) > 0 {
			t.Errorf("there are %d members, by the metrics %v, want %d; %d have left", len(g.members), n, members, len(ended))
		}
	}
	join(t.Context(), &candidate{name: "while it is closed"})
	expect(0, "while it is closed: <nil>")
	g.open()
	if !g.canJoin() {
		t.Error("the group is not open")
	}
	join(t.Context(), &candidate{name: "rest", failRest: errRest})
	join(t.Context(), &candidate{name: "reach", failed: errReach})
	expect(0, "rest: "+errRest.Error(), "reach: "+errReach.Error())

	late, other, line := &candidate{name: "late", attempts: 3}, &candidate{name: "other"}, &candidate{name: "line", own: all.of(projections.Schema{Name: "line"})}
	ctx, cancel := context.WithCancel(t.Context())
	go join(ctx, late)
	go join(t.Context(), other)
	go join(t.Context(), line)
	expect(2)
	time.Sleep(2*joinInterval - time.Nanosecond)
	expect(2)
	time.Sleep(time.Nanosecond)
	if expect(3); late.rested != 3 {
		t.Errorf("the rest was folded %d times, want it before each of three attempts", late.rested)
	}
	below := &member{&candidate{name: "below"}, make(chan error, 1)}
	line.own.leader, line.own.members = leader, []*member{below}
	leader.metrics.members.Inc()
	if len(g.all()) != 4 {
		t.Errorf("got %d members of the group and of those in it, want 4", len(g.all()))
	}
	g.removeAnywhere(below, errMoved)
	if expect(3); len(line.own.members) > 0 || !errors.Is(<-below.left, errMoved) {
		t.Error("the member of the line's group has not left")
	}
	cancel()
	if expect(2, "late: context canceled"); g.members[0].joiner == late || g.members[1].joiner == late {
		t.Error("another member has left")
	}
	g.removeAnywhere(g.members[0], errMoved)
	first := <-ended
	if expect(1); first != "other: "+errMoved.Error() && first != "line: "+errMoved.Error() {
		t.Errorf("got %q, want that it was moved", first)
	}
	g.close()
	if second := <-ended; second != "other: <nil>" && second != "line: <nil>" || g.canJoin() {
		t.Errorf("got %q, want that it may come back, and a closed group", second)
	}
	g.close()
	expect(0)
}

// A leader that is far behind waits for a follower of its steps that keeps pace, and for no other one.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const newest = 2*paceLagMax + 10
		given := errors.New("the database is away")
		for _, c := range []struct {
			name           string
			before, stands int64
			idle           bool // it does not follow
			moves          int  // once in each second but for a moment
			want           time.Duration
			err            error
		}{
			{name: "it has folded the batch before", before: newest - 5, stands: newest - 5},
			{name: "it moves on", before: newest - 5, stands: newest - 8, moves: 3, want: 3 * (pacePatience - time.Millisecond)},
			{name: "it stands still", before: newest - 5, stands: newest - 8, moves: 1, want: 2*pacePatience - time.Millisecond},
			{name: "it does not follow", before: newest - 5, stands: newest - 8, idle: true},
			{name: "it is far behind", before: newest - 5, stands: newest - paceLagMax},
			{name: "it is nearly far behind", before: newest - 5, stands: newest - paceLagMax + 1, want: pacePatience},
			{name: "the context ends", before: newest - 5, stands: newest - 8, want: pacePatience / 2, err: context.DeadlineExceeded},
			{name: "the newest step is not known", err: given},
		} {
			one := &progress{}
			one.following.Store(!c.idle)
			one.position.Store(c.stands)
			ctx, cancel := t.Context(), func() {}
			if errors.Is(c.err, context.DeadlineExceeded) {
				ctx, cancel = context.WithTimeout(ctx, c.want)
			}
			p := &pace{before: c.before, followers: func() []*progress { return []*progress{{}, one} }, newestStep: func(context.Context) (int64, error) {
				if errors.Is(c.err, given) {
					return 0, given
				}
				return newest, nil
			}}
			go func() {
				for range c.moves {
					time.Sleep(pacePatience - time.Millisecond)
					one.position.Add(1)
				}
			}()
			began := time.Now()
			err := p.wait(ctx)
			if took := time.Since(began); (took-c.want).Abs() > 5*time.Millisecond || !errors.Is(err, c.err) || (err == nil) && p.before != newest {
				t.Errorf("%s: got %v after %s, before %d, want %v after %s", c.name, err, took, p.before, c.err, c.want)
			}
			cancel()
			synctest.Wait()
		}
	})
}
