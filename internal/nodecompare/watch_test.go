package nodecompare

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/domain/hash"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/rig/schemas"
)

// newTestWatch returns a Watch that compares no random accounts, as fast as it can.
func newTestWatch(pool *pgxpool.Pool, node *fakeNode, logger *slog.Logger) *Watch {
	return NewWatch(WatchConfig{Pool: pool, URL: node.URL, Rate: 100000, Logger: logger, Registry: prometheus.NewRegistry()})
}

// start runs a Watch until the test ends, or until it is stopped.
func start(t *testing.T, w *Watch) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// known reads what is known.
func known(t *testing.T, pool *pgxpool.Pool) Known {
	t.Helper()
	k := must.Get(Read(t.Context(), pool, 10))(t)
	if k == nil {
		return Known{}
	}
	return *k
}

// anyAccount returns an account with a balance and a nonce.
func (f *fakeNode) anyAccount() (name string) {
	for candidate, a := range f.accounts {
		if a.balance > 0 && a.nonce > 0 && (name == "" || candidate < name) {
			name = candidate
		}
	}
	return name
}

// moveTip gives the tip of the tables another hash, of a block that changes nothing.
func (f *fakeNode) moveTip(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	var tip hash.Hash32
	must.Do(t, pool.QueryRow(t.Context(), `UPDATE strata.projection SET index_block_hash = sha256(index_block_hash) WHERE name = 'balances' RETURNING index_block_hash`).Scan(&tip))
	f.with(func() { f.tip, f.requested = tip, nil })
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	must.Get(pool.Exec(t.Context(), schemas.In(sql), args...))(t)
}

// TestWatch finds an account that differs, and knows it until it is right: also after a restart, and in other processes.
func TestWatch(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	wrong := node.anyAccount()
	right := node.accounts[wrong]
	differing := func(more int64) {
		node.with(func() {
			node.accounts[wrong] = fakeAccount{right.balance + more, right.locked, right.unlockHeight, right.nonce}
		})
	}
	differing(1)
	node.height -= 3 // behind the tables
	if k, err := Read(t.Context(), pool, 10); err != nil || k != nil {
		t.Fatalf("nothing was compared yet: got %+v (%v)", k, err)
	}
	var lines logbuffer.Buffer
	logger := slog.New(slog.NewTextHandler(&lines, nil))
	w := newTestWatch(pool, node, logger)
	stop := start(t, w)
	eventually.Holds(t, "a node that is behind is no difference, but said", func() bool {
		if k := known(t, pool); k.DifferingAccounts != 0 || k.BlockHeight != 0 {
			t.Fatalf("got %+v", k)
		}
		return strings.Contains(w.Problem(), "the node is behind the tables")
	})
	node.with(func() { node.height += 3 })
	tip := node.height - 2
	eventually.Holds(t, "accounts are compared", func() bool { return testutil.ToFloat64(w.height) == float64(tip) })
	k := known(t, pool)
	if k.BlockHeight != tip || k.DifferingAccounts != 1 || k.AcceptedAccounts != 0 || len(k.Differences) != 1 || k.Differences[0].BlockHeight != tip ||
		!strings.Contains(k.Differences[0].String(), "account "+wrong+": the balance is") || k.Differences[0].Acceptance != nil {
		t.Errorf("got %+v, want the difference of %s", k, wrong)
	}
	if got := testutil.ToFloat64(w.differing); got != 1 || testutil.ToFloat64(w.found) != 1 || testutil.ToFloat64(w.failures) == 0 || w.Problem() != "" {
		t.Errorf("got %v differing accounts, of %v differences; %s", got, testutil.ToFloat64(w.found), w.Problem())
	}
	t.Logf("fault: a balance that differs from the node's; found among %v accounts: %s", testutil.ToFloat64(w.compared), k.Differences[0])
	stop()
	if n := strings.Count(lines.String(), "level=ERROR"); n != 1 {
		t.Errorf("got %d lines about the difference, want 1: %s", n, lines.String())
	}

	// A process that has just started knows it, and asks for nothing else at a tip that changes nothing.
	w = newTestWatch(pool, node, logger)
	node.moveTip(t, pool)
	stop = start(t, w)
	eventually.Holds(t, "the account is compared again", func() bool { return testutil.ToFloat64(w.compared) == 1 })
	stop()
	node.with(func() {
		if !slices.Equal(node.requested, []string{wrong}) {
			t.Errorf("asked for %q, want %s again", node.requested, wrong)
		}
	})
	if k := known(t, pool); k.DifferingAccounts != 1 || testutil.ToFloat64(w.differing) != 1 {
		t.Errorf("after a restart: got %+v, want the difference", k)
	}

	expect := func(why string, differing, accepted, errors int) {
		t.Helper()
		before := lines.String()
		node.moveTip(t, pool)
		must.Do(t, w.once(t.Context()))
		if k := known(t, pool); k.DifferingAccounts != differing || k.AcceptedAccounts != accepted || strings.Count(strings.TrimPrefix(lines.String(), before), "level=ERROR") != errors {
			t.Errorf("%s: got %+v and %s, want %d accounts, %d accepted, %d errors", why, k, strings.TrimPrefix(lines.String(), before), differing, accepted, errors)
		}
	}
	expect("a difference that was said", 1, 0, 0)
	if n, err := Accept(t.Context(), pool, wrong, ""); err == nil || n != 0 {
		t.Errorf("without a reason: got %d, want an error", n)
	}
	if n, err := Accept(t.Context(), pool, "SP1", "not there"); err != nil || n != 0 {
		t.Errorf("an account that does not differ: got %d (%v)", n, err)
	}
	if n, err := Accept(t.Context(), pool, wrong, "a vesting schedule"); err != nil || n != 1 {
		t.Fatalf("got %d (%v), want 1", n, err)
	}
	expect("accepted", 0, 1, 0)
	if d := known(t, pool).Differences[0]; d.Acceptance == nil || d.Acceptance.Reason != "a vesting schedule" || !strings.HasSuffix(d.String(), ": a vesting schedule") {
		t.Errorf("got %s, want its reason", d)
	}
	exec(t, pool, `UPDATE {balances}.holding SET balance = balance + 10 WHERE account = $1 AND asset = 'stx'`, wrong)
	differing(11)
	expect("used since", 0, 1, 0)
	differing(12)
	expect("changed", 1, 0, 1)
	if d := known(t, pool).Differences[0]; d.Acceptance != nil {
		t.Errorf("got %s, which nobody accepted", d)
	}
	node.with(func() {
		a := node.accounts[wrong]
		node.accounts[wrong] = fakeAccount{a.balance - 1, a.locked, a.unlockHeight, a.nonce + 1}
	})
	expect("one of its values was accepted", 1, 0, 1)
	exec(t, pool, `UPDATE {balances}.holding SET balance = balance - 10 WHERE account = $1 AND asset = 'stx'`, wrong)
	differing(0)
	expect("equal", 0, 0, 0)
	if k := known(t, pool); len(k.Differences) != 0 || k.BlockHeight != tip {
		t.Errorf("got %+v, want no difference", k)
	}
	differing(1)
	exec(t, pool, `UPDATE {balances}.entry SET height = $1 WHERE holding IN (SELECT id FROM {balances}.holding WHERE account = $2)`, tip, wrong)
	exec(t, pool, `UPDATE log.comparison SET height = $1 - 1, index_block_hash = (SELECT index_block_hash FROM {balances}.block WHERE height = $1 - 1)`, tip)
	w = newTestWatch(pool, node, logger)
	expect("differs as before it was equal", 1, 0, 1)
}

// once compares until no account is left, at the tip as well if it was compared before.
func (w *Watch) once(ctx context.Context) error {
	defer w.release(ctx)
	w.at = hash.Hash32{}
	for {
		if more, err := w.round(ctx); err != nil || !more {
			return err
		}
	}
}

// TestWatchSample chooses few accounts, other ones each time.
func TestWatchSample(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	w := newTestWatch(pool, node, slog.New(slog.DiscardHandler))
	w.Accounts = 3
	must.Do(t, w.once(t.Context())) // all that blocks touched
	seen := map[string]bool{}
	for range 20 {
		node.with(func() { node.requested = nil })
		must.Do(t, w.once(t.Context()))
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
	if k := known(t, pool); k.DifferingAccounts != 0 || w.Problem() != "" {
		t.Errorf("got %+v", k)
	}
}

// TestWatchTouched compares each account that blocks touched since the last tip, in rounds, and those of blocks that a fork removed.
func TestWatchTouched(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	tip := node.height - 2
	var lines logbuffer.Buffer
	w := newTestWatch(pool, node, slog.New(slog.NewTextHandler(&lines, nil)))
	compared := func(why string, want ...string) {
		t.Helper()
		node.with(func() { node.requested, node.infos = nil, 0 })
		must.Do(t, w.once(t.Context()))
		slices.Sort(node.requested)
		if !slices.Equal(node.requested, want) {
			t.Errorf("%s: asked for %d accounts: %q, want %d: %q", why, len(node.requested), node.requested, len(want), want)
		}
		if k := known(t, pool); k.BlockHeight != tip || k.DifferingAccounts != 0 {
			t.Errorf("%s: got %+v, want height %d", why, k, tip)
		}
	}
	touch := func(height int64, n int, name string) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("%s%05d", name, i))
		}
		exec(t, pool, `
			WITH new AS (
				INSERT INTO {balances}.signer (height, source_seq, id, account)
				SELECT $1::bigint, 1, (SELECT max(id) FROM {balances}.signer) + i, account FROM unnest($2::text[]) WITH ORDINALITY AS n (account, i) RETURNING id
			)
			INSERT INTO {balances}.signer_nonce (height, source_seq, signer, next_nonce) SELECT $1::bigint, 1, id, 0 FROM new`, height, all)
		return all
	}
	appendBlock := func() {
		t.Helper()
		tip++
		exec(t, pool, `INSERT INTO {balances}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
			SELECT $1::bigint, source_seq, burn_block_height, sha256(index_block_hash), block_hash FROM {balances}.block WHERE height = $1::bigint - 1`, tip)
		exec(t, pool, `UPDATE strata.projection SET (block_height, index_block_hash) = (SELECT height, index_block_hash FROM {balances}.block WHERE height = $1) WHERE name = 'balances'`, tip)
		node.with(func() { node.height++ })
		must.Do(t, pool.QueryRow(t.Context(), `SELECT index_block_hash FROM strata.projection WHERE name = 'balances'`).Scan(&node.tip))
	}

	var all []string
	for name := range node.accounts {
		all = append(all, name)
	}
	slices.Sort(all)
	compared("all are in the newest blocks", all...)
	compared("no other tip")
	appendBlock()
	one := touch(tip, 2, "ONE")
	appendBlock()
	two := touch(tip, 2*roundTouched+1, "TWO")
	exec(t, pool, `INSERT INTO {balances}.signer_nonce (height, source_seq, signer, next_nonce) SELECT $1, 1, id, 0 FROM {balances}.signer WHERE account = $2`, tip, one[0])
	compared("two blocks", append(one, two...)...)
	if node.infos != 3 {
		t.Errorf("asked in %d rounds, want 3", node.infos)
	}
	// The block at the tip gets another one in its place.
	appendBlock()
	three := touch(tip, 1, "THREE")
	compared("a block", three...)
	exec(t, pool, `DELETE FROM {balances}.signer_nonce WHERE height = $1`, tip)
	exec(t, pool, `UPDATE {balances}.block SET index_block_hash = sha256(index_block_hash || 'x') WHERE height = $1`, tip)
	appendBlock()
	four := touch(tip, 1, "FOUR")
	compared("a fork", append(four, three...)...)

	// Another process goes on where this one has been, but not further back than it makes sense.
	w = newTestWatch(pool, node, w.Logger)
	appendBlock()
	compared("a restart", touch(tip, 1, "FIVE")...)
	if lines.String() != "" {
		t.Errorf("got the lines %s", lines.String())
	}
	appendBlock()
	touch(tip, 1, "SIX")
	for range blocksMax - 1 {
		appendBlock()
	}
	compared("many blocks", append(touch(tip, 1, "SEVEN"), "SIX00000")...)
	touch(tip+1, 1, "EIGHT")
	for range blocksMax + 1 {
		appendBlock()
	}
	compared("too many blocks", touch(tip, touchedMax+1, "NINE")[:touchedMax]...)
	for _, want := range []string{"blocks=1 from=", fmt.Sprintf("compared=%d", touchedMax)} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("got %s, want %s", lines.String(), want)
		}
	}
}

// TestWatchOneProcess: of several processes, one compares each tip. If it can't, another one does.
func TestWatchOneProcess(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	logger := slog.New(slog.DiscardHandler)
	first, second := newTestWatch(pool, node, logger), newTestWatch(pool, node, logger)
	round := func(w *Watch) int {
		t.Helper()
		node.with(func() { node.requested = nil })
		if more, err := w.round(t.Context()); more || err != nil {
			t.Fatalf("got %v (%v)", more, err)
		}
		return len(node.requested)
	}
	if a, b := round(first), round(second); a != len(node.accounts) || b != 0 {
		t.Errorf("compared %d and %d accounts of %d", a, b, len(node.accounts))
	}
	exec(t, pool, `UPDATE log.comparison SET height = NULL, index_block_hash = NULL`)
	first.release(t.Context())
	if a, b := round(second), round(first); a != len(node.accounts) || b != 0 {
		t.Errorf("compared %d and %d accounts of %d", a, b, len(node.accounts))
	}
	exec(t, pool, `UPDATE log.comparison SET height = NULL, index_block_hash = NULL, held_until = now()`) // frozen
	if a, b := round(first), round(second); a != len(node.accounts) || b != 0 {
		t.Errorf("compared %d and %d accounts of %d", a, b, len(node.accounts))
	}
}
