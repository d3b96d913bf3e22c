package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/short"
	"strata/migrations"
	"strata/projections/balances"
	"strata/projections/follow"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// An API reads a replica, is told of changes by the primary, and shares a Redis with an API at the primary. However far
// the replica is behind, each answer is of a position that the replica has, and is what the replica says. When it goes
// on, so do the answers.
func TestReplica(t *testing.T) {
	short.Skip(t, "starts a server of its own")
	t.Parallel()
	f := newFollowed(t)
	f.append(120)
	f.replica.CatchUp(t)
	f.converge("at first")

	// The chain goes on, the replica does not.
	f.replica.Pause(t)
	before := f.log("chain")
	stop := f.read()
	for range 4 {
		f.append(20)
		f.primary.readAll() // into Redis, at positions that the replica does not have
	}
	stop()
	if got := f.log("chain"); got != before {
		t.Fatalf("a paused replica went from %d to %d", before, got)
	}
	ahead := 0
	for _, target := range f.targets.all {
		want := f.plain.Get(target)
		for range 2 {
			sameAnswer(t, target, f.reader.Get(target), want)
		}
		if f.primary.Get(target).Body != want.Body {
			ahead++
		}
	}
	if ahead == 0 {
		t.Fatal("the primary has nothing that the replica does not have")
	}
	reads := f.reader.Reads()
	for _, target := range f.targets.all {
		f.reader.Get(target)
	}
	if got := f.reader.Reads() - reads; got != 0 {
		t.Errorf("%d answers were made anew, although nothing that the replica has had changed", got)
	}

	// It goes on: first the rows, and within a second the answers.
	f.replica.Resume(t)
	f.replica.CatchUp(t)
	f.converge("after it was resumed")

	// Both at once, stopping and going.
	stop = f.read()
	for range 3 {
		f.replica.Pause(t)
		f.append(5)
		f.primary.readAll()
		f.replica.Resume(t)
		f.append(5)
		f.primary.readAll()
	}
	stop()
	f.replica.CatchUp(t)
	f.converge("in the end")
	if f.reader.Metric("strata_cache_hits_total", "tier", "redis") == 0 {
		t.Error("no answer came from the Redis that both share")
	}
}

// followed is a primary on which a chain goes on, a replica, and an API at each.
type followed struct {
	t       *testing.T
	events  *eventstore.Log
	history []replay.Post // what is still to come
	targets targets

	replica *pgtest.Replica
	pool    *pgxpool.Pool   // on the replica
	plain   *apitest.Site   // on the replica; keeps nothing
	reader  *apitest.Keeper // on the replica
	primary *atPrimary
}

func newFollowed(t *testing.T) *followed {
	t.Helper()
	const posts = 1 + 120 + 4*20 + 3*10 // as TestReplica appends them
	made := synthchain.New(synthchain.Everything(11, synthchain.V40))
	f := &followed{t: t}
	for range posts {
		post := made.Next()
		f.history = append(f.history, post)
	}
	f.targets = targetsOf(t, made.Expected(), f.history)

	server := pgtest.Dedicated(t)
	must.Do(t, migrations.Up(t.Context(), server.URL()))
	f.events = eventstore.Open(server.New(t), eventstore.Config{})
	pgtest.AtEnd(t, f.events.Close)
	replay.Start(t, f.events, apitest.NewChain(t), balances.New(nil))
	f.append(1)
	f.replica = server.Replica(t)
	f.pool = f.replica.New(t)

	redis := redistest.New(t)
	wake := eventstore.NewWake(f.events.Pool(), follow.Channel, time.Second, nil)
	pgtest.AtEnd(t, wake.Stop)
	f.plain = apitest.NewSiteOn(t, f.replica.New(t), readapi.Config{})
	f.reader = apitest.NewKeeper(t, f.replica.New(t), readapi.Config{Redis: apitest.Redis(t, redis.URL()), Signal: wake.C, WatchInterval: 100 * time.Millisecond})
	f.primary = &atPrimary{
		Keeper:  apitest.NewKeeper(t, server.New(t), readapi.Config{Redis: apitest.Redis(t, redis.URL()), Signal: wake.C}),
		plain:   apitest.NewSiteOn(t, server.New(t), readapi.Config{}),
		targets: f.targets.all,
	}
	return f
}

// append lets the chain go on by so many posts, at the primary.
func (f *followed) append(n int) {
	f.t.Helper()
	replay.Append(f.t, f.events, f.history[:n]...)
	f.history = f.history[n:]
	replay.Wait(f.t, f.events)
}

// log is the event up to which a projection reflects the log, on the replica.
func (f *followed) log(projection string) (seq int64) {
	f.t.Helper()
	if err := f.pool.QueryRow(context.Background(), `SELECT coalesce(max(log_seq), 0) FROM strata.projection WHERE name = $1`, projection).Scan(&seq); err != nil {
		f.t.Error(err)
	}
	return seq
}

// converge waits until the reader is where the replica is, which has caught up, and compares the answers of all.
func (f *followed) converge(when string) {
	f.t.Helper()
	for _, target := range []string{f.targets.chain[0], f.targets.balances[0]} {
		want := f.plain.Get(target).Header.Get("Strata-Position")
		eventually.Holds(f.t, fmt.Sprintf("%s, %s comes to %s as the replica has", when, target, want), func() bool {
			return f.reader.Get(target).Header.Get("Strata-Position") == want
		})
	}
	for _, target := range f.targets.all {
		want := f.plain.Get(target)
		sameAnswer(f.t, target, f.reader.Get(target), want)
		sameAnswer(f.t, target, f.primary.fresh(target), want)
	}
}

// read reads from the replica's API until stop is called, which says how it went.
func (f *followed) read() (stop func()) {
	var wait sync.WaitGroup
	end := make(chan struct{})
	compared := make([]int, 2)
	for worker := range compared {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(worker)))
			for !f.t.Failed() {
				select {
				case <-end:
					return
				default:
				}
				list, projection := f.targets.chain, "chain"
				if random.IntN(2) == 0 {
					list, projection = f.targets.balances, "balances"
				}
				if f.compare(list[random.IntN(len(list))], projection) {
					compared[worker]++
				}
			}
		})
	}
	stop = sync.OnceFunc(func() {
		close(end)
		wait.Wait()
		if compared[0]+compared[1] < 100 {
			f.t.Errorf("only %d answers could be compared", compared[0]+compared[1])
		}
	})
	pgtest.AtEnd(f.t, stop)
	return stop
}

var positionLog = regexp.MustCompile(`^log=(\d+)`)

// compare reads a target, and says whether it could tell that the answer is right: the replica may be anywhere between
// two questions.
func (f *followed) compare(target, projection string) bool {
	before := f.plain.Get(target)
	got := f.reader.Get(target)
	after := f.plain.Get(target)
	has := f.log(projection)
	position := got.Header.Get("Strata-Position")
	match := positionLog.FindStringSubmatch(position)
	if match == nil {
		f.t.Errorf("%s: got %d at %q, want a position", target, got.Status, position)
		return false
	}
	if seq, err := strconv.ParseInt(match[1], 10, 64); err != nil || seq > has {
		f.t.Errorf("%s: is of position %q, but the replica is at %d", target, position, has)
	}
	for _, want := range []apitest.Reply{before, after} {
		if want.Header.Get("Strata-Position") == position {
			sameAnswer(f.t, target, got, want)
			return true
		}
	}
	return false
}

// sameAnswer compares all that a client may rely on.
func sameAnswer(t testing.TB, target string, got, want apitest.Reply) {
	t.Helper()
	check.Equal(t, fmt.Sprintf("%s at %s", target, got.Header.Get("Strata-Position")), answerText(got), answerText(want))
	for _, name := range []string{"Strata-Position", "ETag", "Cache-Control"} {
		check.Equal(t, fmt.Sprintf("%s: %s", target, name), got.Header.Get(name), want.Header.Get(name))
	}
}

// atPrimary are an API that reads the primary, and one that keeps nothing.
type atPrimary struct {
	*apitest.Keeper
	plain   *apitest.Site
	targets []string
}

// readAll asks for everything, at the position that the primary has.
func (p *atPrimary) readAll() {
	p.T.Helper()
	for _, target := range p.targets {
		p.fresh(target)
	}
}

// fresh is the answer at the position that the primary has.
func (p *atPrimary) fresh(target string) (got apitest.Reply) {
	p.T.Helper()
	want := p.plain.Get(target)
	eventually.Holds(p.T, "the primary's API is where the primary is", func() bool {
		got = p.Get(target)
		return got.Header.Get("Strata-Position") == want.Header.Get("Strata-Position")
	})
	sameAnswer(p.T, target, got, want)
	return got
}
