package pool

import (
	"context"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"strata/domain/hash"
	"strata/internal/testkit/must"
	"strata/proxy/internal/policy"
)

// testConfig returns the configuration of a pool whose nodes have an address where nobody listens. Tests record the nodes' info
// themselves.
func testConfig(nodes int) Config {
	config := Config{
		ChainID: 1, Logger: slog.New(slog.DiscardHandler), LagBlocks: 3, LagTime: time.Hour,
		Concurrency: 4, HeavyConcurrency: 1, QueueLength: 1, QueueWait: 20 * time.Millisecond,
		ConnectTimeout: time.Second, ProbeTimeout: time.Second, ProbeInterval: time.Hour,
	}
	for i := range nodes {
		config.Nodes = append(config.Nodes, Address{
			Name: string(rune('a' + i)), URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Weight: 1,
		})
	}
	return config
}

func newTestPool(t *testing.T, nodes int, change func(*Config)) *Pool {
	t.Helper()
	config := testConfig(nodes)
	if change != nil {
		change(&config)
	}
	return New(config)
}

// says returns the info of a node at a height on a fork.
func says(height, fork int) *nodeInfo {
	return &nodeInfo{NetworkID: 1, BurnHeight: 100, Height: int64(height), id: hash.Hash32{1, byte(height), byte(height >> 8), byte(fork)}}
}

func (p *Pool) recordInfo(i int, info *nodeInfo) {
	n := p.nodes[i]
	p.recordProbe(context.Background(), n, n.raises.Load(), info, nil)
}

func (p *Pool) states() string {
	b := []byte{}
	for _, s := range p.Status() {
		b = append(b, s.State[0])
	}
	return string(b)
}

func wantStates(t *testing.T, p *Pool, want string) {
	t.Helper()
	if got := p.states(); got != want {
		t.Errorf("states %s, want %s", got, want)
	}
}

var light = policy.Match("GET", "/v2/info")

func TestStanding(t *testing.T) {
	p := newTestPool(t, 3, nil)
	wantStates(t, p, "uuu")
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(101, 0))
	p.recordInfo(2, says(90, 0)) // was behind from the start
	wantStates(t, p, "ssl")
	if tip := p.Tip(); tip.Height != 100 || tip.ID != says(100, 0).id {
		t.Errorf("tip %+v, want the height that two nodes have reached, 100", tip)
	}
	p.recordInfo(2, says(98, 0))
	wantStates(t, p, "sss")

	foreign := says(100, 0)
	foreign.NetworkID = 2
	p.recordInfo(0, foreign)
	wantStates(t, p, "fss")

	no := false
	syncing := says(100, 0)
	syncing.FullySynced = &no
	p.recordInfo(1, syncing)
	if got := p.Status()[1].State; got != "syncing" {
		t.Errorf("a node that reports to be syncing is %s", got)
	}
}

// A lone node far ahead is trusted only if it was on the same chain as another.
func TestAhead(t *testing.T) {
	p := newTestPool(t, 3, nil)
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	p.recordInfo(2, says(500, 1))
	wantStates(t, p, "ssa")
	if h := p.Tip().Height; h != 100 {
		t.Errorf("tip %d", h)
	}
	p.nodes[2].vouched = true
	p.evaluate()
	if got := p.states(); got != "lls" {
		t.Errorf("after another node vouched: %s", got)
	}

	q := newTestPool(t, 2, nil)
	q.recordInfo(0, says(100, 0))
	q.recordInfo(1, says(100, 0)) // the same block
	q.recordInfo(1, says(500, 0))
	if h := q.Tip().Height; h != 500 {
		t.Errorf("a node that was on the same chain as the other does not count: tip %d", h)
	}
}

// The block of Config.Tip counts as if a node had it.
func TestTipFromElsewhere(t *testing.T) {
	p := newTestPool(t, 2, func(c *Config) {
		c.Tip = func() (int64, hash.Hash32, bool) { return 200, says(200, 0).id, true }
	})
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	wantStates(t, p, "ll")
	p.recordInfo(0, says(200, 0))
	wantStates(t, p, "sl")
	if tip := p.Tip(); tip.Height != 200 || tip.ID != says(200, 0).id {
		t.Errorf("tip %+v", tip)
	}
}

func TestBurnLag(t *testing.T) {
	p := newTestPool(t, 2, nil)
	p.recordInfo(0, says(100, 0))
	behind := says(100, 0)
	behind.BurnHeight = 97
	p.recordInfo(1, behind)
	wantStates(t, p, "ss")
	p.recordInfo(1, behind)
	wantStates(t, p, "sl")
}

func pickName(t *testing.T, p *Pool, w Want) string {
	t.Helper()
	w.Endpoint = light
	seat, err := p.Pick(t.Context(), w)
	if err != nil {
		return err.Error()
	}
	seat.Leave(OK)
	return seat.Node.Name
}

// No report of a node empties the pool, and a foreign node never gets a request.
func TestFloor(t *testing.T) {
	p := newTestPool(t, 4, nil)
	foreign := says(1000, 3)
	foreign.NetworkID = 9
	p.recordInfo(0, foreign)
	if got := pickName(t, p, Want{}); got != ErrNone.Error() {
		t.Errorf("with a foreign node and nodes that were not probed, %s was picked", got)
	}
	p.recordInfo(1, says(80, 0))
	p.recordInfo(2, says(90, 0))
	p.config.Tip = func() (int64, hash.Hash32, bool) { return 100, hash.Hash32{}, true }
	p.evaluate()
	seat, err := p.Pick(t.Context(), Want{Endpoint: light})
	if err != nil || seat.Node.Name != "c" || seat.Lag != 10 {
		t.Fatalf("got %+v, %v; want the least lagging node, c, with a lag of 10", seat, err)
	}
	seat.Leave(OK)
	for i, want := range []string{"b", ErrNone.Error()} {
		if got := pickName(t, p, Want{Excluded: []uint64{4, 6}[i]}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A busy node gets fewer requests, and a node with more weight gets more.
func TestBalance(t *testing.T) {
	p := newTestPool(t, 2, func(c *Config) { c.Nodes[1].Weight = 3; c.Concurrency = 1000 })
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	count := map[string]int{}
	for range 400 {
		seat := must.Get(p.Pick(t.Context(), Want{Endpoint: light}))(t)
		count[seat.Node.Name]++ // the seat stays taken
	}
	if a, b := count["a"], count["b"]; a < 90 || a > 110 || b < 290 || b > 310 {
		t.Errorf("a has %d and b has %d of 400 requests, at weights of 1 and 3", a, b)
	}
}

// A readmitted node gets a small share at first.
func TestSlowStart(t *testing.T) {
	p := newTestPool(t, 2, func(c *Config) { c.SlowStart = time.Hour; c.Concurrency = 1000 })
	p.recordInfo(0, says(100, 0))
	p.recordInfo(1, says(100, 0))
	p.nodes[0].ejection.admit(time.Now())
	count := 0
	for range 330 {
		seat := must.Get(p.Pick(t.Context(), Want{Endpoint: light}))(t)
		if seat.Node == p.nodes[0] {
			count++
		}
	}
	if count < 25 || count > 35 {
		t.Errorf("the readmitted node has %d of 330 requests, want a tenth of the other's share", count)
	}
}

func TestParseInfo(t *testing.T) {
	i, err := parseInfo([]byte(`{"network_id":1,"burn_block_height":7,"stacks_tip_height":3,"stacks_tip":"` +
		hash.Hash32{4}.String()[2:] + `","stacks_tip_consensus_hash":"` + hash.Hash20{5}.String()[2:] + `","is_fully_synced":false}`))
	if err != nil || i.Height != 3 || i.NetworkID != 1 || i.BurnHeight != 7 || !i.syncing() || i.id != hash.IndexBlockHash(hash.Hash32{4}, hash.Hash20{5}) {
		t.Errorf("got %+v, %v", i, err)
	}
	for _, body := range []string{"", "{}", `{"network_id":1}`, `{"stacks_tip_height":1}`, `{"network_id":1,"stacks_tip_height":-1}`, "[]", "<html>"} {
		if i, err := parseInfo([]byte(body)); err == nil {
			t.Errorf("parseInfo(%q) = %+v", body, i)
		}
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add([]byte(`{"network_id":1,"stacks_tip_height":3,"stacks_tip":"00","is_fully_synced":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if i, err := parseInfo(body); err == nil && i.Height < 0 {
			t.Fatalf("height %d of %q", i.Height, body)
		}
	})
}

func TestProgress(t *testing.T) {
	start := time.Now()
	var p progress
	for i := range 2 * progressMax {
		p.reach(int64(i), start.Add(time.Duration(i)*time.Second))
	}
	now := start.Add(2 * progressMax * time.Second)
	if d, known := p.behindFor(2*progressMax-11, 1, now); d != 10*time.Second || !known {
		t.Errorf("behind for %v, %v; want 10s", d, known)
	}
	if _, known := p.behindFor(0, 1, now); known {
		t.Error("the time is known for a height that was forgotten")
	}
	if len(p.steps) > progressMax {
		t.Errorf("%d steps", len(p.steps))
	}
	p.reach(5, now)
	if d, _ := p.behindFor(5, 1, now); d != 0 {
		t.Errorf("after a reorganisation: behind the tip itself for %v", d)
	}
}
