package rotation

import (
	"log/slog"
	"net/url"
	"testing"

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
		count[all.Acquire(nil).Node]++
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
