package readapi_test

import (
	"strings"
	"testing"
)

const invalidSatoshi = `{"error":"Invalid satoshi ordinal number"}`

// Rows S-1, S-4 to S-11, S-14 to S-18 and S-20: what follows from the number.
func TestSatoshi(t *testing.T) {
	t.Parallel()
	t.Run("EmptyTables", func(t *testing.T) { testSatoshi(t, newOrdinalsSite(t).site) })
	t.Run("NoTables", func(t *testing.T) { testSatoshi(t, newSite(t)) })
}

func testSatoshi(t *testing.T, s *site) {
	for number, want := range map[string]string{
		"10080000000001":   `{"coinbase_height":2016,"cycle":0,"decimal":"2016.1","degree":"0°2016′0″1‴","epoch":0,"name":"ntwwidfrzxg","offset":1,"percentile":"0.48000000052804787%","period":1,"rarity":"common"}`,
		"0":                `{"coinbase_height":0,"cycle":0,"decimal":"0.0","degree":"0°0′0″0‴","epoch":0,"name":"nvtdijuwxlp","offset":0,"percentile":"0%","period":0,"rarity":"mythic"}`,
		"2067187500000000": `{"coinbase_height":1260000,"cycle":1,"decimal":"1260000.0","degree":"1°0′0″0‴","epoch":6,"name":"fachfvytgb","offset":0,"percentile":"98.4375001082813%","period":625,"rarity":"legendary"}`,
		"1050000000000000": `{"coinbase_height":210000,"cycle":0,"decimal":"210000.0","degree":"0°0′336″0‴","epoch":1,"name":"gkjbdrhkfqf","offset":0,"percentile":"50.00000005500003%","period":104,"rarity":"epic"}`,
		"10080000000000":   `{"coinbase_height":2016,"cycle":0,"decimal":"2016.0","degree":"0°2016′0″0‴","epoch":0,"name":"ntwwidfrzxh","offset":0,"percentile":"0.48000000052800024%","period":1,"rarity":"rare"}`,
		"5000000000":       `{"coinbase_height":1,"cycle":0,"decimal":"1.0","degree":"0°1′1″0‴","epoch":0,"name":"nvtcsezkbth","offset":0,"percentile":"0.00023809523835714296%","period":0,"rarity":"uncommon"}`,
		"200":              `{"coinbase_height":0,"cycle":0,"decimal":"0.200","degree":"0°0′0″200‴","epoch":0,"name":"nvtdijuwxdx","offset":200,"percentile":"0.000000000009523809534285719%","period":0,"rarity":"common"}`,
		"2099999997689999": `{"coinbase_height":6929999,"cycle":5,"decimal":"6929999.0","degree":"5°209999′1007″0‴","epoch":32,"name":"a","offset":0,"percentile":"100%","period":3437,"rarity":"uncommon"}`,
		"2e2":              `{"coinbase_height":0,"cycle":0,"decimal":"0.200","degree":"0°0′0″200‴","epoch":0,"name":"nvtdijuwxdx","offset":200,"percentile":"0.000000000009523809534285719%","period":0,"rarity":"common"}`,
	} {
		for _, path := range []string{"/ordinals/v1/sats/", "/ordinals/sats/"} {
			s.expect(path+number, 200, want)
		}
	}
	for _, path := range []string{
		"/sats/2099999997690000", "/sats/-1", "/sats/Infinity", "/sats/abc", "/sats/1.5", "/sats/", "/sats/5%00", "/sats/" + strings.Repeat("9", 400), "/sats/1e999",
		"/sats/2099999997690000/inscriptions", "/sats/abc/inscriptions?limit=0",
		"/sats/5/inscriptions?limit=61", "/sats/5/inscriptions?limit=0", "/sats/5/inscriptions?limit=abc", "/sats/5/inscriptions?limit=",
		"/sats/5/inscriptions?limit=1&limit=2", "/sats/5/inscriptions?offset=-1", "/sats/5/inscriptions?offset=99999999999999999999",
	} {
		for _, prefix := range []string{"/ordinals/v1", "/ordinals"} {
			got := s.expect(prefix+path, 400, invalidSatoshi)
			if _, found := got.header["Cache-Control"]; found || got.header.Get("ETag") != "" {
				t.Errorf("%s: got %v, want neither Cache-Control nor ETag", path, got.header)
			}
		}
	}
	for _, query := range []string{"", "?foo=bar", "?limit=20&offset=0"} {
		s.expect("/ordinals/v1/sats/5/inscriptions"+query, 200, `{"limit":20,"offset":0,"total":0,"results":[]}`)
	}
	for _, path := range []string{"/sats/5/inscriptions/", "/sats/5/", "/nope", "/sats", "/sats//5"} {
		s.expect("/ordinals/v1"+path, 404, `{"message":"Route GET:/ordinals/v1`+path+` not found","error":"Not Found","statusCode":404}`)
	}
}

// Row S-2.
func TestInscribedSatoshi(t *testing.T) {
	t.Parallel()
	s := newOrdinalsSite(t, feedBlock(775617, bhD, defaultTime, ra(0, sat)))
	if got := s.json("/sats/257418248345364"); got["inscription_id"] != txA+"i0" {
		t.Errorf("got %v", got)
	}
}

// Rows S-3 to S-3d, S-12 and S-13.
func TestSatoshiInscriptions(t *testing.T) {
	t.Parallel()
	const hash2 = "000000000000000000002a244dc7dfcf8ab85e42d182531c27197fc125086f19"
	cursed := fields{"curse_type": "p2wsh"}
	s := newOrdinalsSite(t,
		feedBlock(775617, bhD, defaultTime, ra(-7, sat, cursed)),
		feedBlock(775618, hash2, 1676913207, inTx(txC, revealOf(txC, -1, sat, cursed))))
	const path = "/sats/257418248345364/inscriptions"
	total, results := s.page(path)
	if total != 2 || len(results) != 2 {
		t.Fatalf("got total %d, %v", total, results)
	}
	both := fields{
		"address": ad1, "genesis_address": ad1, "tx_id": txC, "output": txC + ":0", "location": txC + ":0:0", "offset": "0", "value": "10000",
		"timestamp": 1676913207000, "genesis_fee": "2805", "mime_type": "image/png", "content_type": "image/png", "content_length": 5,
		"sat_ordinal": "257418248345364", "sat_rarity": "common", "sat_coinbase_height": 51483, "curse_type": "p2wsh", "recursive": false,
		"recursion_refs": []any{}, "parent": nil, "metadata": nil, "parent_refs": []any{}, "delegate": nil, "meta_protocol": nil,
	}
	s.expectMembers("the first", results[0], with(both, fields{
		"id": txC + "i0", "number": -1, "genesis_block_height": 775618, "genesis_block_hash": hash2, "genesis_tx_id": txC, "genesis_timestamp": 1676913207000,
	}))
	s.expectMembers("the second", results[1], with(both, fields{
		"id": txA + "i0", "number": -7, "genesis_block_height": 775617, "genesis_block_hash": bhD, "genesis_tx_id": txA, "genesis_timestamp": 1677803510000,
	}))
	if len(results[0]) != 30 {
		t.Errorf("got %d members, want 30", len(results[0]))
	}
	s.expectPage("/inscriptions/-7/transfers", 2, "location", txC+":0:0", txA+":0:0") // S-3a
	s.expectPage("/inscriptions/-1/transfers", 1, "location", txC+":0:0")             // S-3b
	s.expectPage("/inscriptions/transfers?block=775617", 0, "number")                 // S-3c
	s.expectPage("/inscriptions/transfers?block=775618", 1, "number", -7)             // S-3d

	s.apply(at(775619, defaultTime, inTx(txD, revealOf(txD, 5, sat, nil))))
	s.expectPage(path+"?limit=60&offset=3", 3, "number")          // S-12
	s.expectPage(path+"?limit=1&offset=1", 3, "number", -1)       // S-13
	s.expectPage(path+"?offset=1152921504606846976", 3, "number") // far beyond
	s.expectPage(path+"?offset=9223372036854775807", 3, "number") // E-9
	s.expectPage(path+"?limit=2", 3, "number", 5, -1)
	if got := s.get("/ordinals/v1" + path + "?limit=60&offset=3").body; got != `{"limit":60,"offset":3,"total":3,"results":[]}` {
		t.Errorf("got %s", got)
	}
}

// Row S-19, and E-15 with an inscription that is on no sat.
func TestSatoshiZero(t *testing.T) {
	t.Parallel()
	s := newOrdinalsSite(t, at(778575, defaultTime, ra(0, sat)))
	if got := s.json("/sats/0"); got["inscription_id"] != nil {
		t.Errorf("got %v", got)
	}
	s.expectPage("/sats/0/inscriptions", 0, "id")
	s.expectPage("/inscriptions?to_sat_ordinal=0", 0, "id")
	s.apply(at(778576, defaultTime, rb(1, 0)))
	if got := s.json("/sats/0"); got["inscription_id"] != txB+"i0" {
		t.Errorf("got %v", got)
	}
	s.expectPage("/sats/0/inscriptions", 1, "id", txB+"i0")
	s.expectPage("/inscriptions?to_sat_ordinal=0", 1, "id", txB+"i0")
	s.expectPage("/inscriptions?from_sat_ordinal=1", 1, "id", txA+"i0")
}
