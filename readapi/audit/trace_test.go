package audit_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// Every operation either has a trace or says why it has none.
func TestEveryReadIsTraced(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	inPath := regexp.MustCompile(`\{([^}]+)\}`)
	examples := map[string]string{
		"height_or_hash": "20", "seq": "1", "principal": apitest.Alice, "token_id": "1", "id": "0", "ordinal": "0", "ticker": "ordi", "address": apitest.Alice,
		"level": "0", "n": "000", "size": "1", "asset_identifier": apitest.P1 + "::x", "token": apitest.P1 + "::x",
		"tx_id": apitest.ID(apitest.TxHash, 20).String(), "block_hash": apitest.ID(apitest.BlockHash, 20).String(), "height": "20", "contract_id": apitest.P1,
		"hash": apitest.ID(apitest.TxHash, 20).String(), "burn_block_hash": apitest.ID(apitest.BurnHash, 20).String(), "burn_block_height": "120", "timestamp": "1700000000", "tenure_height": "20",
		"network": "mainnet", "pool_principal": apitest.P1, "value": "1", "cycle_number": "1", "signer_key": strings.Repeat("02", 33),
		"namespace": "btc", "label": "bob", "bond_index": "0", "cycle": "0", "name": "bob.btc", "tld": "btc", "zoneFileHash": "0x" + strings.Repeat("ab", 20), "blockchain": "stacks",
	}
	queries := map[string]string{"searchTokens": "?contract=" + apitest.P1, "getTokenBatch": "?contract=" + apitest.P1, "getBrc20BalancesOfAddresses": "?address=" + apitest.Alice, "get-bns-names-of-addresses": "?address=" + apitest.Alice, "search-v3": "?q=20", "list-transaction-batch": "?tx_id=" + apitest.ID(apitest.TxHash, 20).String(),
		"getTransfersPerBlock": "?block=1", "get-log-inclusion-proof": "?seq=1", "get-log-consistency-proof": "?from=1&to=2",
		"get-transactions": "?tx_id=" + apitest.ID(apitest.TxHash, 20).String(), "list-events": "?tx_id=" + apitest.ID(apitest.TxHash, 20).String(), "get-contract-statuses": "?contract_id=" + apitest.P1,
		"list-balance-changes":    "?tx_id=" + apitest.ID(apitest.TxHash, 20).String(),
		"list-contracts-by-trait": "?trait_abi=" + url.QueryEscape(`{"functions":[]}`), "list-nft-holdings": "?principal=" + apitest.Alice,
		"list-nft-history": "?asset_identifier=" + url.QueryEscape(apitest.Art) + "&value=0x03", "list-nft-mints": "?asset_identifier=" + url.QueryEscape(apitest.Art)}
	noNode := map[string]bool{"get-bns-v1-name-price": true} // the world has neither the namespace nor a node
	traced, untraced := 0, 0
	for path, item := range s.API.OpenAPI().Paths {
		if item.Get == nil {
			continue
		}
		target := inPath.ReplaceAllStringFunc(path, func(name string) string {
			example := examples[name[1:len(name)-1]]
			if strings.HasPrefix(path, "/v2/") && !strings.HasPrefix(path, "/v2/prices/") {
				return "x"
			}
			if name == "{principal}" && strings.HasPrefix(path, "/metadata/") {
				return apitest.P1
			}
			if example == "" {
				t.Fatalf("%s: no example of %s", path, name)
			}
			return example
		}) + queries[item.Get.OperationID]
		switch got := s.Get(apitest.TracePath(target)); {
		case got.Status == 400 && strings.Contains(got.Body, " has no rows to trace: "):
			untraced++
		case got.Status == 200 && strings.Contains(got.Body, `"operation":"`+item.Get.OperationID+`"`):
			traced++
		case got.Status == 503 && (noNode[item.Get.OperationID] || strings.HasPrefix(path, "/bns/v2/")):
			// the world has no names of BNS-V2; the tests of readapi/bns trace these reads
		default:
			t.Errorf("%s, %s: got %d %s\nwant a trace, or why there is none", item.Get.OperationID, target, got.Status, got.Body)
		}
	}
	if traced < 20 || untraced < 5 {
		t.Errorf("got %d operations with a trace and %d without", traced, untraced)
	}
	for _, path := range []string{"/", "/docs", "/openapi.json", "/openapi.yaml", "/metrics", "/v2/info", "/v3/x", apitest.TracePath("/extended")} {
		s.ExpectTexts(apitest.TracePath(path), 400, "has no rows to trace: ")
	}
}

func TestTraceRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, tc := range []struct {
		target string
		status int
		want   string
	}{
		{"/audit/v1/trace", 400, "path"},
		{"/audit/v1/trace?path=", 400, "path"},
		{apitest.TracePath("extended/v2/blocks"), 400, "is not a path of this API"},
		{apitest.TracePath("http://127.0.0.1:1/extended/v2/blocks"), 400, "no other host"},
		{apitest.TracePath("https://example.com/extended/v2/blocks"), 400, "no other host"},
		{apitest.TracePath("//example.com/extended/v2/blocks"), 400, "no other host"},
		{apitest.TracePath("/extended/v2/blocks/%zz"), 400, "is not a path of this API"},
		{apitest.TracePath("/\x00"), 400, "path"},
		{apitest.TracePath("/nothing"), 404, "this API has no /nothing"},
		{apitest.TracePath("/extended/../extended/v2/blocks"), 404, "this API has no "},
		{apitest.TracePath("/metadata/v1/refresh"), 404, "this API has no "},
		{apitest.TracePath("/ordinals/v1/sats"), 404, "this API has no "},
		{apitest.TracePath("/ordinals/v1/sats/"), 400, "Invalid satoshi"},
		{apitest.TracePath("/extended/v2/blocks?limit=1000"), 400, "/extended/v2/blocks?limit=1000: "},
		{apitest.TracePath("/ordinals/v1/inscriptions?limit=1000"), 400, "limit"},
		{apitest.TracePath("/extended/v2/blocks/20", "&limit=201"), 400, "limit"},
		{apitest.TracePath("/extended/v2/blocks/20", "&cursor=1"), 400, "cursor"},
		{apitest.TracePath("/extended/v2/blocks/20", "&cursor=1:nothing"), 400, "begin again without one"},
		{apitest.TracePath("/extended/v2/blocks/20", "&cursor=1.1:block"), 400, "begin again without one"},
		{apitest.TracePath("/extended/v1/address/"+apitest.Alice+"/stx", "&cursor=1:ledger+of+stx"), 400, "begin again without one"},
	} {
		got := s.Get(tc.target)
		var body struct {
			StatusCode int
			Message    string
		}
		apitest.DecodeJSON(t, got.Body, &body)
		if got.Status != tc.status || body.StatusCode != tc.status || !strings.Contains(body.Message, tc.want) {
			t.Errorf("%s: got %d %s, want %d and %q", tc.target, got.Status, got.Body, tc.status, tc.want)
		}
	}
}

// An answer that is a failure has a trace, too: without rows where there are none.
func TestTraceOfFailures(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{"/extended/v2/blocks/9", "/extended/v1/address/" + apitest.Alice + "/stx?until_block=9", "/extended/v1/address/nobody/stx", "/audit/v1/events/9999"} {
		answer := s.Get(path)
		if answer.Status/100 != 4 {
			t.Fatalf("%s: got %d", path, answer.Status)
		}
		if answer.Status == 400 { // a parameter that matches no schema is refused before
			s.ExpectTexts(apitest.TracePath(path), 400)
			continue
		}
		if traced := s.TracePage(path); len(traced.Rows) != 0 {
			t.Errorf("%s: got %v, want no rows", path, traced.Rows)
		}
	}

	tokens := apitest.NewTokenSite(t)
	tokens.TokenTip(7)
	tokens.Contract(token.FT, apitest.P1, nil)
	tokens.Unread(token.FT, apitest.P1, "1", apitest.Columns{"reason": 109, "failed_seq": 310})
	tokens.Want(token.FT, apitest.TokenWant(token.FT, apitest.P1, 1), fetch.Wrong, 2)
	got := tokens.Get(apitest.TracePath("/metadata/v1/ft/" + apitest.P1))
	var traced apitest.TraceOf
	apitest.DecodeJSON(t, got.Body, &traced)
	if traced.Status != 422 || tokens.One(traced, "ft.token").Sources[1].Seq != 310 || len(traced.In("ft.want")) != 1 {
		t.Errorf("got %s, want status 422 and the report of the failure", got.Body)
	}
}

// A trace is of the state at which it says that it was read, and is made anew when there is another one.
func TestTraceFollows(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`INSERT INTO log.event SELECT seq + 1, received_at, size, body_seq, sha256, source, path, content_type, origin, body FROM log.event WHERE seq = $1`, apitest.LastHeight+100)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{})
	path := "/extended/v1/address/" + apitest.Bob + "/stx"
	before := k.TracePage(path)
	if again := k.Get(apitest.TracePath(path)); again.Status != 200 || len(before.In("balances.ledger")) != 1 {
		t.Fatalf("got %d, %v", again.Status, before.Rows)
	}
	s.Change(2, 55, apitest.Bob, "stx", "stx", 7, 307, 0, 307, 0, 0)
	s.Block(apitest.LastHeight + 1)
	s.Tip(apitest.LastHeight + 1)
	// The API looks at the register now and then. Once the answer itself is the new one, the trace is of the same state.
	eventually.Holds(t, "the answer has the change", func() bool {
		return strings.Contains(k.Get(path).Header.Get("Strata-Position"), fmt.Sprintf("height=%d;", apitest.LastHeight+1))
	})
	eventually.Holds(t, "the trace has the change", func() bool {
		traced := k.TracePage(path)
		return len(traced.In("balances.ledger")) == 2 && k.One(traced, "balances.holding").Column("balance") == "307" &&
			fmt.Sprint(traced.ReadAt["height"]) == strconv.Itoa(apitest.LastHeight+1)
	})
}

// What the log and the register themselves say is traced as well.
func TestTraceOfAudit(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, path := range []string{"/audit/v1/events/3", "/audit/v1/events/3/body"} {
		traced := s.Trace(path, 1)
		if len(traced.Rows) != 1 || traced.Rows[0].Table != "log.event" || traced.Rows[0].Version != 0 || traced.Rows[0].Column("seq") != "3" {
			t.Errorf("%s: got %v", path, traced.Rows)
		}
		if sources := traced.Rows[0].Sources; len(sources) != 2 || sources[0].Seq != 3 || sources[1].Seq != 2 {
			t.Errorf("%s: got %v, want the event and the one that has its bytes", path, sources)
		}
	}
	s.Exec(`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) VALUES ('chain', 1, 7, '/new_block', '/n', 'odd'), ('balances', 1, 6, '/new_block', '', 'odd')`)
	traced := s.Trace("/audit/v1/quarantine", 1)
	if len(traced.Rows) != 2 || traced.Rows[0].Column("name") != "balances" || traced.Rows[1].Table != "strata.quarantine" {
		t.Fatalf("got %v", traced.Rows)
	}
	if n := s.Facts(traced.Rows[1], "seq"); !slices.Equal(n, []any{json.Number("7")}) {
		t.Errorf("got %v at the pointer of what is quarantined, want 7", n)
	}
	negative := s.Trace("/audit/v1/negative-balances", 2).In("balances.negative_balance")
	if len(negative) != 3 {
		t.Fatalf("got %v", negative)
	}
	for _, r := range negative {
		if want := map[string]int64{"15": 115, "20": 120, "30": 130}[r.Column("height")]; r.Sources[0].Seq != want || len(r.Sources[0].Pointers) != 1 {
			t.Errorf("%v: got %v, want event %d", r.Key, r.Sources, want)
		}
	}
}
