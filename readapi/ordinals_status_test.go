package readapi_test

import (
	"fmt"
	"testing"
)

func stats(s *ordinalsSite, query string) (counts string) {
	for _, r := range s.json("/stats/inscriptions" + query)["results"].([]any) {
		c := r.(fields)
		counts += fmt.Sprintf("%s %s/%s ", c["block_height"], c["inscription_count"], c["inscription_count_accum"])
	}
	return counts
}

// many is a block with an inscription for each number.
func many(height int, numbers ...int) fields {
	var transactions []feedTransaction
	for _, n := range numbers {
		tx := fmt.Sprintf("%064x", 1<<20+n)
		transactions = append(transactions, inTx(tx, revealOf(tx, n, 1_000_000_000+n, fields{"tx_index": n})))
	}
	return at(height, 1676913207, transactions...)
}

// Rows U-1 and U-2.
func TestOrdinalsStatus(t *testing.T) {
	t.Parallel()
	const none = `{"server_version":"strata v1.0.0 (main:abc1234)","status":"ready","block_height":767430}`
	t.Run("NoTables", func(t *testing.T) {
		s := newSite(t)
		for _, path := range []string{"/ordinals/v1", "/ordinals/v1/", "/ordinals", "/ordinals/"} {
			s.expect(path, 200, none)
		}
	})
	t.Run("Tables", func(t *testing.T) {
		s := newOrdinalsSite(t)
		for _, path := range []string{"/ordinals/v1", "/ordinals/v1/", "/ordinals", "/ordinals/"} {
			s.expect(path, 200, none)
		}
		const tx = "a98d7055a77fa0b96cc31e30bb8bacf777382d1b67f1b7eca6f2014e961591c8"
		s.apply(at(775617, defaultTime, ra(0, sat)), at(791975, defaultTime, inTx(tx, revealOf(tx, -2, sat, nil))))
		s.expectMembers("status", s.json(""), fields{"block_height": 791975, "max_inscription_number": 0, "max_cursed_inscription_number": -2, "missing_inscriptions": 0})
		s.apply(many(791976, 4))
		s.expectMembers("status", s.json(""), fields{"max_inscription_number": 4, "missing_inscriptions": 3})
		if got := s.object("/readyz"); asJSON(t, got["checks"].(fields)["gaps"]) != `{"blocking":0,"missing_inscriptions":3,"ok":true}` {
			t.Errorf("got %v", got)
		}
	})
}

// Rows ST-1 to ST-3c.
func TestOrdinalsStats(t *testing.T) {
	t.Parallel()
	t.Run("NoTables", func(t *testing.T) { newSite(t).expect("/ordinals/v1/stats/inscriptions", 200, `{"results":[]}`) })
	t.Run("Counts", func(t *testing.T) {
		s := newOrdinalsSite(t)
		s.expect("/ordinals/v1/stats/inscriptions", 200, `{"results":[]}`)
		s.apply(many(778000, 0, 1), many(778001, 2), many(778002, 3))
		lost := many(778004, 4)
		s.apply(lost)
		s.rollback(lost)
		s.apply(at(778003, 1676913207, move(1_000_000_000, ad3, txD+":0:0", 1, 0)), many(778005, 4, 5), many(778010, 6, 7, 8))
		if got, want := stats(s, ""), "778010 3/9 778005 2/6 778002 1/4 778001 1/3 778000 2/2 "; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		first := s.json("/stats/inscriptions")["results"].([]any)[0]
		if got, want := asJSON(t, first), `{"block_hash":"`+bh1+`","block_height":"778010","inscription_count":"3","inscription_count_accum":"9","timestamp":1676913207000}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("Bounds", func(t *testing.T) {
		s := newOrdinalsSite(t, many(778000, 0), many(778001, 1), many(778002, 2), many(778005, 3, 4), many(778010, 5))
		for query, want := range map[string]string{
			"?from_block_height=778004":                        "778010 1/6 778005 2/5 ",
			"?to_block_height=778004":                          "778002 1/3 778001 1/2 778000 1/1 ",
			"?from_block_height=778002&to_block_height=778005": "778005 2/5 778002 1/3 ",
			"?from_block_height=778011":                        "",
			"?to_block_height=0":                               "",
			"?to_block_height=999999999999999999":              "778010 1/6 778005 2/5 778002 1/3 778001 1/2 778000 1/1 ",
		} {
			if got := stats(s, query); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
	})
}

// expectTag checks that a target is 304 with an entity tag, or 200 with another one.
func (s *ordinalsSite) expectTag(target, tag string, same bool) (now string) {
	s.t.Helper()
	got := s.request("GET", "/ordinals/v1"+target, "If-None-Match", tag)
	now = got.header.Get("ETag")
	if same != (got.status == 304) || same != (now == tag) || got.status != 200 && got.status != 304 || !strongTag.MatchString(now) {
		s.t.Errorf("%s: got %d with the tag %s, after %s: want the same: %t", target, got.status, now, tag, same)
	}
	if got.header.Get("Cache-Control") != "public, no-cache, must-revalidate" {
		s.t.Errorf("%s: got Cache-Control %q", target, got.header.Get("Cache-Control"))
	}
	return now
}

// Rows C-1 to C-4.
func TestOrdinalsTags(t *testing.T) {
	t.Parallel()
	both := []string{"/inscriptions/" + txA + "i0", "/inscriptions/0"}
	s := newOrdinalsSite(t, at(775617, defaultTime, ra(0, sat)))
	tag := s.get("/ordinals/v1" + both[0]).header.Get("ETag")
	lists := []string{"/inscriptions", "/stats/inscriptions", "", "/inscriptions/0/transfers", "/sats/257418248345364/inscriptions"}
	tags := map[string]string{}
	for _, target := range lists {
		tags[target] = s.get("/ordinals/v1" + target).header.Get("ETag")
		s.expectTag(target, tags[target], true)
	}
	for _, target := range both {
		s.expectTag(target, tag, true)
	}
	for i, tx := range []string{txD, txE} {
		s.apply(at(775618+i, 1678122360, move(sat, ad3, tx+":0:0", 8000, 0)))
		var now string
		for _, target := range both {
			now = s.expectTag(target, tag, false)
		}
		tag = now
		for _, target := range lists {
			tags[target] = s.expectTag(target, tags[target], target == "/stats/inscriptions")
		}
	}
	// What does not concern an inscription leaves its tag as it is.
	s.apply(many(775620, 1))
	for _, target := range both {
		s.expectTag(target, tag, true)
	}
	s.expectTag("/stats/inscriptions", tags["/stats/inscriptions"], false)
	s.expectTag("", tags[""], false)
}
