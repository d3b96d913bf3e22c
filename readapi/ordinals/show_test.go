package ordinals_test

import (
	"testing"

	"strata/readapi"
	"strata/rig/apitest"
)

var shownA = apitest.Fields{
	"id": apitest.TxA + "i0", "address": apitest.Ad1, "genesis_address": apitest.Ad1, "genesis_block_hash": apitest.Bh1, "content_length": 5, "mime_type": "image/png", "content_type": "image/png",
	"genesis_fee": "2805", "offset": "0", "value": "10000", "tx_id": apitest.TxA, "genesis_tx_id": apitest.TxA, "output": apitest.TxA + ":0", "location": apitest.TxA + ":0:0",
	"sat_ordinal": "257418248345364", "sat_coinbase_height": 51483, "sat_rarity": "common", "genesis_timestamp": 1676913207000, "timestamp": 1676913207000,
	"curse_type": nil, "recursive": false, "recursion_refs": []any{}, "parent": nil, "metadata": nil,
}

// Row I-1, and the form of transaction ids that the seed has for tx_id: all of an answer have it, and requests may.
func TestInscription(t *testing.T) {
	t.Parallel()
	blocks := []apitest.Fields{apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat)), apitest.At(778576, 1676913207, apitest.Ra(1, apitest.Sat))}
	s := apitest.NewOrdinalsSite(t, blocks...)
	s.ExpectInscription(apitest.TxA+"i0", "1", apitest.With(shownA, apitest.Fields{"number": 1, "genesis_block_height": 778576}))
	s.ExpectInscription(apitest.TxA+"i0", "0001", apitest.With(shownA, apitest.Fields{"number": 1}))
	prefixed := &apitest.OrdinalsSite{Site: apitest.NewSiteOn(t, s.Pool, readapi.Config{}), Store: s.Store}
	want := apitest.Fields{
		"id": apitest.TxA + "i0", "tx_id": "0x" + apitest.TxA, "genesis_tx_id": "0x" + apitest.TxA, "output": "0x" + apitest.TxA + ":0", "location": "0x" + apitest.TxA + ":0:0",
	}
	prefixed.ExpectInscription(apitest.TxA+"i0", "1", want)
	prefixed.ExpectInscription("0x"+apitest.TxA+"i0", "1", want)
	for _, site := range []*apitest.OrdinalsSite{s, prefixed} {
		for _, prefix := range []string{"", "0x"} {
			site.ExpectPage("/inscriptions?id="+prefix+apitest.TxA+"i0", 1, "id", apitest.TxA+"i0")
			site.ExpectPage("/inscriptions?output="+prefix+apitest.TxA+":0", 2, "id", apitest.TxA+"i0", apitest.TxB+"i0")
			site.ExpectPage("/inscriptions?output="+prefix+apitest.TxD+":0", 0, "id")
		}
	}
}

// Rows I-2 to I-5 and F-13.
func TestInscriptionReferences(t *testing.T) {
	t.Parallel()
	const unknown = "b4b27b9a15f928b95a8ce4b418946553b7b313a345254cd9b23d79489175fa5ai0"
	s := apitest.NewOrdinalsSite(t,
		apitest.At(778575, 1676913207, apitest.Rb(0, apitest.Sat, apitest.Fields{"content_bytes": hexOf("World"), "metadata": apitest.Fields{"foo": "bar", "test": 1337}}),
			apitest.InTx(apitest.TxF, apitest.RevealOf(apitest.TxF, 1, 1, apitest.Fields{"parent": apitest.TxB + "i0", "metadata": 0}))),
		apitest.At(778576, 1676913207, apitest.Ra(2, apitest.Sat, apitest.Fields{"content_bytes": hexOf("/content/" + apitest.TxB + "i0 /content/" + apitest.TxF + "i0 /content/" + unknown)})))
	s.ExpectInscription(apitest.TxA+"i0", "2", apitest.With(shownA, apitest.Fields{"number": 2, "recursive": true, "recursion_refs": []any{apitest.TxB + "i0", apitest.TxF + "i0", unknown}, "sat_coinbase_height": 51483}))
	s.ExpectInscription(apitest.TxF+"i0", "1", apitest.Fields{"parent": apitest.TxB + "i0", "parent_refs": []any{apitest.TxB + "i0"}, "metadata": nil})
	s.ExpectInscription(apitest.TxB+"i0", "0", apitest.Fields{"metadata": apitest.Fields{"foo": "bar", "test": 1337}})
	s.ExpectPage("/inscriptions?recursive=true", 1, "id", apitest.TxA+"i0")
	s.ExpectPage("/inscriptions?recursive=false", 2, "id", apitest.TxF+"i0", apitest.TxB+"i0")
}

// Rows I-6, I-7 and I-10.
func TestInscriptionOddities(t *testing.T) {
	t.Parallel()
	t.Run("NoAddress", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(0, apitest.Sat, apitest.Fields{"inscriber_address": ""})))
		s.ExpectInscription(apitest.TxA+"i0", "0", apitest.With(shownA, apitest.Fields{"address": "", "genesis_address": ""}))
		s.ExpectPage("/inscriptions?address=", 1, "number", 0)
	})
	t.Run("CurseNumber", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(-7, apitest.Sat, apitest.Fields{"curse_type": 88})))
		s.ExpectInscription(apitest.TxA+"i0", "-7", apitest.With(shownA, apitest.Fields{"number": -7, "curse_type": "88"}))
	})
	t.Run("CurseObject", func(t *testing.T) {
		s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(-7, apitest.Sat, apitest.Fields{"curse_type": apitest.Fields{"tag": 66}})),
			apitest.FeedBlock(775700, apitest.BhB, 1678122360, apitest.Move(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 0)))
		s.ExpectInscription(apitest.TxA+"i0", "-7", apitest.With(shownA, apitest.Fields{
			"number": -7, "curse_type": `{"tag":66}`, "address": apitest.Ad3, "tx_id": apitest.TxD, "output": apitest.TxD + ":0", "location": apitest.TxD + ":0:0", "value": "9000", "timestamp": 1678122360000,
		}))
	})
}

// Rows I-8, I-8b, T-1 and T-2.
func TestInscriptionMoves(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(0, apitest.Sat)), apitest.FeedBlock(775700, apitest.BhB, 1678122360, apitest.Move(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 0)))
	moved := apitest.With(shownA, apitest.Fields{
		"number": 0, "address": apitest.Ad3, "tx_id": apitest.TxD, "output": apitest.TxD + ":0", "location": apitest.TxD + ":0:0", "value": "9000", "timestamp": 1678122360000,
	})
	s.ExpectInscription(apitest.TxA+"i0", "0", moved)
	first := apitest.Fields{
		"address": apitest.Ad1, "block_hash": apitest.Bh1, "block_height": 775617, "location": apitest.TxA + ":0:0", "offset": "0", "output": apitest.TxA + ":0", "timestamp": 1676913207000,
		"tx_id": apitest.TxA, "value": "10000",
	}
	second := apitest.Fields{
		"address": apitest.Ad3, "block_hash": apitest.BhB, "block_height": 775700, "location": apitest.TxD + ":0:0", "offset": "0", "output": apitest.TxD + ":0", "timestamp": 1678122360000,
		"tx_id": apitest.TxD, "value": "9000",
	}
	total, results := s.Page("/inscriptions/" + apitest.TxA + "i0/transfers")
	if total != 2 || apitest.AsJSON(t, results) != apitest.AsJSON(t, []apitest.Fields{second, first}) {
		t.Errorf("got total %d, %s", total, apitest.AsJSON(t, results))
	}
	s.Apply(apitest.FeedBlock(775701, apitest.BhC, 1678124000, apitest.Move(apitest.Sat, apitest.Ad4, apitest.TxE+":0:0", 8000, 0)))
	s.ExpectInscription(apitest.TxA+"i0", "0", apitest.With(moved, apitest.Fields{
		"address": apitest.Ad4, "tx_id": apitest.TxE, "output": apitest.TxE + ":0", "location": apitest.TxE + ":0:0", "value": "8000", "timestamp": 1678124000000,
	}))
	s.ExpectPage("/inscriptions/0/transfers", 3, "tx_id", apitest.TxE, apitest.TxD, apitest.TxA)
	s.ExpectPage("/inscriptions/0/transfers?offset=1&limit=1", 3, "tx_id", apitest.TxD)
	s.ExpectPage("/inscriptions/0/transfers?offset=3", 3, "tx_id") // E-9
	s.ExpectPage("/inscriptions/17/transfers", 0, "tx_id")
}

// Row I-9: of two moves in a block the one with the higher index counts, compared as a number.
func TestInscriptionMovesInOneBlock(t *testing.T) {
	t.Parallel()
	const last = "bc1qv7d2dgyvtctv7ya4t3ysy4c2s8qz4nm8t6dvm3"
	s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(0, apitest.Sat, apitest.Fields{"inscription_output_value": 9000})),
		apitest.At(775618, 1678122360, apitest.InTx(apitest.TxD, apitest.MoveOf(apitest.Sat, last, apitest.TxD+":1:0", 8000, 42), apitest.MoveOf(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 30))))
	s.ExpectInscription(apitest.TxA+"i0", "0", apitest.Fields{"address": last, "output": apitest.TxD + ":1", "location": apitest.TxD + ":1:0", "value": "8000", "timestamp": 1678122360000})
}

// Row I-11.
func TestInscriptionNotFound(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, s *apitest.Site) {
		for _, path := range []string{"", "/content"} {
			for _, id := range []string{"ff4503ab9048d6d0ff4e23def81b614d5270d341ce993992e93902ceb0d4ed79i0", "5", "-1"} {
				s.Expect("/ordinals/v1/inscriptions/"+id+path, 404, `{"error":"Not found"}`)
			}
		}
	}
	t.Run("EmptyTables", func(t *testing.T) { test(t, apitest.NewOrdinalsSite(t).Site) })
	t.Run("NoTables", func(t *testing.T) { test(t, apitest.NewSite(t)) })
}

// Rows, as far as they are read.
func TestFeedOddities(t *testing.T) {
	t.Parallel()
	s := apitest.NewOrdinalsSite(t,
		apitest.FeedBlock(808382, apitest.Bh1, apitest.DefaultTime,
			apitest.InTx(apitest.TxA, apitest.RevealOf(apitest.TxA, 0, 5, apitest.Fields{"tx_index": 995, "inscriber_address": "bc1q92zytmqgczsrg4xuhpc2asz6h4h7ke5hagw8k6"})),
			apitest.Move(5, "bc1qtpm0fsaawxjsthfdrxhmrzunnpjx0g9hncgvp7", apitest.TxD+":0:0", 546, 1019)),
		apitest.FeedBlock(832574, "000000000000000000020c8145de25b1e1e0a6312e377827a3015e15fdd574cd", apitest.DefaultTime,
			apitest.InTx(apitest.Tx5, apitest.RevealOf(apitest.Tx5, 1, 747064132806533, apitest.Fields{
				"tx_index": 2613, "inscription_output_value": 8834, "delegate": "", "metaprotocol": "", "parent": "", "inscription_pointer": 0,
				"inscriber_address": "bc1pgfkgsz2gv8cy42csdfgnuepx5g2sm0y3nsccvehjpjnev8990pms7jp9n5",
			})),
			apitest.Move(747064132806533, "bc1p80sw4ug55q7p4ha5gsk40d2tszqy7cendt9yksmf4nswzzrq58msp6t7qe", apitest.TxE+":0:0", 546, 2614)),
		apitest.At(832575, apitest.DefaultTime, apitest.InTx(apitest.TxB, apitest.RevealOf(apitest.TxB, 2, apitest.Sat, apitest.Fields{"metadata": apitest.Fields{"tag": "x"}}),
			apitest.With(apitest.Fields{}, apitest.RevealOf(apitest.TxB, 0, apitest.Sat, apitest.Fields{"inscription_id": apitest.TxB + "i1", "inscription_number": apitest.Fields{"classic": -1, "jubilee": 3}})))),
		apitest.At(832576, apitest.DefaultTime, apitest.Move(apitest.Sat, "3DPjniGQeJwm8dm76F8oRD1EYvc93KfVKf", apitest.TxC+":0:0", 9000, 0)))
	s.ExpectInscription(apitest.TxA+"i0", "0", apitest.Fields{"genesis_address": "bc1q92zytmqgczsrg4xuhpc2asz6h4h7ke5hagw8k6", "address": "bc1qtpm0fsaawxjsthfdrxhmrzunnpjx0g9hncgvp7"})
	total, results := s.Page("/inscriptions/" + apitest.Tx5 + "i0/transfers")
	if total != 2 || results[0]["value"] != "546" || results[1]["value"] != "8834" || results[0]["timestamp"] != 1677803510000.0 || results[1]["block_height"] != 832574.0 {
		t.Errorf("got %d %v", total, results)
	}
	s.ExpectInscription(apitest.Tx5+"i0", "1", apitest.Fields{"delegate": nil, "meta_protocol": nil, "parent": nil})
	for id, number := range map[string]string{apitest.TxB + "i0": "2", apitest.TxB + "i1": "3"} {
		s.ExpectInscription(id, number, apitest.Fields{"address": "3DPjniGQeJwm8dm76F8oRD1EYvc93KfVKf", "output": apitest.TxC + ":0"})
	}
	s.ExpectPage("/inscriptions/transfers?block=832576", 2, "number", 3, 2)
	// Rows E-3 and E-4: nobody's.
	s.Apply(
		apitest.At(832577, apitest.DefaultTime, apitest.Move(5, "", apitest.TxE+":0:7", nil, 0)),
		apitest.At(832578, apitest.DefaultTime, apitest.InTx(apitest.TxF, apitest.Fields{"inscription_transferred": apitest.Fields{
			"ordinal_number": apitest.Sat, "destination": apitest.Fields{"type": "burnt", "value": "OP_RETURN hello"}, "satpoint_pre_transfer": apitest.TxC + ":0:0",
			"satpoint_post_transfer": apitest.TxF + ":0:0", "post_transfer_output_value": 1, "tx_index": 0,
		}})))
	s.ExpectInscription(apitest.TxA+"i0", "0", apitest.Fields{"address": nil, "value": nil, "location": apitest.TxE + ":0:7"})
	s.ExpectInscription(apitest.TxB+"i0", "2", apitest.Fields{"address": nil, "value": "1"})
}
