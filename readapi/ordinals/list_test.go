package ordinals_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

const (
	idA = apitest.TxA + "i0"
	idB = apitest.TxB + "i0"
	idG = apitest.TxG + "i0"
)

// Rows F-1 to F-5 and F-9 to F-11, E-9.
func TestInscriptions(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 257418248345365)))
	total, results := s.Page("/inscriptions") // F-1
	if total != 2 || len(results) != 2 {
		t.Fatalf("got total %d, %v", total, results)
	}
	s.ExpectMembers("RA", results[0], apitest.With(shownA, apitest.Fields{"number": 1, "genesis_block_height": 778576, "sat_ordinal": "257418248345365"}))
	s.ExpectMembers("RB", results[1], apitest.Fields{
		"id": idB, "number": 0, "mime_type": "text/plain", "content_type": "text/plain;charset=utf-8", "genesis_fee": "705", "address": apitest.Ad2,
	})
	for query, want := range map[string][]any{ // F-2, F-4, F-5, F-11
		"mime_type=text/plain":                      {idB},
		"mime_type=image/png":                       {idA},
		"mime_type=image/png&mime_type=text/plain":  {idA, idB},
		"mime_type=image/svg%2Bxml":                 {},
		"id=" + idB:                                 {idB},
		"id=" + idA + "&id=" + idB:                  {idA, idB},
		"id=" + idA + "&id=" + idA:                  {idA},
		"id=" + strings.ToUpper(apitest.TxA) + "i0": {},
		"number=0":                     {idB},
		"number=1":                     {idA},
		"number=0&number=1&number=7":   {idA, idB},
		"output=" + apitest.TxB + ":0": {idB},
		"output=" + strings.ToUpper(apitest.TxB) + ":0": {idB},
		"output=" + apitest.TxB + ":1":                  {},
		"output=" + apitest.TxC + ":0":                  {},
		"id=" + idA + "&number=0":                       {},
		"id=" + idA + "&number=1&address=" + apitest.Ad1 + "&mime_type=image/png&rarity=common&recursive=false&cursed=false&genesis_block=778576&output=" + apitest.TxA + ":0": {idA},
	} {
		s.ExpectPage("/inscriptions?"+query, len(want), "id", want...)
	}
	s.ExpectPage("/inscriptions?offset=2", 2, "id") // E-9
	s.ExpectPage("/inscriptions?offset=2000000", 2, "id")
	s.ExpectPage("/inscriptions?offset=9223372036854775807&id="+idA, 1, "id")
	s.ExpectPage("/inscriptions?offset=1", 2, "id", idB)
	s.ExpectPage("/inscriptions?offset=1&limit=1&mime_type=text/plain&mime_type=image/png", 2, "id", idB)
	check.Equal(t, "a later page", s.Get("/ordinals/v1/inscriptions?limit=1&offset=5&unknown=1").Body, `{"limit":1,"offset":5,"total":2,"results":[]}`)
}

// Row F-3.
func TestInscriptionsByRarity(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 0)))
	s.ExpectPage("/inscriptions?rarity=common", 1, "sat_rarity", "common")
	s.ExpectPage("/inscriptions?rarity=mythic", 1, "sat_rarity", "mythic")
	s.ExpectPage("/inscriptions?rarity=mythic&rarity=common", 2, "sat_rarity", "mythic", "common")
	s.ExpectPage("/inscriptions?rarity=mythic&rarity=common&order_by=rarity&order=asc", 2, "sat_rarity", "common", "mythic")
	s.ExpectPage("/inscriptions?rarity=mythic&order_by=number", 1, "number", 1)
	s.ExpectPage("/inscriptions?rarity=rare", 0, "id")
}

// Rows F-6, F-6b, F-7 and F-8.
func TestInscriptionsByBlock(t *testing.T) {
	t.Parallel()
	const hash = "000000000000000000039b3051705a16fcf310a70dee55742339e6da70181bf7"
	s := apitest.NewOrdinalsSite(t, apitest.FeedBlock(778575, hash, 1677731361, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1675312161, apitest.Ra(1, apitest.Sat)))
	expect := func(query string, heights ...any) {
		t.Helper()
		s.ExpectPage("/inscriptions?"+query, len(heights), "genesis_block_height", heights...)
	}
	expect("genesis_block=778576", 778576)
	expect("genesis_block=0000778576", 778576)
	expect("genesis_block="+hash, 778575)
	expect("genesis_block=" + apitest.BhC)
	expect("to_genesis_block_height=778575", 778575)
	expect("from_genesis_block_height=778576", 778576)
	expect("from_genesis_block_height=778576&to_genesis_block_height=778575")
	for _, ms := range []string{"", "000"} { // F-8
		s.ExpectPage("/inscriptions?from_genesis_timestamp=1675571361"+ms, 1, "genesis_timestamp", "1.677731361e+12")
		s.ExpectPage("/inscriptions?to_genesis_timestamp=1675571361"+ms, 1, "genesis_timestamp", "1.675312161e+12")
		expect("from_genesis_timestamp=1675312161"+ms+"&to_genesis_timestamp=1675312161"+ms, 778576)
	}
	expect("from_genesis_timestamp=1675312161001", 778575)
	expect("to_genesis_timestamp=1677731360999", 778576)
	expect("to_genesis_timestamp=0&from_genesis_timestamp=0", 778576, 778575)
	expect("from_genesis_timestamp=-5", 778576, 778575)
	s.Apply(apitest.FeedBlock(778577, "000000000000000000003ac2d5b588bc97a5479d25e403cffd90bd60c9680cfc", 1676000000, apitest.InTx(apitest.TxG, apitest.RevealOf(apitest.TxG, 2, apitest.Sat, nil))))
	expect("from_genesis_block_height=778575&to_genesis_block_height=778576", 778576, 778575)
	// The middle one of the times is the highest of the heights.
	expect("from_genesis_timestamp=1676000000", 778577, 778575)
	expect("to_genesis_timestamp=1676000000&from_genesis_timestamp=1", 778577, 778576)
	expect("from_genesis_timestamp=1676000000&order=asc", 778575, 778577)
	expect("from_genesis_timestamp=1676000000&mime_type=text/plain", 778575)
}

// Rows F-9, F-10 and F-10b.
func TestInscriptionsByRange(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 1000000000000)))
	expect := func(query string, ids ...any) {
		t.Helper()
		for _, order := range []string{"", "&order_by=number", "&order_by=ordinal&order=asc", "&order_by=rarity"} {
			s.ExpectPage("/inscriptions?"+query+order, len(ids), "id", ids...)
		}
	}
	expect("from_sat_ordinal=1000400000000", idB)
	expect("to_sat_ordinal=1000400000000", idA)
	expect("to_sat_ordinal=1e12", idA)
	expect("from_sat_coinbase_height=51400", idB)
	expect("to_sat_coinbase_height=51400", idA)
	expect("from_sat_coinbase_height=200&to_sat_coinbase_height=200", idA)
	expect("to_sat_coinbase_height=999999999999999999&from_sat_ordinal=1000000000001", idB)
	expect("from_sat_coinbase_height=999999999999999999")
	expect("from_number=1", idA)
	expect("to_number=0", idB)
	expect("to_number=9223372036854775807&from_number=1", idA)
	expect("from_number=-9223372036854775808&to_number=0", idB)
	expect("from_number=2&to_number=1")
	expect("from_number=-9223372036854775808&to_number=-9223372036854775808")
}

// Rows F-12 to F-12d, F-15, E-1.
func TestInscriptionsByAddress(t *testing.T) {
	t.Parallel()
	revealB, revealA := apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 1000000000000))
	moved := apitest.At(778577, 1676913207, apitest.Move(1000000000000, apitest.Ad2, "c586b6996f937ba6213dfee4d35d875930e5384206c6daf60de3e8c44fdee550:0:0", 9000, 0))
	s := apitest.NewOrdinalsSite(t, revealB, revealA)
	s.ExpectPage("/inscriptions?address="+apitest.Ad2, 1, "id", idB)
	s.ExpectPage("/inscriptions?address="+apitest.Ad2+"&address="+apitest.Ad1, 2, "id", idA, idB)
	s.ExpectPage("/inscriptions?genesis_address="+apitest.Ad2, 1, "id", idB)
	s.ExpectPage("/inscriptions?genesis_address="+apitest.Ad2+"&genesis_address="+apitest.Ad1+"&genesis_address="+apitest.Ad1, 2, "id", idA, idB)
	s.Apply(moved)
	s.ExpectPage("/inscriptions?address="+apitest.Ad2, 2, "id", idA, idB) // F-12b
	s.ExpectPage("/inscriptions?address="+apitest.Ad1, 0, "id")
	s.Rollback(revealB) // F-12c
	s.ExpectPage("/inscriptions?address="+apitest.Ad2, 1, "id", idA)
	s.Apply(revealB)
	s.Rollback(moved) // F-12d, and the other again
	s.ExpectPage("/inscriptions?address="+apitest.Ad2, 1, "id", idB)
	s.ExpectPage("/inscriptions?address="+apitest.Ad1, 1, "id", idA)
	s.Rollback(revealA) // F-15
	s.ExpectPage("/inscriptions?genesis_address="+apitest.Ad1, 0, "id")
	s.ExpectPage("/inscriptions?address="+url.QueryEscape(strings.Repeat("ä", 600)), 0, "id")
	s.Apply(apitest.At(778576, 1676913207, apitest.InTx(apitest.TxC, apitest.RevealOf(apitest.TxC, 5, apitest.Sat, apitest.Fields{"inscriber_address": apitest.Ad2})))) // E-1
	s.ExpectPage("/inscriptions?address="+apitest.Ad2, 2, "id", apitest.TxC+"i0", idB)
}

// Rows F-14 and E-2.
func TestInscriptionsCursed(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(-100, 5, apitest.Fields{"curse_type": "test"})))
	for _, order := range []string{"", "&order_by=number", "&order_by=ordinal", "&order_by=rarity"} {
		s.ExpectPage("/inscriptions?cursed=true"+order, 1, "id", idA)
		s.ExpectPage("/inscriptions?cursed=false"+order, 1, "id", idB)
	}
	s.Apply(apitest.At(850000, 1676913207, apitest.InTx(apitest.TxC, apitest.RevealOf(apitest.TxC, 0, 7, apitest.Fields{"inscription_number": apitest.Fields{"classic": -5, "jubilee": 100}}))))
	s.ExpectPage("/inscriptions?cursed=true", 1, "id", idA)
	s.ExpectPage("/inscriptions?cursed=false", 2, "id", apitest.TxC+"i0", idB)
}

// Rows O-1 to O-4.
func TestInscriptionsOrder(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, 1050000000000000)), apitest.At(778577, 1676913207, apitest.Rg(2, 0)))
	for order, tc := range map[string]struct {
		member string
		values []any
	}{
		"number":               {"number", []any{0, 1, 2}},
		"rarity":               {"sat_rarity", []any{"common", "epic", "mythic"}},
		"ordinal":              {"sat_ordinal", []any{"0", "257418248345364", "1050000000000000"}},
		"genesis_block_height": {"genesis_block_height", []any{778575, 778576, 778577}},
	} {
		for _, filter := range []string{"", "&id=" + idA + "&id=" + idB + "&id=" + idG} {
			path := "/inscriptions?order_by=" + order + filter + "&order="
			s.ExpectPage(path+"asc", 3, tc.member, tc.values...)
			s.ExpectPage(path+"desc", 3, tc.member, tc.values[2], tc.values[1], tc.values[0])
			s.ExpectPage(path+"desc&limit=1&offset=1", 3, tc.member, tc.values[1])
			s.ExpectPage(path+"asc&limit=2&offset=2", 3, tc.member, tc.values[2])
		}
	}
}

// Row O-5, and what else is no parameter.
func TestInscriptionsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t)
	block := `must match pattern \"^[0]{8}[a-fA-F0-9]{56}$\", querystring/%[1]s must match pattern \"^[0-9]+$\", querystring/%[1]s must match a schema in anyOf`
	either := func(name string, n int) string {
		one := "querystring/" + name + " must be equal to constant, "
		return strings.Repeat(one, n) + "querystring/" + name + " must match a schema in anyOf"
	}
	for query, message := range map[string]string{
		"?limit=61":                     "querystring/limit must be <= 60",
		"?limit=0":                      "querystring/limit must be >= 1",
		"?limit=":                       "querystring/limit must be integer",
		"?limit=1&limit=2":              "querystring/limit must be integer",
		"?offset=-1":                    "querystring/offset must be >= 0",
		"?offset=9223372036854775808":   "querystring/offset must be integer",
		"?genesis_block=xyz":            "querystring/genesis_block " + fmt.Sprintf(block, "genesis_block"),
		"?genesis_block=":               "querystring/genesis_block " + fmt.Sprintf(block, "genesis_block"),
		"?from_genesis_block_height=-1": `querystring/from_genesis_block_height must match pattern \"^[0-9]+$\"`,
		"?to_genesis_block_height=9223372036854775808":         `querystring/to_genesis_block_height must NOT have more than 18 characters`,
		"?from_sat_coinbase_height=" + strings.Repeat("9", 99): `querystring/from_sat_coinbase_height must NOT have more than 18 characters`,
		"?output=abc":                          `querystring/output must match pattern \"^(0x)?[a-fA-F0-9]{64}:[0-9]+$\"`,
		"?mime_type=plain":                     `querystring/mime_type/0 must match pattern \"^\\w+\\/[-.\\w]+(?:\\+[-.\\w]+)?$\"`,
		"?rarity=foo":                          "querystring/rarity/0 must be equal to one of the allowed values",
		"?rarity=common&rarity=Rare":           "querystring/rarity/1 must be equal to one of the allowed values",
		"?recursive=maybe":                     "querystring/recursive must be boolean",
		"?recursive=1":                         "querystring/recursive must be boolean",
		"?cursed=":                             "querystring/cursed must be boolean",
		"?cursed=true&cursed=true":             "querystring/cursed must be boolean",
		"?order_by=foo":                        either("order_by", 4),
		"?order_by=":                           either("order_by", 4),
		"?order=ASC":                           either("order", 2),
		"?id=abc":                              `querystring/id/0 must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\"`,
		"?id=0x0x" + idA:                       `querystring/id/0 must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\"`,
		"?id=" + idA + "," + idB:               `querystring/id/0 must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\"`,
		"?number=abc":                          "querystring/number/0 must be integer",
		"?number=1&number=9223372036854775808": "querystring/number/1 must be integer",
		"?from_number=1.5":                     "querystring/from_number must be integer",
		"?from_genesis_timestamp=now":          "querystring/from_genesis_timestamp must be integer",
		"?to_sat_ordinal=2099999997690000":     "querystring/to_sat_ordinal must be < 2099999997690000",
		"?to_sat_ordinal=-1":                   "querystring/to_sat_ordinal must be >= 0",
		"?from_sat_ordinal=abc":                "querystring/from_sat_ordinal must be integer",
		"?from_sat_ordinal=NaN":                "querystring/from_sat_ordinal must be integer",
		"?address=%00":                         "querystring/address/0 must be string",
		"?address=%ff":                         "querystring/address/0 must be string",
		"/abc":                                 `params/id must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\", params/id must be integer, params/id must match a schema in anyOf`,
		"/1.5":                                 `params/id must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\", params/id must be integer, params/id must match a schema in anyOf`,
		"/9223372036854775808":                 `params/id must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\", params/id must be integer, params/id must match a schema in anyOf`,
		"/abc/content":                         `params/id must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\", params/id must be integer, params/id must match a schema in anyOf`,
		"/abc/transfers":                       `params/id must match pattern \"^(0x)?[a-fA-F0-9]{64}i[0-9]+$\", params/id must be integer, params/id must match a schema in anyOf`,
		"/transfers":                           "querystring must have required property 'block'",
		"/transfers?block=abc":                 "querystring/block " + fmt.Sprintf(block, "block"),
		"/5/transfers?limit=61":                "querystring/limit must be <= 60",
	} {
		for _, prefix := range []string{"/ordinals/v1", "/ordinals"} {
			got := s.Expect(prefix+"/inscriptions"+query, 400, `{"statusCode":400,"error":"Bad Request","message":"`+message+`"}`)
			if _, found := got.Header["Cache-Control"]; found || got.Header.Get("ETag") != "" {
				t.Errorf("%s: got %v, want neither Cache-Control nor ETag", query, got.Header)
			}
		}
	}
	s.Expect("/ordinals/v1/stats/inscriptions?from_block_height=abc", 400,
		`{"statusCode":400,"error":"Bad Request","message":"querystring/from_block_height must match pattern \"^[0-9]+$\""}`)
}

// Row E-12: pages of one neither repeat nor skip two reveals of a transaction. And who names more than a page has by
// default gets them all.
func TestInscriptionsPages(t *testing.T) {
	t.Parallel()
	var reveals []apitest.Fields
	query := ""
	for i := range 25 {
		id := fmt.Sprintf("%si%d", apitest.TxB, i)
		reveals = append(reveals, apitest.RevealOf(apitest.TxB, i, apitest.Sat+i/2, apitest.Fields{"inscription_id": id}))
		query += "&id=" + id
	}
	s := apitest.NewOrdinalsSite(t, apitest.At(778575, 1676913207, apitest.InTx(apitest.TxB, reveals...)))
	for _, order := range []string{"genesis_block_height", "number", "ordinal", "rarity"} {
		for _, direction := range []string{"asc", "desc"} {
			for _, filter := range []string{"", "&mime_type=image/png", "&rarity=common", "&rarity=common&mime_type=image/png"} {
				path := "/inscriptions?order_by=" + order + "&order=" + direction + filter
				_, whole := s.Page(path + "&limit=60")
				for i := range 25 {
					s.ExpectPage(fmt.Sprintf("%s&limit=1&offset=%d", path, i), 25, "id", whole[i]["id"])
				}
			}
		}
	}
	if total, results := s.Page("/inscriptions?" + query[1:]); total != 25 || len(results) != 25 {
		t.Errorf("got %d of %d, want all of those that were named", len(results), total)
	}
	if got := s.JSON("/inscriptions?id=" + idA)["limit"]; got != 20.0 {
		t.Errorf("got limit %v, want 20", got)
	}
}
