package metadata_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/metadata"
)

// leases counts the leases: all of them, or those that meet an SQL condition.
func leases(t testing.TB, log *eventstore.Log, condition ...string) (count int) {
	t.Helper()
	query := strings.Join(append([]string{`SELECT count(*) FROM metadata.lease`}, condition...), " WHERE ")
	must.Do(t, log.Pool().QueryRow(t.Context(), query).Scan(&count))
	return count
}

// openLeases counts the leases of wants that a worker has, or that are put off.
func openLeases(t testing.TB, log *eventstore.Log) int {
	t.Helper()
	return leases(t, log, `NOT done AND until > now()`)
}

// wantLeases fails the test unless this many wants were ever taken.
func wantLeases(t testing.TB, log *eventstore.Log, count int) {
	t.Helper()
	if got := leases(t, log); got != count {
		t.Errorf("got %d leases, want %d", got, count)
	}
}

func TestNoAttemptBeforeAWantIsDue(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	r := run(t, config(log))
	r.awaitPass(t)
	due := time.Now().Add(1500 * time.Millisecond)
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://later"), dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://much-later"), dueAt: due.Add(time.Hour)})
	if report := r.awaitReport(t); report.Want.URI != "gopher://later" || report.StartedAt.Before(due) {
		t.Errorf("the attempt at %s began %s early", report.Want.URI, due.Sub(report.StartedAt))
	}
}

// appendEvents appends events that were received at this time, and returns the position of the last one.
func appendEvents(t testing.TB, log *eventstore.Log, count int, received time.Time) (position int64) {
	t.Helper()
	batch := make([]eventstore.Incoming, count)
	for i := range batch {
		batch[i] = eventstore.Incoming{ReceivedAt: received, Path: "/x", Body: eventstore.NewBody(fmt.Append(nil, i))}
	}
	first := must.Get(log.AppendBatch(t.Context(), batch, nil))(t)
	return first + int64(count) - 1
}

// setPosition sets the position of a projection.
func setPosition(t testing.TB, log *eventstore.Log, name string, position int64) {
	t.Helper()
	must.Get(log.Pool().Exec(t.Context(), `UPDATE strata.projection SET position = $2 WHERE name = $1`, name, position))(t)
}

func TestLagStopsTaking(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	head := appendEvents(t, log, metadata.LagItemsMax+1, time.Now())
	r := run(t, config(log))
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://behind")})
	r.awaitPass(t)
	wantLeases(t, log, 0) // the projection is too many events behind
	setPosition(t, log, "ft", head)
	r.awaitReports(t, 1)

	// The projection is only one event behind, but that event is old.
	head = appendEvents(t, log, 1, time.Now().Add(-time.Hour))
	setPosition(t, log, "ft", head-1)
	r.awaitPass(t) // a pass that began earlier may have found the projection up to date
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://old")})
	r.awaitPass(t)
	wantLeases(t, log, 1)
	setPosition(t, log, "ft", head)
	r.awaitReports(t, 2)
}

// The lag of a projection that folds the steps of another is the sum of both lags.
func TestLagOfStepsCounts(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	ctx := t.Context()
	for _, sql := range []string{
		`CREATE SCHEMA chain_v5`,
		`CREATE TABLE chain_v5.step (step bigint PRIMARY KEY, source_seq bigint NOT NULL)`,
		`INSERT INTO chain_v5.step SELECT n, 1 FROM generate_series(1, 600) n`,
		`INSERT INTO strata.projection (name, version, input, state) VALUES ('chain', 5, 'log', 'live')`,
		`UPDATE strata.projection SET input = 'chain_v5' WHERE name = 'ft'`,
	} {
		must.Get(log.Pool().Exec(ctx, sql))(t)
	}
	appendEvents(t, log, 600, time.Now())
	r := run(t, config(log))
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://behind")})
	r.awaitPass(t)
	wantLeases(t, log, 0)
	setPosition(t, log, "chain", 300)
	r.awaitReports(t, 1)
}

func TestWantsOfAFailedProjectionAreLeft(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	must.Get(log.Pool().Exec(t.Context(), `UPDATE strata.projection SET state = 'failed' WHERE name = 'ft'`))(t)
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://x")})
	run(t, config(log)).awaitPass(t)
	wantLeases(t, log, 0)
}

// A want with a min_height above the projection's tip waits for that block.
func TestMinHeightAboveTip(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name"), minHeight: tip.Height + 1})
	r := run(t, config(log, node.URL))
	r.awaitPass(t)
	wantLeases(t, log, 0)
	must.Get(log.Pool().Exec(t.Context(), `INSERT INTO ft_v1.block (height, source_seq, burn_block_height, time, index_block_hash, block_hash)
		VALUES ($1, 1, 1, 1, $2, $2)`, tip.Height+1, make([]byte, 32)))(t)
	if got := r.awaitReport(t).Tip; got == nil || got.Height != tip.Height+1 || !got.IndexBlockHash.IsZero() {
		t.Errorf("got tip %+v", got)
	}
}

// A want that two projections raise at the same event is fetched once. If they raise it at different events, it is fetched twice.
func TestProjectionsShareARevision(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	due := time.Now().Add(-time.Minute)
	shared, apart := document("gopher://shared"), document("gopher://apart")
	raise(t, log.Pool(), "ft_v1", row{want: shared, seq: 7, dueAt: due})
	raise(t, log.Pool(), "nft_v1", row{want: shared, seq: 7, dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: apart, seq: 7, dueAt: due})
	raise(t, log.Pool(), "nft_v1", row{want: apart, seq: 8, dueAt: due})
	r := run(t, config(log))
	count := map[string]int{}
	for _, report := range r.awaitReports(t, 3) {
		count[report.Want.URI]++
	}
	if count["gopher://shared"] != 1 || count["gopher://apart"] != 2 {
		t.Errorf("got %v", count)
	}
	// Nothing folds the reports, so the wants are still there. They are not taken until they are raised again.
	r.awaitPass(t)
	wantLeases(t, log, 3)
	raise(t, log.Pool(), "ft_v1", row{want: shared, seq: 7, waits: 1, dueAt: due})
	r.awaitReports(t, 4)
}

// When a projection deletes its want, it is fetched for another projection that raised the want at the same event.
func TestALeaseServesAnotherProjection(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, answerAfter(gate))
	due := time.Now().Add(-time.Minute)
	c := config(log, node.URL)
	c.Concurrency, c.NodeTimeout, c.AttemptTimeout = 2, 30*time.Second, 30*time.Second
	for _, name := range []string{"first", "first-too"} {
		raise(t, log.Pool(), "ft_v1", row{want: contractRead(name), priority: 1, dueAt: due})
	}
	r := run(t, c)
	eventually.Holds(t, "both slots are taken", func() bool { return len(node.requests()) == 2 })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second"), seq: 3, dueAt: due})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third"), seq: 3, dueAt: due})
	eventually.Holds(t, "two more wait for their turn", func() bool { return leases(t, log) == 4 })
	began := time.Now()
	raise(t, log.Pool(), "nft_v1", row{want: contractRead("second"), seq: 3, dueAt: due})
	r.awaitPass(t)
	wantLeases(t, log, 4)
	must.Get(log.Pool().Exec(t.Context(), `DELETE FROM ft_v1.want WHERE want LIKE '%second%' OR want LIKE '%third%'`))(t)
	eventually.Holds(t, "they have waited for so long that they are read again", func() bool { return time.Since(began) > metadata.WantMaxAge })
	close(gate)
	r.awaitReports(t, 3)
	if got := functionsRead(t, log); !slices.Equal(got, []string{"first", "first-too", "second"}) {
		t.Errorf("got %v, want the first two and the second", got)
	}
}

// Wants that are done or taken do not starve the wants behind them, even if they are more than one pass reads.
func TestNothingIsStarved(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	const wants = 300
	for i := range wants {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("gopher://%d", i)), priority: 1 + i%4})
	}
	c := config(log)
	c.Concurrency = 2 // so there are 4 workers; nothing folds the reports, so all rows stay
	r := run(t, c)
	r.awaitPass(t)
	most := 0
	eventually.Holds(t, "there are all reports", func() bool {
		most = max(most, openLeases(t, log))
		return len(reports(t, log)) >= wants
	})
	seen := map[string]bool{}
	for _, report := range r.awaitReports(t, wants) {
		seen[report.Want.URI] = true
	}
	if len(seen) != wants {
		t.Errorf("got %d different wants, want %d", len(seen), wants)
	}
	if most > 4 {
		t.Errorf("%d wants were taken at the same time, want at most 4", most)
	}
}

// When the role stops, a request in progress may end within Grace. If it does not, the next process repeats the
// attempt.
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
	r := run(t, c)
	eventually.Holds(t, "both requests are in progress", func() bool { return len(node.requests()) == 2 })
	r.stop()
	if got := functionsRead(t, log); !slices.Equal(got, []string{"quick"}) {
		t.Errorf("got reports on %v, want quick", got)
	}
	if got := openLeases(t, log); got != 0 {
		t.Errorf("%d leases are left, so that others wait for their end", got)
	}
	close(gate)
	if report := run(t, c).awaitReports(t, 2)[1]; report.Want.Calls[0].Function != "slow" || report.Exchanges[0].Failure != "" {
		t.Errorf("got %+v, want an answer to slow", report)
	}
}

func TestRunWithAnEndedContext(t *testing.T) {
	t.Parallel()
	m := must.Get(metadata.New(config(openLog(t, databases.New(t)))))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var group errgroup.Group
	group.Go(func() error { return m.Run(ctx) })
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// A malformed want does not affect other wants, and is left alone.
func TestAMalformedWant(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	raise(t, log.Pool(), "ft_v1", row{want: fetch.Want{Kind: fetch.Document}})
	r := run(t, config(log))
	r.awaitPass(t)
	eventually.Holds(t, "the want is put off", func() bool { return leases(t, log, `holder IS NULL AND until > now() + interval '50 minutes'`) == 1 })
	raise(t, log.Pool(), "nft_v1", row{want: document("gopher://x")})
	eventually.Holds(t, "the other want is answered", func() bool { return len(reports(t, log)) == 1 })
	r.awaitPass(t)
	wantLeases(t, log, 2)
}
