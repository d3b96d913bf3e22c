package readapi_test

import "testing"

// Rows T-3 to T-6.
func TestBlockTransfers(t *testing.T) {
	t.Parallel()
	const other = 257418248340000
	s := newOrdinalsSite(t, at(775617, 1676913207, ra(0, sat), inTx(txH, revealOf(txH, 1, other, fields{"inscriber_address": ad5, "tx_index": 1}))))
	s.expectPage("/inscriptions/transfers?block=775617", 0, "id") // T-3
	s.apply(feedBlock(775700, bhB, 1678122360, move(sat, ad3, txD+":0:0", 9000, 0), move(other, ad3, txI+":0:0", 9000, 1)))
	place := func(address, hash string, height int, point, value string, time int) fields {
		return fields{
			"address": address, "block_hash": hash, "block_height": height, "location": point, "output": point[:66], "offset": "0", "tx_id": point[:64],
			"value": value, "timestamp": time,
		}
	}
	expect := func(path string, total int, want ...fields) {
		t.Helper()
		n, results := s.page(path)
		if n != total || asJSON(t, results) != asJSON(t, want) {
			t.Errorf("%s: got total %d, %s, want %d, %s", path, n, asJSON(t, results), total, asJSON(t, want))
		}
	}
	movedD := place(ad3, bhB, 775700, txD+":0:0", "9000", 1678122360000)
	for _, block := range []string{"775700", bhB} { // T-4
		expect("/inscriptions/transfers?block="+block, 2,
			fields{"id": txH + "i0", "number": 1, "from": place(ad5, bh1, 775617, txH+":0:0", "10000", 1676913207000), "to": place(ad3, bhB, 775700, txI+":0:0", "9000", 1678122360000)},
			fields{"id": txA + "i0", "number": 0, "from": place(ad1, bh1, 775617, txA+":0:0", "10000", 1676913207000), "to": movedD})
	}
	const ad7, hash3 = "bc1pkx5me775s748lzchytzdsw4f0lq04wssxnyk27g8fn3gee8zhjjqsn9tfp", "000000000000000000044b12039abd3112963959d9fd7510ac503ea84dc17002"
	s.apply(feedBlock(775701, hash3, 1676913208, inTx(txJ, moveOf(sat, ad7, txJ+":0:0", 8000, 0), moveOf(sat, ad7, txJ+":1:0", 7500, 1))))
	middle := place(ad7, hash3, 775701, txJ+":0:0", "8000", 1676913208000)
	last := fields{"id": txA + "i0", "number": 0, "from": middle, "to": place(ad7, hash3, 775701, txJ+":1:0", "7500", 1676913208000)}
	first := fields{"id": txA + "i0", "number": 0, "from": movedD, "to": middle}
	expect("/inscriptions/transfers?block=775701", 2, last, first)                 // T-5
	expect("/inscriptions/transfers?block=775701&limit=1&offset=0", 2, last)       // T-6
	expect("/inscriptions/transfers?block=775701&limit=1&offset=1", 2, first)      // T-6
	s.expectPage("/inscriptions/transfers?block=775701&limit=1&offset=2", 2, "id") // E-9
	s.expectPage("/inscriptions/transfers?block=775702", 0, "id")                  // unknown
	s.expectPage("/inscriptions/transfers?block=999999999999999999", 0, "id")
	s.expectPage("/inscriptions/transfers?block=00000000"+bhD[8:], 0, "id")
}

// One location that moves several inscriptions is on as many pages as it takes.
func TestBlockTransfersOfOneSat(t *testing.T) {
	t.Parallel()
	reveals := []fields{}
	for i := range 5 {
		reveals = append(reveals, revealOf(txB, i, sat, fields{"inscription_id": txB + "i" + string(rune('0'+i))}))
	}
	s := newOrdinalsSite(t, at(775617, defaultTime, inTx(txB, reveals...)), at(775618, defaultTime,
		move(sat, ad3, txC+":0:0", 1, 0), inTx(txA, revealOf(txA, 7, sat, fields{"tx_index": 1}))))
	s.expectPage("/inscriptions/transfers?block=775618", 10, "number", 4, 3, 2, 1, 0, 4, 3, 2, 1, 0)
	s.expectPage("/inscriptions/transfers?block=775618&offset=3&limit=4", 10, "number", 1, 0, 4, 3)
	s.expectPage("/inscriptions/transfers?block=775618&offset=9&limit=4", 10, "number", 0)
	// The other blocks with that hash count as well.
	s.expectPage("/inscriptions/transfers?block="+bh1+"&limit=2", 10, "number", 4, 3)
	if _, results := s.page("/inscriptions/transfers?block=775618&offset=4&limit=2"); results[0]["from"].(fields)["tx_id"] != txC || results[1]["from"].(fields)["tx_id"] != txB {
		t.Errorf("got %v", results)
	}
}
