package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"strata/internal/synth/synthchain"
	"strata/projections/version"
	"strata/rig/replay"
)

// History is what has happened in a world.
type History struct {
	Seed   uint64
	Posts  []replay.Post // in the order in which the node has sent them
	Tries  int           // how often it has sent one
	Chain  *synthchain.Chain
	Trace  string
	Hash   uint64 // of what has happened
	Counts map[string]int
	Steps  int // requests to the database
	Took   time.Duration
	Wrong  []string
}

// plan is what the seed says about a history as a whole.
type plan struct {
	chain  synthchain.Config
	posts  int
	faults Faults
	crash  int // per ten thousand steps
	second int // per ten thousand steps: a second process starts, or stops
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
	p := plan{chain: c, posts: pick(10, 25, 40, 80), hurry: random.IntN(2) == 0}
	if random.IntN(4) > 0 {
		p.faults = Faults{CutBefore: pick(0, 5, 20, 60), CutAfter: pick(0, 5, 20, 60), Freeze: pick(0, 0, 5, 20)}
	}
	p.crash, p.second = pick(0, 5, 20, 40), pick(0, 0, 10, 30)
	return p
}

// Run lets a history happen in a world of its own, on the database at a URL.
func Run(t *testing.T, seed uint64, number int, databaseURL string, program Program) *History {
	h := &History{Seed: seed}
	began := time.Now()
	synctest.Test(t, func(t *testing.T) { h.happen(t, number, databaseURL, program) })
	h.Took = time.Since(began)
	return h
}

func (h *History) happen(t *testing.T, number int, databaseURL string, program Program) {
	p := newPlan(h.Seed, synthchain.Testnet)
	w := NewWorld(t, number, h.Seed, databaseURL, program)
	s := w.Script
	defer func() {
		h.Trace, h.Hash, h.Counts, h.Steps = s.Trace(), s.hash, s.counts, s.steps
	}()
	h.Chain = synthchain.New(p.chain)
	for range p.posts {
		h.Posts = append(h.Posts, h.Chain.Next())
	}
	w.Start()
	s.Faults = p.faults
	node := &node{world: w, random: rand.New(rand.NewPCG(h.Seed, 0x6e6f6465)), hurry: p.hurry, done: make(chan struct{})}
	go node.post(h.Posts)
	for limit := time.Now().Add(2 * time.Hour); !node.ended() && time.Now().Before(limit); {
		w.reap()
		switch {
		case s.chance(p.crash) && len(w.running) > 0:
			w.Crash(w.someone())
		case s.chance(p.second) && len(w.running) < 2:
			s.Count("second processes")
			w.Start()
		case s.chance(p.second) && len(w.running) > 1:
			w.Stop(w.someone())
		case len(w.running) == 0:
			s.Run(time.Duration(s.Random.IntN(3000)) * time.Millisecond)
			w.Start()
		case !s.step():
			s.rest(time.Second)
		}
	}
	s.Faults = Faults{}
	h.Tries = node.tries
	if !node.ended() {
		h.Wrong = append(h.Wrong, "the node has not got rid of its events in two hours")
	} else if w.reap(); len(w.running) == 0 {
		w.Start()
	}
	behind := func() (all []string) {
		statuses, err := version.StatusesWithoutSizes(context.Background(), s.db.conn)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range statuses {
			if p.Active && (p.State != version.StateLive || p.Lag() > 0 || !p.Indexed) {
				all = append(all, fmt.Sprintf("%s is %s and lags %d", p.Name, p.State, p.Lag()))
			}
		}
		return all
	}
	if !s.Until(time.Minute, func() bool { return len(behind()) == 0 }) {
		h.Wrong = append(h.Wrong, fmt.Sprintf("a minute after the last fault not all is folded: %v", behind()))
	}
	w.End()
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

// node posts events, each until it is acknowledged, as a Stacks node does.
type node struct {
	world  *World
	random *rand.Rand
	hurry  bool
	tries  int
	done   chan struct{}
}

func (n *node) ended() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

func (n *node) post(posts []replay.Post) {
	defer close(n.done)
	for i, post := range posts {
		if !n.hurry || n.random.IntN(10) == 0 {
			time.Sleep(time.Duration(n.random.IntN(2000)) * time.Millisecond)
		}
		for {
			n.tries++
			r, err := n.world.askAny(context.Background(), time.Minute, http.MethodPost, "3700", post.Path, post.Body)
			n.world.Script.tell("event %d to %s: %d %v", i+1, post.Path, r.Status, err)
			if err == nil && r.Status == http.StatusOK {
				break
			}
			time.Sleep(time.Second)
		}
	}
}

// askAny asks the first process that listens.
func (w *World) askAny(ctx context.Context, limit time.Duration, method, port, path string, body []byte) (Reply, error) {
	last := 0
	w.network.mu.Lock()
	for number := 1; number < 255; number++ {
		if w.network.listeners[w.network.host(number)+":"+port] != nil {
			last = number
			break
		}
	}
	w.network.mu.Unlock()
	return w.Ask(ctx, limit, method, last, port, path, nil, body)
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
