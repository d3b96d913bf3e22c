package metadata_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/metadata"
)

// jobs counts River's jobs; none before the tables are there.
func jobs(t testing.TB, log *eventstore.Log) (count int) {
	t.Helper()
	var there bool
	if err := log.Pool().QueryRow(t.Context(), `SELECT to_regclass('river.river_job') IS NOT NULL`).Scan(&there); err != nil {
		t.Fatal(err)
	}
	if there {
		if err := log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river.river_job`).Scan(&count); err != nil {
			t.Fatal(err)
		}
	}
	return count
}

// looking waits until the dispatcher has looked: a want that is raised now is dispatched at the next look.
func looking(t testing.TB, log *eventstore.Log) {
	t.Helper()
	before := jobs(t, log)
	raise(t, log.Pool(), "nft_v1", row{want: document(fmt.Sprintf("gopher://probe/%d", before))})
	eventually(t, "the dispatcher looks", 60*time.Second, func() bool { return jobs(t, log) > before })
}

func TestDueLaterIsNotDoneEarly(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	run(t, config(log))
	looking(t, log)
	due := time.Now().Add(1500 * time.Millisecond)
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://later"), dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://much-later"), dueAt: due.Add(time.Hour)})
	for _, r := range await(t, log, 2) {
		if r.Want.URI == "gopher://later" && r.StartedAt.Before(due) {
			t.Errorf("it was begun %s early", due.Sub(r.StartedAt))
		}
	}
}

func TestLagStopsDispatching(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	ctx := t.Context()
	batch := make([]eventstore.Incoming, metadata.Near+1)
	for i := range batch {
		batch[i] = eventstore.Incoming{ReceivedAt: time.Now(), Path: "/x", Body: eventstore.NewBody(fmt.Append(nil, i))}
	}
	if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
		t.Fatal(err)
	}
	move := func(name string, position int) {
		t.Helper()
		if _, err := log.Pool().Exec(ctx, `UPDATE strata.projection SET position = $2 WHERE name = $1`, name, position); err != nil {
			t.Fatal(err)
		}
	}
	move("nft", len(batch))
	run(t, config(log))
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://behind")})
	looking(t, log)
	looking(t, log)
	if got := await(t, log, 2); got[0].Want.URI == "gopher://behind" || got[1].Want.URI == "gopher://behind" {
		t.Error("a want of a projection that is far behind was fetched")
	}
	move("ft", len(batch))
	await(t, log, 3)

	// Few events, but old ones.
	old := eventstore.Incoming{ReceivedAt: time.Now().Add(-time.Hour), Path: "/x", Body: eventstore.NewBody([]byte("old"))}
	first, err := log.AppendBatch(ctx, []eventstore.Incoming{old}, nil)
	if err != nil {
		t.Fatal(err)
	}
	move("ft", int(first)-1)
	move("nft", int(first))
	looking(t, log) // a look that has begun before may have found ft up to date
	looking(t, log)
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://old")})
	looking(t, log)
	looking(t, log)
	await(t, log, 7)
	move("ft", int(first))
	await(t, log, 8)
}

// A projection that folds the steps of another is behind by what both are.
func TestLagOfStepsCounts(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	ctx := t.Context()
	for _, sql := range []string{
		`CREATE SCHEMA chain_v3`,
		`CREATE TABLE chain_v3.step (step bigint PRIMARY KEY, source_seq bigint NOT NULL)`,
		`INSERT INTO chain_v3.step SELECT n, 1 FROM generate_series(1, 600) n`,
		`INSERT INTO strata.projection (name, version, input, state) VALUES ('chain', 3, 'log', 'live')`,
		`UPDATE strata.projection SET input = 'chain_v3' WHERE name = 'ft'`,
	} {
		if _, err := log.Pool().Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	batch := make([]eventstore.Incoming, 600)
	for i := range batch {
		batch[i] = eventstore.Incoming{ReceivedAt: time.Now(), Path: "/x", Body: eventstore.NewBody(fmt.Append(nil, i))}
	}
	if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
		t.Fatal(err)
	}
	run(t, config(log))
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://behind")})
	looking(t, log)
	looking(t, log)
	await(t, log, 2)
	if _, err := log.Pool().Exec(ctx, `UPDATE strata.projection SET position = 300 WHERE name = 'chain'`); err != nil {
		t.Fatal(err)
	}
	await(t, log, 3)
}

func TestAStoppedProjectionIsLeftAlone(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	if _, err := log.Pool().Exec(t.Context(), `UPDATE strata.projection SET state = 'failed' WHERE name = 'ft'`); err != nil {
		t.Fatal(err)
	}
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://x")})
	run(t, config(log))
	looking(t, log)
	looking(t, log)
	await(t, log, 2)
}

func TestABlockAhead(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name"), minHeight: tip.Height + 1})
	run(t, config(log, node.URL))
	looking(t, log)
	await(t, log, 1)
	_, err := log.Pool().Exec(t.Context(), `INSERT INTO ft_v1.block (height, source_seq, burn_block_height, time, index_block_hash, block_hash)
		VALUES ($1, 1, 1, 1, $2, $2)`, tip.Height+1, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	if all := await(t, log, 2); all[1].Tip == nil || all[1].Tip.Height != tip.Height+1 || !all[1].Tip.IndexBlockHash.IsZero() {
		t.Errorf("got tip %+v", all[1].Tip)
	}
}

// The same want, raised by two projections at one event, is one job; raised at another event it is another.
func TestProjectionsShareARaising(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	due := time.Now().Add(-time.Minute)
	shared, apart := document("gopher://shared"), document("gopher://apart")
	raise(t, log.Pool(), "ft_v1", row{want: shared, seq: 7, dueAt: due})
	raise(t, log.Pool(), "nft_v1", row{want: shared, seq: 7, dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: apart, seq: 7, dueAt: due})
	raise(t, log.Pool(), "nft_v1", row{want: apart, seq: 8, dueAt: due})
	run(t, config(log))
	count := map[string]int{}
	for _, r := range await(t, log, 3) {
		count[r.Want.URI]++
	}
	if count["gopher://shared"] != 1 || count["gopher://apart"] != 2 {
		t.Errorf("got %v", count)
	}
	// Nothing was folded, so it is all still there, and stays as it is until it is raised anew.
	looking(t, log)
	await(t, log, 4)
	raise(t, log.Pool(), "ft_v1", row{want: shared, seq: 7, waits: 1, dueAt: due})
	await(t, log, 5)
}

// When the projection that a job came from gives its want up, another that raised it at the same event gets its report.
func TestAJobServesTheOtherProjection(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, through(gate))
	due := time.Now().Add(-time.Minute)
	c := config(log, node.URL)
	c.Concurrency, c.NodeTimeout, c.AttemptTimeout = 1, 30*time.Second, 30*time.Second
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first"), priority: 1, dueAt: due})
	run(t, c)
	eventually(t, "the only worker is busy", 60*time.Second, func() bool { return len(node.requests()) == 1 })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second"), seq: 3, dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third"), seq: 3, dueAt: due})
	eventually(t, "three jobs", 60*time.Second, func() bool { return jobs(t, log) == 3 })
	// At a later look, so that nothing but River knows that there is a job for it.
	raise(t, log.Pool(), "nft_v1", row{want: contractRead("second"), seq: 3, dueAt: due})
	looking(t, log)
	looking(t, log)
	if got := jobs(t, log); got != 5 {
		t.Errorf("got %d jobs, want three and the two by which the dispatcher was seen to look", got)
	}
	var schema string
	if err := log.Pool().QueryRow(t.Context(), `DELETE FROM ft_v1.want WHERE want LIKE '%second%' OR want LIKE '%third%' RETURNING 'ft_v1'`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	close(gate)
	got := map[string]bool{}
	for _, r := range await(t, log, 4) {
		if r.Want.Kind == fetch.ContractRead {
			got[r.Want.Calls[0].Function] = true
		}
	}
	if !got["first"] || !got["second"] || got["third"] {
		t.Errorf("got %v, want the first and the second", got)
	}
}

// Rows that have jobs already don't hide what stands behind them, though more of them than are looked at stand before.
func TestNothingIsStarved(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	const wants = 300
	for i := range wants {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("gopher://%d", i)), priority: 1 + i%4})
	}
	c := config(log)
	c.Concurrency = 2 // 16 jobs outstanding; nothing is folded, so that all the rows stay
	run(t, c)
	most := 0
	eventually(t, "all of them", 60*time.Second, func() bool {
		var outstanding int
		if jobs(t, log) > 0 {
			err := log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river.river_job WHERE state <> 'completed'`).Scan(&outstanding)
			if err != nil {
				t.Fatal(err)
			}
		}
		most = max(most, outstanding)
		return len(reports(t, log)) >= wants
	})
	seen := map[string]bool{}
	for _, r := range await(t, log, wants) {
		seen[r.Want.URI] = true
	}
	if len(seen) != wants {
		t.Errorf("got %d different wants, want %d", len(seen), wants)
	}
	if most > 16 {
		t.Errorf("%d jobs were outstanding, want 16 at most", most)
	}
}

// Several processes on one database never have the same raising under way twice, nor record it twice; and they may
// start at the same time.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	const wants, failures = 80, 2
	node := newNode(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(3 * time.Millisecond)
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	first, second := openLog(t, pool), openLog(t, databases.New(t))
	for i := range wants {
		schema := []string{"ft_v1", "nft_v1"}[i%2]
		raise(t, pool, schema, row{want: contractRead(fmt.Sprintf("get-%d", i))})
	}
	var start sync.WaitGroup
	for _, log := range []*eventstore.Log{first, second} {
		start.Go(func() { run(t, config(log, node.URL)) })
	}
	start.Wait()
	fold(t, first, failures)
	checkEachOnce(t, first, wants, failures)
	node.mu.Lock()
	defer node.mu.Unlock()
	if node.collided || len(node.got) != wants*(failures+1) {
		t.Errorf("the node was asked %d times, want %d; the same at the same time: %v", len(node.got), wants*(failures+1), node.collided)
	}
}

// checkEachOnce waits until each want has a report for each attempt, and fails when one has two.
func checkEachOnce(t *testing.T, log *eventstore.Log, wants, failures int) {
	t.Helper()
	count := wants * (failures + 1)
	eventually(t, fmt.Sprintf("%d reports", count), 90*time.Second, func() bool { return len(reports(t, log)) >= count })
	time.Sleep(300 * time.Millisecond)
	type attempt struct {
		key     string
		attempt int
	}
	seen := map[attempt]int{}
	for _, r := range reports(t, log) {
		seen[attempt{r.Want.Key(), r.Attempt}]++
	}
	for a, n := range seen {
		if n != 1 {
			t.Errorf("attempt %d of %s was recorded %d times", a.attempt, a.key, n)
		}
	}
	if len(seen) != count {
		t.Errorf("got %d attempts, want %d", len(seen), count)
	}
}

// A stop lets what is under way come to its end, or gives it back for the next process.
func TestStop(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) > 0 && r.URL.Path[len(r.URL.Path)-4:] == "slow" {
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		} else {
			time.Sleep(300 * time.Millisecond)
		}
		_, _ = io.WriteString(w, `{}`)
	})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("quick")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("slow")})
	c := config(log, node.URL)
	c.NodeTimeout = time.Minute
	stop := run(t, c)
	eventually(t, "both are under way", 60*time.Second, func() bool { return len(node.requests()) == 2 })
	stop()
	if r := one(t, log); r.Want.Calls[0].Function != "quick" {
		t.Errorf("got a report on %s, want quick", r.Want.Calls[0].Function)
	}
	close(gate)
	run(t, c)
	if r := await(t, log, 2)[1]; r.Want.Calls[0].Function != "slow" || r.Exchanges[0].Failure != "" {
		t.Errorf("got %+v, want an answer to slow", r)
	}
}

func TestRunEndsBeforeItBegan(t *testing.T) {
	t.Parallel()
	m, err := metadata.New(config(openLog(t, databases.New(t))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var group errgroup.Group
	group.Go(func() error { return m.Run(ctx) })
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// A want that can't be read harms nobody else's.
func TestAnUnreadableWant(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	raise(t, log.Pool(), "ft_v1", row{want: fetch.Want{Kind: fetch.Document}})
	run(t, config(log))
	looking(t, log)
	await(t, log, 1)
}
