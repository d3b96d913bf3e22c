package transparency_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/prometheus/client_golang/prometheus"

	"strata/eventstore/transparency"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/frozen"
	"strata/internal/testkit/metric"
	"strata/internal/testkit/pgtest"
)

// Whoever dies while events are there and their subtrees are not, or half of them are, leaves something to go on from.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	random := rand.New(rand.NewPCG(3, 4))
	for size := 700; size <= 14_000; size += 700 {
		w.grow("x", size)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(20_000))*time.Microsecond)
		_, _ = w.open(transparency.Config{Key: key}).Sign(ctx)
		cancel()
	}
	l := w.open(transparency.Config{Key: key})
	if _, err := l.Sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := w.checkpoints(l)
	if len(all) == 0 || all[len(all)-1].Size != 14_000 {
		t.Errorf("the newest of %d checkpoints does not have 14,000 events", len(all))
	}
	checkRebuilt(w, l)
}

// Processes that know nothing of each other sign while the log grows: one chain of checkpoints comes of it.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for i := range 4 {
		config := transparency.Config{Key: key}
		if i == 3 {
			config.Key = nil // writes subtrees, and signs nothing
		}
		l := w.open(config)
		running.Go(func() {
			for ctx.Err() == nil {
				if _, err := l.Sign(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("process %d: %v", i, err)
				}
			}
		})
	}
	for size := 1; size < 3000; size += 1 + size%37 {
		w.grow("x", size)
	}
	stop()
	running.Wait()
	w.grow("x", 3000)
	l := w.open(transparency.Config{Key: key})
	w.sign(l, true)
	before := int64(0)
	for i, c := range w.checkpoints(l) {
		if c.Number != int64(i+1) || c.Size <= before {
			t.Errorf("checkpoint %d has %d events after one with %d", c.Number, c.Size, before)
		}
		before = c.Size
	}
	if before != 3000 {
		t.Errorf("the newest checkpoint has %d events, want 3000", before)
	}
	checkRebuilt(w, l)
}

// A log that was taken back and written anew is not signed, whatever its length, and whether or not whole subtrees are
// concerned.
func TestRewritten(t *testing.T) {
	t.Parallel()
	for _, back := range []int{0, 100, 255, 256, 290, 299} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			l := w.open(transparency.Config{Key: newKey(t)})
			w.grow("x", 300)
			w.sign(l, true)
			w.truncate(back)
			refuses := func() {
				t.Helper()
				signed, err := l.Sign(t.Context())
				if signed || !errors.Is(err, transparency.ErrRollback) && !errors.Is(err, transparency.ErrMismatch) {
					t.Errorf("with %d events: got %v (%v), want it refused", len(w.tree.leaves), signed, err)
				}
			}
			if _, err := l.Sign(t.Context()); !errors.Is(err, transparency.ErrRollback) {
				t.Errorf("with %d events: got %v, want ErrRollback", back, err)
			}
			for _, size := range []int{299, 300, 301, 600} {
				w.grow("y", size)
				refuses()
			}
			var n int
			if err := w.pool.QueryRow(t.Context(), `SELECT count(*) FROM log.checkpoint`).Scan(&n); err != nil || n != 1 {
				t.Errorf("got %d checkpoints (%v), want the one from before", n, err)
			}
			// With another key it is the same.
			other := w.open(transparency.Config{Key: newKey(t), TakeOver: true})
			if signed, err := other.Sign(t.Context()); signed || err == nil {
				t.Errorf("with another key: got %v (%v), want it refused", signed, err)
			}
		})
	}
}

// A database that was restored from a backup has forgotten what it signed. The file beside the key has not.
func TestRestoredFromBackup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, memory := newKey(t), filepath.Join(t.TempDir(), "log.key.checkpoint")
	config := transparency.Config{Key: key, MemoryFile: memory}
	w.grow("x", 100)
	w.sign(w.open(config), true)
	w.grow("x", 700)
	w.sign(w.open(config), true)
	if info, err := os.Stat(memory); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v (%v), want it for its owner only", info, err)
	}

	restore := func(size int) {
		t.Helper()
		w.truncate(size)
		w.tamper(`DELETE FROM log.checkpoint WHERE size > 100`, `DELETE FROM log.subtree`, `UPDATE log.tree SET subtrees = 0, verified = 0`)
	}
	restore(150)
	for _, size := range []int{150, 699, 700, 1000} {
		w.grow("y", size)
		if signed, err := w.open(config).Sign(t.Context()); signed || !errors.Is(err, transparency.ErrRollback) || !strings.Contains(err.Error(), memory) {
			t.Errorf("with %d events: got %v (%v), want ErrRollback that names the file", size, signed, err)
		}
	}
	restore(150)
	w.grow("x", 800) // what was lost is brought back
	l := w.open(config)
	w.sign(l, true)
	if all := w.checkpoints(l); len(all) != 2 || all[1].Size != 800 {
		t.Errorf("got %d checkpoints, want those of 100 and 800 events", len(all))
	}
	// What another key has signed is no promise of this one.
	restore(150)
	w.sign(w.open(transparency.Config{Key: newKey(t), TakeOver: true, MemoryFile: memory}), true)
	if err := os.WriteFile(memory, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.grow("z", 900)
	if signed, err := w.open(transparency.Config{Key: key, TakeOver: true, MemoryFile: memory}).Sign(t.Context()); signed || err == nil || !strings.Contains(err.Error(), memory) {
		t.Errorf("with a broken file: got %v (%v), want an error that names it", signed, err)
	}
}

// Rows that were changed are noticed: those after the last full subtree and those that no subtree is stored of when
// signing, the others when they are asked for.
func TestChangedRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.open(transparency.Config{Key: newKey(t)})
	w.grow("x", 600)
	w.sign(l, true)
	const change, repair = `UPDATE log.event SET path = '/other' WHERE seq = %d`, `UPDATE log.event SET path = '/new_block' WHERE seq = %d`

	w.tamper(fmt.Sprintf(change, 7))
	for what, ask := range map[string]func() error{
		"tile":   func() error { _, err := l.Tile(t.Context(), 0, 0, 256); return err },
		"bundle": func() error { _, err := l.Entries(t.Context(), 0, 256); return err },
		"proof":  func() error { _, err := l.ProveInclusion(t.Context(), 7, 600); return err },
		"nearby": func() error { _, err := l.ProveInclusion(t.Context(), 8, 600); return err },
	} {
		if err := ask(); !errors.Is(err, transparency.ErrMismatch) {
			t.Errorf("%s of a changed row: got %v, want ErrMismatch", what, err)
		}
	}
	w.tamper(fmt.Sprintf(repair, 7))

	w.grow("x", 900)
	for _, seq := range []int{520, 700, 890} { // before its subtree is stored, and after the last
		w.tamper(fmt.Sprintf(change, seq))
		for range 2 {
			if signed, err := l.Sign(t.Context()); signed || !errors.Is(err, transparency.ErrMismatch) {
				t.Errorf("event %d changed: got %v (%v), want ErrMismatch", seq, signed, err)
			}
		}
		w.tamper(fmt.Sprintf(repair, seq))
	}
	w.tamper(`UPDATE log.event SET seq = 5000 WHERE seq = 710`)
	if signed, err := l.Sign(t.Context()); signed || !errors.Is(err, transparency.ErrMismatch) || !strings.Contains(err.Error(), "710") {
		t.Errorf("event 710 removed: got %v (%v), want ErrMismatch that names it", signed, err)
	}
	w.tamper(`UPDATE log.event SET seq = 710 WHERE seq = 5000`)
	w.sign(l, true)
	w.checkpoints(l)
	checkRebuilt(w, l)
}

// What is stored of the tree, and what was signed, can't be changed either.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	private, public := witness(t, "example.org/witness")
	l := w.open(transparency.Config{Key: newKey(t), Witnesses: []string{public}})
	w.grow("x", 600)
	w.sign(l, true)
	w.cosign(l, private)
	const insufficientPrivilege = "42501"
	for role, url := range map[string]string{"application": migrated.URL(t), "superuser": pgtest.AdminURL(t)} {
		pool, err := pgxpool.New(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for _, sql := range []string{
			`UPDATE log.subtree SET hash = sha256('')`, `DELETE FROM log.subtree`, `DELETE FROM log.subtree WHERE n = 1`, `TRUNCATE log.subtree`,
			`UPDATE log.tree SET verified = 1`, `DELETE FROM log.tree`, `TRUNCATE log.tree`,
			`UPDATE log.checkpoint SET size = 1`, `DELETE FROM log.checkpoint`, `TRUNCATE log.checkpoint`,
			`UPDATE log.cosignature SET line = ''`, `DELETE FROM log.cosignature`, `TRUNCATE log.cosignature`,
		} {
			var refused *pgconn.PgError
			if _, err := pool.Exec(t.Context(), sql); !errors.As(err, &refused) || refused.Code != insufficientPrivilege {
				t.Errorf("%s: %s: got %v, want it refused", role, sql, err)
			}
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.open(transparency.Config{Key: newKey(t), Interval: time.Millisecond})
	if _, err := l.Checkpoint(t.Context(), 0); !isMissing(err) {
		t.Errorf("before the first: got %v, want it missing", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	for _, size := range []int{1, 2, 600} {
		w.grow("x", size)
		eventually.Holds(t, fmt.Sprintf("a checkpoint of %d events is signed", size), func() bool {
			_, err := l.Checkpoint(t.Context(), int64(size))
			return err == nil
		})
	}
	stop()
	running.Wait()
	w.checkpoints(l)
}

func isMissing(err error) bool {
	var refusal *transparency.RefusalError
	return errors.As(err, &refusal) && refusal.Missing()
}

// A second process that lacks the key of the log says so before it is needed, and signs once it has the key.
func TestSecondProcessWithoutTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	first, second := w.open(transparency.Config{Key: key}), w.open(transparency.Config{Key: newKey(t)})
	registry := prometheus.NewRegistry()
	second.Instrument(registry)
	w.grow("x", 3)
	if signed, err := first.Sign(t.Context()); !signed || err != nil {
		t.Fatalf("the first process: signed %t, %v", signed, err)
	}
	if _, err := second.Sign(t.Context()); !errors.Is(err, transparency.ErrOtherKey) {
		t.Errorf("the second process: got %v, want ErrOtherKey", err)
	}
	if notice := second.Notice(); !strings.Contains(notice, "--log-key") {
		t.Errorf("the second process says %q", notice)
	}
	blocked := func() float64 {
		value, ok := metric.Sum(t, registry, "strata_log_signing_blocked")
		if !ok {
			t.Fatal("there is no metric strata_log_signing_blocked")
		}
		return value
	}
	if blocked() != 1 || first.Notice() != "" {
		t.Errorf("got %v blocked, and the first process says %q", blocked(), first.Notice())
	}
	t.Logf("fault: a second process that can't sign, with metric %v: %s", blocked(), second.Notice())
	shared := w.open(transparency.Config{Key: key}) // it takes over where the first one ended
	w.grow("x", 5)
	if signed, err := shared.Sign(t.Context()); !signed || err != nil || shared.Notice() != "" {
		t.Errorf("a process with the same key: signed %t, %v, says %q", signed, err, shared.Notice())
	}
}

// A process that is frozen while it signs keeps the others from signing for a moment only.
func TestFrozenSigner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	w.grow("x", 3)
	process := frozen.New(t, w.pool, "UPDATE log.tree SET verified")
	first, err := transparency.New(transparency.Config{Pool: process.Pool, Key: key, Patience: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	signing := make(chan error, 1)
	go func() {
		_, err := first.Sign(context.WithoutCancel(t.Context()))
		signing <- err
	}()
	<-process.Frozen
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	if signed, err := w.open(transparency.Config{Key: key}).Sign(ctx); !signed || err != nil {
		t.Errorf("the second process: signed %t, %v", signed, err)
	}
	t.Logf("fault: a signer frozen while it signs; the second process signed after %s", time.Since(began).Round(time.Millisecond))
	process.Thaw()
	if err := <-signing; err == nil {
		t.Error("the first process signed, too")
	}
	if signed, err := first.Sign(t.Context()); signed || err != nil {
		t.Errorf("the first process, with nothing new: signed %t, %v", signed, err)
	}
}
