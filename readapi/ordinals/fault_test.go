package ordinals_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
	"strata/rig/apitest"
)

const onNoSat = "0000000000000000000000000000000000000000000000000000000000000000"

// unboundReveal is the reveal of an inscription on no satoshi, in the form of the newest feeds.
func unboundReveal(tx string, number, sequence int) apitest.FeedTransaction {
	return apitest.InTx(tx, apitest.RevealOf(tx, number, 0, apitest.Fields{
		"inscriber_address": nil, "inscription_output_value": 0, "satpoint_post_inscription": fmt.Sprintf("%s:0:%d", onNoSat, sequence), "unbound_sequence": sequence,
	}))
}

// An unbound inscription keeps a place of its own. It is on no satoshi, so it has no rarity, and neither later ones nor moves of
// satoshi 0 move it.
func TestUnboundInscriptions(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t,
		apitest.At(800000, 1677713207, unboundReveal(apitest.TxA, 0, 0)), apitest.At(800001, 1677713208, unboundReveal(apitest.TxB, 1, 1)),
		apitest.At(800002, 1677713209, apitest.Move(0, apitest.Ad3, apitest.TxD+":0:0", 9000, 0), apitest.InTx(apitest.TxC, apitest.RevealOf(apitest.TxC, 2, 5, nil))))
	first := s.ExpectInscription(idA, "0", apitest.Fields{
		"sat_ordinal": nil, "sat_rarity": nil, "sat_coinbase_height": nil, "address": nil, "genesis_address": nil, "value": nil, "tx_id": apitest.TxA,
		"location": onNoSat + ":0:0", "output": onNoSat + ":0", "offset": "0", "timestamp": 1677713207000, "charms": []string{"unbound"},
	})
	s.ExpectInscription(idB, "1", apitest.Fields{"location": onNoSat + ":0:1", "offset": "1", "timestamp": 1677713208000, "charms": []string{"unbound"}})
	s.ExpectPage("/inscriptions/0/transfers", 1, "location", first["location"])
	for _, height := range []int{800000, 800001, 800002} {
		s.ExpectPage(fmt.Sprintf("/inscriptions/transfers?block=%d", height), 0, "number")
	}
	s.ExpectPage("/sats/0/inscriptions", 0, "id")
	if got := s.JSON("/sats/0"); got["inscription_id"] != nil {
		t.Errorf("got %v", got)
	}
	s.ExpectPage("/inscriptions?to_sat_ordinal=100", 1, "number", 2)
	s.ExpectPage("/inscriptions?rarity=mythic", 0, "number")
	s.ExpectPage("/inscriptions?rarity=common", 1, "number", 2)
	for path, want := range map[string][]any{
		"order_by=ordinal&order=asc": {1, 0, 2}, "order_by=ordinal": {2, 0, 1}, "order_by=rarity&order=asc": {1, 0, 2}, "order_by=rarity": {2, 1, 0},
		"order_by=ordinal&order=asc&mime_type=image/png": {1, 0, 2}, "order_by=rarity&mime_type=image/png": {2, 1, 0},
	} {
		s.ExpectPage("/inscriptions?"+path, 3, "number", want...)
		for i, number := range want {
			s.ExpectPage(fmt.Sprintf("/inscriptions?%s&limit=1&offset=%d", path, i), 3, "number", number)
		}
	}
	s.ExpectPage("/inscriptions?output="+onNoSat+":0", 2, "number", 1, 0)
	s.Rollback(apitest.At(800000, 1677713207, unboundReveal(apitest.TxA, 0, 0)))
	s.ExpectPage("/inscriptions?order_by=ordinal", 2, "number", 2, 1)
}

// A block of unbound inscriptions moves none of the earlier ones.
func TestUnboundInscriptionsDoNotMoveEachOther(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t)
	n := 0
	for height := range 4 {
		var reveals []apitest.FeedTransaction
		for range 50 {
			reveals = append(reveals, unboundReveal(fmt.Sprintf("%064x", 1<<40+n), n, n))
			n++
		}
		s.Apply(apitest.At(800000+height, 1677713207, reveals...))
		s.ExpectPage(fmt.Sprintf("/inscriptions/transfers?block=%d", 800000+height), 0, "number")
	}
	s.ExpectInscription(fmt.Sprintf("%064xi0", 1<<40), "0", apitest.Fields{"location": onNoSat + ":0:0"})
}

// An envelope with an unknown even field makes an unbound inscription, but its transaction moves the satoshi with what is on it.
func TestUnrecognizedEvenField(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(800000, 1677713207, apitest.Ra(0, apitest.Sat)),
		apitest.At(800001, 1677713208, apitest.Rb(-1, apitest.Sat, apitest.Fields{"curse_type": "UnrecognizedEvenField", "satpoint_post_inscription": apitest.TxB + ":0:0"})),
		apitest.At(800002, 1677713209, apitest.Move(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 0)))
	s.ExpectInscription(idA, "0", apitest.Fields{"address": apitest.Ad3, "output": apitest.TxD + ":0", "incomplete": nil})
	s.ExpectInscription(idB, "-1", apitest.Fields{
		"address": nil, "genesis_address": apitest.Ad2, "output": onNoSat + ":0", "offset": nil, "location": onNoSat + ":0", "charms": []string{"cursed", "unbound"},
	})
	s.ExpectPage("/inscriptions/0/transfers", 3, "tx_id", apitest.TxD, apitest.TxB, apitest.TxA)
	s.ExpectPage("/inscriptions/transfers?block=800001", 1, "number", 0)
	s.ExpectPage(fmt.Sprintf("/sats/%d/inscriptions", apitest.Sat), 1, "number", 0)
}

// A satoshi that was spent in fees is no reason to be unbound, and one that goes to an unspendable output later is burned.
func TestCharmsOfLocations(t *testing.T) {
	t.Parallel()
	burn := apitest.MoveOf(5, "OP_RETURN", apitest.TxC+":0:0", 546, 0)
	burn["inscription_transferred"].(apitest.Fields)["destination"] = apitest.Fields{"type": "burnt", "value": "OP_RETURN"}
	s := apitest.NewOrdinalsSite(t, apitest.At(800000, 1677713207,
		apitest.Ra(0, 6, apitest.Fields{"inscriber_address": nil, "inscription_output_value": 0, "satpoint_post_inscription": apitest.TxD + ":0:9999999999"}),
		apitest.Rb(1, 5, apitest.Fields{"charms": 0})))
	s.ExpectInscription(idA, "0", apitest.Fields{"charms": []string{"palindrome"}, "sat_ordinal": "6"})
	s.ExpectInscription(idB, "1", apitest.Fields{"charms": []string{}})
	s.Apply(apitest.At(800001, 1677713208, apitest.InTx(apitest.TxC, burn)))
	s.ExpectInscription(idB, "1", apitest.Fields{"charms": []string{"burned"}, "address": nil})
	s.ExpectPage("/inscriptions?number=1", 1, "charms", []any{"burned"})
}

// What can't be read of a block is missing alone, and answers about it say so until the feed has corrected the block.
func TestPartsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(800000, 1677713207, apitest.Ra(0, apitest.Sat), apitest.Rb(1, 6), apitest.InTx(apitest.TxC, apitest.RevealOf(apitest.TxC, 2, 7, nil))))
	status := s.JSON("/")
	s.ExpectMembers("status", status, apitest.Fields{"quarantined": nil, "anomalies": nil})
	damaged := func(damage bool) apitest.Fields {
		moved, unplaced := apitest.MoveOf(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 3), apitest.MoveOf(6, apitest.Ad3, apitest.TxD+":1:0", 9000, 3)
		fine := apitest.MoveOf(7, apitest.Ad3, apitest.TxD+":2:0", 9000, 3)
		unplaced["inscription_transferred"].(apitest.Fields)["satpoint_pre_transfer"] = apitest.TxB + ":0:0"
		if damage {
			moved["inscription_transferred"].(apitest.Fields)["satpoint_post_transfer"] = 5
			unplaced["inscription_transferred"].(apitest.Fields)["ordinal_number"] = "six"
		}
		return apitest.At(800001, 1677713208, apitest.InTx(apitest.TxD, moved, unplaced, fine))
	}
	s.Apply(damaged(true))
	s.ExpectInscription(idA, "0", apitest.Fields{"address": apitest.Ad1, "incomplete": true})
	s.ExpectInscription(idB, "1", apitest.Fields{"address": apitest.Ad2, "incomplete": true})
	s.ExpectInscription(apitest.TxC+"i0", "2", apitest.Fields{"address": apitest.Ad3, "incomplete": nil})
	s.ExpectPage("/inscriptions?order_by=number&order=asc", 3, "incomplete", true, true, nil)
	s.ExpectMembers("status", s.JSON("/"), apitest.Fields{"quarantined": 2, "anomalies": nil})
	const at = "/apply/0/transactions/0/metadata/ordinal_operations/"
	expectQuarantine(s, at+"0/inscription_transferred/satpoint_post_transfer", at+"1/inscription_transferred/ordinal_number")
	s.ExpectTexts("/readyz?for=ordinals", 200, `"quarantined_of_feed":2`)

	later := apitest.At(800002, 1677713209, apitest.Move(6, apitest.Ad3, apitest.TxG+":0:0", 9000, 0))
	s.Apply(later)
	s.ExpectInscription(idB, "1", apitest.Fields{"address": apitest.Ad3, "incomplete": true}) // a move is missing before this one
	s.Rollback(later)

	// The same block, whole, is ignored, but not silently. Rolled back and applied again, it counts.
	s.Apply(damaged(false))
	s.ExpectInscription(idA, "0", apitest.Fields{"address": apitest.Ad1, "incomplete": true})
	s.ExpectMembers("status", s.JSON("/"), apitest.Fields{"quarantined": 2, "anomalies": 1})
	if got := s.Get("/readyz?for=ordinals"); !strings.Contains(got.Body, `"anomalies_of_feed":1`) {
		t.Errorf("got %s", got.Body)
	}
	s.Rollback(damaged(true))
	s.Apply(damaged(false))
	s.ExpectInscription(idA, "0", apitest.Fields{"address": apitest.Ad3, "incomplete": nil})
	s.ExpectInscription(idB, "1", apitest.Fields{"address": apitest.Ad3, "incomplete": nil})
	s.ExpectMembers("status", s.JSON("/"), apitest.Fields{"quarantined": nil, "anomalies": 1})
}

// An inscription whose reveal could not be read is unknown, and the answer says why, with a link to what is in quarantine.
func TestUnreadReveal(t *testing.T) {
	t.Parallel()
	reveal := apitest.RevealOf(apitest.TxB, 1, 6, nil)
	s := apitest.NewOrdinalsSite(t, apitest.At(800000, 1677713207, apitest.Ra(0, apitest.Sat)))
	unknown := func() {
		t.Helper()
		for _, path := range []string{idB, idB + "/content", "1"} {
			s.Expect("/ordinals/v1/inscriptions/"+path, 404, `{"error":"Not found"}`)
		}
	}
	unknown()
	reveal["inscription_revealed"].(apitest.Fields)["inscription_fee"] = "much"
	damaged := apitest.At(800001, 1677713208, apitest.InTx(apitest.TxB, reveal))
	s.Apply(damaged)
	const pointer = "/apply/0/transactions/0/metadata/ordinal_operations/0/inscription_revealed/inscription_fee"
	for _, path := range []string{idB, idB + "/content", "0x" + idB} {
		got := s.Get("/ordinals/v1/inscriptions/" + path)
		var body struct {
			Error, Message string
			Unread         apitest.Fields
		}
		if err := json.Unmarshal([]byte(got.Body), &body); err != nil || got.Status != 404 || body.Error != "Not found" ||
			body.Message != "The feed had its reveal in the block at height 800001, which could not be read." {
			t.Fatalf("%s: got %d %s, %v", path, got.Status, got.Body, err)
		}
		s.ExpectMembers(path, body.Unread, apitest.Fields{"block_height": 800001, "seq": 2, "pointer": pointer, "event": "/audit/v1/events/2"})
		var page struct{ Results []apitest.Fields }
		if err := json.Unmarshal([]byte(s.Get(body.Unread["quarantine"].(string)).Body), &page); err != nil || len(page.Results) == 0 {
			t.Fatalf("%s: got %v, %v", body.Unread["quarantine"], page, err)
		}
		s.ExpectMembers("quarantine", page.Results[0], apitest.Fields{"seq": 2, "pointer": pointer, "reason": body.Unread["reason"]})
	}
	s.Expect("/ordinals/v1/inscriptions/1", 404, `{"error":"Not found"}`) // its number is not known
	s.Rollback(damaged)
	unknown()
}

// expectQuarantine checks the pointers of what is in quarantine, also with one row on each page.
func expectQuarantine(s *apitest.OrdinalsSite, want ...string) {
	s.T.Helper()
	for _, order := range []string{"asc", "desc"} {
		var got []string
		for target := "/audit/v1/quarantine?limit=1&order=" + order; target != ""; {
			var page struct {
				Cursor  struct{ Next *string }
				Results []struct{ Projection, Pointer, Reason string }
			}
			must.Do(s.T, json.Unmarshal([]byte(s.Get(target).Body), &page))
			for _, q := range page.Results {
				got = append(got, q.Pointer)
			}
			if target = ""; page.Cursor.Next != nil && len(got) <= len(want) {
				target = "/audit/v1/quarantine?limit=1&order=" + order + "&cursor=" + url.QueryEscape(*page.Cursor.Next)
			}
		}
		if order == "desc" {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			s.T.Errorf("%s: in quarantine are %q, want %q", order, got, want)
		}
	}
}

// Payloads that once were lost as a whole, and inscriptions that once shared a place.
func TestFeedCases(t *testing.T) {
	t.Parallel()
	id := func(digit string) string { return strings.Repeat("0", 64-len(digit)) + digit + "i0" }
	before := apitest.FeedBlock(800001, strings.Repeat("0", 62)+"a1", 1677713208, apitest.InTx(id("2")[:64], apitest.RevealOf(id("2")[:64], 1, 6_000_000_000, apitest.Fields{"inscriber_address": "bc1qorphan"})))
	for name, check := range map[string]func(s *apitest.OrdinalsSite, body []byte){
		"one-unknown-brc20-op-loses-block.json": func(s *apitest.OrdinalsSite, body []byte) {
			s.PostBody(body)
			s.ExpectInscription(id("a"), "3", apitest.Fields{"address": "bc1qnew", "incomplete": nil})
			s.ExpectInscription(id("b"), "4", apitest.Fields{"sat_ordinal": "5000000011"})
			expectQuarantine(s, "/apply/0/transactions/1/metadata/brc20_operation")
			s.ExpectMembers("status", s.JSON("/"), apitest.Fields{"quarantined": 1})
		},
		"reorg-payload-lost.json": func(s *apitest.OrdinalsSite, body []byte) {
			s.Apply(before)
			s.PostBody(body)
			s.ExpectInscription(id("4"), "1", apitest.Fields{"address": "bc1qwinner"})
			s.Expect("/ordinals/v1/inscriptions/"+id("2"), 404, `{"error":"Not found"}`)
			expectQuarantine(s, "/apply/0/transactions/1/metadata/brc20_operation")
		},
		"unbound-1.json": func(s *apitest.OrdinalsSite, body []byte) {
			s.PostBody(body)
			first := s.Get("/ordinals/v1/inscriptions/0").Body
			s.PostBody(vector.Case(s.T, "unbound-2.json"))
			if got := s.Get("/ordinals/v1/inscriptions/0").Body; got != first {
				s.T.Errorf("got %s, and %s before", got, first)
			}
			s.ExpectInscription(id("2"), "1", apitest.Fields{"location": onNoSat + ":0:1"})
			s.ExpectPage("/inscriptions/transfers?block=800001", 0, "id")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := vector.Case(t, name)
			check(apitest.NewOrdinalsSite(t), body)
		})
	}
}
