package readapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/shard"
	"strata/domain/token"
	"strata/readapi"
)

const (
	inProgress     = `{"error":"Token metadata fetch in progress"}`
	noContract     = `{"error":"Contract not found"}`
	noToken        = `{"error":"Token not found"}`
	noLocale       = `{"error":"Locale not found"}`
	clarityError   = `{"error":"Token error","message":"The token contract produced a Clarity error when trying to fetch metadata"}`
	unparsable     = `{"error":"Token error","message":"Metadata could not be parsed or it does not conform to SIP-016"}`
	ftTail         = `"tx_id":"0x123456","sender_address":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS","asset_identifier":"` + p1 + `::ft-token"`
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
	return map[token.Kind]string{token.FT: p1, token.NFT: p1, token.SFT: p2}[kind]
}

// Rows A1 to A5 of the conformance list: the status.
func TestMetadataStatus(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	const version = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"ready",`
	for _, path := range []string{"/metadata/v1/", "/metadata/v1", "/metadata/", "/metadata"} { // A1, B9
		s.expect(path, 200, version+`"chain_tip":null}`)
	}
	s.tokenTip(1)
	tip := func(height int) string {
		return fmt.Sprintf(`"chain_tip":{"block_height":%d,"index_block_hash":"%s"}`, height, id(indexHash, height))
	}
	first := s.expect("/metadata/v1/", 200, version+tip(1)+`}`) // A2
	etag := first.header.Get("ETag")
	if again := s.request(http.MethodGet, "/metadata/v1/", "If-None-Match", etag); again.status != 304 || again.body != "" || again.header.Get("ETag") != etag { // A4
		t.Errorf("A4: got %d %q with ETag %q, want 304 with %q", again.status, again.body, again.header.Get("ETag"), etag)
	}
	s.tokenTip(100)
	if again := s.request(http.MethodGet, "/metadata/v1/", "If-None-Match", etag); again.status != 200 { // A5
		t.Errorf("A5: got %d, want 200", again.status)
	}
	s.counter(token.NFT, "contracts", 1) // A3
	s.counter(token.NFT, "tokens", 4)
	s.counter(token.SFT, "tokens", 0)
	for _, state := range []string{"pending", "failed", "invalid", "done"} {
		s.counter(token.NFT, state, 1)
	}
	s.counter(token.FT, "pending", 2)
	s.expect("/metadata/v1/", 200, version+tip(100)+`,"tokens":{"nft":4},"token_contracts":{"sip-009":1},"job_queue":{"done":1,"failed":1,"invalid":1,"pending":3}}`)
}

// Rows A6 to A8: conditional requests.
func TestMetadataConditional(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	for _, kind := range kinds {
		contract := contractOf(kind) + "-" + string(kind)
		s.full(kind, contract, &document.Document{Name: text("a")}, hello)
		path := one(kind, contract)
		first := s.get(path)
		etag := first.header.Get("ETag")
		if first.status != 200 || !strongTag.MatchString(etag) || first.header.Get("Cache-Control") != "public, no-cache, must-revalidate" {
			t.Errorf("%s: got %d %s with %v", path, first.status, first.body, first.header)
		}
		for _, tag := range []string{etag, strings.Trim(etag, `"`), "W/" + etag, `"x", ` + etag, `W/"x",` + strings.Trim(etag, `"`)} { // B6
			if got := s.request(http.MethodGet, path, "If-None-Match", tag); got.status != 304 || got.body != "" || got.header.Get("ETag") != etag {
				t.Errorf("%s with %s: got %d %q, ETag %q, want 304", path, tag, got.status, got.body, got.header.Get("ETag"))
			}
		}
		s.advance(string(kind), shard.Token(contract, "2"))
		if got := s.request(http.MethodGet, path, "If-None-Match", etag); got.status != 304 {
			t.Errorf("%s: got %d after a change of another token, want 304", path, got.status)
		}
		s.exec(`UPDATE ` + string(kind) + `_v1.token SET uri = 'http://test.com/2.json'`)
		s.advance(string(kind), shard.Token(contract, "1"))
		if got := s.request(http.MethodGet, path, "If-None-Match", etag); got.status != 200 || !strings.Contains(got.body, "2.json") {
			t.Errorf("%s: got %d %s after a change, want 200", path, got.status, got.body)
		}
	}
}

// Rows A9 to A14: what there is nothing to show of.
func TestMetadataRefusals(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			contract := contractOf(kind)
			path := one(kind, contract)
			s := newTokenSite(t)
			s.expect(path, 404, noContract) // A9
			s.exec(`INSERT INTO ` + string(kind) + `_v1.unrecognised VALUES (5, 105, 0, '', '` + contract + `')`)
			s.expect(path, 404, noContract)
			s.contract(kind, contract, nil)
			s.expect(path, 404, noToken) // A10
			s.exec(`UPDATE ` + string(kind) + `_v1.contract SET reason = 109, failed_seq = 150`)
			s.expect(path, 422, clarityError) // A12
			s.exec(`UPDATE ` + string(kind) + `_v1.contract SET read_height = 5, read_seq = 140`)
			s.expect(path, 404, noToken)
			s.unread(kind, contract, "1", nil)
			s.expect(path, 422, inProgress) // A11
			s.expect(path+"?locale=es", 422, noLocale)
			s.exec(`UPDATE ` + string(kind) + `_v1.token SET reason = 105, failed_seq = 151`)
			s.expect(path, 422, unparsable) // A13
			s.exec(`UPDATE ` + string(kind) + `_v1.token SET reason = 0, failed_seq = NULL, read_height = 7, read_seq = 160, uri = '` + uri + `'`)
			s.document(kind, uri, &document.Document{Name: text("a"), Localization: &document.Localization{URI: "http://m.io/{locale}", Default: "en"}}, nil)
			s.refer(kind, contract, "1", "document", "", uri)
			s.expect(path+"?locale=es", 422, noLocale)                                                                                                                   // A14
			if got, same, empty := s.get(path), s.get(path+"?locale=en"), s.get(path+"?locale="); got.status != 200 || same.body != got.body || empty.body != got.body { // B7
				t.Errorf("got %d %s, with locale en %s, with an empty one %s", got.status, got.body, same.body, empty.body)
			}
		})
	}
}

// Rows A15 to A17: what is shown of a token without a document.
func TestMetadataWithoutDocument(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	s.contract(token.FT, p1, nil)
	s.read(token.FT, p1, "1", hello)
	s.expect("/metadata/v1/ft/"+p1, 200, `{"name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"`+uri+`",`+ftTail+`}`) // A15
	s.contract(token.NFT, n1, nil)
	s.read(token.NFT, n1, "1", nil)
	s.expect("/metadata/v1/nft/"+n1+"/1", 200, `{"token_uri":"`+uri+`"}`) // A16
	s.contract(token.SFT, p2, nil)
	s.read(token.SFT, p2, "1", columns{"decimals": 6, "total_supply": "1"})
	s.expect("/metadata/v1/sft/"+p2+"/1", 200, `{"token_uri":"`+uri+`","decimals":6,"total_supply":"1"}`) // A17
}

// Rows A18 to A20: what is shown of one with a document.
func TestMetadataBodies(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	link := imageLink(imageURI)
	s.full(token.FT, p1, fullDocument(), hello)
	metadata := func(more string) string {
		return `"metadata":{"sip":16,"name":"hello-world","description":"test","image":"` + imageURI + `","cached_image":"` + link + `","cached_thumbnail_image":"` + link + `/thumb",` +
			fullAttributes + `,"properties":{"prop1":"ABC","prop2":1` + more + `}}`
	}
	both := func(path, body string) {
		t.Helper()
		s.expect("/metadata/v1"+path, 200, body)
		s.expect("/metadata"+path, 200, body)
	}
	both("/ft/"+p1, `{"name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"`+uri+`","description":"test","image_uri":"`+link+
		`","image_thumbnail_uri":"`+link+`/thumb","image_canonical_uri":"`+imageURI+`",`+ftTail+`,`+metadata("")+`}`) // A18
	s.full(token.NFT, n1, fullDocument(document.Property{Name: "prop3", Value: []byte("true")}, document.Property{Name: "prop4", Value: []byte("false")}), nil)
	both("/nft/"+n1+"/1", `{"token_uri":"`+uri+`",`+metadata(`,"prop3":true,"prop4":false`)+`}`) // A19
	s.full(token.SFT, p2, fullDocument(), columns{"decimals": 6, "total_supply": "200"})
	both("/sft/"+p2+"/1", `{"token_uri":"`+uri+`","decimals":6,"total_supply":"200",`+metadata("")+`}`) // A20

	// The path says the shape, whatever the kind.
	s.expect("/metadata/v1/nft/"+p1+"/1", 200, `{"token_uri":"`+uri+`",`+metadata("")+`}`)
	s.exec(`UPDATE nft_v1.contract SET fungible_token = NULL, non_fungible_token = 'pool'`)
	if got := s.get("/metadata/v1/ft/" + n1); got.status != 200 || !strings.Contains(got.body, `"asset_identifier":"`+n1+`::pool"`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

// Rows A30 to A36: search.
func TestMetadataSearch(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	d := fullDocument()
	d.Localization = &document.Localization{URI: "http://test.com/{locale}.json", Default: "en", Locales: []string{"es"}}
	s.full(token.FT, p1, d, hello)
	const es = "http://test.com/es.json"
	s.document(token.FT, es, &document.Document{Description: text("prueba")}, nil)
	s.refer(token.FT, p1, "1", "document", "es", es)
	s.contract(token.NFT, n1, nil)
	for i := range 3 {
		s.read(token.NFT, n1, fmt.Sprint(i+1), nil)
	}
	s.unread(token.NFT, n1, "4", columns{"reason": 109})
	link := imageLink(imageURI)
	ft := func(description string) string {
		return `{"contract_id":"` + p1 + `","token_number":1,"token_type":"ft","name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"` + uri +
			`","description":"` + description + `","image_uri":"` + link + `","image_thumbnail_uri":"` + link + `/thumb","image_canonical_uri":"` + imageURI +
			`","tx_id":"0x123456","sender_address":"SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS"}`
	}
	nft := func(n int) string {
		return fmt.Sprintf(`{"contract_id":"%s","token_number":%d,"token_type":"nft","token_uri":"%s","tx_id":"0x123456","sender_address":"SP1K1A1PMGW2ZJCNF46NWZWHG8TS1D23EGH1KNK60"}`, n1, n, uri)
	}
	search := "/metadata/v1/search?contract="
	s.expect(search+p1, 200, `[`+ft("test")+`]`)                                      // A30
	s.expect(search+p1+"&contract="+n1, 200, `[`+ft("test")+`,`+nft(1)+`]`)           // A31
	s.expect(search+p1+"&contract="+p2+"&contract="+n1+":9", 200, `[`+ft("test")+`]`) // A32
	s.expect(search+p2, 200, `[]`)
	s.expect(search+n1+":3", 200, `[`+nft(3)+`]`)                                                         // A33
	s.expect(search+p1+"&locale=es", 200, `[`+ft("prueba")+`]`)                                           // A34
	s.expect(search+n1+"&contract="+n1+":1&contract="+n1+":2", 200, `[`+nft(1)+`,`+nft(1)+`,`+nft(2)+`]`) // A36, duplicates
	s.expect(search+n1+":99999999999999999999999999999999999999999", 200, `[]`)
	s.expect(search+n1+":4", 200, strings.ReplaceAll(`[`+nft(4)+`]`, `"token_uri":"`+uri+`",`, ""))
	lacking := s.get(search + p1 + "&locale=fr")
	if lacking.status != 200 || strings.Contains(lacking.body, "description") || strings.Contains(lacking.body, "image") || !strings.Contains(lacking.body, "HELLO") {
		t.Errorf("a locale that there is not: got %d %s", lacking.status, lacking.body)
	}
	s.expect("/metadata/v1/search", 400, invalidBody("querystring must have required property 'contract'")) // A35
	s.expect(search+p1+strings.Repeat("&contract="+p1, 50), 400, invalidBody("querystring/contract must NOT have more than 50 items"))
	if got := s.get(search + p1 + strings.Repeat("&contract="+p1, 49)); got.status != 200 || strings.Count(got.body, "contract_id") != 50 {
		t.Errorf("50 items: got %d with %d", got.status, strings.Count(got.body, "contract_id"))
	}
	const pattern = `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,39}(:\\d+)?$`
	for _, bad := range []string{"x", p1 + ":", p1 + ":x", p1 + "," + n1, "", p1 + ":-1"} {
		s.expect(search+p1+"&contract="+bad, 400, invalidBody(`querystring/contract/1 must match pattern \"`+pattern+`\"`))
	}
}

func invalidBody(message string) string {
	return `{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"` + message + `"}`
}

// Rows B1 to B5 and B8.
func TestMetadataErrors(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
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
		{"/ft/abc", 400, invalidBody(principal)}, // B1
		{"/ft/" + p1 + strings.Repeat("x", 30), 400, invalidBody(principal)},
		{"/ft/" + strings.ToLower(p1), 400, invalidBody(principal)},
		{"/ft/" + strings.Split(p1, ".")[0], 400, invalidBody(principal)},
		{"/ft/ST2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world", 404, noContract},
		{"/nft/" + p1 + "/abc", 400, invalidBody("params/token_id must be integer")},
		{"/nft/" + p1 + "/1.5", 400, invalidBody("params/token_id must be integer")},
		{"/sft/" + p1 + "/1e3", 400, invalidBody("params/token_id must be integer")},
		{"/nft/abc/abc", 400, invalidBody(principal)},
		{"/nft/" + p1 + "/-1", 404, noContract},
		{"/nft/" + p1 + "/" + strings.Repeat("9", 400), 404, noContract},
		{"/ft/" + p1 + "?locale=a&locale=b", 400, invalidBody("querystring/locale must be string")},
		{"/ft?limit=0", 400, invalidBody("querystring/limit must be >= 1")}, // B2
		{"/ft?limit=61", 400, invalidBody("querystring/limit must be <= 60")},
		{"/ft?limit=abc", 400, invalidBody("querystring/limit must be integer")},
		{"/ft?limit=", 400, invalidBody("querystring/limit must be integer")},
		{"/ft?limit=1&limit=2", 400, invalidBody("querystring/limit must be integer")},
		{"/ft?offset=-1", 400, invalidBody("querystring/offset must be >= 0")},
		{"/ft?order=up", 400, invalidBody(either("order"))},
		{"/ft?order_by=supply", 400, invalidBody(either("order_by"))},
		{"/ft?address=abc", 400, invalidBody(`querystring/address must match pattern \"^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}\"`)},
		{"/ft?valid_metadata_only=1", 400, invalidBody("querystring/valid_metadata_only must be boolean")},
		{"/ft?valid_metadata_only=", 400, invalidBody("querystring/valid_metadata_only must be boolean")},
		{"/ft?whatever=1", 200, `{"limit":20,"offset":0,"total":0,"results":[]}`},
		{"/foo", 404, unknownRoute("GET", "/metadata/v1/foo")}, // B3
		{"/nft/" + p1, 404, unknownRoute("GET", "/metadata/v1/nft/"+p1)},
		{"/refresh", 404, unknownRoute("GET", "/metadata/v1/refresh")},
	} {
		got := s.expect("/metadata/v1"+tc.target, tc.status, tc.body)
		if got.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(got.header.Get("Access-Control-Expose-Headers"), "ETag") {
			t.Errorf("%s: got CORS header %v", tc.target, got.header)
		}
		if _, found := got.header["Cache-Control"]; got.status == 404 && (found || got.header.Get("ETag") != "") { // B8
			t.Errorf("%s: got %v, want neither ETag nor Cache-Control", tc.target, got.header)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} { // B3
		got := s.request(method, "/metadata/v1/ft")
		if got.status != 404 || got.body != unknownRoute(method, "/metadata/v1/ft") {
			t.Errorf("%s: got %d %s", method, got.status, got.body)
		}
	}
	if got := s.request("OPTIONS", "/metadata/v1/ft", "Origin", "https://a.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "x-a"); got.status != 204 ||
		got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Access-Control-Allow-Headers") != "x-a" || !strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "GET,HEAD") { // B4
		t.Errorf("preflight: got %d %v", got.status, got.header)
	}
	if got := s.request("HEAD", "/metadata/v1/ft"); got.status != 200 || got.body != "" {
		t.Errorf("HEAD: got %d %q", got.status, got.body)
	}

	s.contract(token.NFT, n1, nil) // B5
	s.unread(token.NFT, n1, "1", nil)
	messages := map[fetch.Reason]string{
		100: "Unknown error", 101: "Metadata size is too large to process", 102: "Image size is too large to process",
		103: "Metadata could not be processed because it took too long to respond", 104: "Image could not be processed because it took too long to respond",
		105: "Metadata could not be parsed or it does not conform to SIP-016", 106: "Image processing failed because it could not be parsed",
		107: "Metadata could not be processed because the server responded with an error", 108: "Image could not be processed because the server responded with an error",
		109: "The token contract produced a Clarity error when trying to fetch metadata", 111: "Unknown error",
	}
	for reason, message := range messages {
		s.exec(`UPDATE nft_v1.token SET reason = $1`, int(reason))
		got := s.expect("/metadata/v1/nft/"+n1+"/1", 422, `{"error":"Token error","message":"`+message+`"}`)
		if _, found := got.header["Cache-Control"]; found || got.header.Get("ETag") != "" { // B8
			t.Errorf("reason %d: got %v, want neither ETag nor Cache-Control", reason, got.header)
		}
	}
}

// Errors are kept for their position as answers are, although clients are told nothing of it.
func TestMetadataErrorsAreKept(t *testing.T) {
	t.Parallel()
	s := newTokenSite(t)
	s.contract(token.NFT, n1, nil)
	s.unread(token.NFT, n1, "1", nil)
	k := newKeeper(t, s.pool, readapi.Config{})
	for target, status := range map[string]int{"/metadata/v1/nft/" + n1 + "/1": 422, "/metadata/v1/nft/" + n1 + "/2": 404, "/metadata/v1/ft/" + p1: 404} {
		before := k.reads()
		for range 3 {
			got := k.get(target)
			if _, found := got.header["Cache-Control"]; got.status != status || found {
				t.Errorf("%s: got %d %v", target, got.status, got.header)
			}
		}
		if got := k.reads() - before; got != 1 {
			t.Errorf("%s: got %d reads of the database, want 1", target, got)
		}
	}
	s.exec(`UPDATE nft_v1.token SET read_height = 7, read_seq = 201`)
	s.advance("nft", shard.Token(n1, "1"))
	eventually(t, "the token is shown", func() bool { return k.get("/metadata/v1/nft/"+n1+"/1").status == 200 })
	// The other path is the same resource.
	before := k.reads()
	if got := k.get("/metadata/nft/" + n1 + "/1"); got.body != "{}" || k.reads() != before {
		t.Errorf("got %s, after %d reads of the database, want none", got.body, k.reads()-before)
	}
}
