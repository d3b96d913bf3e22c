package readapi_test

import (
	"testing"

	"strata/readapi"
)

// expectInscription checks members of an inscription by its id and by its number.
func (s *ordinalsSite) expectInscription(id, number string, want fields) fields {
	s.t.Helper()
	byID, byNumber := s.get("/ordinals/v1/inscriptions/"+id), s.get("/ordinals/v1/inscriptions/"+number)
	if byID.status != 200 || byID.body != byNumber.body || byID.header.Get("ETag") != byNumber.header.Get("ETag") {
		s.t.Errorf("by id %d %s, by number %d %s: want the same", byID.status, byID.body, byNumber.status, byNumber.body)
	}
	object := s.json("/inscriptions/" + id)
	s.expectMembers(id, object, want)
	return object
}

var shownA = fields{
	"id": txA + "i0", "address": ad1, "genesis_address": ad1, "genesis_block_hash": bh1, "content_length": 5, "mime_type": "image/png", "content_type": "image/png",
	"genesis_fee": "2805", "offset": "0", "value": "10000", "tx_id": txA, "genesis_tx_id": txA, "output": txA + ":0", "location": txA + ":0:0",
	"sat_ordinal": "257418248345364", "sat_coinbase_height": 51483, "sat_rarity": "common", "genesis_timestamp": 1676913207000, "timestamp": 1676913207000,
	"curse_type": nil, "recursive": false, "recursion_refs": []any{}, "parent": nil, "metadata": nil,
}

// Row I-1, and the form of tx_id that the seed has.
func TestInscription(t *testing.T) {
	t.Parallel()
	blocks := []fields{at(778575, 1676913207, rb(0, sat)), at(778576, 1676913207, ra(1, sat))}
	s := newOrdinalsSite(t, blocks...)
	s.expectInscription(txA+"i0", "1", with(shownA, fields{"number": 1, "genesis_block_height": 778576}))
	s.expectInscription(txA+"i0", "0001", with(shownA, fields{"number": 1}))
	prefixed := &ordinalsSite{newSiteOn(t, s.pool, readapi.Config{}), s.store}
	prefixed.expectInscription(txA+"i0", "1", fields{"tx_id": "0x" + txA, "genesis_tx_id": txA, "location": txA + ":0:0"})
}

// Rows I-2 to I-5 and F-13.
func TestInscriptionReferences(t *testing.T) {
	t.Parallel()
	const unknown = "b4b27b9a15f928b95a8ce4b418946553b7b313a345254cd9b23d79489175fa5ai0"
	s := newOrdinalsSite(t,
		at(778575, 1676913207, rb(0, sat, fields{"content_bytes": hexOf("World"), "metadata": fields{"foo": "bar", "test": 1337}}),
			inTx(txF, revealOf(txF, 1, 1, fields{"parent": txB + "i0", "metadata": 0}))),
		at(778576, 1676913207, ra(2, sat, fields{"content_bytes": hexOf("/content/" + txB + "i0 /content/" + txF + "i0 /content/" + unknown)})))
	s.expectInscription(txA+"i0", "2", with(shownA, fields{"number": 2, "recursive": true, "recursion_refs": []any{txB + "i0", txF + "i0", unknown}, "sat_coinbase_height": 51483}))
	s.expectInscription(txF+"i0", "1", fields{"parent": txB + "i0", "parent_refs": []any{txB + "i0"}, "metadata": nil})
	s.expectInscription(txB+"i0", "0", fields{"metadata": fields{"foo": "bar", "test": 1337}})
	s.expectPage("/inscriptions?recursive=true", 1, "id", txA+"i0")
	s.expectPage("/inscriptions?recursive=false", 2, "id", txF+"i0", txB+"i0")
}

// Rows I-6, I-7 and I-10.
func TestInscriptionOddities(t *testing.T) {
	t.Parallel()
	t.Run("NoAddress", func(t *testing.T) {
		s := newOrdinalsSite(t, at(775617, 1676913207, ra(0, sat, fields{"inscriber_address": ""})))
		s.expectInscription(txA+"i0", "0", with(shownA, fields{"address": "", "genesis_address": ""}))
		s.expectPage("/inscriptions?address=", 1, "number", 0)
	})
	t.Run("CurseNumber", func(t *testing.T) {
		s := newOrdinalsSite(t, at(775617, 1676913207, ra(-7, sat, fields{"curse_type": 88})))
		s.expectInscription(txA+"i0", "-7", with(shownA, fields{"number": -7, "curse_type": "88"}))
	})
	t.Run("CurseObject", func(t *testing.T) {
		s := newOrdinalsSite(t, at(775617, 1676913207, ra(-7, sat, fields{"curse_type": fields{"tag": 66}})),
			feedBlock(775700, bhB, 1678122360, move(sat, ad3, txD+":0:0", 9000, 0)))
		s.expectInscription(txA+"i0", "-7", with(shownA, fields{
			"number": -7, "curse_type": `{"tag":66}`, "address": ad3, "tx_id": txD, "output": txD + ":0", "location": txD + ":0:0", "value": "9000", "timestamp": 1678122360000,
		}))
	})
}

// Rows I-8, I-8b, T-1 and T-2.
func TestInscriptionMoves(t *testing.T) {
	t.Parallel()
	s := newOrdinalsSite(t, at(775617, 1676913207, ra(0, sat)), feedBlock(775700, bhB, 1678122360, move(sat, ad3, txD+":0:0", 9000, 0)))
	moved := with(shownA, fields{
		"number": 0, "address": ad3, "tx_id": txD, "output": txD + ":0", "location": txD + ":0:0", "value": "9000", "timestamp": 1678122360000,
	})
	s.expectInscription(txA+"i0", "0", moved)
	first := fields{
		"address": ad1, "block_hash": bh1, "block_height": 775617, "location": txA + ":0:0", "offset": "0", "output": txA + ":0", "timestamp": 1676913207000,
		"tx_id": txA, "value": "10000",
	}
	second := fields{
		"address": ad3, "block_hash": bhB, "block_height": 775700, "location": txD + ":0:0", "offset": "0", "output": txD + ":0", "timestamp": 1678122360000,
		"tx_id": txD, "value": "9000",
	}
	total, results := s.page("/inscriptions/" + txA + "i0/transfers")
	if total != 2 || asJSON(t, results) != asJSON(t, []fields{second, first}) {
		t.Errorf("got total %d, %s", total, asJSON(t, results))
	}
	s.apply(feedBlock(775701, bhC, 1678124000, move(sat, ad4, txE+":0:0", 8000, 0)))
	s.expectInscription(txA+"i0", "0", with(moved, fields{
		"address": ad4, "tx_id": txE, "output": txE + ":0", "location": txE + ":0:0", "value": "8000", "timestamp": 1678124000000,
	}))
	s.expectPage("/inscriptions/0/transfers", 3, "tx_id", txE, txD, txA)
	s.expectPage("/inscriptions/0/transfers?offset=1&limit=1", 3, "tx_id", txD)
	s.expectPage("/inscriptions/0/transfers?offset=3", 3, "tx_id") // E-9
	s.expectPage("/inscriptions/17/transfers", 0, "tx_id")
}

// Row I-9: of two moves in a block the one with the higher index counts, compared as a number.
func TestInscriptionMovesInOneBlock(t *testing.T) {
	t.Parallel()
	const last = "bc1qv7d2dgyvtctv7ya4t3ysy4c2s8qz4nm8t6dvm3"
	s := newOrdinalsSite(t, at(775617, 1676913207, ra(0, sat, fields{"inscription_output_value": 9000})),
		at(775618, 1678122360, inTx(txD, moveOf(sat, last, txD+":1:0", 8000, 42), moveOf(sat, ad3, txD+":0:0", 9000, 30))))
	s.expectInscription(txA+"i0", "0", fields{"address": last, "output": txD + ":1", "location": txD + ":1:0", "value": "8000", "timestamp": 1678122360000})
}

// Row I-11.
func TestInscriptionNotFound(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, s *site) {
		for _, path := range []string{"", "/content"} {
			for _, id := range []string{"ff4503ab9048d6d0ff4e23def81b614d5270d341ce993992e93902ceb0d4ed79i0", "5", "-1"} {
				s.expect("/ordinals/v1/inscriptions/"+id+path, 404, `{"error":"Not found"}`)
			}
		}
	}
	t.Run("EmptyTables", func(t *testing.T) { test(t, newOrdinalsSite(t).site) })
	t.Run("NoTables", func(t *testing.T) { test(t, newSite(t)) })
}

// Rows, as far as they are read.
func TestFeedOddities(t *testing.T) {
	t.Parallel()
	s := newOrdinalsSite(t,
		feedBlock(808382, bh1, defaultTime,
			inTx(txA, revealOf(txA, 0, 5, fields{"tx_index": 995, "inscriber_address": "bc1q92zytmqgczsrg4xuhpc2asz6h4h7ke5hagw8k6"})),
			move(5, "bc1qtpm0fsaawxjsthfdrxhmrzunnpjx0g9hncgvp7", txD+":0:0", 546, 1019)),
		feedBlock(832574, "000000000000000000020c8145de25b1e1e0a6312e377827a3015e15fdd574cd", defaultTime,
			inTx(tx5, revealOf(tx5, 1, 747064132806533, fields{
				"tx_index": 2613, "inscription_output_value": 8834, "delegate": "", "metaprotocol": "", "parent": "", "inscription_pointer": 0,
				"inscriber_address": "bc1pgfkgsz2gv8cy42csdfgnuepx5g2sm0y3nsccvehjpjnev8990pms7jp9n5",
			})),
			move(747064132806533, "bc1p80sw4ug55q7p4ha5gsk40d2tszqy7cendt9yksmf4nswzzrq58msp6t7qe", txE+":0:0", 546, 2614)),
		at(832575, defaultTime, inTx(txB, revealOf(txB, 2, sat, fields{"metadata": fields{"tag": "x"}}),
			with(fields{}, revealOf(txB, 0, sat, fields{"inscription_id": txB + "i1", "inscription_number": fields{"classic": -1, "jubilee": 3}})))),
		at(832576, defaultTime, move(sat, "3DPjniGQeJwm8dm76F8oRD1EYvc93KfVKf", txC+":0:0", 9000, 0)))
	s.expectInscription(txA+"i0", "0", fields{"genesis_address": "bc1q92zytmqgczsrg4xuhpc2asz6h4h7ke5hagw8k6", "address": "bc1qtpm0fsaawxjsthfdrxhmrzunnpjx0g9hncgvp7"})
	total, results := s.page("/inscriptions/" + tx5 + "i0/transfers")
	if total != 2 || results[0]["value"] != "546" || results[1]["value"] != "8834" || results[0]["timestamp"] != 1677803510000.0 || results[1]["block_height"] != 832574.0 {
		t.Errorf("got %d %v", total, results)
	}
	s.expectInscription(tx5+"i0", "1", fields{"delegate": nil, "meta_protocol": nil, "parent": nil})
	for id, number := range map[string]string{txB + "i0": "2", txB + "i1": "3"} {
		s.expectInscription(id, number, fields{"address": "3DPjniGQeJwm8dm76F8oRD1EYvc93KfVKf", "output": txC + ":0"})
	}
	s.expectPage("/inscriptions/transfers?block=832576", 2, "number", 3, 2)
	// Rows E-3 and E-4: nobody's.
	s.apply(
		at(832577, defaultTime, move(5, "", txE+":0:7", nil, 0)),
		at(832578, defaultTime, inTx(txF, fields{"inscription_transferred": fields{
			"ordinal_number": sat, "destination": fields{"type": "burnt", "value": "OP_RETURN hello"}, "satpoint_pre_transfer": txC + ":0:0",
			"satpoint_post_transfer": txF + ":0:0", "post_transfer_output_value": 1, "tx_index": 0,
		}})))
	s.expectInscription(txA+"i0", "0", fields{"address": nil, "value": nil, "location": txE + ":0:7"})
	s.expectInscription(txB+"i0", "2", fields{"address": nil, "value": "1"})
}
