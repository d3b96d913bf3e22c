package rotation

import (
	"context"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"strata/internal/testkit/must"
)

func testNodes(t *testing.T, raw ...string) *Nodes {
	t.Helper()
	var urls []*url.URL
	for _, r := range raw {
		u := must.Get(url.Parse(r))(t)
		urls = append(urls, u)
	}
	return New(urls, slog.New(slog.DiscardHandler))
}

func TestNodesTakeTurns(t *testing.T) {
	t.Parallel()
	all := testNodes(t, "http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3")
	count := map[*Node]int{}
	for range 30 {
		count[all.Acquire(nil)]++
	}
	for _, n := range all.all {
		if count[n] != 10 {
			t.Errorf("%s got %d requests of 30, want 10", n.Base, count[n])
		}
	}
	tried := map[*Node]bool{all.all[0]: true, all.all[1]: true, all.all[2]: true}
	if n := all.Acquire(tried); n != nil {
		t.Errorf("got %s, which was tried before", n.Base)
	}
}

func TestEjectionOfANode(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	n := testNodes(t, "http://127.0.0.1:1").all[0]
	now := time.Unix(1_700_000_000, 0)
	for _, seconds := range []int{1, 2, 4, 8, 16, 30, 30} {
		rest := time.Duration(seconds) * time.Second
		if !n.Acquire(now) {
			t.Fatal("the node may not get a request when its ejection is over")
		}
		n.RecordFailure(ctx, now, 0, "down")
		n.RecordFailure(ctx, now, 0, "down") // another request that began before
		if got := n.Wait(now); got != rest {
			t.Fatalf("the node is ejected for %s, want %s", got, rest)
		}
		if now = now.Add(rest - 1); n.Acquire(now) {
			t.Fatal("the node may get a request while it is ejected")
		}
		now = now.Add(1)
	}
	if first, second := n.Acquire(now), n.Acquire(now); !first || second {
		t.Fatal("want exactly one probe")
	}
	n.Abandon()
	if !n.Acquire(now) {
		t.Fatal("want another probe after the first was abandoned")
	}
	n.RecordFailure(ctx, now, time.Minute, "busy")
	if got := n.Wait(now); got != time.Minute {
		t.Fatalf("the node is ejected for %s, want the minute that it asked for", got)
	}
	n.RecordSuccess(ctx)
	for range 3 {
		if !n.Acquire(now) || n.Wait(now) != 0 {
			t.Fatal("the node answered but is not readmitted")
		}
	}
}
