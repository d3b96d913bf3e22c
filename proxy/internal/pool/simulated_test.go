package pool

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"strata/proxy/internal/client"
	"strata/proxy/internal/policy"
)

// nodeModel is what the documentation says of a node that has got these requests and probes.
type nodeModel struct {
	asked, foreign, syncing bool
	missed                  int
	unsupported             time.Time

	inFlight, heavy int
	ejected         bool
	until           time.Time // of the ejection
	ejections       int       // in a row
	admitted        time.Time
	trial           bool // in flight
	turn            int  // ejections and their ends; what began before is not counted any more
	row             int  // failures
	ended           []ended
}

type ended struct {
	at     time.Time
	failed bool
}

// requestModel is a request in flight, or one that waits for a seat.
type requestModel struct {
	node    int
	seat    Seat
	forced  bool
	trial   bool
	turn    int
	want    Want
	asked   time.Time
	answer  chan struct{} // closed with the answer to Pick
	err     error
	allowed uint64 // the nodes that it may go to
}

type poolHistory struct {
	t         *rapid.T
	pool      *Pool
	nodes     []*nodeModel
	inFlight  []*requestModel
	waiting   []*requestModel
	drawn     int64
	endpoints []*policy.Endpoint
}

// The grades of a node for a request, the best first. A node that does not support the endpoint is half a grade worse.
const (
	gradeServing = 2 * iota
	gradeSyncing
	_
	gradeLastResort
	gradeNever
)

func (n *nodeModel) standing() string {
	switch {
	case n.foreign:
		return "foreign"
	case n.missed >= 2:
		return "down"
	case !n.asked:
		return "unasked"
	case n.ejected:
		return "ejected"
	case n.syncing:
		return "syncing"
	}
	return "serving"
}

func (n *nodeModel) free(c Config, e *policy.Endpoint) bool {
	return n.inFlight < c.Concurrency && (e.Cost != policy.Heavy || n.heavy < c.HeavyConcurrency)
}

// trialDue reports whether one request may show whether the node works again.
func (n *nodeModel) trialDue() bool { return n.ejected && !n.trial && !time.Now().Before(n.until) }

func (n *nodeModel) grade(w Want) int {
	grade := gradeServing
	switch {
	case n.foreign || !n.asked:
		return gradeNever
	case n.missed >= 2, n.ejected && (!w.Safe || !n.trialDue()):
		grade = gradeLastResort
	case n.syncing:
		grade = gradeSyncing
	}
	if time.Now().Before(n.unsupported) && w.Endpoint.Index != light.Index {
		grade++
	}
	return grade
}

// allowed returns the nodes that may get a request: of those that it prefers, if one of them can be used, those of the best grade.
func (h *poolHistory) allowed(w Want) (set uint64, best int) {
	of := func(some uint64, most int) (set uint64, best int) {
		best = most
		for i, n := range h.nodes {
			switch grade := n.grade(w); {
			case some>>i&1 == 0 || grade >= most || grade > best:
			case grade < best:
				set, best = 1<<i, grade
			default:
				set |= 1 << i
			}
		}
		return set, best
	}
	if set, best := of(w.Preferred&^w.Excluded, gradeSyncing+2); set != 0 {
		return set, best
	}
	return of(^w.Excluded, gradeNever)
}

func (h *poolHistory) eject(n *nodeModel) {
	now := time.Now()
	if !n.admitted.IsZero() && now.Sub(n.admitted) > 30*time.Second {
		n.ejections = 0
	}
	lasts := 250 * time.Millisecond
	for range n.ejections {
		lasts = min(2*lasts, 30*time.Second)
	}
	n.ejections++
	n.ejected, n.until, n.trial, n.row, n.ended = true, now.Add(lasts+time.Duration(h.drawn)), false, 0, nil
	n.turn++
}

func (n *nodeModel) admit() {
	n.ejected, n.trial, n.row, n.ended, n.admitted = false, false, 0, nil, time.Now()
	n.turn++
}

// half reports whether half of at least 20 requests failed, of those that ended within some time.
func (n *nodeModel) half(within time.Duration) bool {
	failed := 0
	for i := range n.ended {
		e := n.ended[len(n.ended)-1-i]
		if time.Since(e.at) > within {
			return false
		}
		if e.failed {
			failed++
		}
		if i >= 19 && 2*failed >= i+1 {
			return true
		}
	}
	return false
}

// end records how a request ended.
func (h *poolHistory) end(i int, o Outcome) {
	r := h.inFlight[i]
	h.inFlight = append(h.inFlight[:i], h.inFlight[i+1:]...)
	n := h.nodes[r.node]
	n.inFlight--
	if r.want.Endpoint.Cost == policy.Heavy {
		n.heavy--
	}
	r.seat.Leave(o)
	works := o == OK || o == ClientError
	failed := !works && o != Cancelled && o != Outrun
	if r.forced {
		if works {
			n.admit()
			n.missed = 0
		}
		return
	}
	if r.turn != n.turn {
		return
	}
	switch {
	case r.trial && works:
		n.admit()
	case r.trial && failed:
		h.eject(n)
	case r.trial:
		n.trial = false
	case works || failed:
		n.ended = append(n.ended, ended{time.Now(), failed})
		n.row++
		if works {
			n.row = 0
		}
		if o == Unconnected || n.row == 5 {
			h.eject(n)
			return
		}
		// All windows of ten seconds that end now have these requests if the first ended so recently.
		all := time.Since(n.ended[0].at) < 10*time.Second && len(n.ended) >= 20 && n.half(10*time.Second)
		is := h.pool.nodes[r.node].ejection.until.Load() != 0
		if exact := all && len(n.ended) == 20; exact && !is {
			h.t.Fatalf("node %d is not ejected, although half of 20 requests failed within 10 s", r.node)
		}
		if is {
			if !n.half(10 * time.Second) {
				h.t.Fatalf("node %d is ejected, although too few requests failed", r.node)
			}
			h.eject(n)
		}
	}
}

func (h *poolHistory) ask(w Want) {
	r := &requestModel{want: w, asked: time.Now(), answer: make(chan struct{})}
	set, best := h.allowed(w)
	r.allowed = set
	ctx := h.t.Context()
	go func() {
		r.seat, r.err = h.pool.Pick(ctx, w)
		close(r.answer)
	}()
	synctest.Wait()
	free := false
	for i, n := range h.nodes {
		free = free || set>>i&1 == 1 && n.free(h.pool.config, w.Endpoint)
	}
	waits := !answered(r)
	switch {
	case set == 0, w.Spare && best > gradeServing:
		if waits || !errors.Is(r.err, ErrNone) {
			h.t.Fatalf("a request that no node may get: %v, want %v", r.err, ErrNone)
		}
	case free:
		if waits || r.err != nil {
			h.t.Fatalf("a request waits, or failed with %v, although a node has a free seat", r.err)
		}
		if set>>h.index(r)&1 == 0 {
			h.t.Fatalf("node %d got a request, but there are better ones: %b", h.index(r), set)
		}
		h.seated(r)
		if r.forced != (best >= gradeLastResort) {
			h.t.Fatalf("node %d, of grade %d: forced is %v", r.node, best, r.forced)
		}
	case waits:
		if w.Spare {
			h.t.Fatal("a spare request waits")
		}
		h.waiting = append(h.waiting, r)
	case !errors.Is(r.err, ErrBusy):
		h.t.Fatalf("the nodes are busy: %v, want %v", r.err, ErrBusy)
	case !w.Spare && len(h.waiting) < h.pool.config.QueueLength:
		h.t.Fatalf("a request was refused while %d waited", len(h.waiting))
	}
}

func (h *poolHistory) index(r *requestModel) int {
	for i, n := range h.pool.nodes {
		if n == r.seat.Node {
			return i
		}
	}
	h.t.Fatalf("no node: %v", r.err)
	return -1
}

func answered(r *requestModel) bool {
	select {
	case <-r.answer:
		return true
	default:
		return false
	}
}

// seated records that a request has its seat.
func (h *poolHistory) seated(r *requestModel) {
	r.node, r.forced = h.index(r), r.seat.permit.forced
	n := h.nodes[r.node]
	switch {
	case r.want.Excluded>>r.node&1 == 1:
		h.t.Fatalf("node %d got a request that excludes it", r.node)
	case n.foreign || !n.asked:
		h.t.Fatalf("node %d got a request, and is %s", r.node, n.standing())
	case r.forced || !n.ejected:
	case !r.want.Safe || !n.trialDue():
		h.t.Fatalf("node %d got a request while it is ejected", r.node)
	default:
		r.trial, n.trial = true, true
	}
	r.turn = n.turn
	n.inFlight++
	if r.want.Endpoint.Cost == policy.Heavy {
		n.heavy++
	}
	h.inFlight = append(h.inFlight, r)
}

// look compares the pool with its model.
func (h *poolHistory) look() {
	synctest.Wait()
	var waiting []*requestModel
	for _, r := range h.waiting {
		switch waited := time.Since(r.asked); {
		case !answered(r):
			if waited >= h.pool.config.QueueWait {
				h.t.Fatalf("a request waits for a seat since %v", waited)
			}
			waiting = append(waiting, r)
		case r.err == nil:
			h.seated(r)
		case !errors.Is(r.err, ErrBusy) && !errors.Is(r.err, ErrNone):
			h.t.Fatalf("a request that waited: %v", r.err)
		case errors.Is(r.err, ErrBusy) && waited < h.pool.config.QueueWait && len(h.waiting) <= h.pool.config.QueueLength:
			h.t.Fatalf("a request waited only %v", waited)
		}
	}
	h.waiting = waiting
	for i, s := range h.pool.Status() {
		n := h.nodes[i]
		if s.State != n.standing() || s.InFlight != int64(n.inFlight) {
			h.t.Fatalf("node %d is %s with %d in flight, want %s with %d", i, s.State, s.InFlight, n.standing(), n.inFlight)
		}
		if n.inFlight > h.pool.config.Concurrency || n.heavy > h.pool.config.HeavyConcurrency || s.Queued > int64(h.pool.config.QueueLength) {
			h.t.Fatalf("node %d has %d in flight, %d of them heavy, and %d waiting", i, n.inFlight, n.heavy, s.Queued)
		}
		for _, r := range h.waiting {
			if r.want.Excluded == ^(uint64(1)<<i) && n.free(h.pool.config, light) && r.want.Endpoint.Cost != policy.Heavy && n.heavy < h.pool.config.HeavyConcurrency {
				h.t.Fatalf("a request waits for node %d, which has a free seat", i)
			}
		}
	}
}

func (h *poolHistory) probe(i int) {
	n, height := h.nodes[i], says(100, 0)
	var err error
	switch rapid.IntRange(0, 7).Draw(h.t, "answer") {
	case 0:
		no := false
		height.FullySynced = &no
	case 1:
		height.NetworkID = 2
	case 2:
		err = errors.New("silence")
	case 3:
		err = &client.Error{Err: errors.New("refused")}
	}
	h.pool.recordProbe(context.Background(), h.pool.nodes[i], h.pool.nodes[i].raises.Load(), height, err)
	switch {
	case errors.As(err, new(*client.Error)):
		n.missed = max(n.missed+1, 2)
	case err != nil:
		n.missed++
	default:
		if n.missed >= 2 && n.ejected && n.until.After(time.Now()) {
			n.until = time.Now() // it is back, so a trial may come at once
		}
		n.asked, n.missed, n.foreign, n.syncing = true, 0, height.NetworkID != 1, height.FullySynced != nil
	}
}

// TestSimulatedPick lets nodes with random failures get random requests.
func TestSimulatedPick(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulatePick) })
}

func simulatePick(t *rapid.T) {
	h := &poolHistory{t: t, endpoints: []*policy.Endpoint{light, policy.Match("GET", "/v2/pox"), policy.Match("GET", "/v2/accounts/a")}}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		h.nodes = append(h.nodes, &nodeModel{})
	}
	config := testConfig(len(h.nodes))
	config.Concurrency = rapid.IntRange(1, 4).Draw(t, "concurrency")
	config.HeavyConcurrency = min(rapid.IntRange(1, 2).Draw(t, "heavy"), config.Concurrency)
	config.QueueLength = rapid.IntRange(0, 2).Draw(t, "queue")
	config.QueueWait = time.Duration(rapid.IntRange(1, 2000).Draw(t, "wait")) * time.Millisecond
	h.pool = New(config)
	chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "chance"), 0))
	var choosing sync.Mutex
	choice := rand.New(rand.NewPCG(chance.Uint64(), 0)) // apart, because requests that waited choose while others end
	h.pool.draw = func(n int64) int64 {
		choosing.Lock()
		defer choosing.Unlock()
		return choice.Int64N(n)
	}
	draw := func(n int64) int64 {
		h.drawn = chance.Int64N(n)
		return h.drawn
	}
	for i, n := range h.pool.nodes {
		n.ejection.draw = draw
		h.pool.recordProbe(context.Background(), n, 0, says(100, 0), nil)
		h.nodes[i].asked = true
	}
	times := []time.Duration{
		time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second, 11 * time.Second, 40 * time.Second, time.Hour,
	}
	times = times[:rapid.IntRange(1, len(times)).Draw(t, "times")]
	bad := rapid.IntRange(0, 4).Draw(t, "failures in four")
	set := rapid.Uint64Range(0, 1<<len(h.nodes)-1)
	h.look()
	for range rapid.IntRange(1, 200).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 19).Draw(t, "step"); {
		case step < 7:
			w := Want{Endpoint: rapid.SampledFrom(h.endpoints).Draw(t, "endpoint"), Safe: rapid.IntRange(0, 3).Draw(t, "safe") > 0}
			switch rapid.IntRange(0, 7).Draw(t, "kind") {
			case 0:
				w.Spare = true
			case 1:
				w.Excluded = set.Draw(t, "excluded")
			case 2:
				w.Excluded = ^(uint64(1) << rapid.IntRange(0, len(h.nodes)-1).Draw(t, "only"))
			case 3:
				w.Preferred = set.Draw(t, "preferred")
			}
			h.ask(w)
		case step < 14:
			if len(h.inFlight) > 0 {
				outcome := OK
				if rapid.IntRange(0, 3).Draw(t, "luck") < bad {
					outcome = Outcome(rapid.IntRange(int(ClientError), int(Outcomes)-1).Draw(t, "outcome"))
				}
				h.end(rapid.IntRange(0, len(h.inFlight)-1).Draw(t, "request"), outcome)
			}
		case step == 14:
			h.probe(rapid.IntRange(0, len(h.nodes)-1).Draw(t, "node"))
		case step == 15:
			i := rapid.IntRange(0, len(h.nodes)-1).Draw(t, "node")
			n := h.nodes[i]
			seat, ok := h.pool.TrySeat(h.pool.nodes[i], light)
			if may := n.grade(Want{Endpoint: light}) < gradeLastResort && n.free(config, light); ok != may {
				t.Fatalf("TrySeat of node %d: %v, want %v", i, ok, may)
			}
			if ok {
				h.seated(&requestModel{seat: seat, want: Want{Endpoint: light}})
			}
		case step == 16:
			i := rapid.IntRange(0, len(h.nodes)-1).Draw(t, "node")
			for _, e := range h.endpoints[1:] {
				h.pool.nodes[i].MarkUnsupported(e)
			}
			h.nodes[i].unsupported = time.Now().Add(time.Minute)
		case step == 17:
			if n := h.nodes[rapid.IntRange(0, len(h.nodes)-1).Draw(t, "node")]; n.ejected {
				time.Sleep(time.Until(n.until))
			}
		default:
			time.Sleep(rapid.SampledFrom(times).Draw(t, "time"))
		}
		h.look()
	}
	time.Sleep(config.QueueWait)
	h.look()
	for len(h.inFlight) > 0 {
		h.end(0, Outrun)
	}
	for range rapid.IntRange(0, 9).Draw(t, "relapses") {
		ask := func(o Outcome) {
			h.ask(Want{Endpoint: light, Safe: true, Excluded: ^uint64(1)})
			if len(h.inFlight) > 0 {
				h.end(0, o)
			}
			h.look()
		}
		if n := h.nodes[0]; n.ejected && time.Now().Before(n.until) {
			time.Sleep(time.Until(n.until) - 1)
			ask(Cancelled)
			time.Sleep(time.Nanosecond)
		}
		ask(Unconnected)
	}
	for i, n := range h.pool.nodes {
		if n.inFlight.Load() != 0 || n.load.Load() != 0 || n.queued.Load() != 0 ||
			!n.seats.TryAcquire(int64(config.Concurrency)) || !n.heavySeats.TryAcquire(int64(config.HeavyConcurrency)) {
			t.Fatalf("some seats of node %d were not released", i)
		}
	}
}
