package chain_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/pox"
	"strata/rig"
	"strata/rig/body"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// Environment variables of the process that folds: the database, and how many blocks it changes in a transaction.
const (
	childEnv = "STRATA_EXTEND_TEST_DATABASE"
	pieceEnv = "STRATA_EXTEND_TEST_PIECE"
)

// blocksEnv is the environment variable with the number of blocks of TestLongHistory; default few.
const blocksEnv = "STRATA_TEST_BLOCKS"

func TestMain(m *testing.M) {
	if url := os.Getenv(childEnv); url != "" {
		if err := foldInChild(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	replay.Histories(1000)
	os.Exit(m.Run())
}

// foldInChild folds until it is killed.
func foldInChild(url string) error {
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		return err
	}
	c, err := chain.New(chain.Recommended, nil)
	if err != nil {
		return err
	}
	if piece, err := strconv.Atoi(os.Getenv(pieceEnv)); err == nil {
		c.SetPiece(piece)
	}
	follow.NewRunner(follow.Config{Log: eventstore.Open(pool, eventstore.Config{})}, projections.Chain(c, balances.New(nil), pox.New())).Run(context.Background())
	return nil
}

func startChild(t *testing.T, piece int) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), childEnv+"="+replay.Databases.URL(t), pieceEnv+"="+strconv.Itoa(piece))
	command.Stderr = os.Stderr
	must.Do(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	return command
}

// TestExtendDown begins a log high above genesis, appends the history below it, in order and downwards, and kills the
// process that folds, again and again, in the middle of extending the chain. The rows are as if all had come in order.
func TestExtendDown(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(9, synthchain.V3109)
	config.SigningSample = 1000
	made := synthchain.New(config)
	for range 1200 {
		made.Next()
	}
	var others, blocks []replay.Post
	for _, post := range made.CanonicalPosts() {
		if post.Path == nodeevent.PathBlock {
			blocks = append(blocks, post)
		} else {
			others = append(others, post)
		}
	}
	begin := len(blocks) * 2 / 3
	log, inOrder := replay.NewLog(t), replay.NewLogApart(t)
	replay.Append(t, inOrder, others...)
	replay.Append(t, inOrder, blocks...)
	stop := replay.Start(t, inOrder, rig.Chain(t), balances.New(nil), pox.New())
	replay.Wait(t, inOrder)
	stop()

	const piece, killsMin = 4, 5
	replay.Append(t, log, others...)
	replay.Append(t, log, blocks[begin:]...)
	stop = replay.Start(t, log, rig.Chain(t), balances.New(nil), pox.New())
	replay.Wait(t, log)
	stop()
	replay.Append(t, log, blocks[:begin]...)
	kills := 0
	for kills < killsMin {
		child := startChild(t, piece)
		steps := rig.Query[int64](t, log, schemas.In(`SELECT max(step) FROM {chain}.step`))
		eventually.Holds(t, "the process extends the chain", func() bool {
			return rig.Query[bool](t, log, `SELECT unfinished FROM strata.projection WHERE name = 'chain'`) &&
				rig.Query[int64](t, log, schemas.In(`SELECT max(step) FROM {chain}.step`)) > steps
		})
		must.Do(t, child.Process.Kill())
		_ = child.Wait()
		kills++
	}
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.unfinished`)); n == 0 {
		t.Fatal("nothing was left to do")
	}
	last := startChild(t, piece)
	replay.Wait(t, log)
	_ = last.Process.Kill()
	_ = last.Wait()
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.unfinished`)); n != 0 {
		t.Errorf("%d rows say that something is unfinished", n)
	}
	t.Logf("fault: of %d blocks, %d appended below the others; %d kills meanwhile, the rows are those of the right order", len(blocks), begin, kills)
	rig.CheckSameRows(t, inOrder.Pool(), log.Pool())
	rig.CheckFit(t, log, projections.Lines{projections.Chain(rig.Chain(t), balances.New(nil), pox.New())}, chain.Spec().Schema)
}

// TestLongHistory appends a history downwards below one block, and prints the memory of the process that folds. Each block
// waits for the next one; the last one connects them all.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	blocks := short.Form(600, 200)
	if n, err := strconv.Atoi(os.Getenv(blocksEnv)); err == nil {
		blocks = n
	}
	log := replay.NewLog(t)
	name := func(height int) string {
		if height == 0 {
			return body.Genesis
		}
		return fmt.Sprintf("h%d", height)
	}
	var posts []replay.Post
	for height := blocks; height >= 0; height-- {
		b := body.Block{Name: name(height), Burn: fmt.Sprintf("%dh", height+1)}
		if height > 0 {
			b.Parent = name(height - 1)
		} else {
			b.Transactions = []body.Transaction{{Raw: coinbase}}
		}
		posts = append(posts, b.Post())
		if len(posts) == 2000 || height == 0 {
			replay.Append(t, log, posts...)
			posts = posts[:0]
		}
	}
	began := time.Now()
	child := startChild(t, min(4096, blocks/3))
	replay.Wait(t, log)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", child.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmHWM") {
			t.Logf("%d blocks in %v: %s", blocks, time.Since(began).Round(time.Millisecond), line)
		}
	}
	if n := rig.Query[int](t, log, schemas.In(`SELECT count(*) FROM {chain}.canonical`)); n != blocks+1 {
		t.Errorf("%d canonical blocks, want %d", n, blocks+1)
	}
}
