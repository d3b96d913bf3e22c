package rotation

import (
	"context"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// nodeModel is what the documentation says of a node that has got these requests.
type nodeModel struct {
	failures int // ejections in a row
	until    time.Time
	probe    *request
}

// request is in flight at a node.
type request struct {
	node int
	turn *Turn
}

// TestSimulatedRotation lets nodes that fail get requests, many of them at the same time.
func TestSimulatedRotation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, simulateRotation) })
}

func simulateRotation(t *rapid.T) {
	models := make([]nodeModel, rapid.IntRange(1, 3).Draw(t, "nodes"))
	urls := make([]*url.URL, len(models))
	for i := range urls {
		urls[i] = &url.URL{Scheme: "http", Host: string(rune('a' + i))}
	}
	nodes := New(urls, slog.New(slog.DiscardHandler))
	ctx := context.Background()
	var inFlight []*request
	may := func(i int) bool {
		m := &models[i]
		return m.failures == 0 || m.probe == nil && !time.Now().Before(m.until)
	}
	for range rapid.IntRange(1, 80).Draw(t, "steps") {
		switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
		case step < 4:
			tried, left := map[*Node]bool{}, false
			for i, n := range nodes.all {
				tried[n] = rapid.IntRange(0, 3).Draw(t, "tried") == 0
				left = left || !tried[n] && may(i)
			}
			turn := nodes.Acquire(tried)
			if (turn != nil) != left {
				t.Fatalf("a request got a node: %v, want %v; %+v", turn != nil, left, models)
			}
			if turn == nil {
				break
			}
			for i, n := range nodes.all {
				if n != turn.Node {
					continue
				}
				if tried[n] || !may(i) {
					t.Fatalf("node %d got a request: tried %v, %+v", i, tried[n], models[i])
				}
				r := &request{i, turn}
				if models[i].failures > 0 {
					models[i].probe = r
				}
				inFlight = append(inFlight, r)
			}
		case step < 8 && len(inFlight) > 0:
			at := rapid.IntRange(0, len(inFlight)-1).Draw(t, "request")
			r := inFlight[at]
			inFlight = append(inFlight[:at], inFlight[at+1:]...)
			m := &models[r.node]
			switch rapid.IntRange(0, 3).Draw(t, "result") {
			case 0:
				r.turn.RecordSuccess(ctx)
				*m = nodeModel{}
			case 1:
				r.turn.Abandon()
				if m.probe == r {
					m.probe = nil
				}
			default:
				least := rapid.SampledFrom([]time.Duration{0, 0, time.Second, time.Hour}).Draw(t, "at least")
				r.turn.RecordFailure(ctx, time.Now(), least, "x")
				if m.failures > 0 && m.probe != r {
					break // it began before the ejection
				}
				lasts := time.Second
				for range m.failures {
					lasts = min(2*lasts, 30*time.Second)
				}
				m.failures++
				m.until, m.probe = time.Now().Add(max(lasts, least)), nil
			}
		default:
			time.Sleep(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 3 * time.Second, 31 * time.Second, 24 * time.Hour}).Draw(t, "time"))
		}
		ready, shortest := false, 30*time.Second
		for i, m := range models {
			ready = ready || may(i)
			wait := max(time.Until(m.until), 0)
			if m.failures > 0 && m.probe != nil {
				wait = time.Second
			}
			shortest = min(shortest, wait)
		}
		if nodes.Ready() != ready || nodes.Wait() != shortest {
			t.Fatalf("ready %v and a wait of %v, want %v and %v; %+v", nodes.Ready(), nodes.Wait(), ready, shortest, models)
		}
	}
}
