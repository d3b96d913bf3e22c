package metadata_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/replay"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/nft"
)

// Rows J1 to J12 of the conformance list: the queue. What is a job's row there is two things here: the want, a row of a
// projection, which has the state, the count of failures and the time of the next attempt; and the job in River, which is
// one attempt. So what the rows say of "pending" holds for the want, and of "queued" for the job.
//
// Of two settings there is no counterpart, because nothing is ever given up: the most retries (J8, where it is 0), and the
// strict mode that switches it off (J9, where it is on).
func TestQueue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T){
		"J1 no more are under way than the limit":         testLimit,
		"J2 what a killed process left is done":           testLeftBehind,
		"J3 what is done stays done":                      testDoneStaysDone,
		"J4 and J11 the database is away":                 testDatabaseAway,
		"J5 success":                                      testSuccess,
		"J6 an error that may pass, twice":                testTroubledTwice,
		"J7 an error of the contract's owner":             testWrong,
		"J8 after many attempts":                          testNeverGivenUp,
		"J9 a fault of nobody's costs no attempt":         testWaiting,
		"J10 not before its time, and then at once":       testDelay,
		"J12 a mint does not hasten what its owner broke": testMintedAgain,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// J1: size limit 1. The second is not asked for until the first is done.
func testLimit(t *testing.T) {
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, through(gate))
	c := config(log, node.URL)
	c.Concurrency, c.NodeTimeout, c.AttemptTimeout = 1, 30*time.Second, 30*time.Second
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first"), priority: 1})
	run(t, c)
	eventually(t, "the first is under way", 60*time.Second, func() bool { return len(node.requests()) == 1 })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	looking(t, log)
	looking(t, log)
	if got := node.requests(); len(got) != 1 {
		t.Errorf("%d are under way, want 1", len(got))
	}
	close(gate)
	eventually(t, "both are reported", 60*time.Second, func() bool { return len(contractReads(t, log)) == 2 })
}

// contractReads are the functions that reports on contracts are about.
func contractReads(t *testing.T, log *eventstore.Log) (functions []string) {
	t.Helper()
	for _, r := range reports(t, log) {
		if r.Want.Kind == fetch.ContractRead {
			functions = append(functions, r.Want.Calls[0].Function)
		}
	}
	slices.Sort(functions)
	return functions
}

// J2: job1 is queued, which a process that was killed left so; job2 and job3 are pending. There it comes first; here it is
// done once it counts as lost, and the others do not wait for it.
func testLeftBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for River to find the job of a killed process")
	}
	log := openLog(t, databases.New(t))
	var dead atomic.Bool
	gate := make(chan struct{})
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		if !dead.Load() {
			through(gate)(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})
	kill := startChild(t, databases.URL(t), node.URL)
	eventually(t, "the first is under way", 60*time.Second, func() bool { return len(node.requests()) == 1 })
	kill()
	dead.Store(true)
	// Its process was killed an hour ago.
	tag, err := log.Pool().Exec(t.Context(), `UPDATE river.river_job SET attempted_at = attempted_at - interval '1 hour' WHERE state = 'running'`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%d jobs are running (%v), want 1", tag.RowsAffected(), err)
	}
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third")})
	run(t, impatient(config(log, node.URL)))
	await(t, log, 3)
	if got := contractReads(t, log); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("got %v, want each once", got)
	}
}

// J3: job1 is done. The others are taken, and job1 stays done, also where its want still stands because the report was not
// folded yet.
func testDoneStaysDone(t *testing.T) {
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})
	run(t, config(log, node.URL))
	one(t, log)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third")})
	await(t, log, 3)
	if got := contractReads(t, log); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("got %v, want each once", got)
	}
	var completed int
	if err := log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river.river_job WHERE state = 'completed'`).Scan(&completed); err != nil || completed != 3 {
		t.Errorf("%d jobs are completed (%v), want 3", completed, err)
	}
}

// J4: the database is away, and the loop is started and stopped. J11: it goes away while a job is under way. Neither is an
// error, and what was under way is recorded once.
func testDatabaseAway(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Dedicated(t)
	if err := fill(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	log := openLog(t, server.New(t))
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	defer open()
	node := newNode(t, through(gate))
	c := config(log, node.URL)
	c.NodeTimeout, c.AttemptTimeout, c.RecordTimeout = 30*time.Second, 30*time.Second, 30*time.Second
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})

	t.Run("J4", func(t *testing.T) {
		server.Stop(t)
		stop := run(t, c)
		time.Sleep(2 * time.Second)
		stop() // fails the test when it returns an error
		if got := len(node.requests()); got != 0 {
			t.Errorf("%d requests were made for a database that is away", got)
		}
		server.Start(t)
	})
	t.Run("J11", func(t *testing.T) {
		run(t, c) // it is stopped with the test, and then as above
		eventually(t, "a job is under way", 60*time.Second, func() bool { return len(node.requests()) == 1 })
		server.Stop(t)
		open()
		time.Sleep(500 * time.Millisecond)
		server.Start(t)
		eventually(t, "it is recorded", 60*time.Second, func() bool { return len(reports(t, log)) > 0 })
		one(t, log)
		if got := len(node.requests()); got != 1 {
			t.Errorf("the node was asked %d times, want once: what it said waits for the database", got)
		}
	})
}

// line is the queue from end to end: a chain with one contract, the projections that fold it, a node, and the role.
type line struct {
	t        *testing.T
	log      *eventstore.Log
	kind     string // ft or nft
	contract string
	chain    *synthchain.Chain
	answers  outside.World

	mu    sync.Mutex
	fault func(w http.ResponseWriter, function string) bool // nil: none
	asked []time.Time                                       // requests for what is watched
}

// faults of a node or a contract.
var (
	busy = func(w http.ResponseWriter) { http.Error(w, "busy", http.StatusServiceUnavailable) }
	// runtime errors may pass, and analysis errors are there until the contract's owner mends it.
	runtimeError  = func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"okay":false,"cause":"Runtime(Foo(Bar))"}`) }
	analysisError = func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"okay":false,"cause":"Unchecked(Foo(Bar))"}`) }
)

// newLine begins with a block that deploys a contract of a kind. Calls of a function have a fault.
func newLine(t *testing.T, kind, function string, fault func(w http.ResponseWriter)) *line {
	t.Helper()
	l := &line{t: t, kind: kind, log: openLog(t, replay.Databases.New(t))}
	l.answers.LastTokenID = func(string) uint64 { return 40 }
	if fault != nil {
		l.breaks(function, fault)
	}
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		t.Fatal(err)
	}
	replay.Start(t, l.log, canonical, ft.New(nil), nft.New(nil))
	l.chain = synthchain.New(synthchain.Config{
		Seed: 4, Mix: synthchain.Mix{Deploy: 1, CollectibleMint: 6}, TxPerBlock: synthchain.Range{Min: 3, Max: 3}, SigningSample: 1000,
	})
	for l.contract == "" {
		l.mine()
		l.contract = l.text(`SELECT coalesce(min(contract_id), '') FROM ` + kind + `_v1.contract`)
	}
	node := httptest.NewServer(http.HandlerFunc(l.answer))
	t.Cleanup(node.Close)
	c := config(openLog(t, replay.Databases.New(t)), node.URL)
	c.AttemptTimeout, c.NodeTimeout = 60*time.Second, 60*time.Second
	run(t, c)
	return l
}

// mine adds what comes next on the chain.
func (l *line) mine() {
	l.t.Helper()
	replay.Append(l.t, l.log, replay.Post(l.chain.Next()))
	replay.Wait(l.t, l.log)
}

func (l *line) answer(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	parts := strings.Split(r.URL.Path, "/")
	function := parts[len(parts)-1]
	first := l.kind == "ft" || bytes.Contains(text, []byte(firstID))
	l.mu.Lock()
	fault := l.fault
	if first && function == "get-token-uri" && strings.HasSuffix(r.URL.Path, strings.Replace(l.contract, ".", "/", 1)+"/"+function) {
		l.asked = append(l.asked, time.Now())
	}
	l.mu.Unlock()
	if fault == nil || !fault(w, function) {
		l.answers.ServeHTTP(w, r)
	}
}

// firstID is the id of a contract's first token, as an argument.
const firstID = "0x0100000000000000000000000000000001"

// breaks gives a function a fault; nil mends everything.
func (l *line) breaks(function string, fault func(w http.ResponseWriter)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = func(w http.ResponseWriter, called string) bool {
		if fault != nil && called == function {
			fault(w)
			return true
		}
		return false
	}
}

func (l *line) requests() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.asked)
}

func (l *line) text(query string, arguments ...any) (text string) {
	l.t.Helper()
	if err := l.log.Pool().QueryRow(l.t.Context(), query, arguments...).Scan(&text); err != nil {
		l.t.Fatalf("%s: %v", query, err)
	}
	return text
}

// want is what is wanted of the contract's first token.
type want struct {
	Attempts, Waits int
	Due             time.Time `json:"due_at"`
	State           string
	Seq             int64 `json:"source_seq"`
}

// firstSQL selects the wants of the properties of a contract's first token. Those of one kind name it in the arguments.
const firstSQL = ` FROM {kind}_v1.want w WHERE kind = 'contract_read' AND want LIKE '%"' || $1 || '"%get-token-uri%'
	AND ('{kind}' = 'ft' OR want LIKE '%` + firstID + `%')`

func (l *line) first() string { return strings.ReplaceAll(firstSQL, "{kind}", l.kind) }

// standing is the want; ok is false when there is none.
func (l *line) standing() (w want, ok bool) {
	l.t.Helper()
	text := l.text(`SELECT coalesce((SELECT to_jsonb(w) || jsonb_build_object('state', `+l.kind+`_v1.want_state(attempts, severity))`+l.first()+`), '{}')::text`, l.contract)
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		l.t.Fatal(err)
	}
	return w, w.State != ""
}

// until waits for the want to be as it should be.
func (l *line) until(what string, holds func(w want) bool) want {
	l.t.Helper()
	var found want
	eventually(l.t, what, 30*time.Second, func() bool {
		w, ok := l.standing()
		found = w
		return ok && holds(w)
	})
	return found
}

// later lets the time come at which the want is due.
func (l *line) later(set string) {
	l.t.Helper()
	where := strings.TrimPrefix(l.first(), " FROM "+l.kind+"_v1.want w")
	if _, err := l.log.Pool().Exec(l.t.Context(), `UPDATE `+l.kind+`_v1.want w SET due_at = now()`+set+where, l.contract); err != nil {
		l.t.Fatal(err)
	}
}

// dueIn checks how long it is until the want is due.
func (l *line) dueIn(w want, delay time.Duration) {
	l.t.Helper()
	if in := time.Until(w.Due); in > delay || in < delay-60*time.Second {
		l.t.Errorf("it is due in %s, want %s", in, delay)
	}
}

// unasked checks that nothing is asked while the dispatcher looks a few times.
func (l *line) unasked() {
	l.t.Helper()
	before := len(l.requests())
	time.Sleep(500 * time.Millisecond)
	if now := len(l.requests()); now != before {
		l.t.Errorf("it was asked %d times more, though it is not due", now-before)
	}
}

// J5: it is done, and not offered any more.
func testSuccess(t *testing.T) {
	l := newLine(t, "ft", "", nil)
	eventually(t, "the token is read", 30*time.Second, func() bool {
		return l.text(`SELECT coalesce(max(symbol), '') FROM ft_v1.token WHERE contract_id = $1`, l.contract) == outside.Symbol(l.contract)
	})
	if w, ok := l.standing(); ok {
		t.Errorf("it is still wanted: %+v", w)
	}
	if got := len(l.requests()); got != 1 {
		t.Errorf("it was asked %d times, want once", got)
	}
	l.unasked()
	key := fetch.Want{Kind: fetch.ContractRead, Contract: l.contract, Calls: token.Calls(token.FT, big.NewInt(1))}.Key()
	if got := l.text(`
		SELECT string_agg(state::text, ', ') FROM river.river_job
		WHERE args->'raising'->>'key' = encode(sha256(convert_to($1, 'UTF8')), 'hex')`, key); got != "completed" {
		t.Errorf("its jobs are %s, want one that is completed", got)
	}
}

// J6: the count is 1, then 2, and it goes on.
func testTroubledTwice(t *testing.T) {
	l := newLine(t, "ft", "get-symbol", runtimeError)
	w := l.until("it failed", func(w want) bool { return w.Attempts == 1 })
	l.dueIn(w, 30*time.Second)
	l.unasked()
	l.later("")
	w = l.until("it failed again", func(w want) bool { return w.Attempts == 2 })
	l.dueIn(w, 2*time.Minute)
	if w.State != "failed" || w.Waits != 0 {
		t.Errorf("got %+v", w)
	}
	l.breaks("", nil)
	l.later("")
	eventually(t, "it is read", 30*time.Second, func() bool { _, ok := l.standing(); return !ok })
}

// J7: it is invalid, and not offered.
func testWrong(t *testing.T) {
	l := newLine(t, "ft", "get-symbol", analysisError)
	w := l.until("it failed", func(w want) bool { return w.Attempts == 1 })
	l.dueIn(w, time.Hour)
	if w.State != "invalid" {
		t.Errorf("got %+v", w)
	}
	if got := l.text(`SELECT n::text FROM ft_v1.counter WHERE name = 'invalid'`); got != "1" {
		t.Errorf("%s wants count as invalid, want 1", got)
	}
	l.unasked()
}

// J8: one attempt more than there may be, and it is failed for good. Here it counts as failed from the first on, and is tried
// again after a week, whatever the number.
func testNeverGivenUp(t *testing.T) {
	l := newLine(t, "ft", "get-symbol", runtimeError)
	l.until("it failed", func(w want) bool { return w.Attempts == 1 })
	l.later(", attempts = 10")
	w := l.until("it failed for the eleventh time", func(w want) bool { return w.Attempts == 11 })
	l.dueIn(w, 7*24*time.Hour)
	if w.State != "failed" {
		t.Errorf("got %+v", w)
	}
	if got := l.text(`SELECT n::text FROM ft_v1.counter WHERE name = 'failed'`); got != "1" {
		t.Errorf("%s wants count as failed, want 1", got)
	}
	l.breaks("", nil)
	l.later("")
	eventually(t, "it is read after all", 30*time.Second, func() bool { _, ok := l.standing(); return !ok })
}

// J9: pending, however often. There it costs a retry that the strict mode does not count; here it costs none.
func testWaiting(t *testing.T) {
	l := newLine(t, "ft", "get-symbol", busy)
	for waits := 1; waits <= 2; waits++ {
		w := l.until(fmt.Sprintf("it waits for the %d. time", waits), func(w want) bool { return w.Waits == waits })
		if w.Attempts != 0 || w.State != "pending" {
			t.Errorf("got %+v", w)
		}
		l.dueIn(w, time.Duration(5*waits)*time.Second)
		l.later("")
	}
}

// J10: not offered until the time has passed, and then it is.
func testDelay(t *testing.T) {
	l := newLine(t, "ft", "get-symbol", busy)
	w := l.until("it waits", func(w want) bool { return w.Waits == 1 })
	l.breaks("", nil)
	asked := len(l.requests())
	eventually(t, "it is read", 30*time.Second, func() bool { _, ok := l.standing(); return !ok })
	got := l.requests()
	if len(got) != asked+1 {
		t.Fatalf("it was asked %d times, want %d", len(got), asked+1)
	}
	if late := got[asked].Sub(w.Due); late < 0 || late > 5*time.Second {
		t.Errorf("it was asked %s after it was due", late)
	}
}

// J12: its owner broke it, and somebody mints the token once more. It keeps its time, and is offered when that comes.
func testMintedAgain(t *testing.T) {
	l := newLine(t, "nft", "get-token-uri", analysisError)
	before := l.until("it failed", func(w want) bool { return w.Attempts == 1 })
	var after want
	for posts := 0; after.Seq <= before.Seq; posts++ {
		if posts == 200 {
			t.Fatal("nobody mints it")
		}
		l.mine()
		after, _ = l.standing()
	}
	if !after.Due.Equal(before.Due) || after.Attempts != 1 || after.State != "invalid" {
		t.Errorf("a mint made %+v of %+v", after, before)
	}
	l.unasked()
	l.breaks("", nil)
	l.later("")
	eventually(t, "it is read", 30*time.Second, func() bool { _, ok := l.standing(); return !ok })
}
