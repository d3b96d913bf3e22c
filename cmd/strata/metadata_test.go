package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections"
)

// From the deployment of a contract to the thumbnail of a token's image: Strata asks the node and the gateway, and stores
// their answers in the log.
func TestTokenMetadata(t *testing.T) {
	short.Skip(t, "waits for what is tried again")
	t.Parallel()
	world := &outside.World{}
	beyond := httptest.NewServer(world)
	defer beyond.Close()
	dir := t.TempDir()
	url := served.URL(t)
	s := startServer(t, dir, "--database-url", url, "--data-dir", dir, "--nodes", beyond.URL, "--ipfs-gateways", beyond.URL,
		"--fetch-allow", "127.0.0.1", "--image-store", "dir", "--public-url", "https://tokens.example/strata/", "--allow-refresh",
		"--public-internals", "--admin-addr", "127.0.0.1:0")
	mustRun(t, dir, "simulate", "--observer", s.observer, "--count", "150", "--seed", "7", "--calm")

	var list struct {
		Total   int
		Results []struct {
			Contract  string `json:"contract_principal"`
			Name      string `json:"name"`
			Image     string `json:"image_uri"`
			Thumbnail string `json:"image_thumbnail_uri"`
		}
	}
	eventually.Holds(t, "a fungible token has a name and an image", func() bool {
		s.read("/metadata/v1/ft?limit=60", &list)
		return list.Total > 0 && list.Results[0].Thumbnail != ""
	})
	callBoot(t, s)
	coin := list.Results[0]
	if want := outside.Name(coin.Contract); coin.Name != want {
		t.Errorf("the name of %s is %q, want %q", coin.Contract, coin.Name, want)
	}
	for link, want := range map[string]string{coin.Image: "image/png", coin.Thumbnail: "image/png"} {
		path, ok := strings.CutPrefix(link, "https://tokens.example/strata")
		if !ok {
			t.Errorf("%s does not begin with --public-url", link)
		}
		if got := s.get(path); got.Status != http.StatusOK || got.Header.Get("Content-Type") != want {
			t.Errorf("%s: got %d %s", path, got.Status, got.Header.Get("Content-Type"))
		}
	}

	var token struct {
		Decimals *int
		Supply   string `json:"total_supply"`
		Metadata struct {
			SIP        int
			Name       string
			Attributes []struct {
				Trait string `json:"trait_type"`
			}
		}
	}
	if got := s.read("/metadata/v1/ft/"+coin.Contract, &token); got.Header.Get("Strata-Source") == "" || got.Header.Get("ETag") == "" {
		t.Errorf("an answer does not say where it comes from: %v", got.Header)
	}
	if token.Decimals == nil || *token.Decimals != 6 || token.Supply != "1000000" || token.Metadata.SIP != 16 || len(token.Metadata.Attributes) != 1 {
		t.Errorf("got %+v", token)
	}

	// A refresh is an event too, and makes Strata fetch everything again.
	before := world.Calls()
	if got := do(t, http.MethodPost, s.api+"/metadata/v1/refresh", http.Header{"Content-Type": {"application/json"}}, []byte(`{"contract_id":"`+coin.Contract+`"}`)); got.Status != http.StatusAccepted {
		t.Fatalf("refresh: got %d %s", got.Status, got.Body)
	}
	eventually.Holds(t, "a refreshed token was asked for again", func() bool { return world.Calls() >= before+5 })

	askAgain(t, s, url, dir, world, coin.Contract)

	// Requests to the node are forwarded, too.
	call := "/v2/contracts/call-read/" + strings.Replace(coin.Contract, ".", "/", 1) + "/get-symbol"
	got := do(t, http.MethodPost, s.api+call, http.Header{"Content-Type": {"application/json"}}, []byte(`{"sender":"SP000000000000000000002Q6VF78","arguments":[]}`))
	if got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"okay":true`) {
		t.Errorf("%s: got %d %s", call, got.Status, got.Body)
	}
	var pool struct{ Nodes []struct{ State, URL string } }
	if s.read("/proxy/v1/nodes", &pool); len(pool.Nodes) != 1 || pool.Nodes[0].URL != beyond.URL || pool.Nodes[0].State != "serving" && pool.Nodes[0].State != "lagging" { // it never leaves block 1
		t.Errorf("the pool is %+v", pool)
	}

	// A forged report, posted to the observer, is stored and ignored.
	for _, path := range []string{"/strata:fetch", "/strata/fetch"} {
		s.mustPost(path, []byte(`{"want":{"kind":"document","uri":"ipfs://x"},"attempt":1}`))
	}
	eventually.Holds(t, "the posted reports are passed over", func() bool {
		for _, p := range s.status().Strata.Projections {
			if p.Lag != 0 {
				return false
			}
		}
		return !strings.Contains(string(s.get("/audit/v1/quarantine").Body), "strata")
	})
}

// A node refuses one read of each fungible token, as it costs too much. What the others tell is answered at once, and the answer
// says what is missing, why, and when it is tried again.
func TestTokenInPart(t *testing.T) {
	t.Parallel()
	var refusing atomic.Bool
	refusing.Store(true)
	world := &outside.World{Refuse: func(_, function string) string {
		if function == "get-total-supply" && refusing.Load() {
			return "Unchecked(CostBalanceExceeded(ExecutionCost { runtime: 1 }, ExecutionCost { runtime: 0 }))"
		}
		return ""
	}}
	beyond := httptest.NewServer(world)
	defer beyond.Close()
	dir := t.TempDir()
	s := startServer(t, dir, "--database-url", served.URL(t), "--nodes", beyond.URL, "--ipfs-gateways", beyond.URL, "--fetch-allow", "127.0.0.1", "--allow-refresh")
	mustRun(t, dir, "simulate", "--observer", s.observer, "--count", "60", "--seed", "7", "--calm")
	var list struct {
		Results []struct {
			Contract string `json:"contract_principal"`
			Name     string `json:"name"`
		}
	}
	eventually.Holds(t, "a fungible token has a name", func() bool {
		s.read("/metadata/v1/ft?limit=60", &list)
		return len(list.Results) > 0 && list.Results[0].Name != ""
	})
	type shown struct {
		Name, Symbol string
		Decimals     *int
		Supply       string `json:"total_supply"`
		URI          string `json:"token_uri"`
		Refresh      *struct {
			Reason int
			Fields []string
			Next   string `json:"next_attempt_at"`
		}
	}
	coin := list.Results[0].Contract
	complete := func(got shown) bool {
		return got.Name == outside.Name(coin) && got.Symbol == outside.Symbol(coin) && got.Decimals != nil && *got.Decimals == 6 && got.URI == outside.URI(coin, "1")
	}
	var one shown
	s.read("/metadata/v1/ft/"+coin, &one)
	var batch struct{ Results []struct{ Token shown } }
	s.read("/metadata/v1/batch?contract="+coin, &batch)
	for _, got := range []shown{one, batch.Results[0].Token} {
		if !complete(got) || got.Supply != "" || got.Refresh == nil || got.Refresh.Reason != 109 || fmt.Sprint(got.Refresh.Fields) != "[total_supply]" {
			t.Errorf("got %+v with %+v", got, got.Refresh)
		}
	}
	if one.Refresh != nil && one.Refresh.Next == "" {
		t.Error("got no time of the next attempt")
	}
	refusing.Store(false)
	if got := do(t, http.MethodPost, s.api+"/metadata/v1/refresh", http.Header{"Content-Type": {"application/json"}}, []byte(`{"contract_id":"`+coin+`"}`)); got.Status != http.StatusAccepted {
		t.Fatalf("refresh: got %d %s", got.Status, got.Body)
	}
	eventually.Holds(t, "the token is complete", func() bool {
		var got shown
		s.read("/metadata/v1/ft/"+coin, &got)
		return complete(got) && got.Supply == "1000000" && got.Refresh == nil
	})
}

// askAgain has tokens fetched again as an administrator does: by the administration API, by the calls of token-metadata-api, and
// by commands.
func askAgain(t *testing.T, s *server, url, dir string, world *outside.World, coin string) {
	t.Helper()
	const (
		noContract = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.nothing"
		root       = "/admin/v1/tokens/"
		peer       = "/metadata/admin/"
	)
	conn := pgtest.Connect(t, url)
	noToken := deployedNoToken(t, conn)
	admin := s.announced("serving the administration API")
	for _, tc := range []struct {
		path, body string
		status     int
		want       string
		fetches    bool
	}{
		{root + "refresh", `{"contract_id":"` + coin + `"}`, 202, `{"accepted":true}`, true},
		{root + "refresh", `{"contract_id":"` + coin + `","token_ids":["1","77"]}`, 202, `{"accepted":true}`, true},
		{root + "refresh", `{"contract_id":"` + coin + `","token_ids":["one"]}`, 400, "no number of a token", false},
		{root + "refresh", `{"contract_id":"` + noContract + `"}`, 422, "no block in the log deploys it", false},
		{root + "refresh", `{"contract_id":"x"}`, 400, "contract_id", false},
		{root + "import", `{"contract_id":"` + coin + `"}`, 202, `{"recognised":true}`, true},
		{root + "import", `{"contract_id":"` + noContract + `"}`, 422, "no block in the log deploys it", false},
		{root + "import", `{"contract_id":"` + noToken + `"}`, 422, "not a token contract", false},
		{root + "retry", ``, 202, `{"retried":`, false},
		{root + "retry", `{"interfaces":true}`, 202, `{"retried":0}`, false},
		{peer + "refresh-token", `{"contractId":"` + coin + `","tokenIds":[1]}`, 200, "", true},
		{peer + "refresh-token", `{"contractId":"` + coin + `","tokenIds":[]}`, 200, "", false},
		{peer + "refresh-token", `{"contractId":"` + noContract + `"}`, 422, `{"error":"Contract not found"}`, false},
		{peer + "refresh-token", `{"contractId":"` + coin + `","tokenIds":["1"]}`, 200, "", true},
		{peer + "refresh-token", `{"contractId":"` + coin + `","tokenIds":["one"]}`, 400, "body/tokenIds/0 must be integer", false},
		{peer + "refresh-token", `{}`, 400, "body must have required property 'contractId'", false},
		{peer + "refresh-token", `[]`, 400, "body must be object", false},
		{peer + "import-contract", `{"contractId":"` + coin + `"}`, 200, "", true},
		{peer + "import-contract", `{"contractId":"` + noContract + `"}`, 422, `{"error":"Contract not found"}`, false},
		{peer + "import-contract", `{"contractId":"` + noToken + `"}`, 422, `{"error":"Not a token contract"}`, false},
		{peer + "cache-images", `{"contractId":"` + coin + `"}`, 200, "", true},
		{peer + "retry-failed", ``, 200, "", false},
		{peer + "job-queue/stop", ``, 404, "no queue to start or stop", false},
	} {
		nothingWanted(t, conn, coin)
		before := world.Calls()
		got := do(t, http.MethodPost, admin+tc.path, http.Header{"Content-Type": {"application/json"}}, []byte(tc.body))
		if got.Status != tc.status || !strings.Contains(string(got.Body), tc.want) || tc.want == "" && len(got.Body) > 0 {
			t.Errorf("%s %s: got %d %s, want %d %s", tc.path, tc.body, got.Status, got.Body, tc.status, tc.want)
		}
		if tc.fetches {
			eventually.Holds(t, tc.path+" "+tc.body+" lets the contract be asked again", func() bool { return world.Calls() > before })
		}
	}
	if got := do(t, http.MethodPost, s.api+root+"retry", nil, nil); got.Status != http.StatusNotFound {
		t.Errorf("at the address of the API: got %d %s", got.Status, got.Body)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"refresh", coin}, "fetch all tokens again"},
		{[]string{"refresh", coin, "1"}, "fetch 1 tokens again"},
		{[]string{"import", coin}, "is a token contract"},
	} {
		nothingWanted(t, conn, coin)
		before := world.Calls()
		if got := mustRun(t, dir, append(append([]string{"tokens"}, tc.args...), "--database-url", url)...); !strings.Contains(got, tc.want) {
			t.Errorf("strata tokens %v: got %q, want %q", tc.args, got, tc.want)
		}
		eventually.Holds(t, strings.Join(tc.args, " ")+" lets the contract be asked again", func() bool { return world.Calls() > before })
	}
	if got := mustRun(t, dir, "tokens", "retry", "--database-url", url, "--interfaces"); got != "nothing has failed\n" {
		t.Errorf("strata tokens retry: got %q", got)
	}
	run(t, dir, "tokens", "import", "--database-url", url, noContract).fails(t, exitFailure, "no block in the log deploys it")
}

// nothingWanted waits until all is fetched that a token wants. What is wanted again while it is being fetched is fetched once.
func nothingWanted(t *testing.T, conn *pgx.Conn, coin string) {
	t.Helper()
	version := pgtest.Value[int](t, conn, `SELECT version FROM strata.active WHERE name = 'ft'`)
	wants := projections.Schema{Name: "ft", Version: version}.Table("want")
	eventually.Holds(t, "all is fetched that "+coin+" wants", func() bool {
		return pgtest.Value[int](t, conn, fmt.Sprintf(`SELECT count(*) FROM %s WHERE wanted_by = $1`, wants), coin) == 0
	})
}

// callBoot announces a call of a boot contract, which nothing in the log deploys, and waits until the call is shown with the names
// of the interface that the node states.
func callBoot(t *testing.T, s *server) {
	t.Helper()
	contract := must.Get(clarity.ParsePrincipal("SP000000000000000000002Q6VF78.costs-9"))(t)
	arguments := must.Get(transaction.NewArguments(clarity.NewUint64(7)))(t)
	tx := must.Get(transaction.Draft{Network: transaction.Mainnet, Fee: 180}.Transaction(&transaction.ContractCall{Contract: contract, Function: "told", Arguments: arguments}))(t)
	s.mustPost("/new_mempool_tx", fmt.Appendf(nil, `["0x%x"]`, tx.Encode()))
	eventually.Holds(t, "a call of a boot contract has the names of its interface", func() bool {
		return strings.Contains(string(s.get("/extended/v1/tx/"+tx.TxID().String()).Body), `(define-public (told (amount uint)))`)
	})
}

// deployedNoToken returns a contract of the log that is no token.
func deployedNoToken(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	schemas := map[string]any{}
	for _, name := range []string{"chain", "ft", "nft", "sft"} {
		version := pgtest.Value[int](t, conn, `SELECT version FROM strata.active WHERE name = $1`, name)
		schemas[name] = projections.Schema{Name: name, Version: version}.Table("contract")
	}
	return pgtest.Value[string](t, conn, fmt.Sprintf(`
		SELECT contract_id FROM %s EXCEPT (SELECT contract_id FROM %s UNION SELECT contract_id FROM %s UNION SELECT contract_id FROM %s) LIMIT 1`,
		schemas["chain"], schemas["ft"], schemas["nft"], schemas["sft"]))
}
