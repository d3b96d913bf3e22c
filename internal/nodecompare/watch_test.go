package nodecompare

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/internal/testkit/eventually"
)

// TestWatch compares a sample at a tip; an account that differs is found, compared again at the next tip, and forgotten once
// it is right.
func TestWatch(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	var wrong string
	for name, a := range node.accounts {
		if a.balance > 0 && a.nonce > 0 {
			wrong = name
		}
	}
	right := node.accounts[wrong]
	node.with(func() {
		node.accounts[wrong] = fakeAccount{balance: right.balance + 1, locked: right.locked, unlockHeight: right.unlockHeight, nonce: right.nonce}
		node.height -= 3 // behind the tables
	})
	registry := prometheus.NewRegistry()
	w := NewWatch(WatchConfig{Pool: pool, URL: node.URL, Accounts: 1000, Rate: 10000, Logger: slog.New(slog.DiscardHandler), Registry: registry})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	eventually.Holds(t, "a node that is behind is no difference, but said", func() bool {
		v := w.Verdict()
		if !v.OK || v.Accounts != 0 || v.Height != 0 {
			t.Fatalf("got %+v", v)
		}
		return strings.Contains(v.Message, "the node is behind the tables")
	})
	node.with(func() { node.height += 3 })
	var v Verdict
	eventually.Holds(t, "accounts are compared", func() bool { v = w.Verdict(); return v.Height == node.height-2 })
	if v.OK || v.Accounts != 1 || !strings.Contains(v.Message, "account "+wrong+": the balance is") {
		t.Errorf("got %+v, want the difference of %s", v, wrong)
	}
	if got := testutil.ToFloat64(w.differing); got != 1 || testutil.ToFloat64(w.found) != 1 || testutil.ToFloat64(w.height) != float64(v.Height) || testutil.ToFloat64(w.failures) == 0 {
		t.Errorf("got %v differing accounts, of %v differences at %v", got, testutil.ToFloat64(w.found), testutil.ToFloat64(w.height))
	}
	if got := int(testutil.ToFloat64(w.compared)); got < 5 || got > len(node.accounts) {
		t.Errorf("compared %d accounts of %d", got, len(node.accounts))
	}
	t.Logf("fault: a balance that differs from the node's; found among %v accounts at height %d: %s", testutil.ToFloat64(w.compared), v.Height, v.Message)
	// Another tip, of which the node says the right thing.
	w.Accounts = 0
	node.with(func() { node.accounts[wrong], node.requested = right, nil })
	if _, err := pool.Exec(t.Context(), `UPDATE strata.projection SET index_block_hash = sha256(index_block_hash) WHERE name = 'balances'`); err != nil {
		t.Fatal(err)
	}
	if err := pool.QueryRow(t.Context(), `SELECT index_block_hash FROM strata.projection WHERE name = 'balances'`).Scan(&node.tip); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "nothing differs any more", func() bool { return w.Verdict().OK })
	node.with(func() {
		if !slices.Equal(node.requested, []string{wrong}) {
			t.Errorf("asked for %q, want %s again", node.requested, wrong)
		}
	})
}

// TestWatchSample chooses few accounts, other ones each time.
func TestWatchSample(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	w := NewWatch(WatchConfig{Pool: pool, URL: node.URL, Accounts: 3, Rate: 10000, Logger: slog.New(slog.DiscardHandler)})
	seen := map[string]bool{}
	for range 20 {
		node.with(func() { node.requested = nil })
		if _, err := w.compareAt(t.Context(), [32]byte{}); err != nil {
			t.Fatal(err)
		}
		if n := len(node.requested); n < 1 || n > 3 {
			t.Fatalf("asked for %d accounts", n)
		}
		for _, name := range node.requested {
			seen[name] = true
		}
	}
	if len(seen) < 5 {
		t.Errorf("20 samples had only %d accounts of %d", len(seen), len(node.accounts))
	}
	if v := w.Verdict(); !v.OK || v.Message != "" {
		t.Errorf("got %+v", v)
	}
}
