package metadata_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
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
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/short"
	"strata/projections/chain"
	"strata/projections/ft"
	"strata/projections/nft"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// TestQueue checks rows J1 to J12 of the conformance list, which are about the job queue. A job in that list
// corresponds to two things here: a want, which is a row of a projection and has the state, the number of failures and
// the time of the next attempt; and a lease, which is one attempt. So "pending" in the list describes a want, and "queued"
// describes a lease.
//
// Two settings of the list have no counterpart, because no want is ever given up: the maximum number of retries (J8,
// where it is 0), and the strict mode that disables it (J9, where it is on).
func TestQueue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T){
		"J1 jobs in progress do not exceed the limit":          testLimit,
		"J2 the job of a killed process is done":               testKilledProcess,
		"J3 a completed job stays completed":                   testCompletedStaysCompleted,
		"J4 and J11 the database is down":                      testDatabaseDown,
		"J5 success":                                           testSuccess,
		"J6 a temporary error, twice":                          testTwoFailures,
		"J7 an error of the contract's owner":                  testOwnerError,
		"J8 many failures":                                     testNeverGivenUp,
		"J9 a busy node costs no attempt":                      testBusyNode,
		"J10 an attempt comes when it is due, and not earlier": testDelay,
		"J12 a mint does not hasten an invalid want":           testMintedAgain,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// J1: the limit is 1. The second attempt does not begin before the first is done.
func testLimit(t *testing.T) {
	log := openLog(t, databases.New(t))
	gate := make(chan struct{})
	node := newNode(t, answerAfter(gate))
	c := config(log, node.URL)
	c.Concurrency, c.NodeTimeout, c.AttemptTimeout = 1, 30*time.Second, 30*time.Second
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first"), priority: 1})
	r := run(t, c)
	eventually.Holds(t, "the first attempt is in progress", func() bool { return len(node.requests()) == 1 })
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	eventually.Holds(t, "a worker has the second want", func() bool { return openLeases(t, log) == 2 })
	r.awaitPass(t)
	if got := node.requests(); len(got) != 1 {
		t.Errorf("%d attempts are in progress, want 1", len(got))
	}
	close(gate)
	r.awaitReports(t, 2)
}

// functionsRead returns the sorted names of the functions in the reports on contracts.
func functionsRead(t *testing.T, log *eventstore.Log) (functions []string) {
	t.Helper()
	for _, r := range reports(t, log) {
		if r.Want.Kind == fetch.ContractRead {
			functions = append(functions, r.Want.Calls[0].Function)
		}
	}
	slices.Sort(functions)
	return functions
}

// J2: job1 is queued by a process that was killed; job2 and job3 are pending. In the list job1 comes first. Here it is
// done once it counts as lost, and the others do not wait for it.
func testKilledProcess(t *testing.T) {
	short.Skip(t, "waits for the end of a lease")
	log := openLog(t, databases.New(t))
	var dead atomic.Bool
	gate := make(chan struct{})
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		if !dead.Load() {
			answerAfter(gate)(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})
	kill := startChild(t, databases.URL(t), node.URL)
	eventually.Holds(t, "the first attempt is in progress", func() bool { return len(node.requests()) == 1 })
	kill()
	dead.Store(true)
	// The test pretends that the process was killed an hour ago.
	tag, err := log.Pool().Exec(t.Context(), `UPDATE metadata.lease SET until = until - interval '1 hour' WHERE NOT done`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%d leases are held (%v), want 1", tag.RowsAffected(), err)
	}
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third")})
	run(t, impatient(config(log, node.URL))).awaitReports(t, 3)
	if got := functionsRead(t, log); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("got %v, want each once", got)
	}
}

// J3: job1 is completed. The others are done, and job1 stays completed, even while its want is still there because no
// projection has folded the report.
func testCompletedStaysCompleted(t *testing.T) {
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})
	r := run(t, config(log, node.URL))
	r.awaitReport(t)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("second")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("third")})
	r.awaitReports(t, 3)
	if got := functionsRead(t, log); !slices.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("got %v, want each once", got)
	}
	if completed := leases(t, log, `done`); completed != 3 {
		t.Errorf("%d leases are done, want 3", completed)
	}
}

// J4: the role starts and stops while the database is down. J11: the database goes down while a job is in progress.
// Neither is an error, and the job in progress is recorded once.
func testDatabaseDown(t *testing.T) {
	server := dedicatedServer(t)
	log := openLog(t, server.New(t))
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	defer open()
	node := newNode(t, answerAfter(gate))
	c := config(log, node.URL)
	c.NodeTimeout, c.AttemptTimeout, c.RecordTimeout = 30*time.Second, 30*time.Second, 30*time.Second
	logged := &logbuffer.Buffer{}
	c.Logger = slog.New(slog.NewTextHandler(logged, nil))
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("first")})

	t.Run("J4", func(t *testing.T) {
		server.Stop(t)
		r := run(t, c)
		eventually.Holds(t, "the role waits for the database", func() bool { return logged.HasLine("waits for the database") })
		r.stop()
		if got := len(node.requests()); got != 0 {
			t.Errorf("%d requests were made while the database was down", got)
		}
		server.Start(t)
	})
	t.Run("J11", func(t *testing.T) {
		r := run(t, c)
		eventually.Holds(t, "a job is in progress", func() bool { return len(node.requests()) == 1 })
		server.Stop(t)
		open()
		eventually.Holds(t, "recording has failed", func() bool { return logged.HasLine("recording fetch reports failed") })
		server.Start(t)
		log.Pool().Reset() // the test's own reads must not meet a connection of before
		eventually.Holds(t, "the report is recorded", func() bool { return len(reports(t, log)) > 0 })
		r.awaitReport(t)
		if got := len(node.requests()); got != 1 {
			t.Errorf("the node got %d requests, want one, whose answer waits for the database", got)
		}
	})
}

// pipeline is the queue from end to end: a chain with one contract, the projections that fold it, a node, and the role.
type pipeline struct {
	t        *testing.T
	log      *eventstore.Log
	kind     string // ft or nft
	contract string
	chain    *synthchain.Chain
	answers  outside.World
	role     *role

	mu       sync.Mutex
	fault    func(w http.ResponseWriter, function string) bool // nil: none
	received []time.Time                                       // times of the requests for the first token
}

// Faults of a node or a contract.
var (
	busy = func(w http.ResponseWriter) { http.Error(w, "busy", http.StatusServiceUnavailable) }
	// A runtime error may be temporary. An analysis error lasts until the contract's owner fixes the contract.
	runtimeError  = func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"okay":false,"cause":"Runtime(Foo(Bar))"}`) }
	analysisError = func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"okay":false,"cause":"Unchecked(Foo(Bar))"}`) }
)

// newPipeline starts a pipeline with a chain that ends with the deployment of a contract of this kind. Calls of
// function have a fault, unless fault is nil.
func newPipeline(t *testing.T, kind, function string, fault func(w http.ResponseWriter)) *pipeline {
	t.Helper()
	l := &pipeline{t: t, kind: kind, log: openLog(t, replay.Databases.New(t))}
	l.answers.LastTokenID = func(string) uint64 { return 40 }
	if fault != nil {
		l.setFault(function, fault)
	}
	canonical := must.Get(chain.New(chain.Recommended, nil))(t)
	replay.Start(t, l.log, canonical, ft.New(nil), nft.New(nil))
	l.chain = synthchain.New(synthchain.Config{
		Seed: 4, Mix: synthchain.Mix{Deploy: 1, CollectibleMint: 6}, TxPerBlock: synthchain.Range{Min: 3, Max: 3}, SigningSample: 1000,
	})
	for l.contract == "" {
		l.mine()
		l.contract = l.text(`SELECT coalesce(min(contract_id), '') FROM ` + schemaOf(kind) + `.contract`)
	}
	node := httptest.NewServer(http.HandlerFunc(l.answer))
	t.Cleanup(node.Close)
	c := config(openLog(t, replay.Databases.New(t)), node.URL)
	c.AttemptTimeout, c.NodeTimeout = 60*time.Second, 60*time.Second
	l.role = run(t, c)
	return l
}

// mine adds the next event of the chain.
func (l *pipeline) mine() {
	l.t.Helper()
	replay.Append(l.t, l.log, l.chain.Next())
	replay.Wait(l.t, l.log)
}

func (l *pipeline) answer(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	parts := strings.Split(r.URL.Path, "/")
	function := parts[len(parts)-1]
	first := l.kind == "ft" || bytes.Contains(text, []byte(firstID))
	l.mu.Lock()
	fault := l.fault
	if first && function == "get-token-uri" && strings.HasSuffix(r.URL.Path, strings.Replace(l.contract, ".", "/", 1)+"/"+function) {
		l.received = append(l.received, time.Now())
	}
	l.mu.Unlock()
	if fault == nil || !fault(w, function) {
		l.answers.ServeHTTP(w, r)
	}
}

// firstID is the id of a contract's first token, encoded as an argument.
const firstID = "0x0100000000000000000000000000000001"

// setFault gives one function a fault; nil removes all faults.
func (l *pipeline) setFault(function string, fault func(w http.ResponseWriter)) {
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

func (l *pipeline) requests() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.received)
}

func (l *pipeline) text(query string, arguments ...any) (text string) {
	l.t.Helper()
	if err := l.log.Pool().QueryRow(l.t.Context(), query, arguments...).Scan(&text); err != nil {
		l.t.Fatalf("%s: %v", query, err)
	}
	return text
}

// want is the want for the contract's first token.
type want struct {
	Attempts, Waits int
	Due             time.Time `json:"due_at"`
	State           string
	Seq             int64 `json:"source_seq"`
}

// schemaOf returns the schema of the tables of a kind of token.
func schemaOf(kind string) string {
	return fmt.Sprintf("%s_v%d", kind, map[string]int{"ft": ft.Version, "nft": nft.Version}[kind])
}

// firstSQL selects the want for the properties of a contract's first token. Only in wants for an nft do the arguments
// name the token.
const firstSQL = ` FROM {schema}.want w WHERE kind = 'contract_read' AND want LIKE '%"' || $1 || '"%get-token-uri%'
	AND ('{kind}' = 'ft' OR want LIKE '%` + firstID + `%')`

func (l *pipeline) firstSQL() string {
	return strings.NewReplacer("{kind}", l.kind, "{schema}", schemaOf(l.kind)).Replace(firstSQL)
}

// currentWant returns the want for the first token; ok is false if there is none.
func (l *pipeline) currentWant() (w want, ok bool) {
	l.t.Helper()
	text := l.text(`SELECT coalesce((SELECT to_jsonb(w) || jsonb_build_object('state', `+schemaOf(l.kind)+`.want_state(attempts, severity))`+l.firstSQL()+`), '{}')::text`, l.contract)
	must.Do(l.t, json.Unmarshal([]byte(text), &w))
	return w, w.State != ""
}

// awaitWant waits until holds returns true for the want, and returns the want.
func (l *pipeline) awaitWant(what string, holds func(w want) bool) want {
	l.t.Helper()
	var last want
	eventually.Holds(l.t, what, func() bool {
		w, ok := l.currentWant()
		last = w
		return ok && holds(w)
	})
	return last
}

// makeDue makes the want due now. set may add further assignments.
func (l *pipeline) makeDue(set string) {
	l.t.Helper()
	where := strings.TrimPrefix(l.firstSQL(), " FROM "+schemaOf(l.kind)+".want w")
	must.Get(l.log.Pool().Exec(l.t.Context(), `UPDATE `+schemaOf(l.kind)+`.want w SET due_at = now()`+set+where, l.contract))(l.t)
}

// repair removes all faults, makes the want due, and waits until the token is read.
func (l *pipeline) repair() {
	l.t.Helper()
	l.setFault("", nil)
	l.makeDue("")
	l.awaitRead()
}

// awaitRead waits until the token is read, which deletes the want.
func (l *pipeline) awaitRead() {
	l.t.Helper()
	eventually.Holds(l.t, "the token is read", func() bool { _, ok := l.currentWant(); return !ok })
}

// wantDueIn fails the test unless the want is due after a delay.
func (l *pipeline) wantDueIn(w want, delay time.Duration) {
	l.t.Helper()
	if in := time.Until(w.Due); in > delay || in < delay-60*time.Second {
		l.t.Errorf("the want is due in %s, want %s", in, delay)
	}
}

// wantNoRequests fails the test if a pass of the dispatcher leads to a request for the first token.
func (l *pipeline) wantNoRequests() {
	l.t.Helper()
	before := len(l.requests())
	l.role.awaitPass(l.t)
	eventually.Holds(l.t, "all leases have ended", func() bool { return openLeases(l.t, l.log) == 0 })
	if now := len(l.requests()); now != before {
		l.t.Errorf("the node got %d more requests, though the want is not due", now-before)
	}
}

// J5: the lease is done, and the want not taken again.
func testSuccess(t *testing.T) {
	l := newPipeline(t, "ft", "", nil)
	eventually.Holds(t, "the token is read", func() bool {
		return l.text(schemas.In(`SELECT coalesce(max(symbol), '') FROM {ft}.token WHERE contract_id = $1`), l.contract) == outside.Symbol(l.contract)
	})
	if w, ok := l.currentWant(); ok {
		t.Errorf("the want is still there: %+v", w)
	}
	if got := len(l.requests()); got != 1 {
		t.Errorf("the node got %d requests, want one", got)
	}
	l.wantNoRequests()
	key := fetch.Want{Kind: fetch.ContractRead, Contract: l.contract, Calls: token.Calls(token.FT, big.NewInt(1))}.Key()
	if got := l.text(`
		SELECT string_agg(done::text, ', ') FROM metadata.lease WHERE key_hash = sha256(convert_to($1, 'UTF8'))`, key); got != "true" {
		t.Errorf("done: %s, want one lease that is done", got)
	}
}

// J6: the number of failures is 1, then 2, and the attempts go on.
func testTwoFailures(t *testing.T) {
	l := newPipeline(t, "ft", "get-symbol", runtimeError)
	w := l.awaitWant("the first attempt failed", func(w want) bool { return w.Attempts == 1 })
	l.wantDueIn(w, 30*time.Second)
	l.wantNoRequests()
	l.makeDue("")
	w = l.awaitWant("the second attempt failed", func(w want) bool { return w.Attempts == 2 })
	l.wantDueIn(w, 2*time.Minute)
	if w.State != "failed" || w.Waits != 0 {
		t.Errorf("got %+v", w)
	}
	l.repair()
}

// J7: the want is invalid, and not taken.
func testOwnerError(t *testing.T) {
	l := newPipeline(t, "ft", "get-symbol", analysisError)
	w := l.awaitWant("the first attempt failed", func(w want) bool { return w.Attempts == 1 })
	l.wantDueIn(w, time.Hour)
	if w.State != "invalid" {
		t.Errorf("got %+v", w)
	}
	if got := l.text(schemas.In(`SELECT n::text FROM {ft}.counter WHERE name = 'invalid'`)); got != "1" {
		t.Errorf("%s wants are counted as invalid, want 1", got)
	}
	l.wantNoRequests()
}

// J8: in the list, a job fails for good after one attempt more than the maximum. Here the want is failed from the first
// failure on, and after many failures it is still tried every week.
func testNeverGivenUp(t *testing.T) {
	l := newPipeline(t, "ft", "get-symbol", runtimeError)
	l.awaitWant("the first attempt failed", func(w want) bool { return w.Attempts == 1 })
	l.makeDue(", attempts = 10")
	w := l.awaitWant("the eleventh attempt failed", func(w want) bool { return w.Attempts == 11 })
	l.wantDueIn(w, 7*24*time.Hour)
	if w.State != "failed" {
		t.Errorf("got %+v", w)
	}
	// So may be the document, which is fetched although the symbol can't be read.
	if got := l.text(schemas.In(`SELECT n - (SELECT count(*) FROM {ft}.want WHERE kind = 'document' AND attempts > 0 AND severity < 2) || '' FROM {ft}.counter WHERE name = 'failed'`)); got != "1" {
		t.Errorf("%s wants are counted as failed, want 1", got)
	}
	l.repair()
}

// J9: the want stays pending, however often the node is busy. In the list that costs a retry, which the strict mode
// does not count; here it costs none.
func testBusyNode(t *testing.T) {
	l := newPipeline(t, "ft", "get-symbol", busy)
	for waits := 1; waits <= 2; waits++ {
		w := l.awaitWant(fmt.Sprintf("the node was busy %d times", waits), func(w want) bool { return w.Waits == waits })
		if w.Attempts != 0 || w.State != "pending" {
			t.Errorf("got %+v", w)
		}
		l.wantDueIn(w, time.Duration(5*waits)*time.Second)
		l.makeDue("")
	}
}

// J10: the want is not taken before it is due, and then at once.
func testDelay(t *testing.T) {
	l := newPipeline(t, "ft", "get-symbol", busy)
	w := l.awaitWant("the node was busy", func(w want) bool { return w.Waits == 1 })
	l.setFault("", nil)
	before := len(l.requests())
	l.awaitRead()
	got := l.requests()
	if len(got) != before+1 {
		t.Fatalf("the node got %d requests, want %d", len(got), before+1)
	}
	if late := got[before].Sub(w.Due); late < 0 || late > 5*time.Second {
		t.Errorf("the request came %s after the want was due", late)
	}
}

// J12: the want is invalid because of the contract's owner, and the token is minted once more. The want keeps its due
// time, and is taken then.
func testMintedAgain(t *testing.T) {
	l := newPipeline(t, "nft", "get-token-uri", analysisError)
	before := l.awaitWant("the first attempt failed", func(w want) bool { return w.Attempts == 1 })
	var after want
	for posts := 0; after.Seq <= before.Seq; posts++ {
		if posts == 200 {
			t.Fatal("the chain does not mint the token again")
		}
		l.mine()
		after, _ = l.currentWant()
	}
	if !after.Due.Equal(before.Due) || after.Attempts != 1 || after.State != "invalid" {
		t.Errorf("a mint changed %+v to %+v", before, after)
	}
	l.wantNoRequests()
	l.repair()
}
