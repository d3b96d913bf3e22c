package requestid

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		values []string
		taken  bool
	}{
		{[]string{"4f1c-A.b_c:d/e+f="}, true},
		{[]string{strings.Repeat("a", 128)}, true},
		{[]string{strings.Repeat("a", 129)}, false},
		{[]string{""}, false},
		{[]string{"a", "b"}, false},
		{[]string{"a b"}, false},
		{[]string{"a\nlevel=ERROR"}, false},
		{[]string{`a"b`}, false},
		{[]string{"é"}, false},
		{nil, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if tc.values != nil {
			r.Header[Header] = tc.values
		}
		name, answer := Name(r), http.Header{}
		Echo(answer, r.Header)
		if taken := tc.values != nil && name == tc.values[0]; taken != tc.taken || len(name) == 0 || (answer.Get(Header) != "") != tc.taken {
			t.Errorf("%q: the request is called %q, and the answer has %q, want taken %v", tc.values, name, answer, tc.taken)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set(Header, "theirs")
	if name := Name(r.WithContext(With(r.Context(), "ours"))); name != "ours" {
		t.Errorf("a request that has a name is called %q", name)
	}
	if a, b := New(), New(); a == b || len(a) != 16 {
		t.Errorf("new names: %q, %q", a, b)
	}
}

func TestEchoDoesNotAllocate(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set(Header, "0123-abc")
	answer := make(http.Header, 4)
	if got := testing.AllocsPerRun(100, func() {
		clear(answer)
		Echo(answer, r.Header)
	}); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}
