package internal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata/internal/requestid"
)

func TestRequestID(t *testing.T) {
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
			r.Header[requestid.Header] = tc.values
		}
		name, answer := requestid.Name(r), http.Header{}
		requestid.Echo(answer, r.Header)
		if taken := tc.values != nil && name == tc.values[0]; taken != tc.taken || len(name) == 0 || (answer.Get(requestid.Header) != "") != tc.taken {
			t.Errorf("%q: the request is called %q, and the answer has %q, want taken %v", tc.values, name, answer, tc.taken)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set(requestid.Header, "theirs")
	if name := requestid.Name(r.WithContext(requestid.With(r.Context(), "ours"))); name != "ours" {
		t.Errorf("a request that has a name is called %q", name)
	}
	if a, b := requestid.New(), requestid.New(); a == b || len(a) != 16 {
		t.Errorf("new names: %q, %q", a, b)
	}
}

func TestEchoOfRequestIDDoesNotAllocate(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set(requestid.Header, "0123-abc")
	answer := make(http.Header, 4)
	if got := testing.AllocsPerRun(100, func() {
		clear(answer)
		requestid.Echo(answer, r.Header)
	}); got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}
