package token_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/shard"
	"strata/domain/token"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

const (
	inProgress     = `{"error":"Token metadata fetch in progress"}`
	noContract     = `{"error":"Contract not found"}`
	noToken        = `{"error":"Token not found"}`
	noLocale       = `{"error":"Locale not found"}`
	clarityError   = `{"error":"Token error","message":"The token contract produced a Clarity error when trying to fetch metadata"}`
	unparsable     = `{"error":"Token error","message":"Metadata could not be parsed or it does not conform to SIP-016"}`
	ftTail         = `"tx_id":"0x123456","sender_address":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS","asset_identifier":"` + apitest.P1 + `::ft-token"`
	fullAttributes = `"attributes":[{"trait_type":"strength","value":105,"display_type":"number"},{"trait_type":"powers","value":[1,2,4],"display_type":"array"}]`
)

// one is the path of token 1 of a contract.
func one(kind token.Kind, contract string) string {
	if kind == token.FT {
		return "/metadata/v1/ft/" + contract
	}
	return "/metadata/v1/" + string(kind) + "/" + contract + "/1"
}

// contractOf is the contract of a kind in the reference's tests.
func contractOf(kind token.Kind) string {
	return map[token.Kind]string{token.FT: apitest.P1, token.NFT: apitest.P1, token.SFT: apitest.P2}[kind]
}

// Rows A1 to A5 of the conformance list: the status.
func TestMetadataStatus(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	const version = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"ready",`
	for _, path := range []string{"/metadata/v1/", "/metadata/v1", "/metadata/", "/metadata"} { // A1, B9
		s.Expect(path, 200, version+`"chain_tip":null}`)
	}
	s.TokenTip(1)
	tip := func(height int) string {
		return fmt.Sprintf(`"chain_tip":{"block_height":%d,"index_block_hash":"%s"}`, height, apitest.ID(apitest.IndexHash, height))
	}
	first := s.Expect("/metadata/v1/", 200, version+tip(1)+`}`) // A2
	etag := first.Header.Get("ETag")
	if again := s.Request(http.MethodGet, "/metadata/v1/", "If-None-Match", etag); again.Status != 304 || again.Body != "" || again.Header.Get("ETag") != etag { // A4
		t.Errorf("A4: got %d %q with ETag %q, want 304 with %q", again.Status, again.Body, again.Header.Get("ETag"), etag)
	}
	s.TokenTip(100)
	if again := s.Request(http.MethodGet, "/metadata/v1/", "If-None-Match", etag); again.Status != 200 { // A5
		t.Errorf("A5: got %d, want 200", again.Status)
	}
	counter(s, token.NFT, "contracts", 1) // A3
	counter(s, token.NFT, "tokens", 4)
	counter(s, token.SFT, "tokens", 0)
	for _, state := range []string{"pending", "failed", "invalid", "done"} {
		counter(s, token.NFT, state, 1)
	}
	counter(s, token.FT, "pending", 2)
	s.Expect("/metadata/v1/", 200, version+tip(100)+`,"tokens":{"nft":4},"token_contracts":{"sip-009":1},"job_queue":{"done":1,"failed":1,"invalid":1,"pending":3}}`)
}

// Rows A6 to A8: conditional requests.
func TestMetadataConditional(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	for _, kind := range apitest.Kinds {
		contract := contractOf(kind) + "-" + string(kind)
		s.Full(kind, contract, &document.Document{Name: apitest.Text("a")}, hello)
		path := one(kind, contract)
		first := s.Get(path)
		etag := first.Header.Get("ETag")
		if first.Status != 200 || !apitest.StrongTag.MatchString(etag) || first.Header.Get("Cache-Control") != "public, no-cache, must-revalidate" {
			t.Errorf("%s: got %d %s with %v", path, first.Status, first.Body, first.Header)
		}
		for _, tag := range []string{etag, strings.Trim(etag, `"`), "W/" + etag, `"x", ` + etag, `W/"x",` + strings.Trim(etag, `"`)} { // B6
			if got := s.Request(http.MethodGet, path, "If-None-Match", tag); got.Status != 304 || got.Body != "" || got.Header.Get("ETag") != etag {
				t.Errorf("%s with %s: got %d %q, ETag %q, want 304", path, tag, got.Status, got.Body, got.Header.Get("ETag"))
			}
		}
		s.Advance(string(kind), shard.Token(contract, "2"))
		check.Equal(t, fmt.Sprintf("%s: after a change of another token", path), s.Request(http.MethodGet, path, "If-None-Match", etag).Status, 304)
		s.Exec(`UPDATE ` + string(kind) + `_v1.token SET uri = 'http://test.com/2.json'`)
		s.Advance(string(kind), shard.Token(contract, "1"))
		if got := s.Request(http.MethodGet, path, "If-None-Match", etag); got.Status != 200 || !strings.Contains(got.Body, "2.json") {
			t.Errorf("%s: got %d %s after a change, want 200", path, got.Status, got.Body)
		}
	}
}

// Rows A9 to A14: what there is nothing to show of.
func TestMetadataRefusals(t *testing.T) {
	t.Parallel()
	for _, kind := range apitest.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			contract := contractOf(kind)
			path := one(kind, contract)
			s := apitest.NewTokenSite(t)
			s.Expect(path, 404, noContract) // A9
			s.Exec(`INSERT INTO ` + string(kind) + `_v1.unrecognised VALUES (5, 105, 0, '', '` + contract + `')`)
			s.Expect(path, 404, noContract)
			s.Contract(kind, contract, nil)
			s.Expect(path, 404, noToken) // A10
			s.Exec(`UPDATE ` + string(kind) + `_v1.contract SET reason = 109, failed_seq = 150`)
			s.Expect(path, 422, clarityError) // A12
			s.Exec(`UPDATE ` + string(kind) + `_v1.contract SET read_height = 5, read_seq = 140`)
			s.Expect(path, 404, noToken)
			s.Unread(kind, contract, "1", nil)
			s.Expect(path, 422, inProgress) // A11
			s.Expect(path+"?locale=es", 422, noLocale)
			s.Exec(`UPDATE ` + string(kind) + `_v1.token SET reason = 105, failed_seq = 151`)
			s.Expect(path, 422, unparsable) // A13
			s.Exec(`UPDATE ` + string(kind) + `_v1.token SET reason = 0, failed_seq = NULL, read_height = 7, read_seq = 160, uri = '` + apitest.URI + `'`)
			s.Document(kind, apitest.URI, &document.Document{Name: apitest.Text("a"), Localization: &document.Localization{URI: "http://m.io/{locale}", Default: "en"}}, nil)
			s.Refer(kind, contract, "1", "document", "", apitest.URI)
			s.Expect(path+"?locale=es", 422, noLocale)                                                                                                                   // A14
			if got, same, empty := s.Get(path), s.Get(path+"?locale=en"), s.Get(path+"?locale="); got.Status != 200 || same.Body != got.Body || empty.Body != got.Body { // B7
				t.Errorf("got %d %s, with locale en %s, with an empty one %s", got.Status, got.Body, same.Body, empty.Body)
			}
		})
	}
}

// Rows A15 to A17: what is shown of a token without a document.
func TestMetadataWithoutDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.FT, apitest.P1, nil)
	s.Read(token.FT, apitest.P1, "1", hello)
	s.Expect("/metadata/v1/ft/"+apitest.P1, 200, `{"name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"`+apitest.URI+`",`+ftTail+`}`) // A15
	s.Contract(token.NFT, apitest.N1, nil)
	s.Read(token.NFT, apitest.N1, "1", nil)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/1", 200, `{"token_uri":"`+apitest.URI+`"}`) // A16
	s.Contract(token.SFT, apitest.P2, nil)
	s.Read(token.SFT, apitest.P2, "1", apitest.Columns{"decimals": 6, "total_supply": "1"})
	s.Expect("/metadata/v1/sft/"+apitest.P2+"/1", 200, `{"token_uri":"`+apitest.URI+`","decimals":6,"total_supply":"1"}`) // A17
}

// Rows A18 to A20: what is shown of one with a document.
func TestMetadataBodies(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	link := imageLink(apitest.ImageURI)
	s.Full(token.FT, apitest.P1, apitest.FullDocument(), hello)
	metadata := func(more string) string {
		return `"metadata":{"sip":16,"name":"hello-world","description":"test","image":"` + apitest.ImageURI + `","cached_image":"` + link + `","cached_thumbnail_image":"` + link + `/thumb",` +
			fullAttributes + `,"properties":{"prop1":"ABC","prop2":1` + more + `}}`
	}
	both := func(path, body string) {
		t.Helper()
		s.Expect("/metadata/v1"+path, 200, body)
		s.Expect("/metadata"+path, 200, body)
	}
	both("/ft/"+apitest.P1, `{"name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"`+apitest.URI+`","description":"test","image_uri":"`+link+
		`","image_thumbnail_uri":"`+link+`/thumb","image_canonical_uri":"`+apitest.ImageURI+`",`+ftTail+`,`+metadata("")+`}`) // A18
	s.Full(token.NFT, apitest.N1, apitest.FullDocument(document.Property{Name: "prop3", Value: []byte("true")}, document.Property{Name: "prop4", Value: []byte("false")}), nil)
	both("/nft/"+apitest.N1+"/1", `{"token_uri":"`+apitest.URI+`",`+metadata(`,"prop3":true,"prop4":false`)+`}`) // A19
	s.Full(token.SFT, apitest.P2, apitest.FullDocument(), apitest.Columns{"decimals": 6, "total_supply": "200"})
	both("/sft/"+apitest.P2+"/1", `{"token_uri":"`+apitest.URI+`","decimals":6,"total_supply":"200",`+metadata("")+`}`) // A20

	// The path says the shape, whatever the kind.
	s.Expect("/metadata/v1/nft/"+apitest.P1+"/1", 200, `{"token_uri":"`+apitest.URI+`",`+metadata("")+`}`)
	s.Exec(`UPDATE nft_v1.contract SET fungible_token = NULL, non_fungible_token = 'pool'`)
	s.ExpectTexts("/metadata/v1/ft/"+apitest.N1, 200, `"asset_identifier":"`+apitest.N1+`::pool"`)
}

// Rows A30 to A36: search.
func TestMetadataSearch(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	severalTokens(s)
	link := imageLink(apitest.ImageURI)
	ft := func(description string) string {
		return `{"contract_id":"` + apitest.P1 + `","token_number":1,"token_id":"1","token_type":"ft","name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"` + apitest.URI +
			`","description":"` + description + `","image_uri":"` + link + `","image_thumbnail_uri":"` + link + `/thumb","image_canonical_uri":"` + apitest.ImageURI +
			`","tx_id":"0x123456","sender_address":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS"}`
	}
	nft := func(n int) string {
		return fmt.Sprintf(`{"contract_id":"%s","token_number":%d,"token_id":"%[2]d","token_type":"nft","token_uri":"%s","tx_id":"0x123456","sender_address":"SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60"}`, apitest.N1, n, apitest.URI)
	}
	search := "/metadata/v1/search?contract="
	s.Expect(search+apitest.P1, 200, `[`+ft("test")+`]`)                                                      // A30
	s.Expect(search+apitest.P1+"&contract="+apitest.N1, 200, `[`+ft("test")+`,`+nft(1)+`]`)                   // A31
	s.Expect(search+apitest.P1+"&contract="+apitest.P2+"&contract="+apitest.N1+":9", 200, `[`+ft("test")+`]`) // A32
	s.Expect(search+apitest.P2, 200, `[]`)
	s.Expect(search+apitest.N1+":3", 200, `[`+nft(3)+`]`)                                                                         // A33
	s.Expect(search+apitest.P1+"&locale=es", 200, `[`+ft("prueba")+`]`)                                                           // A34
	s.Expect(search+apitest.N1+"&contract="+apitest.N1+":1&contract="+apitest.N1+":2", 200, `[`+nft(1)+`,`+nft(1)+`,`+nft(2)+`]`) // A36, duplicates
	s.Expect(search+apitest.N1+":99999999999999999999999999999999999999999", 200, `[]`)
	s.Expect(search+apitest.N1+":4", 200, strings.ReplaceAll(`[`+nft(4)+`]`, `"token_uri":"`+apitest.URI+`",`, ""))
	lacking := s.Get(search + apitest.P1 + "&locale=fr")
	if lacking.Status != 200 || strings.Contains(lacking.Body, "description") || strings.Contains(lacking.Body, "image") || !strings.Contains(lacking.Body, "HELLO") {
		t.Errorf("a locale that there is not: got %d %s", lacking.Status, lacking.Body)
	}
	s.Expect("/metadata/v1/search", 400, apitest.Invalid("querystring must have required property 'contract'")) // A35
	s.Expect(search+apitest.P1+strings.Repeat("&contract="+apitest.P1, 50), 400, apitest.Invalid("querystring/contract must NOT have more than 50 items"))
	if got := s.Get(search + apitest.P1 + strings.Repeat("&contract="+apitest.P1, 49)); got.Status != 200 || strings.Count(got.Body, "contract_id") != 50 {
		t.Errorf("50 items: got %d with %d", got.Status, strings.Count(got.Body, "contract_id"))
	}
	const pattern = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}(:\\d+)?$`
	for _, bad := range []string{"x", apitest.P1 + ":", apitest.P1 + ":x", apitest.P1 + "," + apitest.N1, "", apitest.P1 + ":-1"} {
		s.Expect(search+apitest.P1+"&contract="+bad, 400, apitest.Invalid(`querystring/contract/1 must match pattern \"`+pattern+`\"`))
	}
}

// Rows B1 to B5 and B8.
func TestMetadataErrors(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	const principal = `params/principal must match pattern \"^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}$\"`
	either := func(name string) string {
		return "querystring/" + name + " must be equal to constant, querystring/" + name + " must be equal to constant, querystring/" + name + " must match a schema in anyOf"
	}
	unknownRoute := func(method, target string) string {
		return `{"message":"Route ` + method + `:` + target + ` not found","error":"Not Found","statusCode":404}`
	}
	for _, tc := range []struct {
		target string
		status int
		body   string
	}{
		{"/ft/abc", 400, apitest.Invalid(principal)}, // B1
		{"/ft/" + apitest.P1 + strings.Repeat("x", 30), 400, apitest.Invalid(principal)},
		{"/ft/" + strings.ToLower(apitest.P1), 400, apitest.Invalid(principal)},
		{"/ft/" + strings.Split(apitest.P1, ".")[0], 400, apitest.Invalid(principal)},
		{"/ft/ST2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world", 404, noContract},
		{"/nft/" + apitest.P1 + "/abc", 400, apitest.Invalid("params/token_id must be integer")},
		{"/nft/" + apitest.P1 + "/1.5", 400, apitest.Invalid("params/token_id must be integer")},
		{"/sft/" + apitest.P1 + "/1e3", 400, apitest.Invalid("params/token_id must be integer")},
		{"/nft/abc/abc", 400, apitest.Invalid(principal)},
		{"/nft/" + apitest.P1 + "/-1", 404, noContract},
		{"/nft/" + apitest.P1 + "/" + strings.Repeat("9", 400), 404, noContract},
		{"/ft/" + apitest.P1 + "?locale=a&locale=b", 400, apitest.Invalid("querystring/locale must be string")},
		{"/ft?limit=0", 400, apitest.Invalid("querystring/limit must be >= 1")}, // B2
		{"/ft?limit=61", 400, apitest.Invalid("querystring/limit must be <= 60")},
		{"/ft?limit=abc", 400, apitest.Invalid("querystring/limit must be integer")},
		{"/ft?limit=", 400, apitest.Invalid("querystring/limit must be integer")},
		{"/ft?limit=1&limit=2", 400, apitest.Invalid("querystring/limit must be integer")},
		{"/ft?offset=-1", 400, apitest.Invalid("querystring/offset must be >= 0")},
		{"/ft?order=up", 400, apitest.Invalid(either("order"))},
		{"/ft?order_by=supply", 400, apitest.Invalid(either("order_by"))},
		{"/ft?address=abc", 400, apitest.Invalid(`querystring/address must match pattern \"^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\"`)},
		{"/ft?valid_metadata_only=1", 400, apitest.Invalid("querystring/valid_metadata_only must be boolean")},
		{"/ft?valid_metadata_only=", 400, apitest.Invalid("querystring/valid_metadata_only must be boolean")},
		{"/ft?whatever=1", 200, `{"limit":20,"offset":0,"total":0,"results":[]}`},
		{"/foo", 404, unknownRoute("GET", "/metadata/v1/foo")}, // B3
		{"/nft/" + apitest.P1, 404, unknownRoute("GET", "/metadata/v1/nft/"+apitest.P1)},
		{"/refresh", 404, unknownRoute("GET", "/metadata/v1/refresh")},
	} {
		got := s.Expect("/metadata/v1"+tc.target, tc.status, tc.body)
		if got.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), "ETag") {
			t.Errorf("%s: got CORS header %v", tc.target, got.Header)
		}
		if _, found := got.Header["Cache-Control"]; got.Status == 404 && (found || got.Header.Get("ETag") != "") { // B8
			t.Errorf("%s: got %v, want neither ETag nor Cache-Control", tc.target, got.Header)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} { // B3
		got := s.Request(method, "/metadata/v1/ft")
		if got.Status != 404 || got.Body != unknownRoute(method, "/metadata/v1/ft") {
			t.Errorf("%s: got %d %s", method, got.Status, got.Body)
		}
	}
	if got := s.Request("OPTIONS", "/metadata/v1/ft", "Origin", "https://a.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-a"); got.Status != 204 ||
		got.Header.Get("Access-Control-Allow-Origin") != "*" || got.Header.Get("Access-Control-Allow-Headers") != "x-a" || !strings.Contains(got.Header.Get("Access-Control-Allow-Methods"), "GET,HEAD") { // B4
		t.Errorf("preflight: got %d %v", got.Status, got.Header)
	}
	if got := s.Request("HEAD", "/metadata/v1/ft"); got.Status != 200 || got.Body != "" {
		t.Errorf("HEAD: got %d %q", got.Status, got.Body)
	}

	s.Contract(token.NFT, apitest.N1, nil) // B5
	s.Unread(token.NFT, apitest.N1, "1", nil)
	messages := map[fetch.Reason]string{
		100: "Unknown error", 101: "Metadata size is too large to process", 102: "Image size is too large to process",
		103: "Metadata could not be processed because it took too long to respond", 104: "Image could not be processed because it took too long to respond",
		105: "Metadata could not be parsed or it does not conform to SIP-016", 106: "Image processing failed because it could not be parsed",
		107: "Metadata could not be processed because the server responded with an error", 108: "Image could not be processed because the server responded with an error",
		109: "The token contract produced a Clarity error when trying to fetch metadata", 111: "Unknown error",
	}
	for reason, message := range messages {
		s.Exec(`UPDATE nft_v1.token SET reason = $1`, int(reason))
		got := s.Expect("/metadata/v1/nft/"+apitest.N1+"/1", 422, `{"error":"Token error","message":"`+message+`"}`)
		if _, found := got.Header["Cache-Control"]; found || got.Header.Get("ETag") != "" { // B8
			t.Errorf("reason %d: got %v, want neither ETag nor Cache-Control", reason, got.Header)
		}
	}
}

// Errors are kept for their position as answers are, although clients are told nothing of it.
func TestMetadataErrorsAreKept(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.NFT, apitest.N1, nil)
	s.Unread(token.NFT, apitest.N1, "1", nil)
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{})
	for target, status := range map[string]int{"/metadata/v1/nft/" + apitest.N1 + "/1": 422, "/metadata/v1/nft/" + apitest.N1 + "/2": 404, "/metadata/v1/ft/" + apitest.P1: 404} {
		before := k.Reads()
		for range 3 {
			got := k.Get(target)
			if _, found := got.Header["Cache-Control"]; got.Status != status || found {
				t.Errorf("%s: got %d %v", target, got.Status, got.Header)
			}
		}
		check.Equal(t, fmt.Sprintf("%s: reads of the database", target), k.Reads()-before, 1)
	}
	s.Exec(`UPDATE nft_v1.token SET read_height = 7, read_seq = 201`)
	s.Advance("nft", shard.Token(apitest.N1, "1"))
	eventually.Holds(t, "the token is shown", func() bool { return k.Get("/metadata/v1/nft/"+apitest.N1+"/1").Status == 200 })
	// The other path is the same resource.
	before := k.Reads()
	if got := k.Get("/metadata/nft/" + apitest.N1 + "/1"); got.Body != "{}" || k.Reads() != before {
		t.Errorf("got %s, after %d reads of the database, want none", got.Body, k.Reads()-before)
	}
}
