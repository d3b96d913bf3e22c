package token_test

import (
	"fmt"
	"testing"
	"time"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/rig/apitest"
)

func TestTokenProvenance(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/1/provenance", 404, noContract)
	s.Full(token.NFT, apitest.N1, apitest.FullDocument(), nil)
	s.Exec(`UPDATE nft_v1.contract SET last_token_id = 340282366920938463463374607431768211455, read_height = 6, read_seq = 140`)
	s.Exec(`UPDATE nft_v1.document SET failed_seq = 300, reason = 107`)
	const es = "http://test.com/es.json"
	s.Document(token.NFT, es, nil, apitest.Columns{"failed_seq": 301, "reason": 105})
	s.Refer(token.NFT, apitest.N1, "1", "document", "es", es)
	s.Want(token.NFT, apitest.TokenWant(token.NFT, apitest.N1, 1), fetch.Waiting, 0)
	s.Want(token.NFT, fetch.Want{Kind: fetch.Document, URI: apitest.URI}, fetch.Wrong, 2)
	s.Want(token.NFT, fetch.Want{Kind: fetch.Image, URI: apitest.ImageURI}, fetch.Waiting, 1)
	got := s.Get("/metadata/v1/nft/" + apitest.N1 + "/1/provenance")
	s.Golden("token_provenance", got.Body)
	check.Equal(t, "Strata-Source", got.Header.Get("Strata-Source"), "105,106,140,201,202,203,300,301")
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/2/provenance", 404, noToken)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/-2/provenance", 404, noToken)

	s.Contract(token.FT, apitest.P1, nil)
	s.Unread(token.FT, apitest.P1, "1", apitest.Columns{"reason": 109, "failed_seq": 310})
	s.Expect("/metadata/ft/"+apitest.P1+"/provenance", 200, `{"contract":{"contract_id":"`+apitest.P1+`","kind":"ft","sip":"sip-010","block_height":5,"event":"/audit/v1/events/105"},`+
		`"token":{"token_id":1,"block_height":6,"event":"/audit/v1/events/106","failure":{"seq":310,"event":"/audit/v1/events/310","reason":109,`+
		`"message":"The token contract produced a Clarity error when trying to fetch metadata"}},"documents":[],"images":[]}`)
}

// A contract that has used up its budget says so, with what it spent and until when it rests.
func TestRestInProvenance(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.FT, apitest.P1, nil)
	s.Unread(token.FT, apitest.P1, "1", nil)
	decided := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	until := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	body := must.Get((&fetch.Rest{
		Contract: apitest.P1, DecidedAt: decided, Until: until, Fetches: 812, Bytes: 67_200_512, FetchesMost: 50_000, BytesMost: 64 << 20,
	}).Encode())(t)
	path := "/metadata/v1/ft/" + apitest.P1 + "/provenance"
	const before = `{"contract":{"contract_id":"` + apitest.P1 + `","kind":"ft","sip":"sip-010","block_height":5,"event":"/audit/v1/events/105"%s},` +
		`"token":{"token_id":1,"block_height":6,"event":"/audit/v1/events/106"},"documents":[],"images":[]}`
	s.Expect(path, 200, fmt.Sprintf(before, ""))

	for _, kind := range apitest.Kinds { // the projections of all kinds know it
		s.Insert(string(kind)+"_v1.rest", nil, apitest.Columns{"source_seq": 9, "until": until, "contract_id": apitest.P1})
	}
	const event = `"seq":9,"event":"/audit/v1/events/9"}`
	s.Expect(path, 200, fmt.Sprintf(before, `,"rest":{"until":"2026-03-05T00:00:00.000Z",`+event)) // the log is elsewhere
	s.Exec(`INSERT INTO log.event (seq, received_at, size, sha256, source, path, content_type, body) VALUES (9, now(), $1, $2, 'metadata', $3, $4, $5)`,
		len(body), apitest.URIHash(string(body)), fetch.PathRest, fetch.ContentType, body)
	s.Expect(path, 200, fmt.Sprintf(before, `,"rest":{"since":"2026-03-04T05:06:07.000Z","until":"2026-03-05T00:00:00.000Z",`+
		`"fetches":{"spent":812,"limit":50000},"bytes":{"spent":67200512,"limit":67108864},`+event))
	check.Equal(t, "Strata-Source", s.Get(path).Header.Get("Strata-Source"), "9,105,106")
	var traced apitest.TraceOf
	apitest.DecodeJSON(t, s.Get(apitest.TracePath(path)).Body, &traced)
	if got := s.One(traced, "ft.rest"); got.Sources[0].Seq != 9 || len(got.Sources[0].Pointers) != 1 {
		t.Errorf("got %v", got)
	}
}

// The last notification counts, unless an earlier one froze the token.
func TestNotificationInForce(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Full(token.SFT, apitest.P2, &document.Document{Name: apitest.Text("a")}, nil)
	path := "/metadata/v1/sft/" + apitest.P2 + "/1/provenance"
	mode := func() (mode any) {
		t.Helper()
		notification, _ := s.Object(path)["notification"].(map[string]any)
		return notification["mode"]
	}
	notify := func(height int, tokenID any, mode string) {
		s.Insert("sft_v1.notification", nil, apitest.Columns{
			"height": height, "source_seq": height + 100, "ttl": "3600", "tx_index": 0, "event_index": 0, "token_id": tokenID, "contract_id": apitest.P2, "mode": mode, "pointer": "/events/3",
		})
	}
	for i, tc := range []struct {
		tokenID any
		mode    string
		want    any
	}{
		{"2", "frozen", nil},
		{"1", "dynamic", "dynamic"},
		{nil, "standard", "standard"},
		{"1", "frozen", "frozen"},
		{nil, "standard", "frozen"},
	} {
		notify(20+i, tc.tokenID, tc.mode)
		check.Equal(t, fmt.Sprintf("after %v %s", tc.tokenID, tc.mode), mode(), tc.want)
	}
	got := s.Object(path)["notification"].(map[string]any)
	if got["ttl"] != "3600" || got["all_tokens"] != false || got["block_height"] != 23.0 || got["event"] != "/audit/v1/events/123" || got["pointer"] != "/events/3" {
		t.Errorf("got %v", got)
	}
}
