package metadata_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/metadata"
)

// childEnv and nodeEnv make this test binary run the role, on the database and with the node that they name, until its
// parent kills it.
const (
	childEnv = "STRATA_METADATA_KILL_TEST_DATABASE"
	nodeEnv  = "STRATA_METADATA_KILL_TEST_NODE"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childEnv); url != "" {
		if err := runChild(url, os.Getenv(nodeEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// impatient ends leases soon after their process was killed.
func impatient(c metadata.Config) metadata.Config {
	c.AttemptTimeout, c.RecordTimeout, c.RescueAfter = time.Second, time.Second, 3*time.Second
	return c
}

func runChild(url, node string) error {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	m, err := metadata.New(impatient(config(eventstore.Open(pool, eventstore.Config{}), node)))
	if err != nil {
		return err
	}
	fmt.Println("started")
	return m.Run(ctx)
}

// TestKill kills the role with SIGKILL at random moments. In the end no want is lost, and no attempt is recorded twice.
func TestKill(t *testing.T) {
	t.Parallel()
	short.Skip(t, "waits for the end of leases of killed processes")
	pool := databases.New(t)
	log := openLog(t, pool)
	const wants, failures, kills = 240, 2, 8
	node := newNode(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(5 * time.Millisecond)
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	for i := range wants {
		raise(t, pool, []string{"ft_v1", "nft_v1"}[i%2], row{want: contractRead(fmt.Sprintf("get-%d", i))})
	}
	fold(t, log, failures)
	random := rand.New(rand.NewPCG(7, 7))
	left := 0 // the most leases that a killed process left
	for n := 0; n < kills || left == 0 && n < 3*kills; n++ {
		before := len(node.requests())
		kill := startChild(t, databases.URL(t), node.URL)
		eventually.Holds(t, "the child sends a request", func() bool { return len(node.requests()) > before })
		time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond)
		kill()
		left = max(left, openLeases(t, log))
	}
	if done := len(reports(t, log)); done == wants*(failures+1) {
		t.Fatal("all was done before the last kill, so this tests nothing")
	}
	if left == 0 {
		t.Error("no killed process left a lease, so this tests nothing")
	}
	r := run(t, impatient(config(log, node.URL)))
	checkEachOnce(t, log, wants, failures, r)
	t.Logf("a killed process left up to %d leases; the node got %d requests for %d answers", left, len(node.requests()), wants*(failures+1))
}

// startChild starts the role in a process of its own, and returns a function that kills it.
func startChild(t *testing.T, url, node string) (kill func()) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), childEnv+"="+url, nodeEnv+"="+node)
	command.Stderr = os.Stderr
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the role did not start: %v", err)
	}
	return func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
}
