package enginetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi"
	"strata/rig/apitest"
)

// Parameters that an operation does not know change nothing about the answer, but the answer names them.
func TestIgnoredParameters(t *testing.T) { // not parallel: it counts allocations
	_, k := apitest.NewKeptWorld(t, readapi.Config{})
	const header, list = "Strata-Ignored-Parameters", "/extended/v2/blocks"
	account := "/extended/v1/address/" + apitest.Alice + "/stx"
	k.Get(list)
	k.Get(account)
	for _, tc := range []struct{ target, ignored string }{
		{list, ""},
		{list + "?limit=20", ""},
		{account + "?min_position=1", ""},
		{account + "?", ""},
		{account + "?foo=1", "foo"},
		{account + "?foo", "foo"},
		{account + "?foo=1&bar=2&foo=3&&", "bar, foo"},
		{account + "?min_position=1&Unanchored=x", "Unanchored"},
		{account + "?a%5B%5D=1&b[]=2", "a[], b[]"},
		{account + "?%0d%0aSet-Cookie:%20x=1", "%0D%0ASet-Cookie%3A+x"},
		{account + "?%C3%A9=1&a,b=2", "a%2Cb, %C3%A9"},
		{account + "?=1", ""},
		{account + "?" + strings.Repeat("x", 1000) + "=1", strings.Repeat("x", 64) + "..."},
		{account + "?a&b&c&d&e&f&g&h&i&j&k&l", "a, b, c, d, e, f, g, h, i, j, ... (2 more)"},
		{"/extended/v1/info/network_block_times?x=1", "x"},                  // reads no tables
		{"/extended/v2/blocks/0x" + strings.Repeat("1", 64) + "?x=1", "x"},  // 404
		{"/extended/v2/blocks?limit=x&y=1", "y"},                            // 400
		{"/extended/v1/tx/multiple?tx_id=0x" + strings.Repeat("1", 64), ""}, // knows a list
	} {
		want := k.Get(strings.SplitN(tc.target, "?", 2)[0])
		reads := k.Reads()
		for n := range 2 { // the second is answered from memory
			got := k.Get(tc.target)
			values := got.Header.Values(header)
			check.Equal(t, fmt.Sprintf("%s, time %d", tc.target, n), strings.Join(values, "|"), tc.ignored)
			if path, _, _ := strings.Cut(tc.target, "?"); path == account {
				if got.Status != http.StatusOK || got.Body != want.Body || got.Header.Get("ETag") != want.Header.Get("ETag") {
					t.Errorf("%s: got %d %s %s, want what there is without", tc.target, got.Status, got.Header.Get("ETag"), got.Body)
				}
				check.Equal(t, tc.target+": reads of the tables", k.Reads(), reads)
			}
		}
	}

	r := httptest.NewRequest(http.MethodGet, account+"?foo=1", nil)
	w := &sink{header: make(http.Header, 16)}
	if got := testing.AllocsPerRun(200, func() {
		clear(w.header)
		k.API.ServeHTTP(w, r)
	}); got > 1 || w.header.Get(header) != "foo" {
		t.Errorf("got %v allocations, want none; header %v", got, w.header)
	}
}

// A strict server refuses them.
func TestStrictParameters(t *testing.T) {
	t.Parallel()
	_, k := apitest.NewKeptWorld(t, readapi.Config{StrictParameters: true})
	account := "/extended/v1/address/" + apitest.Alice + "/stx"
	for _, tc := range []struct {
		target string
		status int
		says   string
	}{
		{account, http.StatusOK, ""},
		{account + "?min_position=1", http.StatusOK, ""},
		{account + "?foo=1", http.StatusBadRequest, "querystring must NOT have additional property 'foo'"},
		{account + "?%3Cb%3E=1&zoo", http.StatusBadRequest, "querystring must NOT have additional property '%3Cb%3E'"},
		{"/ordinals/v1/inscriptions?foo=1", http.StatusBadRequest, "foo"},
		{"/metadata/v1/ft?foo=1", http.StatusBadRequest, "foo"},
		{"/extended/v1/info/network_block_times?foo=1", http.StatusBadRequest, "foo"},
	} {
		k.ExpectTexts(tc.target, tc.status, tc.says)
	}
}
