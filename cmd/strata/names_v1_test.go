package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// TestSilentRenewal lets a contract renew a name of BNS v1 without a print. Strata asks the node when the lease began, and
// shows the new expiry with where it comes from; a reorganisation takes it back.
func TestSilentRenewal(t *testing.T) {
	t.Parallel()
	const owner, registry = bns.MainnetDeployer, "SP000000000000000000002Q6VF78.bns"
	value := func(v clarity.Value, err error) clarity.Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tuple := func(fields ...any) clarity.Value {
		var all []clarity.Field
		for i := 0; i < len(fields); i += 2 {
			all = append(all, clarity.Field{Name: fields[i].(string), Value: fields[i+1].(clarity.Value)})
		}
		return value(clarity.NewTuple(all...))
	}
	number := clarity.NewUint64
	buffer := func(text string) clarity.Value { return value(clarity.NewBuffer([]byte(text))) }
	principal := must.Get(clarity.ParsePrincipal(owner))(t)
	printed := func(v clarity.Value) synthnames.Event {
		return synthnames.Event{Type: "contract_event", Data: map[string]any{"contract_identifier": registry, "topic": "print", "raw_value": v.Hex()}}
	}
	buckets := make([]clarity.Value, 16)
	for i := range buckets {
		buckets[i] = number(1)
	}
	launched := printed(tuple("namespace", buffer("id"), "status", value(clarity.NewASCII("ready")), "properties", tuple(
		"namespace-import", value(clarity.NewPrincipal(principal)), "revealed-at", number(0), "launched-at", clarity.NewSome(number(0)), "lifetime", number(100),
		"can-update-price-function", clarity.NewBool(true), "price-function", tuple("buckets", value(clarity.NewList(buckets...)), "base", number(1), "coeff", number(1),
			"nonalpha-discount", number(1), "no-vowel-discount", number(1)),
	)))
	key := tuple("name", buffer("bob"), "namespace", buffer("id"))
	minted := synthnames.Event{Type: "nft_mint_event", Data: map[string]any{"asset_identifier": registry + "::names", "recipient": owner, "raw_value": key.Hex()}}
	registered := printed(tuple("attachment", tuple("hash", buffer(""), "attachment-index", number(0), "metadata", tuple(
		"name", buffer("bob"), "namespace", buffer("id"), "tx-sender", value(clarity.NewPrincipal(principal)), "op", value(clarity.NewASCII("name-register")),
	))))
	burnt := synthnames.Event{Type: "stx_burn_event", Data: map[string]any{"sender": owner, "amount": "10"}}

	var asked atomic.Int64
	tip := synthnames.ID("s1")
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/SP000000000000000000002Q6VF78/bns/name-resolve") || r.URL.Query().Get("tip") != hex.EncodeToString(tip[:]) {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		lease := tuple("owner", value(clarity.NewPrincipal(principal)), "zonefile-hash", buffer(""), "lease-started-at", number(1), "lease-ending-at", clarity.NewSome(number(101)))
		_ = json.NewEncoder(w).Encode(map[string]any{"okay": true, "result": clarity.NewOk(lease).Hex()})
	}))
	defer node.Close()
	dir := t.TempDir()
	s := startServer(t, dir, "--database-url", served.URL(t), "--data-dir", dir, "--nodes", node.URL)
	post := func(name, parent string, height int64, calls ...synthnames.Call) {
		t.Helper()
		post := synthnames.Block{Name: name, Parent: parent, Height: height, BurnHeight: 100 + height, Calls: calls}.Post()
		s.mustPost(post.Path, post.Body)
	}
	shown := func(what string) bool {
		return strings.Contains(string(s.get("/v1/names/bob.id").Body), what)
	}
	source := fmt.Sprintf("(define-public (act) (contract-call? '%s name-renewal 0x6964 0x626f62 u10 none none))", registry)
	post("s0", "", 0, synthnames.Call{Sender: owner, Deploys: "vault", Source: source, Events: []synthnames.Event{launched, minted, registered}})
	eventually.Holds(t, "the name is registered", func() bool { return shown(`"expire_block":100,`) })

	post("s1", "s0", 1, synthnames.Call{Contract: owner + ".vault", Function: "act", Sender: owner, Events: []synthnames.Event{burnt}})
	eventually.Holds(t, "the node told when the lease began", func() bool { return shown(`"expire_block":101,`) })
	if want := fmt.Sprintf(`"last_txid":"%s","status":"name-renewal"`, synthnames.TxID("s1", 0)); !shown(want) {
		t.Errorf("got %s, want %s", s.get("/v1/names/bob.id").Body, want)
	}
	tree := mustRun(t, dir, "trace", "--api", s.api, "/v1/names/bob.id")
	if !regexp.MustCompile(`source_seq: event \d+ at /exchanges/\d+/body\n`).MatchString(tree) || !strings.Contains(tree, "strata:fetch") {
		t.Errorf("the trace does not lead to the report:\n%s", tree)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the node was asked %d times", n)
	}
	post("t1", "s0", 1)
	post("t2", "t1", 2)
	eventually.Holds(t, "the reorganisation takes it back", func() bool { return shown(`"expire_block":100,`) })
}
