package ordinals_test

import (
	"testing"

	"strata/rig/apitest"
)

// Rows T-3 to T-6.
func TestBlockTransfers(t *testing.T) {
	t.Parallel()
	const other = 257418248340000
	s := apitest.NewOrdinalsSite(t, apitest.At(775617, 1676913207, apitest.Ra(0, apitest.Sat), apitest.InTx(apitest.TxH, apitest.RevealOf(apitest.TxH, 1, other, apitest.Fields{"inscriber_address": apitest.Ad5, "tx_index": 1}))))
	s.ExpectPage("/inscriptions/transfers?block=775617", 0, "id") // T-3
	s.Apply(apitest.FeedBlock(775700, apitest.BhB, 1678122360, apitest.Move(apitest.Sat, apitest.Ad3, apitest.TxD+":0:0", 9000, 0), apitest.Move(other, apitest.Ad3, apitest.TxI+":0:0", 9000, 1)))
	place := func(address, hash string, height int, point, value string, time int) apitest.Fields {
		return apitest.Fields{
			"address": address, "block_hash": hash, "block_height": height, "location": point, "output": point[:66], "offset": "0", "tx_id": point[:64],
			"value": value, "timestamp": time,
		}
	}
	expect := func(path string, total int, want ...apitest.Fields) {
		t.Helper()
		n, results := s.Page(path)
		if n != total || apitest.AsJSON(t, results) != apitest.AsJSON(t, want) {
			t.Errorf("%s: got total %d, %s, want %d, %s", path, n, apitest.AsJSON(t, results), total, apitest.AsJSON(t, want))
		}
	}
	movedD := place(apitest.Ad3, apitest.BhB, 775700, apitest.TxD+":0:0", "9000", 1678122360000)
	for _, block := range []string{"775700", apitest.BhB} { // T-4
		expect("/inscriptions/transfers?block="+block, 2,
			apitest.Fields{"id": apitest.TxH + "i0", "number": 1, "from": place(apitest.Ad5, apitest.Bh1, 775617, apitest.TxH+":0:0", "10000", 1676913207000), "to": place(apitest.Ad3, apitest.BhB, 775700, apitest.TxI+":0:0", "9000", 1678122360000)},
			apitest.Fields{"id": apitest.TxA + "i0", "number": 0, "from": place(apitest.Ad1, apitest.Bh1, 775617, apitest.TxA+":0:0", "10000", 1676913207000), "to": movedD})
	}
	const ad7, hash3 = "bc1pkx5me775s748lzchytzdsw4f0lq04wssxnyk27g8fn3gee8zhjjqsn9tfp", "000000000000000000044b12039abd3112963959d9fd7510ac503ea84dc17002"
	s.Apply(apitest.FeedBlock(775701, hash3, 1676913208, apitest.InTx(apitest.TxJ, apitest.MoveOf(apitest.Sat, ad7, apitest.TxJ+":0:0", 8000, 0), apitest.MoveOf(apitest.Sat, ad7, apitest.TxJ+":1:0", 7500, 1))))
	middle := place(ad7, hash3, 775701, apitest.TxJ+":0:0", "8000", 1676913208000)
	last := apitest.Fields{"id": apitest.TxA + "i0", "number": 0, "from": middle, "to": place(ad7, hash3, 775701, apitest.TxJ+":1:0", "7500", 1676913208000)}
	first := apitest.Fields{"id": apitest.TxA + "i0", "number": 0, "from": movedD, "to": middle}
	expect("/inscriptions/transfers?block=775701", 2, last, first)                 // T-5
	expect("/inscriptions/transfers?block=775701&limit=1&offset=0", 2, last)       // T-6
	expect("/inscriptions/transfers?block=775701&limit=1&offset=1", 2, first)      // T-6
	s.ExpectPage("/inscriptions/transfers?block=775701&limit=1&offset=2", 2, "id") // E-9
	s.ExpectPage("/inscriptions/transfers?block=775702", 0, "id")                  // unknown
	s.ExpectPage("/inscriptions/transfers?block=999999999999999999", 0, "id")
	s.ExpectPage("/inscriptions/transfers?block=00000000"+apitest.BhD[8:], 0, "id")
}

// One location that moves several inscriptions is on as many pages as it takes.
func TestBlockTransfersOfOneSat(t *testing.T) {
	t.Parallel()
	reveals := []apitest.Fields{}
	for i := range 5 {
		reveals = append(reveals, apitest.RevealOf(apitest.TxB, i, apitest.Sat, apitest.Fields{"inscription_id": apitest.TxB + "i" + string(rune('0'+i))}))
	}
	s := apitest.NewOrdinalsSite(t, apitest.At(775617, apitest.DefaultTime, apitest.InTx(apitest.TxB, reveals...)), apitest.At(775618, apitest.DefaultTime,
		apitest.Move(apitest.Sat, apitest.Ad3, apitest.TxC+":0:0", 1, 0), apitest.InTx(apitest.TxA, apitest.RevealOf(apitest.TxA, 7, apitest.Sat, apitest.Fields{"tx_index": 1}))))
	s.ExpectPage("/inscriptions/transfers?block=775618", 10, "number", 4, 3, 2, 1, 0, 4, 3, 2, 1, 0)
	s.ExpectPage("/inscriptions/transfers?block=775618&offset=3&limit=4", 10, "number", 1, 0, 4, 3)
	s.ExpectPage("/inscriptions/transfers?block=775618&offset=9&limit=4", 10, "number", 0)
	// The other blocks with that hash count as well.
	s.ExpectPage("/inscriptions/transfers?block="+apitest.Bh1+"&limit=2", 10, "number", 4, 3)
	if _, results := s.Page("/inscriptions/transfers?block=775618&offset=4&limit=2"); results[0]["from"].(apitest.Fields)["tx_id"] != apitest.TxC || results[1]["from"].(apitest.Fields)["tx_id"] != apitest.TxB {
		t.Errorf("got %v", results)
	}
}
