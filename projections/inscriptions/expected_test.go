package inscriptions_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/projections/internal/ranked"
	"strata/rig/schemas"
)

type blockRow struct {
	Height, Time, Moves, Reveals int64
	Hash                         string
}

type inscriptionRow struct {
	Number, Classic, Sat, Height, Tx, Length, Size, Fee int64
	Charms                                              []string
	Rarity                                              int
	Recursive                                           bool
	ID, Content, Mime                                   string
	Genesis, Address, Curse, Protocol, Delegate, Meta   *string
	Parents, Refs                                       []string
}

type locationRow struct {
	Sat, Height, Tx, Moved int64
	Value, Offset          *int64
	Type                   int
	Txid, Output           string
	Address                *string
}

type satRow struct {
	Sat, Height, Tx, Inscriptions int64
	Output                        string
}

// origins are the positions in the log that rows name as their origins.
type origin struct {
	Seq, Index, Transaction, Operation, Order int64
	Sat, Height, Tx                           int64
	ID                                        string
	At                                        *int64
}

// check compares all tables with the expected state of a feed.
func (w *world) check(want *synthordinals.State) {
	w.t.Helper()
	same(w, "blocks", rows[blockRow](w, schemas.In(`
		SELECT height AS "Height", time AS "Time", moves AS "Moves", reveals AS "Reveals", encode(block_hash, 'hex') AS "Hash"
		FROM {inscriptions}.block ORDER BY height`)), wantBlocks(want))
	same(w, "inscriptions", w.inscriptions(), wantInscriptions(want))
	same(w, "locations", rows[locationRow](w, schemas.In(`
		SELECT sat AS "Sat", height AS "Height", tx_index AS "Tx", moved AS "Moved", value AS "Value", sat_offset AS "Offset", type AS "Type",
		       encode(txid, 'hex') AS "Txid", encode(output_txid, 'hex') || ':' || vout AS "Output", address AS "Address"
		FROM {inscriptions}.location ORDER BY sat, height, tx_index`)), wantLocations(want))
	same(w, "sats", rows[satRow](w, schemas.In(`
		SELECT sat AS "Sat", height AS "Height", tx_index AS "Tx", inscriptions AS "Inscriptions", encode(output_txid, 'hex') || ':' || vout AS "Output"
		FROM {inscriptions}.satoshi ORDER BY sat`)), wantSats(want))
	w.checkLists(want)
	w.checkOrigins()
	w.checkMissing(want)
	tip, ok := want.Tip()
	if ok != (w.tip != nil) || ok && (w.tip.Height != int64(tip.Height) || w.tip.BlockHash != tip.Hash || w.tip.IndexBlockHash != tip.Hash) {
		w.t.Errorf("the tip is %+v, want %+v", w.tip, tip)
	}
}

func same[T any](w *world, what string, got, want []T) {
	w.t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			w.t.Fatalf("%s: missing %s", what, toJSON(want[i]))
		case i >= len(want):
			w.t.Fatalf("%s: unexpected %s", what, toJSON(got[i]))
		case !reflect.DeepEqual(got[i], want[i]):
			w.t.Fatalf("%s:\n got %s\nwant %s", what, toJSON(got[i]), toJSON(want[i]))
		}
	}
}

func (w *world) inscriptions() []inscriptionRow {
	type stored struct {
		inscriptionRow
		Bits ordinals.Charms
		Rank int
	}
	list := rows[stored](w, schemas.In(`
		SELECT number AS "Number", classic_number AS "Classic", sat AS "Sat", height AS "Height", tx_index AS "Tx", content_length AS "Length",
		       content_size AS "Size", fee AS "Fee", charms AS "Bits", rarity AS "Rank", recursive AS "Recursive", id AS "ID",
		       content_type AS "Content", mime_type AS "Mime", genesis_address AS "Genesis", o.address AS "Address", curse_type AS "Curse",
		       metaprotocol AS "Protocol", delegate AS "Delegate", metadata AS "Meta", parents AS "Parents", recursion_refs AS "Refs"
		FROM {inscriptions}.inscription FULL JOIN {inscriptions}.owner o USING (id, sat, number, height, tx_index) ORDER BY id`))
	all := make([]inscriptionRow, len(list))
	for i, s := range list {
		all[i] = s.inscriptionRow
		all[i].Charms, all[i].Rarity = s.Bits.Names(), s.Rank
	}
	return all
}

func wantBlocks(s *synthordinals.State) []blockRow {
	list := make([]blockRow, len(s.Blocks))
	for i, b := range s.Blocks {
		list[i] = blockRow{int64(b.Height), int64(b.Time), int64(s.Transfers[b.Height]), int64(b.Reveals), hex.EncodeToString(b.Hash[:])}
	}
	return list
}

// null returns nil for an empty text.
func null[S ~string](text S) *string {
	if text == "" {
		return nil
	}
	s := string(text)
	return &s
}

func texts[S ~string](list []S) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = string(s)
	}
	return all
}

// places returns what the tables have in place of the sat of each inscription.
func places(s *synthordinals.State) map[ordinals.InscriptionID]int64 {
	places, unbound := map[ordinals.InscriptionID]int64{}, map[uint64][]*synthordinals.Inscription{}
	for id, i := range s.Inscriptions {
		places[id] = int64(i.Sat)
		if i.Unbound {
			unbound[i.Genesis.Height] = append(unbound[i.Genesis.Height], i)
		}
	}
	for height, list := range unbound {
		slices.SortFunc(list, func(a, b *synthordinals.Inscription) int {
			return cmp.Or(cmp.Compare(a.Genesis.TxIndex, b.Genesis.TxIndex), cmp.Compare(a.ID.Index(), b.ID.Index()))
		})
		for n, i := range list {
			places[i.ID] = -1 - int64(height)<<38 - int64(n)
		}
	}
	return places
}

func rarity(i *synthordinals.Inscription) int {
	if i.Unbound {
		return -1
	}
	return int(i.Rarity)
}

func wantInscriptions(s *synthordinals.State) []inscriptionRow {
	places := places(s)
	list := make([]inscriptionRow, 0, len(s.Inscriptions))
	for _, id := range slices.Sorted(maps.Keys(s.Inscriptions)) {
		i := s.Inscriptions[id]
		list = append(list, inscriptionRow{
			Number: i.Number, Classic: i.ClassicNumber, Sat: places[id], Height: int64(i.Genesis.Height), Tx: int64(i.Genesis.TxIndex),
			Length: int64(len(i.Content)), Size: int64(len(i.Content)), Fee: int64(i.Fee), Charms: i.Charms, Rarity: rarity(i),
			Recursive: i.Recursive(), ID: string(i.ID), Content: i.ContentType, Mime: i.MimeType, Genesis: i.Genesis.Address,
			Address: i.Current.Address, Curse: i.Curse, Protocol: null(i.Metaprotocol), Delegate: null(i.Delegate),
			Meta: null(string(i.Metadata)), Parents: texts(i.Parents), Refs: texts(i.RecursionRefs),
		})
	}
	return list
}

var types = map[ordinals.LocationType]int{ordinals.Transferred: 1, ordinals.SpentInFees: 2, ordinals.Burnt: 3, ordinals.Unbound: 4}

func wantLocations(s *synthordinals.State) []locationRow {
	on, places := onSats(s), places(s)
	row := func(sat int64, l *synthordinals.Location) locationRow {
		return locationRow{
			Sat: sat, Height: int64(l.Height), Tx: int64(l.TxIndex), Offset: signed(l.Offset), Value: signed(l.Value),
			Type: types[l.Type], Txid: hex.EncodeToString(l.TxID[:]), Output: l.Output, Address: l.Address,
		}
	}
	var list []locationRow
	for _, i := range s.Inscriptions {
		if i.Unbound {
			list = append(list, row(places[i.ID], &i.Current))
		}
	}
	slices.SortFunc(list, func(a, b locationRow) int { return cmp.Compare(a.Sat, b.Sat) })
	for _, sat := range slices.Sorted(maps.Keys(s.Locations)) {
		for _, l := range s.Locations[sat] {
			row := row(int64(sat), &l)
			for _, i := range on[sat] {
				if before(&i.Genesis, &l) {
					row.Moved++
				}
			}
			list = append(list, row)
		}
	}
	return list
}

func signed(n *uint64) *int64 {
	if n == nil {
		return nil
	}
	i := int64(*n)
	return &i
}

func before(a, b *synthordinals.Location) bool {
	return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.TxIndex, b.TxIndex)) < 0
}

func onSats(s *synthordinals.State) map[ordinals.Sat][]*synthordinals.Inscription {
	on := map[ordinals.Sat][]*synthordinals.Inscription{}
	for _, i := range s.Inscriptions {
		if !i.Unbound {
			on[i.Sat] = append(on[i.Sat], i)
		}
	}
	return on
}

func wantSats(s *synthordinals.State) []satRow {
	on, places := onSats(s), places(s)
	var list []satRow
	for _, i := range s.Inscriptions {
		if i.Unbound {
			list = append(list, satRow{places[i.ID], int64(i.Current.Height), int64(i.Current.TxIndex), 1, i.Current.Output})
		}
	}
	slices.SortFunc(list, func(a, b satRow) int { return cmp.Compare(a.Sat, b.Sat) })
	for _, sat := range slices.Sorted(maps.Keys(s.Locations)) {
		last := s.Locations[sat][len(s.Locations[sat])-1]
		list = append(list, satRow{int64(sat), int64(last.Height), int64(last.TxIndex), int64(len(on[sat])), last.Output})
	}
	return list
}

// wantLists returns the expected keys of all lists.
func wantLists(s *synthordinals.State) map[string][]ranked.Key {
	lists, on, places := map[string][]ranked.Key{}, onSats(s), places(s)
	for _, i := range s.Inscriptions {
		genesis := ranked.Key{int64(i.Genesis.Height), int64(i.Genesis.TxIndex), i.Number}
		number := ranked.Key{i.Number}
		rarity := strconv.Itoa(rarity(i))
		names := map[string]ranked.Key{
			"all": genesis, "mime:" + i.MimeType: genesis, "rarity:" + rarity: genesis, "number": number, "rarity_number:" + rarity: number,
			"ordinal": {places[i.ID]},
		}
		names[map[bool]string{true: "recursive", false: "not_recursive"}[i.Recursive()]] = genesis
		names[map[bool]string{true: "cursed", false: "not_cursed"}[i.Cursed()]] = genesis
		if a := i.Current.Address; a != nil {
			names["address:"+*a] = genesis
		}
		if a := i.Genesis.Address; a != nil && *a != "" {
			names["genesis_address:"+*a] = genesis
		}
		if !i.Unbound && len(on[i.Sat]) > 1 {
			names["sat:"+i.Sat.String()] = number
		}
		for name, key := range names {
			lists[name] = append(lists[name], key)
		}
	}
	for _, keys := range lists {
		slices.SortFunc(keys, ranked.Key.Compare)
	}
	return lists
}

type listRow struct {
	Name string
	N    int64
}

type partRow struct {
	List       string
	A, B, C, N int64
}

func (w *world) checkLists(s *synthordinals.State) {
	w.t.Helper()
	lists := wantLists(s)
	var want []listRow
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		want = append(want, listRow{name, int64(len(lists[name]))})
	}
	same(w, "lists", rows[listRow](w, schemas.In(`SELECT name AS "Name", n AS "N" FROM {inscriptions}.list ORDER BY name`)), want)
	parts := map[string][]partRow{}
	for _, p := range rows[partRow](w, schemas.In(`SELECT list AS "List", a::text::numeric AS "A", b AS "B", c AS "C", n AS "N" FROM {inscriptions}.part ORDER BY list, a, b, c`)) {
		parts[p.List] = append(parts[p.List], p)
	}
	for name, keys := range lists {
		if int64(len(keys)) <= w.most {
			if len(parts[name]) > 0 {
				w.t.Fatalf("list %s of %d entries has parts", name, len(keys))
			}
			continue
		}
		w.checkParts(name, keys, parts[name])
		delete(parts, name)
	}
	if len(parts) > 0 {
		w.t.Fatalf("parts of lists that do not exist: %v", parts)
	}
}

// checkParts checks that the parts of a list divide its keys.
func (w *world) checkParts(name string, keys []ranked.Key, parts []partRow) {
	w.t.Helper()
	if len(parts) == 0 || parts[0].A != math.MinInt64 {
		w.t.Fatalf("list %s of %d entries has the parts %v", name, len(keys), parts)
	}
	for i, p := range parts {
		end := len(keys)
		if i+1 < len(parts) {
			next := parts[i+1]
			end, _ = slices.BinarySearchFunc(keys, ranked.Key{next.A, next.B, next.C}, ranked.Key.Compare)
		}
		if p.N != int64(end) || p.N == 0 {
			w.t.Fatalf("list %s: part %v has %d entries", name, p, end)
		}
		keys = keys[end:]
	}
}

// checkOrigins compares rows with the positions in the log that they name.
func (w *world) checkOrigins() {
	w.t.Helper()
	for _, o := range rows[origin](w, schemas.In(`
		SELECT i.source_seq AS "Seq", b.block_index AS "Index", i.transaction AS "Transaction", i.operation AS "Operation", i.id AS "ID", i.content_at AS "At"
		FROM {inscriptions}.inscription i JOIN {inscriptions}.block b USING (height, source_seq)`)) {
		r := w.payloads[o.Seq].Apply[o.Index].Transactions[o.Transaction].Operations[o.Operation].Reveal
		if r == nil || string(r.ID) != o.ID {
			w.t.Fatalf("inscription %s is not at its origin: %s", o.ID, toJSON(o))
		}
		content, err := hex.DecodeString(string(w.bodies[o.Seq][*o.At : *o.At+int64(2*len(r.Content))]))
		if err != nil || !bytes.Equal(content, r.Content) {
			w.t.Fatalf("the content of inscription %s is not at content_at: %v", o.ID, err)
		}
	}
	var last origin
	locations := rows[origin](w, schemas.In(`
		SELECT l.source_seq AS "Seq", b.block_index AS "Index", l.transaction AS "Transaction", l.operation AS "Operation", l.block_order AS "Order",
		       l.sat AS "Sat", l.height AS "Height", l.tx_index AS "Tx"
		FROM {inscriptions}.location l JOIN {inscriptions}.block b USING (height, source_seq) ORDER BY l.height, l.block_order`))
	for _, o := range locations {
		tx := &w.payloads[o.Seq].Apply[o.Index].Transactions[o.Transaction]
		var l ordinals.Location
		if operation := &tx.Operations[o.Operation]; operation.Transfer != nil {
			l = operation.Transfer.Location()
		} else {
			l, _ = operation.Reveal.SatLocation(tx.TxID, uint64(o.Height))
			if operation.Reveal.Unbound() != (o.Sat < 0) && (o.Sat < 0 || l.Sat == 0) {
				w.t.Fatalf("an unbound inscription is not at its origin: %s", toJSON(o))
			}
		}
		if o.Sat >= 0 && int64(l.Sat) != o.Sat || int64(l.TxIndex) != o.Tx {
			w.t.Fatalf("a location is not at its origin: %s", toJSON(o))
		}
		order := int64(0)
		if o.Height == last.Height {
			order = last.Order + 1
			if cmp.Or(cmp.Compare(last.Transaction, o.Transaction), cmp.Compare(last.Operation, o.Operation)) > 0 {
				w.t.Fatalf("locations %s and %s are not in the order of operations", toJSON(last), toJSON(o))
			}
		}
		if o.Order != order {
			w.t.Fatalf("location %s follows %s", toJSON(o), toJSON(last))
		}
		last = o
	}
	if all := rows[listRow](w, schemas.In(`SELECT '' AS "Name", count(*) AS "N" FROM {inscriptions}.location`))[0].N; all != int64(len(locations)) {
		w.t.Fatalf("%d locations are of no block", all-int64(len(locations)))
	}
}

func (w *world) checkMissing(s *synthordinals.State) {
	w.t.Helper()
	known := map[int64]bool{}
	low, high, least := int64(math.MaxInt64), int64(-1), int64(0) // least and greatest number that is not negative, least of all
	greatest := int64(math.MinInt64)                              // of those below zero
	for _, i := range s.Inscriptions {
		known[i.Number] = true
		if i.Number >= 0 {
			low, high = min(low, i.Number), max(high, i.Number)
		} else {
			least, greatest = min(least, i.Number), max(greatest, i.Number)
		}
	}
	missing := int64(0)
	for _, span := range [][2]int64{{low, high}, {least, greatest}} {
		for n := span[0]; n <= span[1]; n++ {
			if !known[n] {
				missing++
			}
		}
	}
	if got := rows[listRow](w, schemas.In(`SELECT '' AS "Name", n AS "N" FROM {inscriptions}.missing`))[0].N; got != missing {
		w.t.Fatalf("%d inscriptions are missing, want %d", got, missing)
	}
}

// dump returns all rows of all tables without the columns of their origins.
func (w *world) dump() string {
	var text strings.Builder
	for _, table := range [][2]string{{"block", "height"}, {"inscription", "id"}, {"location", "sat, height, tx_index"}, {"satoshi", "sat"}, {"list", "name"}} {
		for _, row := range rows[map[string]any](w, schemas.In(`SELECT * FROM {inscriptions}.`)+table[0]+` ORDER BY `+table[1]) {
			for _, column := range []string{"source_seq", "block_index", "content_at"} {
				delete(row, column)
			}
			fmt.Fprintln(&text, table[0], toJSON(row))
		}
	}
	return text.String()
}
