package readapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const (
		address  = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}`
		contract = address + `\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`
	)
	notAPrincipal := apitest.Invalid(`params/principal must match pattern \"` + address + `\", params/principal must match pattern \"` + contract +
		`\", params/principal must match a schema in anyOf`)
	blocks, stx, v2 := "/extended/v2/blocks", "/extended/v1/address/"+apitest.Alice+"/stx", "/extended/v2/addresses/"+apitest.Alice+"/balances/stx"
	for _, tc := range []struct {
		name, target string
		status       int
		body         string // empty: any
	}{
		{"limit too large", blocks + "?limit=31", 400, apitest.Invalid("querystring/limit must be <= 30")},
		{"limit negative", blocks + "?limit=-1", 400, apitest.Invalid("querystring/limit must be >= 0")},
		{"limit no number", blocks + "?limit=abc", 400, apitest.Invalid("querystring/limit must be integer")},
		{"limit a fraction", blocks + "?limit=1.5", 400, apitest.Invalid("querystring/limit must be integer")},
		{"limit empty", blocks + "?limit=", 400, apitest.Invalid("querystring/limit must be integer")},
		{"limit huge", blocks + "?limit=99999999999999999999999", 400, apitest.Invalid("querystring/limit must be <= 30")},
		{"limit twice", blocks + "?limit=1&limit=2", 400, apitest.Invalid("querystring/limit must be integer")},
		{"limit zero", blocks + "?limit=0", 200, ""},
		{"limit largest", blocks + "?limit=30", 200, ""},
		{"offset too small", blocks + "?offset=-301", 400, apitest.Invalid("querystring/offset must be >= -300")},
		{"offset too large", blocks + "?offset=301", 400, apitest.Invalid("querystring/offset must be <= 300")},
		{"the first of two", blocks + "?offset=301&limit=31", 400, apitest.Invalid("querystring/limit must be <= 30")},
		{"cursor malformed", blocks + "?cursor=0x12", 400, apitest.Invalid(`querystring/cursor must match pattern \"^(0x)?[a-fA-F0-9]{64}$\"`)},
		{"cursor twice", blocks + "?cursor=" + apitest.ID(1, 1).String() + "&cursor=" + apitest.ID(1, 1).String(), 400, apitest.Invalid("querystring/cursor must be string")},
		{"cursor unknown", blocks + "?cursor=" + apitest.ID(1, 1).String(), 404, apitest.NotFound("Cursor not found")},
		{"unknown parameter", blocks + "?limits=999&x", 200, ""},
		{"malformed query", blocks + "?%zz=1", 200, ""},
		{"malformed value", blocks + "?limit=%zz", 200, ""},
		{"semicolon", blocks + "?limit=1;2", 200, ""},
		{"semicolon and NUL", "/audit/v1/quarantine?cursor=1:a%00;:1", 200, ""},
		{"trailing slashes", blocks + "///?limit=1", 200, ""},
		{"block unknown", blocks + "/7", 404, apitest.NotFound("Block not found")},
		{"block malformed", blocks + "/seven", 400, apitest.Invalid(`params/height_or_hash must be equal to constant, params/height_or_hash must be integer, ` +
			`params/height_or_hash must match pattern \"^(0x)?[a-fA-F0-9]{64}$\", params/height_or_hash must match a schema in anyOf`)},

		{"unanchored without value", stx + "?unanchored", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{"unanchored 1", stx + "?unanchored=1", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{"unanchored TRUE", stx + "?unanchored=TRUE", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{"unanchored twice", stx + "?unanchored=true&unanchored=true", 400, apitest.Invalid("querystring/unanchored must be boolean")},
		{"unanchored true", stx + "?unanchored=true", 200, ""},
		{"unanchored false with until_block", stx + "?unanchored=false&until_block=20", 200, ""},
		{"include_mempool 1", v2 + "?include_mempool=1", 400, apitest.Invalid("querystring/include_mempool must be boolean")},
		{"unanchored with until_block", stx + "?unanchored=true&until_block=20", 400, apitest.BadRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")},
		{"until_block no number", stx + "?until_block=abc", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{"until_block zero", stx + "?until_block=0", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{"until_block negative", stx + "?until_block=-5", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{"until_block too long a hash", stx + "?until_block=" + apitest.ID(1, 1).String() + "00", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{"until_block with NUL", stx + "?until_block=1%00", 400, apitest.Invalid("querystring/until_block must be string")},
		{"until_block not UTF-8", stx + "?until_block=%ff", 400, apitest.Invalid("querystring/until_block must be string")},
		{"until_block unknown hash", stx + "?until_block=" + apitest.ID(1, 1).String(), 404, apitest.NotFound("block not found with hash")},
		{"until_block above the tip", stx + "?until_block=61", 404, apitest.NotFound("Could not find block at height: 61")},
		{"until_block below the archive", stx + "?until_block=9", 404, apitest.NotFound("Could not find block at height: 9")},
		{"until_block as text", stx + "?until_block=" + strings.Repeat("9", 30), 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},

		{"principal too short", "/extended/v1/address/SP123/stx", 400, notAPrincipal},
		{"principal in lower case", "/extended/v1/address/" + strings.ToLower(apitest.Alice) + "/stx", 400, notAPrincipal},
		{"principal with NUL", "/extended/v1/address/" + apitest.Alice + "%00/stx", 400, apitest.Invalid("params/principal must be string, params/principal must be string, params/principal must match a schema in anyOf")},
		{"checksum", "/extended/v1/address/SP000000000000000000002Q6VF79/stx", 400, apitest.BadRequest(`invalid STX address \"SP000000000000000000002Q6VF79\"`)},
		{"checksum before the query's sense", "/extended/v1/address/SP000000000000000000002Q6VF79/stx?until_block=0", 400, apitest.BadRequest(`invalid STX address \"SP000000000000000000002Q6VF79\"`)},
		{"checksum of a contract", "/extended/v2/addresses/SP000000000000000000002Q6VF79.pox/balances/stx", 400, apitest.BadRequest(`invalid STX address \"SP000000000000000000002Q6VF79.pox\"`)},
		{"contract's name", "/extended/v1/address/" + apitest.Alice + ".1/balances", 400, apitest.BadRequest(`invalid STX address \"` + apitest.Alice + `.1\"`)},
		{"something after the address", "/extended/v1/address/" + apitest.Alice + "<b>/balances", 400, apitest.BadRequest(`invalid STX address \"` + apitest.Alice + `<b>\"`)},
		{"contract", "/extended/v1/address/" + apitest.Alice + ".a-b_c/stx", 200, ""},
		{"testnet address", "/extended/v1/address/ST000000000000000000002AMW42H/stx", 200, ""},

		{"event malformed", "/audit/v1/events/x", 400, apitest.Invalid("params/seq must be integer")},
		{"event zero", "/audit/v1/events/0", 400, apitest.Invalid("params/seq must be >= 1")},
		{"event too large a number", "/audit/v1/events/99999999999999999999", 400, apitest.Invalid("params/seq must be integer")},
		{"event unknown", "/audit/v1/events/161", 404, apitest.NotFound("no event 161 in the log")},
		{"body unknown", "/audit/v1/events/161/body", 404, apitest.NotFound("no event 161 in the log")},
		{"quarantine cursor", "/audit/v1/quarantine?cursor=1", 400, ""},
		{"negative balances cursor", "/audit/v1/negative-balances?cursor=1:2", 400, ""},

		{"unknown route", "/x", 404, `{"message":"Route GET:/x not found","error":"Not Found","statusCode":404}`},
		{"unknown route with query", "/extended/v9/x?a=<b>&c=d", 404, `{"message":"Route GET:/extended/v9/x?a=<b>&c=d not found","error":"Not Found","statusCode":404}`},
		{"path that is not clean", "/extended//v2/blocks", 404, `{"message":"Route GET:/extended//v2/blocks not found","error":"Not Found","statusCode":404}`},
		{"path with dots", "/extended/../x", 404, `{"message":"Route GET:/extended/../x not found","error":"Not Found","statusCode":404}`},
	} {
		got := s.Get(tc.target)
		if got.Status != tc.status || tc.body != "" && got.Body != tc.body {
			t.Errorf("%s: GET %s\n got %d %s\nwant %d %s", tc.name, tc.target, got.Status, got.Body, tc.status, tc.body)
		}
		check.Equal(t, fmt.Sprintf("%s: Content-Type", tc.name), got.Header.Get("Content-Type"), "application/json; charset=utf-8")
		cacheControl, tagged := "no-store", false
		if tc.status == http.StatusOK {
			cacheControl, tagged = "public, no-cache, must-revalidate", true
		}
		check.Equal(t, fmt.Sprintf("%s: Cache-Control", tc.name), got.Header.Get("Cache-Control"), cacheControl)
		if etag := got.Header.Get("ETag"); apitest.StrongTag.MatchString(etag) != tagged {
			t.Errorf("%s: got %d with ETag %q", tc.name, got.Status, etag)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		want := fmt.Sprintf(`{"message":"Route %s:/extended not found","error":"Not Found","statusCode":404}`, method)
		if got := s.Request(method, "/extended"); got.Status != http.StatusNotFound || got.Body != want {
			t.Errorf("%s: got %d %s, want 404 %s", method, got.Status, got.Body, want)
		}
	}
	for _, tc := range []struct{ method, target, allow string }{ // paths that no other API has say which methods they take
		{"POST", "/audit/v1/quarantine", "GET, HEAD, OPTIONS"},
		{"QUERY", "/audit/v1/events/1/body", "GET, HEAD, OPTIONS"},
		{"DELETE", "/audit/v1/log/cosignatures", "POST, OPTIONS"},
		{"PUT", "/stream/v1/blocks", "GET, HEAD, OPTIONS"},
		{"POST", "/readyz", "GET, HEAD, OPTIONS"},
	} {
		want := apitest.BadRequest(tc.method + " is not served here")
		want = strings.NewReplacer(`"statusCode":400`, `"statusCode":405`, "Bad Request", "Method Not Allowed").Replace(want)
		if got := s.Request(tc.method, tc.target); got.Status != http.StatusMethodNotAllowed || got.Body != want || got.Header.Get("Allow") != tc.allow {
			t.Errorf("%s %s: got %d %s with Allow %q, want 405 %s with %q", tc.method, tc.target, got.Status, got.Body, got.Header.Get("Allow"), want, tc.allow)
		}
	}
	check.Equal(t, "POST to a path that does not exist", s.Request("POST", "/audit/v1/nothing").Status, http.StatusNotFound)
}
