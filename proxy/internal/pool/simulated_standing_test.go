package pool

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// honestNode follows the chain, some blocks behind.
type honestNode struct {
	height int // at its last report
	missed int
	misled bool // it was compared with the liar alone
}

// TestSimulatedStanding lets nodes follow a chain that grows and forks, while one node lies.
func TestSimulatedStanding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateStanding) })
}

func simulateStanding(t *rapid.T) {
	nodes := make([]honestNode, rapid.IntRange(2, 4).Draw(t, "honest"))
	liar := len(nodes)
	config := testConfig(len(nodes) + 1)
	config.LagTime = rapid.SampledFrom([]time.Duration{0, 30 * time.Second, time.Hour}).Draw(t, "lag time")
	p := New(config)
	forks := make([]int, 100, 300) // of the block at each height
	report := func(i int, info *nodeInfo, err error) {
		p.recordProbe(context.Background(), p.nodes[i], p.nodes[i].raises.Load(), info, err)
	}
	tell := func(i, behind int) {
		n := &nodes[i]
		n.height, n.missed = max(len(forks)-1-behind, n.height), 0
		n.misled = false
		report(i, says(n.height, forks[n.height]), nil)
	}
	for i := range nodes {
		tell(i, 0)
	}
	var tips []step
	leapt, before := false, p.Tip().Height
	for range rapid.IntRange(1, 80).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 13).Draw(t, "step"); {
		case step < 2:
			forks = append(forks, forks[len(forks)-1])
		case step == 2:
			fork := forks[len(forks)-1] + 1
			for i := range rapid.IntRange(1, 2).Draw(t, "depth") {
				forks[len(forks)-1-i] = fork
			}
		case step < 7:
			tell(rapid.IntRange(0, liar-1).Draw(t, "node"), rapid.SampledFrom([]int{0, 0, 0, 1, 3, 4, 8}).Draw(t, "behind"))
		case step == 7:
			i := rapid.IntRange(0, liar-1).Draw(t, "node")
			nodes[i].missed++
			report(i, nil, errors.New("silence"))
		case step == 8:
			time.Sleep(rapid.SampledFrom([]time.Duration{time.Second, 20 * time.Second, 31 * time.Second, 2 * time.Hour}).Draw(t, "time"))
		case step == 9: // an answer comes late
			i := rapid.IntRange(0, liar-1).Draw(t, "node")
			p.ObserveHeight(p.nodes[i], int64(rapid.IntRange(0, nodes[i].height).Draw(t, "height")))
		case step == 10: // a probe ends after an answer that began later
			i := rapid.IntRange(0, liar-1).Draw(t, "node")
			if n := &nodes[i]; n.height < len(forks)-1 {
				before, raises := says(n.height, forks[n.height]), p.nodes[i].raises.Load()
				n.height = len(forks) - 1
				p.ObserveHeight(p.nodes[i], int64(n.height))
				p.recordProbe(context.Background(), p.nodes[i], raises, before, nil)
				n.missed, n.misled = 0, false
			}
		case step == 11:
			p.ObserveHeight(p.nodes[liar], rapid.Int64Range(0, 1000).Draw(t, "height"))
		default:
			lie := says(rapid.IntRange(0, 1000).Draw(t, "height"), 200)
			lie.BurnHeight = rapid.Int64Range(0, 1000).Draw(t, "burn height")
			lie.NetworkID = rapid.SampledFrom([]uint32{1, 1, 1, 2}).Draw(t, "network")
			report(liar, lie, nil)
		}

		var heights []int
		for _, n := range nodes {
			if n.missed < 2 {
				heights = append(heights, n.height)
			}
		}
		states, tip := p.Status(), p.Tip()
		if len(heights) < 2 {
			leapt = true // one node against a liar: nobody can tell who is right
			for i := range nodes {
				if nodes[i].missed >= 2 && states[i].State != "down" {
					t.Fatalf("node %d is %s, want down", i, states[i].State)
				}
				nodes[i].misled = true
			}
			continue
		}
		first, second := 0, 0
		for _, height := range heights {
			if height > first {
				first, second = height, first
			} else {
				second = max(second, height)
			}
		}
		if tip.Height < int64(second) || tip.Height > int64(first) {
			t.Fatalf("the tip is %d; the honest nodes are at %v", tip.Height, heights)
		}
		probed := slices.ContainsFunc(p.nodes[:liar], func(n *Node) bool { return n.info.Height >= tip.Height })
		if tip.ID[3] > 100 && probed {
			t.Fatalf("the tip is the block of a liar: %v", tip.ID)
		}
		for len(tips) > 0 && tips[len(tips)-1].height > tip.Height {
			tips = tips[:len(tips)-1]
		}
		tips = append(tips, step{tip.Height, time.Now()})
		above := func(height int64) time.Duration { // how long the tip has been above a height
			for _, s := range tips {
				if s.height > height {
					return time.Since(s.at)
				}
			}
			return 0
		}
		leapt = leapt || tip.Height > before+config.LagBlocks || tip.Height < before
		before = tip.Height
		for i := range nodes {
			n := &nodes[i]
			want := "serving"
			switch {
			case n.missed >= 2:
				want = "down"
			case n.misled:
				continue
			case tip.Height <= int64(n.height)+config.LagBlocks:
			case above(int64(n.height)+config.LagBlocks) > config.LagTime:
				want = "lagging"
			case leapt || above(int64(n.height)) > config.LagTime:
				continue // how long it has been behind is not known
			}
			if states[i].State != want {
				t.Fatalf("node %d is %s, want %s; it is at %d of %d, and missed %d probes", i, states[i].State, want, n.height, tip.Height, n.missed)
			}
		}
		if state := states[liar].State; state == "serving" && p.nodes[liar].Height() > int64(first)+config.LagBlocks {
			t.Fatalf("the liar at height %d is serving", p.nodes[liar].Height())
		}
		seat, err := p.Pick(context.Background(), Want{Endpoint: light, Excluded: p.nodes[liar].Bit})
		if err != nil {
			t.Fatalf("with the states %v: %v", states, err)
		}
		if seat.Lag >= 0 && seat.Lag != tip.Height-seat.Node.Height() {
			t.Fatalf("the node is %d behind %d, and the lag is %d", seat.Node.Height(), tip.Height, seat.Lag)
		}
		for i, n := range p.nodes[:liar] {
			if seat.Node != n && seat.Lag >= 0 && states[i].State != "down" && (states[i].State == "serving" || n.Height() > seat.Node.Height()) {
				t.Fatalf("node %s got a request, not node %d, which is %s", seat.Node.Name, i, states[i].State)
			}
		}
		seat.Leave(OK)
		if p.NodesAtTip() == 0 && seat.Lag < 0 {
			t.Fatal("no node is at the tip")
		}
	}
}
