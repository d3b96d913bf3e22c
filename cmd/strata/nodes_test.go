package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
	"strata/readapi"
)

// stacksNode is the RPC server of a node. Its answers have the members that a real node's have.
type stacksNode struct {
	url    string
	height atomic.Int64
	asked  atomic.Int64 // besides /v2/info
}

func newStacksNode(t testing.TB) *stacksNode {
	t.Helper()
	n := &stacksNode{}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

const (
	poxAnswer = `{"contract_id":"SP000000000000000000002Q6VF78.pox-4","pox_activation_threshold_ustx":91500000000000,"first_burnchain_block_height":666050,
"current_burnchain_block_height":900000,"prepare_phase_block_length":100,"reward_phase_block_length":2000,"reward_slots":4000,"rejection_fraction":null,
"total_liquid_supply_ustx":1830000000000000,"current_cycle":{"id":111,"min_threshold_ustx":140000000000,"stacked_ustx":500000000000000,"is_pox_active":true},
"next_cycle":{"id":112,"min_threshold_ustx":140000000000,"min_increment_ustx":228750000000,"stacked_ustx":1,"prepare_phase_start_block_height":901150,
"blocks_until_prepare_phase":-5,"reward_phase_start_block_height":901250,"blocks_until_reward_phase":95,"ustx_until_pox_rejection":null},
"epochs":[{"epoch_id":"Epoch31","start_height":875000,"end_height":9223372036854775807,"block_limit":{"write_length":15000000,"write_count":15000,
"read_length":100000000,"read_count":15000,"runtime":5000000000},"network_epoch":14}],"current_epoch":"Epoch31","min_amount_ustx":140000000000,
"prepare_cycle_length":100,"reward_cycle_id":111,"reward_cycle_length":2100,"rejection_votes_left_required":null,"next_reward_cycle_in":95,
"contract_versions":[{"contract_id":"SP000000000000000000002Q6VF78.pox","activation_burnchain_block_height":666050,"first_reward_cycle_id":0}],
"pox_5_sbtc_contract":"SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token","pox_5_sbtc_registry_contract":"SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-registry"}`
	feesAnswer = `{"estimated_cost":{"read_count":19,"read_length":4814,"runtime":7175000,"write_count":2,"write_length":1020},"estimated_cost_scalar":14,` +
		`"cost_scalar_change_by_byte":0.00476837158203125,"estimations":[{"fee_rate":10,"fee":1400},{"fee_rate":1.2410714285714286,"fee":1739},{"fee_rate":8.958333333333332,"fee":125411}]}`
	feesAnswerLeast = `{"estimated_cost":{"read_count":19,"read_length":4814,"runtime":7175000,"write_count":2,"write_length":1020},"estimated_cost_scalar":14,` +
		`"cost_scalar_change_by_byte":0.00476837158203125,"estimations":[{"fee_rate":10,"fee":350},{"fee_rate":1.2410714285714286,"fee":350},{"fee_rate":8.958333333333332,"fee":350}]}`
	transactionID   = `"0659c83d7a7b3a4a6a9a4a0e4a4b3e9a0b0d1f5e6c7a8b9c0d1e2f3a4b5c6d7e"`
	rejectionAnswer = `{"error":"transaction rejected","reason":"BadNonce","reason_data":{"expected":7,"actual":5,"is_origin":true,"principal":"SP000000000000000000002Q6VF78"},` +
		`"txid":"0659c83d7a7b3a4a6a9a4a0e4a4b3e9a0b0d1f5e6c7a8b9c0d1e2f3a4b5c6d7e"}`
	noEstimateAnswer = `{"error":"Estimation could not be performed","reason":"NoEstimateAvailable","reason_data":{"message":"No estimate available for the provided payload."}}`
)

// ServeHTTP implements http.Handler.
func (n *stacksNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	height := n.height.Load()
	body, _ := io.ReadAll(r.Body)
	answer := func(status int, contentType, text string) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Canonical-Stacks-Tip-Height", fmt.Sprint(height))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
	const jsonType = "application/json"
	if r.URL.Path == "/v2/info" {
		answer(http.StatusOK, jsonType, fmt.Sprintf(`{"network_id":1,"server_version":"node","burn_block_height":900000,"stacks_tip_height":%d,`+
			`"stacks_tip":"%064x","stacks_tip_consensus_hash":"%040x","is_fully_synced":true}`, height, height, height))
		return
	}
	asked := n.asked.Add(1)
	switch path := r.URL.Path; {
	case path == "/v2/pox":
		answer(http.StatusOK, jsonType, poxAnswer)
	case strings.HasPrefix(path, "/v2/accounts/"):
		// No two answers are the same.
		answer(http.StatusOK, jsonType, fmt.Sprintf(`{"balance":"0x%032x","locked":"0x%032x","unlock_height":0,"nonce":%d,"balance_proof":"0xab","nonce_proof":"0xcd"}`, 1000, 0, asked))
	case path == "/v2/transactions" && string(body) == "bad nonce":
		answer(http.StatusBadRequest, jsonType, rejectionAnswer)
	case path == "/v2/transactions" && string(body) == "garbage":
		answer(http.StatusBadRequest, "text/plain", "Failed to deserialize posted transaction: EOF")
	case path == "/v2/transactions":
		answer(http.StatusOK, jsonType, transactionID)
	case path == "/v2/fees/transaction" && strings.Contains(string(body), `"00"`):
		answer(http.StatusBadRequest, jsonType, noEstimateAnswer)
	case path == "/v2/fees/transaction" && strings.Contains(string(body), `"01"`):
		answer(http.StatusBadRequest, jsonType, `"Fee estimation not supported on this node"`)
	case path == "/v2/fees/transaction":
		answer(http.StatusOK, jsonType, feesAnswer)
	case strings.HasSuffix(path, "/get-failure"):
		answer(http.StatusOK, jsonType, `{"okay":false,"cause":"Unchecked(UndefinedFunction(\"get-failure\"))"}`)
	case strings.HasPrefix(path, "/v2/contracts/call-read/"):
		answer(http.StatusOK, jsonType, `{"okay":true,"result":"0x0703"}`)
	default:
		answer(http.StatusNotFound, "text/plain", "not found: "+path)
	}
}

// contract checks answers against the description of the API.
type contract struct {
	t        testing.TB
	document *huma.OpenAPI
}

// check validates a JSON answer against the schema of its path, method and status. The schema must list every member.
func (c *contract) check(method, path string, got serverrig.Reply) {
	c.t.Helper()
	op := operationAmong(c.document.Paths, method, path)
	if op == nil {
		c.t.Fatalf("%s %s is not described", method, path)
	}
	response := op.Responses[fmt.Sprint(got.Status)]
	if response == nil {
		c.t.Fatalf("%s %s: status %d is not described", method, path, got.Status)
	}
	contentType, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	media := response.Content[contentType]
	if media == nil {
		c.t.Fatalf("%s %s: status %d of type %s is not described", method, path, got.Status, contentType)
	}
	if contentType != "application/json" {
		return
	}
	var value any
	if err := json.Unmarshal(got.Body, &value); err != nil {
		c.t.Fatalf("%s %s: %s: %v", method, path, got.Body, err)
	}
	registry := c.document.Components.Schemas
	precompute(media.Schema)
	var result huma.ValidateResult
	if huma.Validate(registry, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, &result); len(result.Errors) > 0 {
		c.t.Errorf("%s %s: %s is not as described: %v", method, path, got.Body, result.Errors)
	}
	c.described(method+" "+path, []*huma.Schema{media.Schema}, value)
}

func precompute(s *huma.Schema) {
	s.PrecomputeMessages()
	for _, alternative := range append(s.AnyOf[:len(s.AnyOf):len(s.AnyOf)], s.OneOf...) {
		precompute(alternative)
	}
}

// described checks that each member of a value is in at least one of the schemas.
func (c *contract) described(place string, schemas []*huma.Schema, value any) {
	c.t.Helper()
	var known []*huma.Schema
	for len(schemas) > 0 {
		s := schemas[0]
		if s.Ref != "" {
			s = c.document.Components.Schemas.SchemaFromRef(s.Ref)
		}
		known, schemas = append(known, s), append(append(schemas[1:len(schemas):len(schemas)], s.AnyOf...), s.OneOf...)
	}
	switch value := value.(type) {
	case map[string]any:
		for name, of := range value {
			var members []*huma.Schema
			for _, s := range known {
				if s.Properties[name] != nil {
					members = append(members, s.Properties[name])
				} else if len(s.Properties) == 0 && s.AdditionalProperties == true {
					return // of members that nobody lists
				}
			}
			if len(members) == 0 {
				c.t.Errorf("%s: %s is not in the schema", place, name)
				continue
			}
			c.described(place+"."+name, members, of)
		}
	case []any:
		for _, item := range value {
			var items []*huma.Schema
			for _, s := range known {
				if s.Items != nil {
					items = append(items, s.Items)
				}
			}
			c.described(place+"[]", items, item)
		}
	}
}

// ask sends a request to the API with X-Strata-Trace, so that the answer names its origin.
func (s *server) ask(method, path, contentType, body string) serverrig.Reply {
	s.t.Helper()
	header := http.Header{"X-Strata-Trace": {"1"}}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	return do(s.t, method, s.api+path, header, []byte(body))
}

// grow posts events of the chain until the API's tip is above height, and returns the new height.
func (s *server) grow(chain *synthchain.Chain, height int64) int64 {
	s.t.Helper()
	for posts := 0; ; posts++ {
		if now := s.status(); now.ChainTip.BlockHeight > height {
			return now.ChainTip.BlockHeight
		}
		post := chain.Next()
		s.mustPost(post.Path, post.Body)
		s.caughtUp(1)
	}
}

const someAccount = "SP000000000000000000002Q6VF78"

// Two servers, which share a database and a Redis, forward requests of a node's clients to two nodes.
func TestNodes(t *testing.T) {
	short.Skip(t, "waits for probes of nodes")
	t.Parallel()
	one, two := newStacksNode(t), newStacksNode(t)
	redis, database := redistest.New(t), served.URL(t)
	flags := []string{"--database-url", database, "--redis-url", redis.URL(), "--nodes", "one=" + one.url + ";weight=2," + two.url, "--fee-estimates", "--public-internals"}
	s := startServer(t, t.TempDir(), flags...)
	other := start(t, command(t, t.TempDir(), nil, append([]string{"serve", "--roles", "api", "--api-addr", "127.0.0.1:0", "--log-format", "json"}, flags...)...))
	other.api = other.announced("serving the API")
	c := &contract{t, readapi.New(readapi.Config{}).OpenAPI()}
	chain := synthchain.New((&simulate.Command{Seed: 7, Calm: true}).Config())
	height := s.grow(chain, 40)
	one.height.Store(height)
	two.height.Store(height)

	var pool struct {
		Nodes []struct {
			Name, URL, State string
			Height           int64 `json:"stacks_tip_height"`
		}
	}
	for _, s := range []*server{s, other} {
		eventually.Holds(t, "the nodes serve", func() bool {
			s.read("/proxy/v1/nodes", &pool)
			return len(pool.Nodes) == 2 && pool.Nodes[0].State == "serving" && pool.Nodes[1].State == "serving" && pool.Nodes[0].Height == height && pool.Nodes[1].Height == height
		})
	}
	if pool.Nodes[0].Name != "one" || pool.Nodes[0].URL != one.url || "http://"+pool.Nodes[1].Name != two.url {
		t.Errorf("the pool is %+v", pool)
	}
	got := s.get("/proxy/v1/nodes")
	if c.check(http.MethodGet, "/proxy/v1/nodes", got); got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the state of the pool may be kept: %v", got.Header)
	}

	// Forwarded answers, and their description.
	const jsonType, call = "application/json", "/v2/contracts/call-read/" + someAccount + "/pox-4/"
	payload := strings.Repeat("ab", 350)
	for _, tc := range []struct {
		method, path, contentType, body string
		status                          int
		want                            string // empty: not compared
	}{
		{http.MethodGet, "/v2/pox", "", "", 200, poxAnswer},
		{http.MethodGet, "/v2/accounts/" + someAccount + "?proof=1", "", "", 200, ""},
		{http.MethodPost, call + "get-pox-info", jsonType, `{"sender":"` + someAccount + `","arguments":[]}`, 200, `{"okay":true,"result":"0x0703"}`},
		{http.MethodPost, call + "get-failure", jsonType, `{"sender":"` + someAccount + `","arguments":[]}`, 200, ""},
		{http.MethodPost, "/v2/transactions", "application/octet-stream", "\x80\x80", 200, transactionID},
		{http.MethodPost, "/v2/transactions", "application/octet-stream", "bad nonce", 400, rejectionAnswer},
		{http.MethodPost, "/v2/transactions", "application/octet-stream", "garbage", 400, "Failed to deserialize posted transaction: EOF"},
		{http.MethodPost, "/v2/fees/transaction", jsonType, `{"transaction_payload":"00"}`, 400, noEstimateAnswer},
		{http.MethodPost, "/v2/fees/transaction", jsonType, `{"transaction_payload":"01"}`, 400, `"Fee estimation not supported on this node"`},
		{http.MethodGet, "/v2/accounts/%2e%2e", "", "", 400, ""},
	} {
		got := s.ask(tc.method, tc.path, tc.contentType, tc.body)
		if got.Status != tc.status || tc.want != "" && string(got.Body) != tc.want {
			t.Errorf("%s %s: got %d %s, want %d %s", tc.method, tc.path, got.Status, got.Body, tc.status, tc.want)
		}
		c.check(tc.method, tc.path, got)
	}
	oneConnection(t, strings.TrimPrefix(s.api, "http://"))
	if got := s.ask(http.MethodGet, "/v3/something/else", "", ""); got.Status != http.StatusNotFound || string(got.Body) != "not found: /v3/something/else" {
		t.Errorf("what is not described: got %d %s", got.Status, got.Body)
	}
	c.check(http.MethodPost, "/v2/transactions", tooLarge(t, s.api))

	// The blocks of the synthetic chain have room, so the minimum fee is enough.
	eventually.Holds(t, "fees are estimated", func() bool {
		got := s.ask(http.MethodPost, "/v2/fees/transaction", jsonType, `{"transaction_payload":"0x`+payload+`","estimated_len":7}`)
		c.check(http.MethodPost, "/v2/fees/transaction", got)
		if text := string(got.Body); text != feesAnswer && text != feesAnswerLeast {
			t.Fatalf("got %s, want the node's answer, or one with the least fees", text)
		}
		return string(got.Body) == feesAnswerLeast
	})

	// One server finds in Redis what the other has cached, and asks no node.
	account := 0
	eventually.Holds(t, "the other server finds an answer in Redis", func() bool {
		account++ // on a busy machine Redis may be too slow to be used: then again, with another key
		path := fmt.Sprintf("/v2/accounts/%s.number-%d", someAccount, account)
		first := s.ask(http.MethodGet, path, "", "")
		if again := s.ask(http.MethodGet, path, "", ""); again.Header.Get("X-Strata-Node") != "cache" || string(again.Body) != string(first.Body) {
			return false // the tip had just been seen by one of them
		}
		stored := regexp.MustCompile(`(?m)^strata_cache_stores_total ([1-9]\d*)`)
		eventually.Holds(t, "something is stored", func() bool { return stored.Match(s.get("/metrics").Body) })
		before := one.asked.Load() + two.asked.Load()
		found := other.ask(http.MethodGet, path, "", "")
		return found.Header.Get("X-Strata-Node") == "cache" && string(found.Body) == string(first.Body) && one.asked.Load()+two.asked.Load() == before
	})

	// A cached answer is valid until the next block is in the log, whatever the nodes report. (After half a minute it
	// expires in any case.)
	eventually.Holds(t, "an answer turns over with a block, long before its time is over", func() bool {
		one.height.Store(height)
		two.height.Store(height)
		eventually.Holds(t, "the nodes are at the tip", func() bool {
			s.read("/proxy/v1/nodes", &pool)
			return pool.Nodes[0].Height == height && pool.Nodes[1].Height == height
		})
		account++
		path := fmt.Sprintf("/v2/accounts/%s.number-%d", someAccount, account)
		began := time.Now()
		kept := s.ask(http.MethodGet, path, "", "")
		if again := s.ask(http.MethodGet, path, "", ""); string(again.Body) != string(kept.Body) {
			return false // not kept: the pool had not evaluated the tip yet
		}
		height = s.grow(chain, height)
		for _, s := range []*server{s, other} {
			eventually.Holds(t, "the answer is another one", func() bool {
				return string(s.ask(http.MethodGet, path, "", "").Body) != string(kept.Body)
			})
		}
		return time.Since(began) < 25*time.Second
	})

	if described := s.get("/openapi.json"); !sameDescription(t, described.Body, []byte(mustRun(t, t.TempDir(), "openapi"))) {
		t.Error("a server with nodes describes something else than strata openapi does")
	}
}

// tooLarge announces a body above the limit, and returns the answer.
func tooLarge(t testing.TB, api string) serverrig.Reply {
	t.Helper()
	connection := must.Get(net.Dial("tcp", strings.TrimPrefix(api, "http://")))(t)
	defer func() { _ = connection.Close() }()
	must.Get(io.WriteString(connection, "POST /v2/transactions HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 10000001\r\n\r\n"))(t)
	response := must.Get(http.ReadResponse(bufio.NewReader(connection), nil))(t)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large: got %d (%v), want 413", response.StatusCode, err)
	}
	return serverrig.Reply{Status: response.StatusCode, Header: response.Header, Body: body}
}

func sameDescription(t testing.TB, one, two []byte) bool {
	t.Helper()
	var descriptions [2]struct{ Paths, Components, Tags any }
	for i, text := range [][]byte{one, two} {
		must.Do(t, json.Unmarshal(text, &descriptions[i]))
	}
	return reflect.DeepEqual(descriptions[0], descriptions[1])
}

// oneConnection sends requests for nodes and for the API in turns on one connection, without waiting for answers. The
// answers must come in the order of the requests.
func oneConnection(t *testing.T, address string) {
	t.Helper()
	conn := must.Get(net.Dial("tcp", address))(t)
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Minute))
	paths := []string{"/v2/pox", "/v3/nothing", "/v2/pox", "/extended/v1/status", "/v2/pox", "/v3/nothing", "/healthz"}
	for _, path := range paths {
		_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: here\r\n\r\n", path)
	}
	reader := bufio.NewReader(conn)
	for _, path := range paths {
		response := must.Get(http.ReadResponse(reader, nil))(t)
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		want := map[string]string{"/v2/pox": poxAnswer, "/v3/nothing": "not found: /v3/nothing", "/healthz": `{"status":"ok"}`}[path]
		if err != nil || want != "" && strings.TrimSpace(string(body)) != want || want == "" && !strings.Contains(string(body), "chain_tip") {
			t.Errorf("%s: %d %s, %v", path, response.StatusCode, body, err)
		}
	}
}

// Without nodes, forwarded requests get 503, and the API's description is the same.
func TestNoNodes(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	c := &contract{t, readapi.New(readapi.Config{}).OpenAPI()}
	for _, tc := range []struct{ method, path string }{
		{http.MethodGet, "/v2/pox"}, {http.MethodGet, "/v2/accounts/" + someAccount}, {http.MethodPost, "/v2/transactions"}, {http.MethodPost, "/v2/fees/transaction"},
		{http.MethodPost, "/v2/contracts/call-read/" + someAccount + "/pox-4/get-pox-info"}, {http.MethodGet, "/proxy/v1/nodes"},
	} {
		got := s.ask(tc.method, tc.path, "application/json", "")
		if got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "--nodes") || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d %s, want 503 that names --nodes", tc.method, tc.path, got.Status, got.Body)
		}
		c.check(tc.method, tc.path, got)
	}
	for _, path := range []string{"/v2/info", "/v3/tenures/info"} {
		if got := s.get(path); got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), "--nodes") {
			t.Errorf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
	if !sameDescription(t, s.get("/openapi.json").Body, []byte(mustRun(t, t.TempDir(), "openapi"))) {
		t.Error("a server without nodes describes something else than strata openapi does")
	}
}

// If no node is reachable, the answer says which nodes are down and since when. The rate limit comes first.
func TestNodesDown(t *testing.T) {
	short.Skip(t, "waits for probes of nodes")
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t), "--nodes", "gone="+gone.URL, "--node-rate-limit", "0.001", "--public-internals")
	c := &contract{t, readapi.New(readapi.Config{}).OpenAPI()}
	var pool struct {
		Nodes []struct{ Name, State, Error string }
	}
	eventually.Holds(t, "the node was asked", func() bool {
		s.read("/proxy/v1/nodes", &pool)
		return len(pool.Nodes) == 1 && pool.Nodes[0].State == "down" && pool.Nodes[0].Error != ""
	})
	got := s.ask(http.MethodGet, "/v2/pox", "", "")
	if got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), `"name":"gone"`) || !strings.Contains(string(got.Body), `"since":"`) {
		t.Errorf("got %d %s, want 503 that names the node", got.Status, got.Body)
	}
	c.check(http.MethodGet, "/v2/pox", got)
	if got = s.ask(http.MethodGet, "/v2/pox", "", ""); got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %v, want 429 that says when to come back", got.Status, got.Header)
	}
	c.check(http.MethodGet, "/v2/pox", got)
}

// Wrong node flags are reported before anything is opened, even before an address in use.
func TestWrongNodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ flag, value, want string }{
		{"--nodes", "127.0.0.1:20443", "127.0.0.1:20443"},
		{"--nodes", "ftp://127.0.0.1", "ftp://127.0.0.1"},
		{"--nodes", "http://127.0.0.1:1;weight=0", "weight"},
		{"--nodes", "http://127.0.0.1:1,http://127.0.0.1:1", "two nodes"},
		{"--node-concurrency", "-1", "-1"},
		{"--node-rate-limit", "-1", "-1"},
		{"--node-rate-limit", "NaN", "NaN"},
		{"--rate-limit", "NaN", "NaN"},
		{"--proxy-protocol", "true", "--trusted-proxies"},
	} {
		dir := t.TempDir()
		got := run(t, dir, "serve", tc.flag+"="+tc.value, "--api-addr", taken(t))
		if got.code != exitFailure || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, tc.flag) || !strings.Contains(got.stderr, tc.want) {
			t.Errorf("%s %s: got code %d and %q, want 1 and one line that names it", tc.flag, tc.value, got.code, got.stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s %s: it left %v (%v)", tc.flag, tc.value, left, err)
		}
	}
}
