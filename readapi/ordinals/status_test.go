package ordinals_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

func stats(s *apitest.OrdinalsSite, query string) (counts string) {
	for _, r := range s.JSON("/stats/inscriptions" + query)["results"].([]any) {
		c := r.(apitest.Fields)
		counts += fmt.Sprintf("%s %s/%s ", c["block_height"], c["inscription_count"], c["inscription_count_accum"])
	}
	return counts
}

// many is a block with an inscription for each number.
func many(height int, numbers ...int) apitest.Fields {
	var transactions []apitest.FeedTransaction
	for _, n := range numbers {
		tx := fmt.Sprintf("%064x", 1<<20+n)
		transactions = append(transactions, apitest.InTx(tx, apitest.RevealOf(tx, n, 1_000_000_000+n, apitest.Fields{"tx_index": n})))
	}
	return apitest.At(height, 1676913207, transactions...)
}

// Rows U-1 and U-2.
func TestOrdinalsStatus(t *testing.T) {
	t.Parallel()
	const none = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"ready","block_height":767430}`
	t.Run("NoTables", func(t *testing.T) {
		s := apitest.NewSite(t)
		for _, path := range []string{"/ordinals/v1", "/ordinals/v1/", "/ordinals", "/ordinals/"} {
			s.Expect(path, 200, none)
		}
	})
	t.Run("Tables", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t)
		for _, path := range []string{"/ordinals/v1", "/ordinals/v1/", "/ordinals", "/ordinals/"} {
			s.Expect(path, 200, none)
		}
		const tx = "a98d7055a77fa0b96cc31e30bb8bacf777382d1b67f1b7eca6f2014e961591c8"
		s.Apply(apitest.At(775617, apitest.DefaultTime, apitest.Ra(0, apitest.Sat)), apitest.At(791975, apitest.DefaultTime, apitest.InTx(tx, apitest.RevealOf(tx, -2, apitest.Sat, nil))))
		s.ExpectMembers("status", s.JSON(""), apitest.Fields{"block_height": 791975, "max_inscription_number": 0, "max_cursed_inscription_number": -2, "missing_inscriptions": 0})
		s.Apply(many(791976, 4))
		s.ExpectMembers("status", s.JSON(""), apitest.Fields{"max_inscription_number": 4, "missing_inscriptions": 3})
		if got := s.Object("/readyz?for=ordinals"); apitest.AsJSON(t, got["checks"].(apitest.Fields)["gaps"]) != `{"blocking":0,"missing_inscriptions":3,"ok":true}` {
			t.Errorf("got %v", got)
		}
	})
}

// Rows ST-1 to ST-3c.
func TestOrdinalsStats(t *testing.T) {
	t.Parallel()
	t.Run("NoTables", func(t *testing.T) {
		apitest.NewSite(t).Expect("/ordinals/v1/stats/inscriptions", 200, `{"results":[]}`)
	})
	t.Run("Counts", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t)
		s.Expect("/ordinals/v1/stats/inscriptions", 200, `{"results":[]}`)
		s.Apply(many(778000, 0, 1), many(778001, 2), many(778002, 3))
		lost := many(778004, 4)
		s.Apply(lost)
		s.Rollback(lost)
		s.Apply(apitest.At(778003, 1676913207, apitest.Move(1_000_000_000, apitest.Ad3, apitest.TxD+":0:0", 1, 0)), many(778005, 4, 5), many(778010, 6, 7, 8))
		check.Equal(t, "all", stats(s, ""), "778010 3/9 778005 2/6 778002 1/4 778001 1/3 778000 2/2 ")
		first := s.JSON("/stats/inscriptions")["results"].([]any)[0]
		check.Equal(t, "the newest", apitest.AsJSON(t, first), `{"block_hash":"`+apitest.Bh1+`","block_height":"778010","inscription_count":"3","inscription_count_accum":"9","timestamp":1676913207000}`)
	})
	t.Run("Bounds", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t, many(778000, 0), many(778001, 1), many(778002, 2), many(778005, 3, 4), many(778010, 5))
		for query, want := range map[string]string{
			"?from_block_height=778004":                        "778010 1/6 778005 2/5 ",
			"?to_block_height=778004":                          "778002 1/3 778001 1/2 778000 1/1 ",
			"?from_block_height=778002&to_block_height=778005": "778005 2/5 778002 1/3 ",
			"?from_block_height=778011":                        "",
			"?to_block_height=0":                               "",
			"?to_block_height=999999999999999999":              "778010 1/6 778005 2/5 778002 1/3 778001 1/2 778000 1/1 ",
		} {
			check.Equal(t, query, stats(s, query), want)
		}
	})
}

// Rows C-1 to C-4.
func TestOrdinalsTags(t *testing.T) {
	t.Parallel()
	both := []string{"/inscriptions/" + apitest.TxA + "i0", "/inscriptions/0"}
	s := apitest.NewOrdinalsSite(t, apitest.At(775617, apitest.DefaultTime, apitest.Ra(0, apitest.Sat)))
	tag := s.Get("/ordinals/v1" + both[0]).Header.Get("ETag")
	lists := []string{"/inscriptions", "/stats/inscriptions", "", "/inscriptions/0/transfers", "/sats/257418248345364/inscriptions"}
	tags := map[string]string{}
	for _, target := range lists {
		tags[target] = s.Get("/ordinals/v1" + target).Header.Get("ETag")
		s.ExpectTag(target, tags[target], true)
	}
	for _, target := range both {
		s.ExpectTag(target, tag, true)
	}
	for i, tx := range []string{apitest.TxD, apitest.TxE} {
		s.Apply(apitest.At(775618+i, 1678122360, apitest.Move(apitest.Sat, apitest.Ad3, tx+":0:0", 8000, 0)))
		var now string
		for _, target := range both {
			now = s.ExpectTag(target, tag, false)
		}
		tag = now
		for _, target := range lists {
			tags[target] = s.ExpectTag(target, tags[target], target == "/stats/inscriptions")
		}
	}
	// What does not concern an inscription leaves its tag as it is.
	s.Apply(many(775620, 1))
	for _, target := range both {
		s.ExpectTag(target, tag, true)
	}
	s.ExpectTag("/stats/inscriptions", tags["/stats/inscriptions"], false)
	s.ExpectTag("", tags[""], false)
}
