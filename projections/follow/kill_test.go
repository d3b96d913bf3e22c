package follow_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	domain "strata/domain/bns"
	"strata/eventstore"
	"strata/eventstore/observer"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/bns"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/mempool"
	"strata/projections/names"
	"strata/projections/pox"
	"strata/projections/version"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// childEnv is the environment variable that makes this test binary a server on the database that it names. The parent
// kills it.
const childEnv = "STRATA_KILL_TEST_DATABASE"

func TestMain(m *testing.M) {
	if url := os.Getenv(childEnv); url != "" {
		if err := serveChild(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// killedLine has the projections that the child folds.
func killedLine(c *chain.Chain) projections.Line {
	return projections.Chain(c, balances.New(nil), mempool.New(), pox.New(), names.New(), bns.New(domain.KnownContracts()))
}

// serveChild receives events and folds them until it is killed. It prints the observer's address.
func serveChild(url string) error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	log := eventstore.Open(pool, eventstore.Config{})
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		return err
	}
	runner := follow.NewRunner(follow.Config{Log: log, Registry: prometheus.NewRegistry()}, killedLine(c))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.Go(func() error { runner.Run(ctx); return nil })
	group.Go(func() error { return observer.New(observer.Config{Log: log}).Serve(ctx, listener) })
	fmt.Println(listener.Addr())
	return group.Wait()
}

// TestKill kills the server with SIGKILL at random moments while a node posts to it. As nodes do, it posts the same
// body again until it is acknowledged. In the end nothing is lost, and nothing was applied twice: the rows are the same
// as when the log is folded at once, and the same as when the canonical chain is folded alone.
func TestKill(t *testing.T) {
	t.Parallel()
	posts, killsMin := short.Form(400, 130), short.Form(30, 8)
	kills := 0
	config := synthchain.Everything(42, synthchain.V3109)
	made := synthchain.New(config)
	log := replay.NewLog(t)
	url := replay.Databases.URL(t)
	random := rand.New(rand.NewPCG(42, 42))

	child := startChild(t, url)
	next := random.IntN(2 * posts / killsMin)
	for sent := 0; sent < posts || kills < killsMin; sent++ {
		post := made.Next()
		if sent >= next && kills < killsMin {
			// Kill it while the post is in flight, so that every moment can be hit: before the body is read, within the commit, between
			// commit and answer, within a projection's transaction.
			killing := child.process
			time.AfterFunc(time.Duration(random.IntN(3000))*time.Microsecond, func() { _ = killing.Kill() })
			_ = child.post(post.Path, post.Body)
			child.wait()
			kills++
			child = startChild(t, url)
			next = sent + 1 + random.IntN(2*posts/killsMin)
		}
		for child.post(post.Path, post.Body) != nil {
		}
	}
	replay.Wait(t, log)
	_ = child.process.Kill()
	child.wait()
	defer func() {
		if !t.Failed() {
			t.Logf("fault: %d kills of a server; of %d events that it accepted, lost 0, folded twice 0", kills, posts)
		}
	}()

	var size, distinct int64
	if err := log.Pool().QueryRow(t.Context(), `SELECT max(seq), count(*) FROM log.event`).Scan(&size, &distinct); err != nil {
		t.Fatal(err)
	}
	if size != distinct {
		t.Errorf("the log has %d events and ends at %d", distinct, size)
	}
	rig.CheckState(t, log.Pool(), made.Expected())
	rig.CheckNoQuarantine(t, log.Pool())
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {mempool}.transaction`)); n < posts/10 {
		t.Errorf("only %d transactions were announced", n)
	}
	err := follow.VerifyRows(t.Context(), log, projections.Lines{killedLine(rig.Chain(t))}, follow.VerifyRowsOptions{
		Difference: func(name string, d version.Difference) bool {
			t.Errorf("%s: folding at once and folding between kills give different rows: %s", name, rig.Describe(d))
			return false
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	rig.CheckAlone(t, log, made.CanonicalPosts())
}

// TestKillRebuild kills the process that rebuilds a line with SIGKILL, again and again, and expects the next one to go
// on.
func TestKillRebuild(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	url := replay.Databases.URL(t)
	lines := projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil))}
	replay.Append(t, log, rig.NewPosts(8).NextOfChain(500)...)
	stop := rig.Follow(t, log, lines...)
	replay.Wait(t, log)
	stop()
	made := rig.Rebuild(t, log, lines, version.RebuildOptions{Name: "chain"})
	done := func() bool {
		return !slices.ContainsFunc(made, func(i projections.Schema) bool { s := rig.StatusOf(t, log, i); return s.Lag() > 0 || !s.Indexed })
	}
	kills := 0
	for delay := 150 * time.Millisecond; !done(); delay += 150 * time.Millisecond {
		child := startChild(t, url)
		time.AfterFunc(delay, func() { _ = child.process.Kill() })
		child.wait()
		kills++
	}
	t.Logf("fault: %d kills of a process that rebuilds; the next one went on each time", kills)
	rig.Follow(t, log, lines...)
	rig.WaitUntilLive(t, log, made...)
	for _, i := range made {
		for _, d := range rig.Differences(t, log, lines, i.Name, i.Version-1, i.Version) {
			t.Errorf("%s: %s", i, rig.Describe(d))
			break
		}
		rig.CheckFit(t, log, lines, i)
	}
}

type child struct {
	process *os.Process
	wait    func()
	address string
}

func startChild(t *testing.T, url string) *child {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), childEnv+"="+url)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v", err)
	}
	return &child{process: command.Process, wait: func() { _ = command.Wait() }, address: strings.TrimSpace(line)}
}

// post posts a body once, on a connection of its own.
func (c *child) post(path string, body []byte) error {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post("http://"+c.address+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}
