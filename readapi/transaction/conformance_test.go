package transaction_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

// Every error body and rule of coercion of the reads of transactions and contracts.
func TestTransactionConformance(t *testing.T) {
	t.Parallel()
	s, _, ids := newTransactionWorld(t)
	const hexPattern = `must match pattern \"^(0x)?[a-fA-F0-9]{64}$\"`
	v1, v3 := "/extended/v1/tx/", "/extended/v3/transactions/"
	known, unknown := ids["events"].String(), apitest.ID(apitest.TxHash, 9).String()
	answers := apitest.Answers{
		{v1 + known, 200, ""},
		{v1 + known + "/", 200, ""},
		{v1 + "0x" + strings.ToUpper(known[2:]), 200, ""},
		{v1 + known + "?event_limit=0&event_offset=99999999999999&unanchored=true&exclude_function_args=true&else=1", 200, ""},
		{v1 + unknown, 404, apitest.NotFound("could not find transaction by ID")},
		{v1 + "0x12", 400, apitest.Invalid("params/tx_id " + hexPattern)},
		{v1 + "zz" + known[2:], 400, apitest.Invalid("params/tx_id " + hexPattern)},
		{v1 + known + "?event_limit=101", 400, apitest.Invalid("querystring/event_limit must be <= 100")},
		{v1 + known + "?event_limit=-1", 400, apitest.Invalid("querystring/event_limit must be >= 0")},
		{v1 + known + "?event_offset=-1", 400, apitest.Invalid("querystring/event_offset must be >= 0")},
		{v1 + known + "?event_offset=x", 400, apitest.Invalid("querystring/event_offset must be integer")},
		{v1 + known + "?unanchored", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{v1 + known + "?exclude_function_args=1", 400, apitest.Invalid("querystring/exclude_function_args must be boolean")},
		{v1 + known + "/raw", 200, ""},
		{v1 + known + "/raw/", 200, ""},
		{v1 + known + "/raw?event_limit=1000", 200, ""},
		{v1 + unknown + "/raw", 404, apitest.NotFound("could not find raw transaction by ID")},
		{v1 + "0x12/raw", 400, apitest.Invalid("params/tx_id " + hexPattern)},
		{v1 + known + "/cooked", 404, `{"message":"Route GET:` + v1 + known + `/cooked not found","error":"Not Found","statusCode":404}`},

		{v1 + "multiple", 400, apitest.Invalid("querystring must have required property 'tx_id'")},
		{v1 + "multiple?tx_id=", 400, apitest.BadRequest("Invalid hash characters")},
		{v1 + "multiple?tx_id=0xzz", 400, apitest.BadRequest("Invalid hash characters")},
		{v1 + "multiple?tx_id=" + known + ",", 400, apitest.BadRequest("Invalid hash characters")},
		{v1 + "multiple?tx_id=" + known + "&tx_id=" + known[2:], 200, ""},
		{v1 + "multiple?tx_id=" + unknown, 200, `{"` + unknown + `":{"found":false,"result":{"tx_id":"` + unknown + `"}}}`},
		{v1 + "multiple?tx_id=" + known + "&event_limit=101", 400, apitest.Invalid("querystring/event_limit must be <= 100")},

		{v1 + "events", 400, apitest.BadRequest("can not find 'address' or 'tx_id' in the request")},
		{v1 + "events?tx_id=" + known + "&type=print", 400, apitest.BadRequest("invalid 'event type'")},
		{v1 + "events?tx_id=" + known + "&type=", 200, ""}, // as if it were not given
		{v1 + "events?tx_id=" + known + "&type=stx_lock,", 400, apitest.BadRequest("invalid 'event type'")},
		{v1 + "events?tx_id=" + known + "&type=stx_lock,fungible_token_asset&limit=100", 200, ""},
		{v1 + "events?tx_id=" + known + "&limit=101", 400, apitest.Invalid("querystring/limit must be <= 100")},
		{v1 + "events?tx_id=12", 400, apitest.Invalid("querystring/tx_id " + hexPattern)},
		{v1 + "events?tx_id=" + unknown, 200, `{"limit":20,"offset":0,"events":[]}`},
		{v1 + "events?tx_id=" + known + "&offset=12", 200, `{"limit":20,"offset":12,"events":[]}`},
		{v1 + "events?tx_id=" + known + "&offset=9223372036854775807&type=stx_lock", 200, `{"limit":20,"offset":9223372036854775807,"events":[]}`},

		{v1 + "block/" + apitest.ID(apitest.BlockHash, 58).String(), 200, ""},
		{v1 + "block/" + apitest.ID(apitest.IndexHash, 58).String()[2:], 200, ""},
		{v1 + "block/raw", 400, apitest.Invalid("params/block_hash " + hexPattern)},
		{v1 + "block/" + unknown, 404, apitest.NotFound("no block found by hash")},
		{v1 + "block/" + apitest.ID(apitest.BlockHash, 58).String() + "?limit=200", 200, ""},
		{v1 + "block/" + apitest.ID(apitest.BlockHash, 58).String() + "?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},
		{v1 + "block_height/58", 200, ""},
		{v1 + "block_height/58?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{v1 + "block_height/61", 404, apitest.NotFound("no block found at height 61")},
		{v1 + "block_height/-1", 400, apitest.Invalid("params/height must be >= 0")},
		{v1 + "block_height/x", 400, apitest.Invalid("params/height must be integer")},
		{v1 + "block_height/99999999999999999999", 400, apitest.Invalid("params/height must be integer")},
		{v1 + "block_height/58?offset=9223372036854775807", 200, `{"limit":20,"offset":9223372036854775807,"total":14,"results":[]}`},

		{"/extended/v2/blocks/58/transactions?offset=14", 200, `{"limit":20,"offset":14,"total":14,"results":[]}`},
		{"/extended/v2/blocks/58/transactions?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v2/blocks/61/transactions", 404, apitest.NotFound("Block not found")},
		{"/extended/v2/blocks/" + unknown + "/transactions", 404, apitest.NotFound("Block not found")},
		{"/extended/v2/blocks/latest/transactions", 200, ""},

		{v3 + known, 200, ""},
		{v3 + known[2:] + "?include=result,function_args&include=source_code", 200, ""},
		{v3 + unknown, 404, apitest.NotFound("Transaction not found")},
		{v3 + "12", 400, apitest.Invalid("params/tx_id " + hexPattern)},
		{v3 + known + "?include=events", 400, ""},
		{v3 + known + "/events", 200, ""},
		{v3 + unknown + "/events", 404, apitest.NotFound("Transaction not found")},
		{v3 + known + "/events?limit=0", 400, apitest.Invalid("querystring/limit must be >= 1")},
		{v3 + known + "/events?limit=101", 400, apitest.Invalid("querystring/limit must be <= 100")},
		{v3 + known + "/events?cursor=-1", 400, apitest.Invalid(`querystring/cursor must match pattern \"^[0-9]{1,10}$\"`)},
		{v3 + known + "/events?cursor=9999999999", 200, `{"total":12,"limit":20,"cursor":{"next":null,"previous":"0","current":null},"results":[]}`},
		{"/extended/v3/blocks/latest/transactions", 200, ""},
		{"/extended/v3/blocks/61/transactions", 404, apitest.NotFound("Block not found")},
		{"/extended/v3/blocks/58/transactions?limit=0", 400, apitest.Invalid("querystring/limit must be >= 1")},
		{"/extended/v3/blocks/58/transactions?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v3/blocks/58/transactions?cursor=58", 400, ""},
		{"/extended/v3/blocks/58/transactions?cursor=57:1:1", 200, `{"total":14,"limit":20,"cursor":{"next":null,"previous":"58:2147483647:13","current":null},"results":[]}`},

		{"/extended/v1/contract/" + apitest.Bob + ".coin", 404, apitest.NotFound("cannot find contract by ID")},
		{"/extended/v1/contract/x", 404, apitest.NotFound("cannot find contract by ID")},
		{"/extended/v1/contract/%00", 400, apitest.Invalid("params/contract_id must be string")},
		{"/extended/v2/smart-contracts/status", 400, apitest.Invalid("querystring must have required property 'contract_id'")},
		{"/extended/v2/smart-contracts/status?contract_id=" + apitest.Bob, 400, ""},
		{"/extended/v2/smart-contracts/status?contract_id=" + apitest.Bob + ".coin", 200, `{"` + apitest.Bob + `.coin":{"found":false}}`},
	}
	for i, got := range s.ExpectAnswers(answers) {
		target := answers[i].Target
		if !json.Valid([]byte(got.Body)) {
			t.Errorf("%s: got %s, which is no JSON", target, got.Body)
		}
		if head := s.Request(http.MethodHead, target); head.Status != got.Status || head.Body != "" {
			t.Errorf("HEAD %s: got %d %s, want %d", target, head.Status, head.Body, got.Status)
		}
	}
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, apitest.ID(apitest.TxHash, 100+i).String())
		}
		return strings.Join(all, ",")
	}
	check.Equal(t, "200 ids", s.Get(v1+"multiple?tx_id="+many(200)).Status, 200)
	if got, want := s.Get(v1+"multiple?tx_id="+many(201)), apitest.Invalid("querystring/tx_id must NOT have more than 200 items"); got.Status != 400 || got.Body != want {
		t.Errorf("201 ids: got %d %s, want %s", got.Status, got.Body, want)
	}
}

// An id without 0x is redirected, with the query as it was.
func TestTransactionRedirects(t *testing.T) {
	t.Parallel()
	s, _, ids := newTransactionWorld(t)
	known := ids["events"].String()
	for _, tc := range []struct{ target, location string }{
		{known[2:], known},
		{known[2:] + "/", known},
		{known[2:] + "?event_limit=5&x=%20y", known + "?event_limit=5&x=%20y"},
		{strings.ToUpper(known[2:]), "0x" + strings.ToUpper(known[2:])},
		{known[2:] + "/raw", known + "/raw"},
		{known[2:] + "/raw?a=b", known + "/raw?a=b"},
		{fmt.Sprintf("%%%02x", known[2]) + known[3:], known}, // escaped, though it need not be
		{apitest.ID(apitest.TxHash, 9).String()[2:], apitest.ID(apitest.TxHash, 9).String()},
	} {
		got := s.Get("/extended/v1/tx/" + tc.target)
		if got.Status != http.StatusFound || got.Header.Get("Location") != "/extended/v1/tx/"+tc.location || got.Body != "" {
			t.Errorf("%s: got %d to %s %s, want 302 to %s", tc.target, got.Status, got.Header.Get("Location"), got.Body, tc.location)
		}
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" {
			t.Errorf("%s: got header %v", tc.target, got.Header)
		}
	}
}

// What is deprecated says so, and what is not does not.
func TestTransactionDeprecations(t *testing.T) {
	t.Parallel()
	s, _, ids := newTransactionWorld(t)
	known := ids["events"].String()
	const warning = `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`
	for target, want := range map[string]string{
		"/extended/v1/tx/" + known:                                                              warning,
		"/extended/v1/tx/" + known + "/raw":                                                     warning,
		"/extended/v1/tx/" + known[2:]:                                                          warning,
		"/extended/v1/tx/events?tx_id=" + known:                                                 warning,
		"/extended/v1/tx/block_height/58":                                                       warning,
		"/extended/v1/tx/block/" + apitest.ID(apitest.BlockHash, 58).String():                   warning,
		"/extended/v2/blocks/58/transactions":                                                   warning,
		"/extended/v1/tx/multiple?tx_id=" + known:                                               "",
		"/extended/v3/transactions/" + known:                                                    "",
		"/extended/v3/transactions/" + known + "/events":                                        "",
		"/extended/v3/blocks/58/transactions":                                                   "",
		"/extended/v1/contract/" + apitest.Alice + ".coin":                                      "",
		"/extended/v2/smart-contracts/status?contract_id=" + apitest.Coin[:len(apitest.Coin)-6]: "",
	} {
		if got := s.Get(target); got.Header.Get("Warning") != want || got.Status >= 400 {
			t.Errorf("%s: got %d with Warning %q, want %q", target, got.Status, got.Header.Get("Warning"), want)
		}
	}
	for path, item := range s.API.OpenAPI().Paths {
		if item.Get == nil || item.Get.Tags[0] != "Transactions" {
			continue
		}
		check.Equal(t, path+": deprecated", item.Get.Deprecated, !strings.HasPrefix(path, "/extended/v3/") && !strings.HasSuffix(path, "/multiple"))
	}
}

// Answers have what their schemas require, and nothing that these don't know.
func TestTransactionSchemas(t *testing.T) {
	t.Parallel()
	s, names, ids := newTransactionWorld(t)
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	must.Do(t, json.Unmarshal([]byte(s.Get("/openapi.json").Body), &document))
	schemas, _ := withoutNull(document.Components.Schemas).(map[string]any)
	for _, name := range names {
		for schema, path := range map[string]string{
			"TransactionBody": "/extended/v1/tx/" + ids[name].String(),
			"TransactionV3":   "/extended/v3/transactions/" + ids[name].String() + "?include=function_args,source_code,post_conditions,result",
		} {
			apitest.Matches(t, schemas, schemas[schema], s.Object(path), path)
		}
	}
	for schema, path := range map[string]string{
		"OffsetPageTransactionBody":    "/extended/v2/blocks/58/transactions",
		"KeysetPageTransactionSummary": "/extended/v3/blocks/58/transactions",
		"EventList":                    "/extended/v1/tx/events?tx_id=" + ids["events"].String(),
		"KeysetPageEventV3":            "/extended/v3/transactions/" + ids["events"].String() + "/events",
		"RawTransaction":               "/extended/v1/tx/" + ids["events"].String() + "/raw",
		"ContractBody":                 "/extended/v1/contract/" + apitest.Alice + ".coin",
	} {
		if schemas[schema] == nil {
			t.Fatalf("no schema %s", schema)
		}
		apitest.Matches(t, schemas, schemas[schema], s.Object(path), path)
	}
}

// withoutNull is a schema in which what may be null is what it is otherwise.
func withoutNull(schema any) any {
	switch schema := schema.(type) {
	case map[string]any:
		if either, ok := schema["anyOf"].([]any); ok && len(either) == 2 {
			if null, ok := either[1].(map[string]any); ok && null["type"] == "null" {
				return withoutNull(either[0])
			}
		}
		plain := map[string]any{}
		for name, of := range schema {
			plain[name] = withoutNull(of)
		}
		return plain
	}
	return schema
}
