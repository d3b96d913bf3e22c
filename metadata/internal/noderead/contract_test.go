package noderead

import (
	"net/url"
	"strings"
	"testing"

	"strata/domain/fetch"
	"strata/internal/testkit/must"
)

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
		u := must.Get(url.Parse("http://127.0.0.1:20443" + requests[0].path))(t)
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
