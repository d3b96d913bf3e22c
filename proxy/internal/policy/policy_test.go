package policy

import (
	"net/http"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		method, path, want string
		safe, operator     bool
	}{
		{"GET", "/v2/info", "/v2/info", true, false},
		{"HEAD", "/v2/info", "/v2/info", true, false},
		{"GET", "/v2/info/", "/v2/info", true, false},
		{"POST", "/v2/info", "other", false, false},
		{"GET", "/v2/accounts/SP1", "/v2/accounts/{principal}", true, false},
		{"GET", "/v2/accounts/", "other", true, false},
		{"POST", "/v2/contracts/call-read/SP1/c/is-ok?", "/v2/contracts/call-read/{address}/{contract}/{function...}", true, false},
		{"POST", "/v2/contracts/call-read/SP1/c/a/b", "/v2/contracts/call-read/{address}/{contract}/{function...}", true, false},
		{"GET", "/v2/contracts/call-read/SP1/c/f", "other", true, false},
		{"POST", "/v2/transactions", "/v2/transactions", false, false},
		{"GET", "/v2/transactions/unconfirmed/ab", "/v2/transactions/unconfirmed/{txid}", true, false},
		{"GET", "/v3/tenures/info", "/v3/tenures/info", true, false},
		{"GET", "/v3/tenures/ab", "/v3/tenures/{id}", true, false},
		{"GET", "/v3/tenures/blocks/hash/ab", "/v3/tenures/blocks/hash/{burn}", true, false},
		{"GET", "/v3/tenures/blocks/ab", "/v3/tenures/blocks/{consensus}", true, false},
		{"GET", "/v3/sortitions", "/v3/sortitions", true, false},
		{"GET", "/v3/blocks/height/7", "/v3/blocks/height/{height}", true, false},
		{"POST", "/v3/blocks/upload/", "/v3/blocks/upload", false, true},
		{"PUT", "/v3/block_proposal", "/v3/block_proposal", false, true},
		{"GET", "/v3/block_proposal", "/v3/block_proposal", false, true},
		{"GET", "/v2/neighbors", "/v2/neighbors", true, false},
		{"GET", "/v2/stackerdb/SP1/c/replicas", "/v2/stackerdb/{address}/{contract}/{slot...}", true, false},
		{"POST", "/v2/stackerdb/SP1/c/chunks", "/v2/stackerdb/{address}/{contract}/{slot...}", false, true},
		{"GET", "/v3/unknown/path", "other", true, false},
		{"DELETE", "/v3/unknown/path", "other", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			got := Match(tt.method, tt.path)
			if got.Name != tt.want || got.Safe != tt.safe || got.Operator != tt.operator {
				t.Errorf("got %s, safe %v, operator %v; want %s, %v, %v", got.Name, got.Safe, got.Operator, tt.want, tt.safe, tt.operator)
			}
		})
	}
}

// An answer lasts longer because a request names the tip only where the table says what a node derives from it.
func TestPinnedHasReason(t *testing.T) {
	for i := range table {
		if e := &table[i]; e.Pinned != e.Lifetime && e.Why == "" {
			t.Errorf("%s: pinned to a tip it lasts %d and not %d, and nothing says why", e.Name, e.Pinned, e.Lifetime)
		}
	}
	for _, path := range []string{"/v2/pox", "/v2/headers/7", "/v2/fees/transfer", "/v3/signer/a/7", "/v3/transaction/ab", "/v3/stacker_set/7"} {
		if e := Match(http.MethodGet, path); e.Pinned == Immutable {
			t.Errorf("%s: immutable for a tip, though a node derives it from other things too", e.Name)
		}
	}
}

// An endpoint that changes something, or that only the operator may call, is never safe, cached or hedged.
func TestTableIsCautious(t *testing.T) {
	seen := map[int]bool{}
	for i := range table {
		e := &table[i]
		if e.Index < 0 || e.Index >= Count() || seen[e.Index] {
			t.Errorf("%s: index %d", e.Name, e.Index)
		}
		seen[e.Index] = true
		if e.Method != http.MethodGet && e.Hedge {
			t.Errorf("%s: %s is hedged", e.Name, e.Method)
		}
		if e.Cost == Heavy && e.Hedge {
			t.Errorf("%s: heavy and hedged", e.Name)
		}
		if !e.Safe && (e.Lifetime != None || e.Pinned != None || e.Hedge || e.Shared()) {
			t.Errorf("%s: not safe, but cached or sent twice", e.Name)
		}
		if e.Operator && (e.Safe || !e.Authorized) {
			t.Errorf("%s: operator endpoint is safe %v, authorized %v", e.Name, e.Safe, e.Authorized)
		}
		if got := Match(e.Method, strings.NewReplacer("{", "", "}", "", "...", "").Replace(e.Name)); got != e {
			t.Errorf("%s is matched by %s", e.Name, got.Name)
		}
	}
}

func TestPinnedTip(t *testing.T) {
	id := strings.Repeat("aB", 32)
	tests := []struct{ query, want string }{
		{"", ""},
		{"tip=" + id, strings.ToLower(id)},
		{"proof=0&tip=" + id, strings.ToLower(id)},
		{"tip=latest", ""},
		{"tip=0x" + id, ""},
		{"tip=" + id[1:] + "g", ""},
		{"tip=" + id + "&tip=" + id, ""},
		{"tip=latest&tip=" + id, id[:0]},
		{"tip=" + id + "&ti%70=latest", ""},
		{"atip=" + id, ""},
	}
	for _, tt := range tests {
		if got := PinnedTip(tt.query); got != tt.want {
			t.Errorf("PinnedTip(%q) = %q, want %q", tt.query, got, tt.want)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("GET", "/v2/info")
	f.Add("POST", "/v3/block_proposal")
	f.Add("POST", "//v3//blocks/upload//")
	f.Fuzz(func(t *testing.T, method, path string) {
		e := Match(method, path)
		if e.Index < 0 || e.Index >= Count() {
			t.Fatalf("Match(%q, %q): index %d", method, path, e.Index)
		}
		if e.Safe && e != &otherRead && method != e.Method && (method != "HEAD" || e.Method != "GET") {
			t.Fatalf("Match(%q, %q) = %s %s", method, path, e.Method, e.Name)
		}
	})
}
