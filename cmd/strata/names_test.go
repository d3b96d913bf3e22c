package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/eventually"
)

// registryNode is the RPC of a node that answers get-primary-name of BNS-V2 at each tip.
type registryNode struct {
	mu      sync.Mutex
	primary map[string]uint64 // by tip, in hex
	asked   int
}

func (n *registryNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !strings.HasSuffix(r.URL.Path, "/get-primary-name") {
		http.NotFound(w, r)
		return
	}
	n.asked++
	id, ok := n.primary[r.URL.Query().Get("tip")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"okay": true, "result": clarity.NewSome(clarity.NewUint64(id)).Hex()})
}

func (n *registryNode) answers(block string, id uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	tip := synthnames.ID(block)
	n.primary[hex.EncodeToString(tip[:])] = id
}

// TestSilentPrimaryName lets a contract choose its primary name without a print. Strata asks the nodes, of which one
// fails, and shows the name with where it comes from, also at the root of an address for names; a reorganisation takes it
// back.
func TestSilentPrimaryName(t *testing.T) {
	t.Parallel()
	node := &registryNode{primary: map[string]uint64{}}
	good := httptest.NewServer(node)
	defer good.Close()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }))
	defer failing.Close()
	dir := t.TempDir()
	s := startServer(t, dir, "--database-url", served.URL(t), "--data-dir", dir, "--nodes", failing.URL+","+good.URL, "--bns-addr", "127.0.0.1:0")
	names := s.announced("serving the names of BNS-V2")
	const agent = bns.MainnetDeployer + ".vault"
	post := func(name, parent string, height int64, calls ...synthnames.Call) {
		t.Helper()
		post := synthnames.Block{Name: name, Parent: parent, Height: height, BurnHeight: 100 + height, Calls: calls}.Post()
		s.mustPost(post.Path, post.Body)
	}
	primary := func() string {
		if found := regexp.MustCompile(`"full_name":"([^"]*)"`).FindSubmatch(s.get("/bns/v2/names/address/" + agent + "/primary").Body); found != nil {
			return string(found[1])
		}
		return ""
	}
	claim := func(id uint64, name string) synthnames.Call {
		return synthnames.Call{Contract: synthnames.Names, Function: "name-claim-fast", Sender: bns.MainnetDeployer, Events: synthnames.Claim(id, name, agent, 0)}
	}
	source := fmt.Sprintf("(define-public (act) (contract-call? '%s set-primary-name u2))", synthnames.Names)
	post("s0", "", 0, synthnames.Call{Sender: bns.MainnetDeployer, Deploys: "vault", Source: source}, claim(1, "a.free"), claim(2, "b.free"))
	eventually.Holds(t, "the contract has its first name as the primary one", func() bool { return primary() == "a.free" })

	node.answers("s1", 2)
	post("s1", "s0", 1, synthnames.Call{Contract: agent, Function: "act", Sender: bns.MainnetDeployer})
	eventually.Holds(t, "the node told the primary name", func() bool { return primary() == "b.free" })
	tree := mustRun(t, dir, "trace", "--api", s.api, "/bns/v2/names/address/"+agent+"/primary")
	if !regexp.MustCompile(`source_seq: event \d+ at /exchanges/\d+/body\n`).MatchString(tree) || !strings.Contains(tree, "strata:fetch") {
		t.Errorf("the trace does not lead to the report:\n%s", tree)
	}
	for path, want := range map[string]string{
		"/names/address/" + agent + "/primary": string(s.get("/bns/v2/names/address/" + agent + "/primary").Body),
		"/testnet/names/b.free":                `{"error":"This server has the names of mainnet"}`,
	} {
		if got := do(t, http.MethodGet, names+path, nil, nil); string(got.Body) != want {
			t.Errorf("%s: got %d %s, want %s", path, got.Status, got.Body, want)
		}
	}
	if got := do(t, http.MethodGet, names+"/extended/v2/blocks", nil, nil); got.Status != http.StatusNotFound {
		t.Errorf("blocks at the address for names: got %d, want 404", got.Status)
	}
	history := string(s.get("/bns/v2/names/b.free/history").Body)
	if !strings.Contains(history, `"event":"set-primary"`) || !strings.Contains(history, `"tx_id":null`) {
		t.Errorf("got history %s", history)
	}

	post("t1", "s0", 1)
	post("t2", "t1", 2)
	eventually.Holds(t, "the reorganisation takes it back", func() bool { return primary() == "a.free" })
	node.mu.Lock()
	defer node.mu.Unlock()
	if node.asked > 3 {
		t.Errorf("the node was asked %d times", node.asked)
	}
}
