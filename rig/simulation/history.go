package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/synth/synthchain"
	"strata/projections/version"
	"strata/rig/replay"
)

// History is what has happened in a world.
type History struct {
	Seed    uint64
	Scene   string
	Senders []*Sender
	Chain   *synthchain.Chain
	Trace   string
	Hash    uint64 // of what has happened until the processes were to end
	Counts  map[string]int
	Unknown bool // the state is not that of Chain, as other events were sent
	Steps   int  // requests to the database
	Took    time.Duration
	Wrong   []string

	mu       sync.Mutex // of Wrong
	began    time.Time  // of the world
	cut      Cut
	scene    Scene
	progress atomic.Int64
}

// wrong takes note of something that is wrong.
func (h *History) wrong(format string, arguments ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Wrong = append(h.Wrong, fmt.Sprintf(format, arguments...))
}

// modelled reports whether the state must be that of Chain.
func (h *History) modelled() bool { return !h.Unknown && len(h.cut.Without) == 0 }

// Scene is what a kind of histories has beside a chain whose node posts its events: more senders, servers, clients, and judges.
type Scene interface {
	// Plan changes what the seed says about the history.
	Plan(p *plan)
	// Arguments are the program's.
	Arguments(w *World) []string
	// Begin begins before the first process starts.
	Begin(w *World, h *History)
	// Act does something beside the script, now and then, and reports whether it did.
	Act(w *World, h *History) bool
	// Settle is called once no fault happens any more, and reports whether the program has done what it had to do.
	Settle(w *World, h *History) bool
	// Patience is how long after the last fault that may take.
	Patience() time.Duration
	// Judge adds what is wrong to a history that has ended. The world is gone, its database is there.
	Judge(j *judge)
	// Apart returns the tables that the canonical chain alone does not decide (rig.CheckSameRows).
	Apart() []string
	// Quarantines reports whether events may be in quarantine. The scene judges which.
	Quarantines() bool
}

// Scenes are all kinds of histories, by their names.
var Scenes = map[string]func(random *rand.Rand) Scene{
	"chain":       func(*rand.Rand) Scene { return quiet{} },
	"damage":      newDamage,
	"forks":       newForks,
	"nodes":       newNodes,
	"ordinals":    newOrdinals,
	"readers":     newReaders,
	"subscribers": newSubscribers,
	"tokens":      newTokens,
	"versions":    newVersions,
}

// quiet is a scene that adds nothing. Others embed it.
type quiet struct{}

func (quiet) Plan(*plan)                   {}
func (quiet) Arguments(*World) []string    { return nil }
func (quiet) Begin(*World, *History)       {}
func (quiet) Act(*World, *History) bool    { return false }
func (quiet) Settle(*World, *History) bool { return true }
func (quiet) Patience() time.Duration      { return time.Minute }
func (quiet) Judge(*judge)                 {}
func (quiet) Apart() []string              { return nil }
func (quiet) Quarantines() bool            { return false }

// plan is what the seed says about a history as a whole.
type plan struct {
	chain  synthchain.Config
	posts  int
	faults Faults
	budget int // how many faults happen at most
	crash  int // per ten thousand steps
	second int // per ten thousand steps: a second process starts, or one stops
	outage int // per ten thousand steps
	hurry  bool
}

func newPlan(seed uint64, network synthchain.Network) plan {
	random := rand.New(rand.NewPCG(seed, 0x706c616e))
	pick := func(of ...int) int { return of[random.IntN(len(of))] }
	share := func(of ...float64) float64 { return of[random.IntN(len(of))] }
	generations := synthchain.Generations()
	c := synthchain.Everything(seed, generations[random.IntN(len(generations))])
	if random.IntN(6) == 0 {
		c = synthchain.AllEpochs(seed)
	}
	c.Network, c.SigningSample, c.Accounts = network, 1_000_000, pick(8, 8, 16)
	c.TxPerBlock = synthchain.Range{Min: 0, Max: pick(1, 3, 6)}
	c.ForkProbability, c.MaxForkDepth = share(0, 0.1, 0.3, 0.5), pick(1, 3, 6)
	c.BitcoinReorgProbability, c.ReturnProbability = share(0, 0.03, 0.15), share(0, 0.4, 0.8)
	c.DuplicateProbability, c.LateParentProbability = share(0, 0.05, 0.2), share(0, 0.03, 0.2)
	c.Maturity = pick(2, 5, 12)
	if random.IntN(3) == 0 {
		c.Mix = synthchain.DefaultMix()
		c.Mix.Naming = 30
	}
	p := plan{chain: c, posts: pick(5, 10, 20, 40), hurry: random.IntN(2) == 0, budget: pick(1, 2, 4)}
	if random.IntN(4) > 0 {
		p.faults = Faults{CutBefore: pick(0, 5, 20, 60), CutAfter: pick(0, 5, 20, 60), Refuse: pick(0, 0, 10, 40), Freeze: pick(0, 0, 5, 20)}
	}
	p.crash, p.second, p.outage = pick(0, 5, 20, 40), pick(0, 0, 10, 30), pick(0, 0, 0, 10)
	return p
}

// calmed returns the plan without some kinds of faults.
func (p plan) calmed(c Calm) plan {
	if c.Crashes {
		p.crash = 0
	}
	if c.Seconds {
		p.second = 0
	}
	if c.Cuts {
		p.outage, p.faults.CutBefore, p.faults.CutAfter, p.faults.Refuse = 0, 0, 0, 0
	}
	if c.Freezes {
		p.faults.Freeze = 0
	}
	return p
}

// Run lets a history happen in a world of its own, on the database at a URL.
func Run(t *testing.T, scene string, seed uint64, cut Cut, databaseURL string, program Program) *History {
	h := &History{Seed: seed, Scene: scene, cut: cut}
	h.scene = Scenes[scene](rand.New(rand.NewPCG(seed, 0x7363656e65)))
	began := time.Now()
	defer watch(&h.progress)()
	synctest.Test(t, func(t *testing.T) { h.happen(t, databaseURL, program) })
	h.Took = time.Since(began)
	return h
}

// watch panics when a history stands still in real time, with the goroutines that are to blame: those that wait in a way that does
// not count as waiting. A script that does not get its turn can't end by itself.
func watch(progress *atomic.Int64) (end func()) {
	ended := make(chan struct{})
	go func() {
		last := int64(-1)
		for ticker := time.NewTicker(20 * time.Second); ; {
			select {
			case <-ended:
				ticker.Stop()
				return
			case <-ticker.C:
			}
			if now := progress.Load(); now != last {
				last = now
				continue
			}
			all := make([]byte, 16<<20)
			all = all[:runtime.Stack(all, true)]
			var blame []string
			for stack := range strings.SplitSeq(string(all), "\n\n") {
				if first, _, _ := strings.Cut(stack, "\n"); strings.Contains(first, "synctest bubble") && !strings.Contains(first, "durable") {
					blame = append(blame, stack)
				}
			}
			panic("the history stands still because of\n" + strings.Join(blame, "\n\n"))
		}
	}()
	return func() { close(ended) }
}

// patienceOfNode is how long a node may have to try until its events are acknowledged.
const patienceOfNode = 2 * time.Hour

// outageLongest is how long the database may be away.
const outageLongest = 2 * time.Minute

func (h *History) happen(t *testing.T, databaseURL string, program Program) {
	scene, p := h.scene, newPlan(h.Seed, synthchain.Testnet).calmed(h.cut.Calm)
	if h.cut.Posts > 0 {
		p.posts = h.cut.Posts
	}
	w := NewWorld(t, h.Seed, databaseURL, program)
	s := w.Script
	s.progress, s.fault = &h.progress, h.cut.Fault
	h.began = time.Now()
	defer func() {
		h.Trace, h.Counts, h.Steps = s.Trace(), s.counts, s.steps
	}()
	scene.Plan(&p)
	h.Chain = synthchain.New(p.chain)
	h.send(w, h.cut.left(replay.Take(p.posts, h.Chain.Next)), p.hurry)
	scene.Begin(w, h)
	w.arguments = scene.Arguments(w)
	w.Start()
	synctest.Wait() // what a sender comes upon does not depend on how long it takes to start
	for _, sender := range h.Senders {
		go sender.run()
	}
	s.Faults, s.budget = p.faults, p.budget
	for limit := time.Now().Add(patienceOfNode); !h.sent() && time.Now().Before(limit); {
		w.reap()
		switch {
		case s.faulty(p.crash) && len(w.running) > 0:
			w.Crash(w.someone())
		case s.faulty(p.second) && len(w.running) < 2:
			s.Count("second processes")
			w.Start()
		case s.chance(p.second) && len(w.running) > 1:
			w.Stop(w.someone())
		case s.faulty(p.outage):
			w.Outage(time.Duration(s.Random.Int64N(int64(outageLongest))).Truncate(time.Second))
		case len(w.running) == 0:
			s.Run(time.Duration(s.Random.IntN(3000)) * time.Millisecond)
			w.Start()
		case scene.Act(w, h):
		case !s.step():
			s.rest(time.Second)
		}
	}
	s.Faults = Faults{}
	if !h.sent() {
		h.wrong("a node has not got rid of its events in %v", patienceOfNode)
	} else if w.reap(); len(w.running) == 0 {
		w.Start()
	}
	if !s.Until(scene.Patience(), func() bool { return scene.Settle(w, h) && len(w.behind()) == 0 }) {
		h.wrong("%v after the last fault not all is done: %v", scene.Patience(), w.behind())
	}
	if h.modelled() && len(h.Wrong) == 0 {
		h.read(w)
		h.readEnds(w)
	}
	h.Hash = s.hash
	w.End()
}

// behind returns the projections that have not folded all there is.
func (w *World) behind() (all []string) {
	statuses, err := w.Script.db.statuses()
	if err != nil {
		w.T.Fatal(err)
	}
	for _, p := range statuses {
		if p.Active && (p.State != version.StateLive || p.Lag() > 0 || !p.Indexed) {
			all = append(all, fmt.Sprintf("%s is %s and lags %d", p.Name, p.State, p.Lag()))
		}
	}
	return all
}

// someone returns a running process.
func (w *World) someone() int {
	n := w.Script.Random.IntN(len(w.running))
	for number := 1; ; number++ {
		if _, ok := w.running[number]; ok {
			if n == 0 {
				return number
			}
			n--
		}
	}
}

// Sender posts events to the program, each until it is acknowledged, as a Stacks node does.
type Sender struct {
	Posts  []replay.Post
	Header http.Header // of its requests
	Tries  int         // how often it has sent one

	// after has how many events the first sender must have got rid of before each event; nil if none waits for another.
	after        []int
	acknowledged atomic.Int64
	told         chan struct{} // has an element after an event is acknowledged

	first  *Sender
	world  *World
	host   byte // of its address, by which the log names it
	wrong  func(format string, arguments ...any)
	random *rand.Rand
	hurry  bool
	done   chan struct{}
}

// send adds a sender.
func (h *History) send(w *World, posts []replay.Post, hurry bool) *Sender {
	n := len(h.Senders) + 1
	sender := &Sender{
		Posts: posts, world: w, host: byte(n), wrong: h.wrong, random: rand.New(rand.NewPCG(h.Seed, uint64(n))), hurry: hurry, done: make(chan struct{}), told: make(chan struct{}, 1),
	}
	h.Senders = append(h.Senders, sender)
	sender.first = h.Senders[0]
	return sender
}

// sent reports whether all events are acknowledged.
func (h *History) sent() bool {
	for _, sender := range h.Senders {
		select {
		case <-sender.done:
		default:
			return false
		}
	}
	return true
}

// source is how the log names the sender.
func (n *Sender) source() string { return fmt.Sprintf("observer:127.0.0.%d", n.host) }

func (n *Sender) run() {
	defer close(n.done)
	for i, post := range n.Posts {
		for n.after != nil && int(n.first.acknowledged.Load()) < n.after[i] {
			time.Sleep(200 * time.Millisecond)
		}
		if !n.hurry || n.random.IntN(10) == 0 {
			time.Sleep(time.Duration(n.random.IntN(2000)) * time.Millisecond)
		}
		for {
			n.Tries++
			ctx := context.WithValue(context.Background(), senderKey{}, n.host)
			r, err := n.world.askAny(ctx, time.Minute, http.MethodPost, observerPort, post.Path, n.Header.Clone(), post.Body)
			n.world.Script.tell("sender %d: event %d to %s: %d %v", n.host, i+1, post.Path, r.Status, err)
			if err == nil && r.Status == http.StatusOK {
				n.acknowledged.Add(1)
				select {
				case n.told <- struct{}{}:
				default:
				}
				break
			}
			if err == nil && (r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "") {
				n.wrong("an event to %s is neither accepted nor put off: %d %s", post.Path, r.Status, r.Body)
			}
			time.Sleep(time.Second)
		}
	}
}

// senderKey is the key of a sender's address in a context.
type senderKey struct{}

// askAny asks the first process that listens.
func (w *World) askAny(ctx context.Context, limit time.Duration, method, port, path string, header http.Header, body []byte) (Reply, error) {
	return w.Ask(ctx, limit, method, w.network.listening(port), port, path, header, body)
}

// rest waits until something waits for the script, or a time has passed.
func (s *Script) rest(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.arrived:
	case <-timer.C:
	}
}
