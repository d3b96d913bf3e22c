package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/eventstore/transparency"
	"strata/internal/testkit/pgtest"
)

// superuser runs SQL that no trigger stops.
func superuser(t testing.TB, sql ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.AdminURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for _, s := range append([]string{`SET session_replication_role = replica`}, sql...) {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// verified runs strata verify, which has to find as many differences as there are beginnings, one for each, in any order.
func verified(t testing.TB, url string, args []string, want ...string) string {
	t.Helper()
	got := run(t, t.TempDir(), append([]string{"verify", "--database-url", url}, args...)...)
	code := 0
	if len(want) > 0 {
		code = exitDifferences
	}
	if got.code != code {
		t.Fatalf("verify %v: got code %d, want %d; it said\n%s%s", args, got.code, code, got.stdout, got.stderr)
	}
	var left []string
	for line := range strings.Lines(got.stdout) {
		if text, ok := strings.CutPrefix(line, "DIFFERENCE "); ok {
			left = append(left, text)
		}
	}
	for _, begin := range want {
		at := slices.IndexFunc(left, func(text string) bool { return strings.HasPrefix(text, begin) })
		if at < 0 {
			t.Errorf("verify %v: nothing begins with %q in\n%s", args, begin, got.stdout)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		t.Errorf("verify %v: it says also\n%s", args, strings.Join(left, ""))
	}
	if len(want) > 0 != strings.Contains(got.stderr, "found") {
		t.Errorf("verify %v: it says %q at the end", args, got.stderr)
	}
	return got.stdout
}

// A log of real shape verifies while a server runs and appends; what a superuser changes in it and in the tables is named.
func TestVerify(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := serve(t, t.TempDir(), "--database-url", url, "--log-checkpoint-interval", "50ms")
	must(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "60", "--seed", "3", "--calm")
	s.caughtUp(60)
	s.eventually("the log is signed", func() bool {
		return strings.Contains(string(s.get("/audit/v1/log/checkpoint").body), "\n60\n")
	})
	kept := filepath.Join(t.TempDir(), "kept")
	writeFile(t, kept, string(s.get("/audit/v1/log/checkpoint").body))
	key := strings.TrimSpace(string(s.get("/audit/v1/log/key").body))

	var running sync.WaitGroup
	running.Go(func() {
		must(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "150", "--seed", "3", "--calm")
	})
	text := verified(t, url, []string{"--against", kept, "--key", key, "--parallel", "3"})
	running.Wait()
	for _, want := range []string{"; root ", "; 1 kept one compared\n", "log: key " + key + " (given)\n", "rows: chain_v3, balances_v2, ", "no differences\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q", text, want)
		}
	}
	s.stop()

	var report struct {
		Log         struct{ Events, Checkpoints int64 }
		Rows        struct{ Tables []string }
		Differences int64
		Shown       []any
		Error       *string
	}
	text = verified(t, url, []string{"--json", "--rows", "ft,balances"})
	if err := json.Unmarshal([]byte(text), &report); err != nil || !slices.Equal(report.Rows.Tables, []string{"balances_v2", "ft_v1"}) || report.Log.Events != 0 || report.Error != nil || report.Shown == nil {
		t.Errorf("got %s (%v)", text, err)
	}
	tamperedTables(t, url)
	tamperedLog(t, url, kept)
}

func tamperedTables(t *testing.T, url string) {
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var account, other string
	var seq, otherSeq int64
	err = conn.QueryRow(t.Context(), `
		UPDATE balances_v2.holding SET balance = balance + 1 WHERE account = (SELECT min(account) FROM balances_v2.holding WHERE asset = 'stx') AND asset = 'stx'
		RETURNING account, source_seq`).Scan(&account, &seq)
	if err != nil {
		t.Fatal(err)
	}
	err = conn.QueryRow(t.Context(), `
		DELETE FROM balances_v2.nonce WHERE (account, height) = (SELECT account, height FROM balances_v2.nonce ORDER BY account, height LIMIT 1)
		RETURNING account, source_seq`).Scan(&other, &otherSeq)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO balances_v2.nonce (height, source_seq, next_nonce, account) VALUES (3, 4, 5, E'S\x1bP')`); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"balances_v2.holding account=" + account + " asset=stx: balance is ",
		"balances_v2.nonce account=" + other + " height=",
		"balances_v2.nonce account=S\uFFFDP height=3: there as of event 4, and the log does not give it\n",
	}
	text := verified(t, url, []string{"--rows", "balances"}, want...)
	for _, end := range []string{fmt.Sprintf(" (event %d)\n", seq), fmt.Sprintf(": not there, and event %d of the log gives it\n", otherSeq)} {
		if !strings.Contains(text, end) {
			t.Errorf("got %s, want %q", text, end)
		}
	}
	verified(t, url, []string{"--rows", "ft"})
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--rows", "balances", "--limit", "1")
	if got.code != exitDifferences || strings.Count(got.stdout, "DIFFERENCE") != 1 || !strings.Contains(got.stdout, "more differences") {
		t.Errorf("limited: got code %d, %s", got.code, got.stdout)
	}
}

// tamperedLog comes last: it spoils the log.
func tamperedLog(t *testing.T, url, kept string) {
	other := must(t, t.TempDir(), "log-key") // of another log
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--log-only", "--against", kept, "--key", strings.TrimSpace(other))
	if got.code != exitDifferences || !strings.Contains(got.stdout, "DIFFERENCE kept: "+kept+": it is signed with another key, ") ||
		!strings.Contains(got.stdout, "DIFFERENCE log.checkpoint: checkpoint 1 of ") {
		t.Errorf("with another key: got code %d, %s", got.code, got.stdout)
	}
	// Of event 50 a bit is turned, and event 30 is gone: what can't be folded any more keeps the rows from being compared, and nothing else.
	superuser(t, `DELETE FROM log.event WHERE seq = 30`, `UPDATE log.event SET body = set_bit(body, 7, 1 - get_bit(body, 7)) WHERE seq = 50`)
	got = run(t, t.TempDir(), "verify", "--database-url", url, "--json")
	var report struct {
		Log   *struct{ Root *string }
		Rows  *struct{}
		Shown []struct{ Log transparency.Finding }
		Error *string
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != exitDifferences || report.Log == nil || report.Log.Root != nil || report.Rows != nil {
		t.Fatalf("got code %d, %s (%v)", got.code, got.stdout, err)
	}
	for _, want := range []transparency.Finding{{Check: transparency.CheckEvent, Seq: 30, Last: 30}, {Check: transparency.CheckBody, Seq: 50, Last: 50}} {
		if !slices.ContainsFunc(report.Shown, func(d struct{ Log transparency.Finding }) bool {
			return d.Log.Check == want.Check && d.Log.Seq == want.Seq && d.Log.Last == want.Last
		}) {
			t.Errorf("got %s, want %+v", got.stdout, want)
		}
	}
	if report.Error == nil || !strings.Contains(*report.Error, "missing") || !strings.Contains(got.stderr, "and not everything could be checked") {
		t.Errorf("got %s and %s", got.stdout, got.stderr)
	}
}

// fakeNode is a node that knows what the tables say, unless told otherwise.
type fakeNode struct {
	*httptest.Server
	tip    hash.Hash32
	height int64

	mutex    sync.Mutex
	accounts map[string]fakeAccount
	asked    []string
	most     int // at a time
	now      int
	hang     chan struct{} // closed: answers are held back until the request is given up
	fail     int           // so many answers are 503
}

type fakeAccount struct{ balance, locked, nonce int64 }

// with changes the node between requests.
func (f *fakeNode) with(change func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	change()
}

func (f *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mutex.Lock()
	f.now++
	f.most = max(f.most, f.now)
	fail, hang, tip, height := f.fail > 0, f.hang, hex.EncodeToString(f.tip[:]), f.height
	f.fail--
	f.mutex.Unlock()
	defer func() {
		f.mutex.Lock()
		f.now--
		f.mutex.Unlock()
	}()
	name, isAccount := strings.CutPrefix(r.URL.Path, "/v2/accounts/")
	switch {
	case fail:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case r.URL.Path == "/v2/info":
		_, _ = fmt.Fprintf(w, `{"stacks_tip_height":%d,"network_id":1}`, height)
	case !isAccount:
		http.NotFound(w, r)
	case r.URL.Query().Get("tip") != tip || r.URL.Query().Get("proof") != "0":
		http.Error(w, "Chain tip '"+r.URL.Query().Get("tip")+"' not found", http.StatusNotFound)
	case hang != nil:
		hang <- struct{}{}
		<-r.Context().Done()
	default:
		f.mutex.Lock()
		f.asked = append(f.asked, name)
		a := f.accounts[name] // who is not known has nothing
		f.mutex.Unlock()
		_, _ = fmt.Fprintf(w, `{"balance":"0x%032x","locked":"0x%032x","unlock_height":0,"nonce":%d,"balance_proof":"","nonce_proof":""}`, a.balance, a.locked, a.nonce)
	}
}

// newFakeNode knows the accounts of a database as its tables have them, by SQL of its own. Half of a balance is locked.
func newFakeNode(t testing.TB, url string) *fakeNode {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	f := &fakeNode{accounts: map[string]fakeAccount{}}
	if err := conn.QueryRow(t.Context(), `SELECT height, index_block_hash FROM balances_v2.block ORDER BY height DESC LIMIT 1`).Scan(&f.height, &f.tip); err != nil {
		t.Fatal(err)
	}
	f.height += 2
	rows, err := conn.Query(t.Context(), `SELECT account, sum(delta)::bigint FROM balances_v2.ledger WHERE asset = 'stx' GROUP BY account`)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var n int64
	if _, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		f.accounts[name] = fakeAccount{balance: n - n/2, locked: n / 2}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rows, err = conn.Query(t.Context(), `SELECT account, max(next_nonce)::bigint FROM balances_v2.nonce GROUP BY account`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		a := f.accounts[name]
		a.nonce = n
		f.accounts[name] = a
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// compared is what strata verify --node-only prints of a database and a node, as a function: processes would take longer.
func compared(t testing.TB, url string, node *fakeNode, change func(c *verifyCommand)) (shown []*verifyDifference, text string, err error) {
	t.Helper()
	c := verifyCommand{databaseFlags: databaseFlags{DatabaseURL: url}, NodeOnly: true, AgainstNode: node.URL, Sample: 1000, Limit: 1000}
	if change != nil {
		change(&c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	report := newVerifyReport(c.Limit)
	err = c.verify(t.Context(), slog.New(slog.DiscardHandler), report)
	var b bytes.Buffer
	if err := report.print(&b, false, err); err != nil {
		t.Fatal(err)
	}
	return report.Shown, b.String(), err
}

func TestVerifyAgainstNode(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := serve(t, t.TempDir(), "--database-url", url)
	got := run(t, t.TempDir(), "verify", "--database-url", url, "--node-only", "--against-node", "http://127.0.0.1:1")
	if got.code != exitFailure || !strings.Contains(got.stderr, "the balances are at no block yet") {
		t.Errorf("before the first block: got code %d, %s", got.code, got.stderr)
	}
	must(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "60", "--seed", "3", "--calm")
	s.caughtUp(60)
	s.stop()
	node := newFakeNode(t, url)
	all := len(node.accounts)

	everything := func(c *verifyCommand) { c.AllAccounts = true }
	shown, text, err := compared(t, url, node, everything)
	if want := fmt.Sprintf("balances and nonces of %d of %d accounts at block %d %s", all, all, node.height-2, node.tip); err != nil || len(shown) > 0 || all < 20 || !strings.Contains(text, want) {
		t.Errorf("got %s (%v), want %q", text, err, want)
	}
	if len(node.asked) != all || node.most > nodeRequests {
		t.Errorf("the node was asked %d times for %d accounts, %d at a time", len(node.asked), all, node.most)
	}
	var samples []string
	for _, seed := range []int64{7, 7, 8} {
		node.with(func() { node.asked = nil })
		_, text, err := compared(t, url, node, func(c *verifyCommand) { c.Sample, c.Seed = 10, seed })
		if err != nil || len(node.asked) != 10 || !strings.Contains(text, " of 10 of ") || !strings.Contains(text, fmt.Sprintf("(--seed %d)\n", seed)) {
			t.Errorf("seed %d: got %d accounts, %s (%v)", seed, len(node.asked), text, err)
		}
		slices.Sort(node.asked)
		samples = append(samples, strings.Join(node.asked, " "))
	}
	if samples[0] != samples[1] || samples[0] == samples[2] {
		t.Errorf("the samples are %q", samples)
	}
	node.with(func() { node.fail = 2 }) // it is asked again
	if shown, text, err := compared(t, url, node, nil); err != nil || len(shown) > 0 {
		t.Errorf("a busy node: got %s (%v)", text, err)
	}

	var names []string
	for name, a := range node.accounts {
		if a.balance > 0 && a.nonce > 0 {
			names = append(names, name)
		}
	}
	rich, poor := node.accounts[names[0]], node.accounts[names[1]]
	node.with(func() {
		node.accounts[names[0]] = fakeAccount{rich.balance, rich.locked + 1, rich.nonce}
		node.accounts[names[1]] = fakeAccount{poor.balance, poor.locked, poor.nonce + 1}
	})
	shown, text, err = compared(t, url, node, everything)
	for _, want := range []string{
		fmt.Sprintf("DIFFERENCE account %s: the balance is %d in the tables, %d at the node (last change: event ", names[0], rich.balance+rich.locked, rich.balance+rich.locked+1),
		fmt.Sprintf("DIFFERENCE account %s: the nonce is %d in the tables, %d at the node (last change: event ", names[1], poor.nonce, poor.nonce+1),
	} {
		if err != nil || len(shown) != 2 || !strings.Contains(text, want) {
			t.Errorf("got %s (%v), want %q", text, err, want)
		}
	}
	node.with(func() { node.accounts[names[0]], node.accounts[names[1]] = rich, poor })

	fails := func(why, want string) {
		t.Helper()
		if _, text, err := compared(t, url, node, nil); err == nil || !strings.Contains(err.Error(), want) || text != "" {
			t.Errorf("%s: got %v and %q, want %q", why, err, text, want)
		}
	}
	node.with(func() { node.height -= 3 })
	fails("the node is behind", fmt.Sprintf("it is at block %d, behind the tables, which are at block %d", node.height, node.height+1))
	node.with(func() { node.height += 3 })

	node.with(func() { node.hang = make(chan struct{}, 100) })
	cmd := command(t, t.TempDir(), nil, "verify", "--database-url", url, "--node-only", "--against-node", node.URL)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-node.hang
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailure || stderr.String() != "strata: interrupted\n" {
		t.Errorf("interrupted: got %v, %q", err, stderr.String())
	}
	node.with(func() { node.tip[0]++ })
	fails("another fork", "it does not know block 0x")
	node.Close()
	fails("the node is down", "connection refused")
}

func TestNodeClient(t *testing.T) {
	t.Parallel()
	answer := func(text string, status int) *nodeClient {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}))
		t.Cleanup(server.Close)
		return newNodeClient(server.URL)
	}
	const good = `{"balance":"0x00000000000000000000000000000010","locked":"0xffffffffffffffffffffffffffffffff","nonce":18446744073709551615}`
	balance, nonce, err := answer(good, 200).account(t.Context(), "SP1", hash.Hash32{})
	want := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(15))
	if err != nil || balance.Cmp(want) != 0 || nonce != 1<<64-1 {
		t.Errorf("got %v and %d (%v), want %v", balance, nonce, err, want)
	}
	for _, tc := range []struct {
		text   string
		status int
		want   string
	}{
		{`{}`, 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0x-", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, "0x0", "0x000", 1), 200, "not what a Stacks node says"},
		{strings.Replace(good, `,"nonce":18446744073709551615`, "", 1), 200, "not what a Stacks node says"},
		{"<html>", 200, "no JSON"},
		{"bad principal \x1b", 400, "it answers 400: bad principal \uFFFD"},
		{"broken", 500, "it answers 500: broken"},
		{"Chain tip not found", 404, "it does not know block 0x00"},
	} {
		if _, _, err := answer(tc.text, tc.status).account(t.Context(), "SP1", hash.Hash32{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%d %s: got %v, want %q", tc.status, tc.text, err, tc.want)
		}
	}
	if _, err := answer(`{"x":1}`, 200).tipHeight(t.Context()); err == nil || !strings.Contains(err.Error(), "not a Stacks node") {
		t.Errorf("no height: got %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	client := newNodeClient(slow.URL)
	client.http.Timeout = 30 * time.Millisecond
	if _, err := client.tipHeight(t.Context()); err == nil || !strings.Contains(err.Error(), "it was asked 3 times: it is too slow: no answer within 30ms") {
		t.Errorf("a slow node: got %v", err)
	}
}

// What makes no sense together is said before anything is begun.
func TestVerifyUsage(t *testing.T) {
	t.Parallel()
	_, parse := model(t)
	for _, tc := range []struct{ args, want string }{
		{"--node-only", "--against-node"},
		{"--log-only --rows ft", "can't be used together"},
		{"--log-only --node-only", "can't be used together"},
		{"--rows ft --against x", "--against and --key are about the log"},
		{"--node-only --against-node http://127.0.0.1:1 --key k", "--against and --key are about the log"},
		{"--sample 0", "--sample"},
		{"--limit 0", "--limit"},
		{"--parallel -1", "--parallel"},
		{"--seed -1", "--seed"},
		{"--against-node localhost:20443", "--against-node"},
		{"--fork-choice mine", "--fork-choice must be one of"},
	} {
		if err := parse(append([]string{"verify"}, strings.Fields(tc.args)...)...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("verify %s: got %v, want %q", tc.args, err, tc.want)
		}
	}
	got := run(t, t.TempDir(), "verify", "--against", "none")
	if got.code != exitFailure || !strings.Contains(got.stderr, "--against: ") || !strings.Contains(got.stderr, "none: no such file") {
		t.Errorf("no file: got code %d, %s", got.code, got.stderr)
	}
}
