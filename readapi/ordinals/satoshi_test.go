package ordinals_test

import (
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

const invalidSatoshi = `{"error":"Invalid satoshi ordinal number"}`

// Rows S-1, S-4 to S-11, S-14 to S-18 and S-20: what follows from the number.
func TestSatoshi(t *testing.T) {
	t.Parallel()
	t.Run("EmptyTables", func(t *testing.T) { testSatoshi(t, apitest.NewOrdinalsSite(t).Site) })
	t.Run("NoTables", func(t *testing.T) { testSatoshi(t, apitest.NewSite(t)) })
}

func testSatoshi(t *testing.T, s *apitest.Site) {
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
			s.Expect(path+number, 200, want)
		}
	}
	for _, path := range []string{
		"/sats/2099999997690000", "/sats/-1", "/sats/Infinity", "/sats/abc", "/sats/1.5", "/sats/", "/sats/5%00", "/sats/" + strings.Repeat("9", 400), "/sats/1e999",
		"/sats/2099999997690000/inscriptions", "/sats/abc/inscriptions?limit=0",
		"/sats/5/inscriptions?limit=61", "/sats/5/inscriptions?limit=0", "/sats/5/inscriptions?limit=abc", "/sats/5/inscriptions?limit=",
		"/sats/5/inscriptions?limit=1&limit=2", "/sats/5/inscriptions?offset=-1", "/sats/5/inscriptions?offset=99999999999999999999",
	} {
		for _, prefix := range []string{"/ordinals/v1", "/ordinals"} {
			got := s.Expect(prefix+path, 400, invalidSatoshi)
			if _, found := got.Header["Cache-Control"]; found || got.Header.Get("ETag") != "" {
				t.Errorf("%s: got %v, want neither Cache-Control nor ETag", path, got.Header)
			}
		}
	}
	for _, query := range []string{"", "?foo=bar", "?limit=20&offset=0"} {
		s.Expect("/ordinals/v1/sats/5/inscriptions"+query, 200, `{"limit":20,"offset":0,"total":0,"results":[]}`)
	}
	for _, path := range []string{"/sats/5/inscriptions/", "/sats/5/", "/nope", "/sats", "/sats//5"} {
		s.Expect("/ordinals/v1"+path, 404, `{"message":"Route GET:/ordinals/v1`+path+` not found","error":"Not Found","statusCode":404}`)
	}
}

// Row S-2.
func TestInscribedSatoshi(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.FeedBlock(775617, apitest.BhD, apitest.DefaultTime, apitest.Ra(0, apitest.Sat)))
	if got := s.JSON("/sats/257418248345364"); got["inscription_id"] != apitest.TxA+"i0" {
		t.Errorf("got %v", got)
	}
}

// Rows S-3 to S-3d, S-12 and S-13.
func TestSatoshiInscriptions(t *testing.T) {
	t.Parallel()
	const hash2 = "000000000000000000002a244dc7dfcf8ab85e42d182531c27197fc125086f19"
	cursed := apitest.Fields{"curse_type": "p2wsh"}
	s := apitest.NewOrdinalsSite(t,
		apitest.FeedBlock(775617, apitest.BhD, apitest.DefaultTime, apitest.Ra(-7, apitest.Sat, cursed)),
		apitest.FeedBlock(775618, hash2, 1676913207, apitest.InTx(apitest.TxC, apitest.RevealOf(apitest.TxC, -1, apitest.Sat, cursed))))
	const path = "/sats/257418248345364/inscriptions"
	total, results := s.Page(path)
	if total != 2 || len(results) != 2 {
		t.Fatalf("got total %d, %v", total, results)
	}
	both := apitest.Fields{
		"address": apitest.Ad1, "genesis_address": apitest.Ad1, "tx_id": apitest.TxC, "output": apitest.TxC + ":0", "location": apitest.TxC + ":0:0", "offset": "0", "value": "10000",
		"timestamp": 1676913207000, "genesis_fee": "2805", "mime_type": "image/png", "content_type": "image/png", "content_length": 5,
		"sat_ordinal": "257418248345364", "sat_rarity": "common", "sat_coinbase_height": 51483, "curse_type": "p2wsh", "recursive": false,
		"recursion_refs": []any{}, "parent": nil, "metadata": nil, "parent_refs": []any{}, "delegate": nil, "meta_protocol": nil,
	}
	s.ExpectMembers("the first", results[0], apitest.With(both, apitest.Fields{
		"id": apitest.TxC + "i0", "number": -1, "genesis_block_height": 775618, "genesis_block_hash": hash2, "genesis_tx_id": apitest.TxC, "genesis_timestamp": 1676913207000,
	}))
	s.ExpectMembers("the second", results[1], apitest.With(both, apitest.Fields{
		"id": apitest.TxA + "i0", "number": -7, "genesis_block_height": 775617, "genesis_block_hash": apitest.BhD, "genesis_tx_id": apitest.TxA, "genesis_timestamp": 1677803510000,
	}))
	check.Equal(t, "members", len(results[0]), 30)
	s.ExpectPage("/inscriptions/-7/transfers", 2, "location", apitest.TxC+":0:0", apitest.TxA+":0:0") // S-3a
	s.ExpectPage("/inscriptions/-1/transfers", 1, "location", apitest.TxC+":0:0")                     // S-3b
	s.ExpectPage("/inscriptions/transfers?block=775617", 0, "number")                                 // S-3c
	s.ExpectPage("/inscriptions/transfers?block=775618", 1, "number", -7)                             // S-3d

	s.Apply(apitest.At(775619, apitest.DefaultTime, apitest.InTx(apitest.TxD, apitest.RevealOf(apitest.TxD, 5, apitest.Sat, nil))))
	s.ExpectPage(path+"?limit=60&offset=3", 3, "number")          // S-12
	s.ExpectPage(path+"?limit=1&offset=1", 3, "number", -1)       // S-13
	s.ExpectPage(path+"?offset=1152921504606846976", 3, "number") // far beyond
	s.ExpectPage(path+"?offset=9223372036854775807", 3, "number") // E-9
	s.ExpectPage(path+"?limit=2", 3, "number", 5, -1)
	check.Equal(t, path, s.Get("/ordinals/v1"+path+"?limit=60&offset=3").Body, `{"limit":60,"offset":3,"total":3,"results":[]}`)
}

// Row S-19, and E-15 with an inscription that is on no sat.
func TestSatoshiZero(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, apitest.DefaultTime, apitest.Ra(0, apitest.Sat)))
	if got := s.JSON("/sats/0"); got["inscription_id"] != nil {
		t.Errorf("got %v", got)
	}
	s.ExpectPage("/sats/0/inscriptions", 0, "id")
	s.ExpectPage("/inscriptions?to_sat_ordinal=0", 0, "id")
	s.Apply(apitest.At(778576, apitest.DefaultTime, apitest.Rb(1, 0)))
	if got := s.JSON("/sats/0"); got["inscription_id"] != apitest.TxB+"i0" {
		t.Errorf("got %v", got)
	}
	s.ExpectPage("/sats/0/inscriptions", 1, "id", apitest.TxB+"i0")
	s.ExpectPage("/inscriptions?to_sat_ordinal=0", 1, "id", apitest.TxB+"i0")
	s.ExpectPage("/inscriptions?from_sat_ordinal=1", 1, "id", apitest.TxA+"i0")
}
