package metadata

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"strata/domain/fetch"
)

func testNodes(t *testing.T, raw ...string) *nodes {
	t.Helper()
	var urls []*url.URL
	for _, r := range raw {
		u, err := parseNode(r)
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, u)
	}
	return newNodes(urls, slog.New(slog.DiscardHandler))
}

func TestNodesTakeTurns(t *testing.T) {
	t.Parallel()
	all := testNodes(t, "http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3")
	count := map[*node]int{}
	for range 30 {
		count[all.acquire(nil)]++
	}
	for _, n := range all.all {
		if count[n] != 10 {
			t.Errorf("%s got %d requests of 30, want 10", n.base, count[n])
		}
	}
	tried := map[*node]bool{all.all[0]: true, all.all[1]: true, all.all[2]: true}
	if n := all.acquire(tried); n != nil {
		t.Errorf("got %s, which was tried before", n.base)
	}
}

func TestEjectionOfANode(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	n := testNodes(t, "http://127.0.0.1:1").all[0]
	now := time.Unix(1_700_000_000, 0)
	for _, seconds := range []int{1, 2, 4, 8, 16, 30, 30} {
		rest := time.Duration(seconds) * time.Second
		if !n.acquire(now) {
			t.Fatal("the node may not get a request when its ejection is over")
		}
		n.recordFailure(ctx, now, 0, "down")
		n.recordFailure(ctx, now, 0, "down") // another request that began before
		if got := n.wait(now); got != rest {
			t.Fatalf("the node is ejected for %s, want %s", got, rest)
		}
		if now = now.Add(rest - 1); n.acquire(now) {
			t.Fatal("the node may get a request while it is ejected")
		}
		now = now.Add(1)
	}
	if first, second := n.acquire(now), n.acquire(now); !first || second {
		t.Fatal("want exactly one probe")
	}
	n.abandon()
	if !n.acquire(now) {
		t.Fatal("want another probe after the first was abandoned")
	}
	n.recordFailure(ctx, now, time.Minute, "busy")
	if got := n.wait(now); got != time.Minute {
		t.Fatalf("the node is ejected for %s, want the minute that it asked for", got)
	}
	n.recordSuccess(ctx)
	for range 3 {
		if !n.acquire(now) || n.wait(now) != 0 {
			t.Fatal("the node answered but is not readmitted")
		}
	}
}

// Whatever its name, a function is exactly one segment of the path, and the block is the query.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{"get-name", "is-ok?", "a/b", "..", "%2e", "x#y", "a b", "<=", "é", ""} {
		f.Add("SP000.token", seed)
	}
	f.Fuzz(func(t *testing.T, contract, function string) {
		want := fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: []fetch.Call{{Function: function}}}
		requests, err := requestsOf(want, fetch.Tip{})
		address, name, ok := strings.Cut(contract, ".")
		if ok = ok && address != "" && name != ""; !ok != (err != nil) {
			t.Fatalf("contract %q: got error %v", contract, err)
		}
		if !ok {
			return
		}
		u, err := url.Parse("http://127.0.0.1:20443" + requests[0].path)
		if err != nil {
			t.Fatal(err)
		}
		if want := "/v2/contracts/call-read/" + address + "/" + name + "/" + function; u.Path != want {
			t.Errorf("got path %q, want %q", u.Path, want)
		}
		if want := "tip=" + strings.Repeat("00", 32); u.RawQuery != want || u.Fragment != "" {
			t.Errorf("got query %q and fragment %q, want %q", u.RawQuery, u.Fragment, want)
		}
		if got := strings.Count(u.EscapedPath(), "/"); got != 6 {
			t.Errorf("got %d segments in %q, want 6", got, u.EscapedPath())
		}
	})
}

func FuzzShorten(f *testing.F) {
	f.Add("data:,äöü", 7)
	f.Add("", 0)
	f.Add("\xff\xfe", 1)
	f.Fuzz(func(t *testing.T, s string, characters int) {
		if characters < 0 {
			return
		}
		got := shorten(s, characters)
		if !strings.HasPrefix(s, got) || len([]rune(got)) != min(len([]rune(s)), characters) {
			t.Errorf("got %q of %q, want %d characters", got, s, characters)
		}
	})
}
