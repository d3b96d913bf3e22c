package nodecompare

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// fakeNode is a node that knows what the tables say, unless a test changes it.
type fakeNode struct {
	*httptest.Server
	tip    hash.Hash32
	height int64

	mutex         sync.Mutex
	accounts      map[string]fakeAccount
	requested     []string // accounts
	infos         int      // requests for /v2/info
	concurrent    int      // requests under way
	maxConcurrent int
	failures      int // the number of next answers that are 503
}

type fakeAccount struct{ balance, locked, unlockHeight, nonce int64 }

// with changes the node between requests.
func (f *fakeNode) with(change func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	change()
}

func (f *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mutex.Lock()
	f.concurrent++
	f.maxConcurrent = max(f.maxConcurrent, f.concurrent)
	fail, tip, height := f.failures > 0, hex.EncodeToString(f.tip[:]), f.height
	f.failures--
	f.mutex.Unlock()
	defer func() {
		f.mutex.Lock()
		f.concurrent--
		f.mutex.Unlock()
	}()
	name, isAccount := strings.CutPrefix(r.URL.Path, "/v2/accounts/")
	switch {
	case fail:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case r.URL.Path == "/v2/info":
		f.with(func() { f.infos++ })
		_, _ = fmt.Fprintf(w, `{"stacks_tip_height":%d,"network_id":1}`, height)
	case !isAccount:
		http.NotFound(w, r)
	case r.URL.Query().Get("tip") != tip || r.URL.Query().Get("proof") != "0":
		http.Error(w, "Chain tip '"+r.URL.Query().Get("tip")+"' not found", http.StatusNotFound)
	default:
		f.mutex.Lock()
		f.requested = append(f.requested, name)
		a := f.accounts[name] // an unknown account has nothing
		f.mutex.Unlock()
		_, _ = fmt.Fprintf(w, `{"balance":"0x%032x","locked":"0x%032x","unlock_height":%d,"nonce":%d,"balance_proof":"","nonce_proof":""}`, a.balance, a.locked, a.unlockHeight, a.nonce)
	}
}

// newFakeNode returns a node with the accounts of the tables, which it reads from the ledger rather than the holdings.
// It knows the last locks that have not ended; none of them is of a version of PoX that has ended.
func newFakeNode(t *testing.T, pool *pgxpool.Pool) *fakeNode {
	t.Helper()
	f := &fakeNode{accounts: map[string]fakeAccount{}}
	must.Do(t, pool.QueryRow(t.Context(), schemas.In(`SELECT height, index_block_hash FROM {balances}.block ORDER BY height DESC LIMIT 1`)).Scan(&f.height, &f.tip))
	f.height += 2
	rows := must.Get(pool.Query(t.Context(), schemas.In(`
		SELECT account, coalesce(sum(delta), 0)::bigint, coalesce(max(next_nonce), 0)::bigint
		FROM (SELECT account, sum(delta) AS delta FROM {balances}.ledger WHERE asset = 'stx' GROUP BY account) l
		FULL JOIN (SELECT account, max(next_nonce) AS next_nonce FROM {balances}.nonce GROUP BY account) n USING (account)
		GROUP BY account`)))(t)
	var name string
	var balance, nonce int64
	must.Get(pgx.ForEachRow(rows, []any{&name, &balance, &nonce}, func() error {
		f.accounts[name] = fakeAccount{balance: balance, nonce: nonce}
		return nil
	}))(t)
	rows = must.Get(pool.Query(t.Context(), schemas.In(`
		SELECT DISTINCT ON (account) account, amount::bigint, unlock_height
		FROM {balances}.stx_lock l, (SELECT max(burn_block_height) AS height FROM {balances}.block) tip
		WHERE unlock_height > tip.height
		ORDER BY account, l.height DESC, position DESC`)))(t)
	var amount, unlockHeight int64
	must.Get(pgx.ForEachRow(rows, []any{&name, &amount, &unlockHeight}, func() error {
		a := f.accounts[name]
		f.accounts[name] = fakeAccount{balance: a.balance - amount, locked: amount, unlockHeight: unlockHeight, nonce: a.nonce}
		return nil
	}))(t)
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// foldedChain returns a database with the balances of a short synthetic chain.
func foldedChain(t *testing.T) *pgxpool.Pool {
	t.Helper()
	log := replay.NewLog(t)
	synthetic := synthchain.New(synthchain.Config{Seed: 3, Generation: synthchain.V40, Nakamoto: true, SponsoredShare: 0.1, Maturity: 20})
	var posts []replay.Post
	for range 60 {
		post := synthetic.Next()
		posts = append(posts, post)
	}
	replay.Append(t, log, posts...)
	canonical := must.Get(chain.New("recommended", nil))(t)
	replay.Run(t, log, canonical, balances.New(nil))
	return log.Pool()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	compare := func(options Options) (*Result, []string, error) {
		t.Helper()
		var differences []string
		options.URL = node.URL
		options.Difference = func(d Difference) { differences = append(differences, d.String()) }
		options.Progress = func(int64, int64) {}
		result, err := Compare(t.Context(), pool, options)
		return result, differences, err
	}

	all := len(node.accounts)
	got, differences, err := compare(Options{All: true})
	if err != nil || len(differences) > 0 || all < 20 {
		t.Fatalf("got %+v, %q (%v) with %d accounts", got, differences, err, all)
	}
	if got.Accounts != int64(all) || got.Compared != got.Accounts || got.BlockHeight != node.height-2 || got.IndexBlockHash != node.tip || got.NodeHeight != node.height || got.Seed != nil {
		t.Errorf("got %+v, want all %d accounts at block %d %s", got, all, node.height-2, node.tip)
	}
	if len(node.requested) != all || node.maxConcurrent > concurrency {
		t.Errorf("the node got %d requests for %d accounts, %d at a time", len(node.requested), all, node.maxConcurrent)
	}

	var samples []string
	for _, seed := range []int64{7, 7, 8} {
		node.with(func() { node.requested = nil })
		got, differences, err := compare(Options{Sample: 10, Seed: seed})
		if err != nil || len(differences) > 0 || len(node.requested) != 10 || got.Compared != 10 || got.Seed == nil || *got.Seed != seed {
			t.Errorf("seed %d: got %d accounts, %+v (%v)", seed, len(node.requested), got, err)
		}
		slices.Sort(node.requested)
		samples = append(samples, strings.Join(node.requested, " "))
	}
	if samples[0] != samples[1] || samples[0] == samples[2] {
		t.Errorf("the samples are %q", samples)
	}
	node.with(func() { node.failures = 2 }) // the client retries
	if got, differences, err := compare(Options{Sample: 1000}); err != nil || len(differences) > 0 {
		t.Errorf("a busy node: got %+v, %q (%v)", got, differences, err)
	}
}

func TestCompareDifferences(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	node := newFakeNode(t, pool)
	var differences []string
	options := Options{
		URL: node.URL, All: true,
		Difference: func(d Difference) { differences = append(differences, d.String()) },
		Progress:   func(int64, int64) {},
	}
	var names []string
	for name, a := range node.accounts {
		if a.balance > 0 && a.nonce > 0 {
			names = append(names, name)
		}
	}
	first, second := node.accounts[names[0]], node.accounts[names[1]]
	node.with(func() {
		node.accounts[names[0]] = fakeAccount{first.balance + 1, first.locked, first.unlockHeight, first.nonce}
		node.accounts[names[1]] = fakeAccount{second.balance, second.locked, second.unlockHeight, second.nonce + 1}
	})
	_, err := Compare(t.Context(), pool, options)
	for _, want := range []string{
		fmt.Sprintf("account %s: the balance is %d in the tables, %d at the node (last change: event ", names[0], first.balance+first.locked, first.balance+first.locked+1),
		fmt.Sprintf("account %s: the nonce is %d in the tables, %d at the node (last change: event ", names[1], second.nonce, second.nonce+1),
	} {
		if err != nil || len(differences) != 2 || !slices.ContainsFunc(differences, func(d string) bool { return strings.HasPrefix(d, want) }) {
			t.Errorf("got %q (%v), want %q", differences, err, want)
		}
	}

	fails := func(why, want string) {
		t.Helper()
		if got, err := Compare(t.Context(), pool, options); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%s: got %v and %+v, want %q", why, err, got, want)
		}
	}
	node.with(func() { node.height -= 3 })
	fails("the node is behind", fmt.Sprintf("it is at block %d, behind the tables, which are at block %d", node.height, node.height+1))
	node.with(func() {
		node.height += 3
		node.tip[0]++
	})
	fails("another fork", "it does not know block 0x")
	node.Close()
	fails("the node is down", "connection refused")
}

// TestCompareLocks compares locks at each side of the heights at which they end.
func TestCompareLocks(t *testing.T) {
	t.Parallel()
	pool := foldedChain(t)
	var height, burnHeight int64
	must.Do(t, pool.QueryRow(t.Context(), schemas.In(`SELECT height, burn_block_height FROM {balances}.block ORDER BY height DESC LIMIT 1`)).Scan(&height, &burnHeight))
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(pool.Exec(t.Context(), sql, args...))(t)
	}
	exec(schemas.In(`DELETE FROM {balances}.stx_lock`))
	node := newFakeNode(t, pool)
	var account string
	for name, a := range node.accounts {
		if a.balance > 1000 {
			account = name
		}
	}
	unlocked := node.accounts[account]
	locked := func(until int64) fakeAccount {
		return fakeAccount{balance: unlocked.balance - 900, locked: 900, unlockHeight: until, nonce: unlocked.nonce}
	}
	for _, c := range []struct {
		why            string
		version        int
		amount, unlock int64
		forced         any // pox_v4_unlock_height
		node           fakeAccount
		want           []string
	}{
		{"in force", 4, 900, burnHeight + 1, nil, locked(burnHeight + 1), nil},
		{"ended at the tip", 4, 900, burnHeight, nil, unlocked, nil},
		{"forced to end at the tip", 4, 900, burnHeight + 9, burnHeight, unlocked, nil},
		{"forced to end later", 4, 900, burnHeight + 9, burnHeight + 1, locked(burnHeight + 9), nil},
		{"pox-5 is not forced to end", 5, 900, burnHeight + 9, burnHeight, locked(burnHeight + 9), nil},
		{"handle-unlock", 3, 0, 0, nil, unlocked, nil},
		{"the node has no lock", 5, 900, burnHeight + 9, nil, unlocked, []string{
			"the locked amount is 900 in the tables, 0 at the node (last change: event 77)",
			fmt.Sprintf("the unlock height is %d in the tables, 0 at the node (last change: event 77)", burnHeight+9),
		}},
		{"another height", 5, 900, burnHeight + 9, nil, locked(burnHeight + 8), []string{
			fmt.Sprintf("the unlock height is %d in the tables, %d at the node (last change: event 77)", burnHeight+9, burnHeight+8),
		}},
	} {
		exec(schemas.In(`DELETE FROM {balances}.stx_lock`))
		exec(schemas.In(`INSERT INTO {balances}.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
			VALUES ($1, 5, 1000000, 0, 0, 5, 1, $2, 'stx_lock_event', '', ''), ($1, 77, $3, 1, 0, $4, $5, $2, 'stx_lock_event', '', '')`),
			height, account, c.unlock, c.version, c.amount)
		exec(schemas.In(`UPDATE {balances}.block SET pox_v4_unlock_height = $1`), c.forced)
		node.with(func() { node.accounts[account] = c.node })
		var got []string
		_, err := Compare(t.Context(), pool, Options{
			URL: node.URL, All: true,
			Difference: func(d Difference) { got = append(got, strings.TrimPrefix(d.String(), "account "+account+": ")) },
			Progress:   func(int64, int64) {},
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q (%v), want %q", c.why, got, err, c.want)
		}
	}
}
