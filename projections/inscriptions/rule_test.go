package inscriptions_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/projections"
	"strata/projections/internal/ranked"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// Reveals and moves of hand-made blocks. Letters name transactions.

func txid(name string) (h hash.Hash32) {
	copy(h[:], strings.Repeat(name, 32))
	return h
}

func address(text string) *string {
	if text == "nobody" {
		return nil
	}
	return &text
}

func at(tx string) ordinals.Satpoint {
	offset := uint64(0)
	return ordinals.Satpoint{TxID: txid(tx), Vout: "0", Offset: &offset}
}

type operation struct {
	tx    string
	index uint32
	ordinals.Operation
}

// reveals returns a reveal in a transaction at an index of the block.
func reveals(tx string, index uint32, which uint32, number int64, sat ordinals.Sat, to string) operation {
	return operation{tx, index, ordinals.Operation{Reveal: &ordinals.Reveal{
		ID: ordinals.NewInscriptionID(txid(tx), which), Number: ordinals.InscriptionNumber{Classic: number, Jubilee: number}, Sat: sat,
		Content: []byte{}, ContentAt: 1, ContentType: "text/plain;charset=utf-8", OutputValue: 546, InscriberAddress: address(to),
		SatpointPost: at(tx), TxIndex: index,
	}}}
}

// moves returns the transfer of a sat to an address.
func moves(tx string, index uint32, sat ordinals.Sat, to string) operation {
	return operation{tx, index, ordinals.Operation{Transfer: &ordinals.Transfer{
		Sat: sat, Destination: ordinals.Transferred, DestinationValue: address(to), SatpointPost: at(tx), TxIndex: index,
	}}}
}

// block returns a block at a height. Each operation has its own transaction, unless the one before has the same name.
func block(height uint64, operations ...operation) *ordinals.Block {
	b := &ordinals.Block{Pointer: "/apply/0", Height: height, Time: 1_700_000_000 + uint32(height)}
	b.Hash[0] = byte(height)
	for _, o := range operations {
		if n := len(b.Transactions); n == 0 || b.Transactions[n-1].TxID != txid(o.tx) {
			b.Transactions = append(b.Transactions, ordinals.Transaction{
				Pointer: fmt.Sprintf("/apply/0/transactions/%d", n), TxID: txid(o.tx), Index: o.index,
			})
		}
		tx := &b.Transactions[len(b.Transactions)-1]
		o.Pointer = fmt.Sprintf("%s/metadata/ordinal_operations/%d", tx.Pointer, len(tx.Operations))
		tx.Operations = append(tx.Operations, o.Operation)
	}
	return b
}

// rule is a test of one rule: blocks in the order of their arrival, and the expected rows.
type rule struct {
	blocks []*ordinals.Block
	revert []int64
	// number owner, by number
	owners []string
	// sat@height.index moved by transaction
	locations []string
	// sat@height.index with inscriptions
	sats []string
	// height:moves
	blockMoves []string
	lists      map[string]int64 // lengths of some lists; 0 for a list that must not exist
}

var rules = map[string]rule{
	"of two moves in a block the greater index is current, as a number": { // I-9, T-5, X-3
		blocks: []*ordinals.Block{
			block(10, reveals("a", 1, 0, 0, 5, "ann")),
			block(11, moves("c", 1019, 5, "cid"), moves("b", 995, 5, "bob")),
		},
		owners: []string{"0 cid"}, locations: []string{"5@10.1 0 a", "5@11.995 1 b", "5@11.1019 1 c"}, sats: []string{"5@11.1019 1"},
		blockMoves: []string{"10:0", "11:2"}, lists: map[string]int64{"address:cid": 1, "address:bob": 0, "address:ann": 0, "genesis_address:ann": 1},
	},
	"a reveal and a move in one block": {
		blocks: []*ordinals.Block{block(10, reveals("a", 995, 0, 0, 5, "ann"), moves("b", 1019, 5, "bob"))},
		owners: []string{"0 bob"}, locations: []string{"5@10.995 0 a", "5@10.1019 1 b"}, sats: []string{"5@10.1019 1"}, blockMoves: []string{"10:1"},
	},
	"of two operations with one key the first stays": {
		blocks: []*ordinals.Block{
			block(10, reveals("a", 1, 0, 0, 5, "ann"), moves("a", 1, 5, "bob")),
			block(11, moves("b", 7, 5, "cid"), moves("c", 7, 5, "dan")),
		},
		owners: []string{"0 cid"}, locations: []string{"5@10.1 0 a", "5@11.7 1 b"}, sats: []string{"5@11.7 1"}, blockMoves: []string{"10:0", "11:1"},
	},
	"two reveals of a transaction on one sat do not move each other": {
		blocks: []*ordinals.Block{
			block(10, reveals("a", 1, 0, 0, 5, "ann"), reveals("a", 1, 1, -1, 5, "ann")),
			block(11, moves("b", 1, 5, "bob")),
		},
		owners: []string{"-1 bob", "0 bob"}, locations: []string{"5@10.1 0 a", "5@11.1 2 b"}, sats: []string{"5@11.1 2"},
		blockMoves: []string{"10:0", "11:2"}, lists: map[string]int64{"sat:5": 2, "address:bob": 2, "cursed": 1, "not_cursed": 1},
	},
	"a reveal moves what was there": { // S-3
		blocks:    []*ordinals.Block{block(10, reveals("a", 0, 0, -7, 5, "ann")), block(11, reveals("b", 0, 0, -1, 5, "bob"))},
		owners:    []string{"-7 bob", "-1 bob"},
		locations: []string{"5@10.0 0 a", "5@11.0 1 b"}, sats: []string{"5@11.0 2"}, blockMoves: []string{"10:0", "11:1"},
	},
	"a block that comes late does not move the newest owner": {
		blocks: []*ordinals.Block{
			block(10, reveals("a", 0, 0, 0, 5, "ann")), block(14, moves("d", 0, 5, "dan")), block(13, reveals("c", 0, 0, 2, 5, "cid")),
			block(12, reveals("b", 0, 0, 1, 5, "bob")),
		},
		owners: []string{"0 dan", "1 dan", "2 dan"}, locations: []string{"5@10.0 0 a", "5@12.0 1 b", "5@13.0 2 c", "5@14.0 3 d"},
		sats: []string{"5@14.0 3"}, blockMoves: []string{"10:0", "12:1", "13:2", "14:3"}, lists: map[string]int64{"address:dan": 3, "sat:5": 3},
	},
	"a block in the middle is taken back": {
		blocks: []*ordinals.Block{
			block(10, reveals("a", 0, 0, 0, 5, "ann")), block(12, reveals("b", 0, 0, 1, 5, "bob")), block(14, moves("d", 0, 5, "dan")),
		},
		revert: []int64{12},
		owners: []string{"0 dan"}, locations: []string{"5@10.0 0 a", "5@14.0 1 d"}, sats: []string{"5@14.0 1"}, blockMoves: []string{"10:0", "14:1"},
		lists: map[string]int64{"sat:5": 0, "address:dan": 1, "all": 1},
	},
	"the newest block is reverted": { // X-2b
		blocks: []*ordinals.Block{block(10, reveals("a", 0, 0, 0, 5, "ann")), block(12, moves("b", 0, 5, "bob"))},
		revert: []int64{12},
		owners: []string{"0 ann"}, locations: []string{"5@10.0 0 a"}, sats: []string{"5@10.0 1"}, blockMoves: []string{"10:0"},
		lists: map[string]int64{"address:ann": 1, "address:bob": 0},
	},
	"a sat whose reveal is missing": {
		blocks:    []*ordinals.Block{block(12, moves("b", 3, 5, "bob"))},
		locations: []string{"5@12.3 0 b"}, sats: []string{"5@12.3 0"}, blockMoves: []string{"12:0"}, lists: map[string]int64{"address:bob": 0, "all": 0},
	},
	"a sat moves before its reveal comes": {
		blocks: []*ordinals.Block{block(12, moves("b", 3, 5, "bob")), block(10, reveals("a", 0, 0, 0, 5, "ann"))},
		owners: []string{"0 bob"}, locations: []string{"5@10.0 0 a", "5@12.3 1 b"}, sats: []string{"5@12.3 1"}, blockMoves: []string{"10:0", "12:1"},
		lists: map[string]int64{"address:bob": 1, "address:ann": 0},
	},
	"nobody has no list, and the empty address has one": { // I-6, E-3
		blocks: []*ordinals.Block{
			block(10, reveals("a", 0, 0, 0, 5, ""), reveals("b", 1, 0, 1, 6, "nobody")), block(11, reveals("c", 0, 0, 2, 7, "cid"), moves("d", 1, 7, "nobody")),
		},
		owners: []string{"0 ", "1 ∅", "2 ∅"}, locations: []string{"5@10.0 0 a", "6@10.1 0 b", "7@11.0 0 c", "7@11.1 1 d"},
		sats: []string{"5@10.0 1", "6@10.1 1", "7@11.1 1"}, blockMoves: []string{"10:0", "11:1"},
		lists: map[string]int64{"address:": 1, "genesis_address:": 0, "genesis_address:cid": 1, "address:cid": 0},
	},
	"an address that no index can hold": {
		blocks: []*ordinals.Block{block(10, reveals("a", 0, 0, 0, 5, long))},
		owners: []string{"0 " + ordinals.Bounded(long)}, locations: []string{"5@10.0 0 a"}, sats: []string{"5@10.0 1"}, blockMoves: []string{"10:0"},
		lists: map[string]int64{"address:" + ordinals.Bounded(long): 1},
	},
	"an address with a NUL": {
		blocks: []*ordinals.Block{block(10, reveals("a", 0, 0, 0, 5, "a\x00b"))},
		owners: []string{"0 a\uFFFDb"}, locations: []string{"5@10.0 0 a"}, sats: []string{"5@10.0 1"}, blockMoves: []string{"10:0"},
	},
}

var long = strings.Repeat("bc1q", 5000)

func TestRules(t *testing.T) {
	t.Parallel()
	for name, r := range rules {
		for _, most := range []int{1, 0} {
			t.Run(fmt.Sprintf("%s/%d at once", name, most), func(t *testing.T) {
				t.Parallel()
				tx := replay.Begin(t, databases.New(t))
				w := newWorld(t, tx)
				for i, b := range r.blocks {
					w.apply(int64(i+1), 0, b)
				}
				w.revert(r.revert...)
				w.fold(most)
				w.checkRule(&r)
			})
		}
	}
}

type textRow struct{ Text string }

func (w *world) checkRule(r *rule) {
	w.t.Helper()
	for _, table := range []struct {
		what, query string
		want        []string
	}{
		{"owners", schemas.In(`SELECT number || ' ' || coalesce(address, '∅') AS "Text" FROM {inscriptions}.owner ORDER BY number`), r.owners},
		{"locations", schemas.In(`SELECT format('%s@%s.%s %s %s', sat, height, tx_index, moved, chr(get_byte(txid, 0))) AS "Text" FROM {inscriptions}.location ORDER BY sat, height, tx_index`), r.locations},
		{"sats", schemas.In(`SELECT format('%s@%s.%s %s', sat, height, tx_index, inscriptions) AS "Text" FROM {inscriptions}.satoshi ORDER BY sat`), r.sats},
		{"moves of blocks", schemas.In(`SELECT height || ':' || moves AS "Text" FROM {inscriptions}.block ORDER BY height`), r.blockMoves},
	} {
		var got []string
		for _, row := range rows[textRow](w, table.query) {
			got = append(got, row.Text)
		}
		if !slices.Equal(got, table.want) {
			w.t.Errorf("%s: got %q, want %q", table.what, got, table.want)
		}
	}
	lists := map[string]int64{}
	for _, l := range rows[listRow](w, schemas.In(`SELECT name AS "Name", n AS "N" FROM {inscriptions}.list`)) {
		lists[l.Name] = l.N
	}
	for name, want := range r.lists {
		if lists[name] != want {
			w.t.Errorf("list %s has %d entries, want %d", name, lists[name], want)
		}
	}
}

// TestRepeatedReveals reveals an id twice: the first reveal stays, the other is quarantined, and its location counts.
func TestRepeatedReveals(t *testing.T) {
	t.Parallel()
	again := reveals("a", 4, 0, 9, 6, "bob")
	for _, most := range []int{1, 0} {
		t.Run(fmt.Sprint(most, " at once"), func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			w := newWorld(t, tx)
			w.apply(1, 0, block(10, reveals("a", 0, 0, 0, 5, "ann"), reveals("a", 0, 0, 1, 5, "ann")))
			w.apply(2, 0, block(11, reveals("b", 1, 0, 2, 7, "bob"), again))
			w.fold(most)
			w.checkRule(&rule{
				owners: []string{"0 ann", "2 bob"}, locations: []string{"5@10.0 0 a", "6@11.4 0 a", "7@11.1 0 b"},
				sats: []string{"5@10.0 1", "6@11.4 0", "7@11.1 1"}, blockMoves: []string{"10:0", "11:0"},
				lists: map[string]int64{"all": 2, "sat:5": 0, "genesis_address:bob": 1},
			})
			var got []string
			for _, row := range rows[textRow](w, `
				SELECT name || version || ' ' || seq || path || pointer || ' ' || reason AS "Text" FROM strata.quarantine ORDER BY seq`) {
				got = append(got, row.Text)
			}
			id := again.Reveal.ID
			want := []string{
				fmt.Sprintf(schemas.In("inscriptions{inscriptions#} 1/payload/apply/0/transactions/0/metadata/ordinal_operations/1 inscription %s was revealed before"), id),
				fmt.Sprintf(schemas.In("inscriptions{inscriptions#} 2/payload/apply/0/transactions/1/metadata/ordinal_operations/0 inscription %s was revealed before"), id),
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestRevertOfUnknownBlock reverts a block that is not applied.
func TestRevertOfUnknownBlock(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	w := newWorld(t, tx)
	step := projections.FeedStep{Number: 1, Kind: projections.Revert, Height: 10}
	_, err := w.projection.Fold(t.Context(), tx, 0, []projections.FeedStep{step})
	if err == nil || !strings.Contains(err.Error(), "only 0 of the 1 blocks to revert are applied") {
		t.Errorf("got %v", err)
	}
}

// TestManyOnOneSat reveals so many inscriptions on a sat that its list has parts.
func TestManyOnOneSat(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	w := newWorld(t, tx)
	w.projection.Limit(ranked.Most)
	const blocks, each = 30, 50
	for height := range uint64(blocks) {
		var list []operation
		for i := range uint32(each) {
			tx := string(rune('a' + i))
			o := reveals(tx, i, uint32(height), int64(height)*each+int64(i), 5, "ann")
			list = append(list, o)
		}
		w.apply(int64(height)+1, 0, block(height, list...))
	}
	w.fold(1)
	const all = blocks * each
	if n := rows[listRow](w, schemas.In(`SELECT name AS "Name", n AS "N" FROM {inscriptions}.list WHERE name = 'sat:5'`)); len(n) != 1 || n[0].N != all {
		t.Errorf("the sat has %v, want %d", n, all)
	}
	moved := rows[listRow](w, schemas.In(`SELECT '' AS "Name", sum(moved) AS "N" FROM {inscriptions}.location`))[0].N
	if want := int64(all * (all - 1) / 2); moved != want {
		t.Errorf("%d moves, want %d", moved, want)
	}
	parts := rows[partRow](w, schemas.In(`SELECT list AS "List", a AS "A", n AS "N" FROM {inscriptions}.part WHERE list = 'sat:5'`))
	if most := slices.MaxFunc(parts, func(a, b partRow) int { return cmp.Compare(a.N, b.N) }); len(parts) < 2 || most.N > ranked.Most {
		t.Errorf("the parts of the sat are %v", parts)
	}
}
