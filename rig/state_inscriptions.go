package rig

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"strata/domain/ordinals"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// CheckInscriptions compares the tables of inscriptions with the generator's model. Lists of more than a number of entries have parts.
func CheckInscriptions(t replay.TB, db replay.Querier, want *synthordinals.State, most int) {
	t.Helper()
	same(t, "blocks", Rows[blockRow](t, db, schemas.In(`
		SELECT height AS "Height", time AS "Time", moves AS "Moves", reveals AS "Reveals", encode(block_hash, 'hex') AS "Hash"
		FROM {inscriptions}.block ORDER BY height`)), wantBlocks(want))
	same(t, "inscriptions", storedInscriptions(t, db), wantInscriptions(want))
	same(t, "locations", Rows[locationRow](t, db, schemas.In(`
		SELECT sat AS "Sat", height AS "Height", tx_index AS "Tx", moved AS "Moved", value AS "Value", sat_offset AS "Offset", type AS "Type",
		       encode(txid, 'hex') AS "Txid", encode(output_txid, 'hex') || ':' || vout AS "Output", address AS "Address"
		FROM {inscriptions}.location ORDER BY sat, height, tx_index`)), wantLocations(want))
	same(t, "sats", Rows[satRow](t, db, schemas.In(`
		SELECT sat AS "Sat", height AS "Height", tx_index AS "Tx", inscriptions AS "Inscriptions", encode(output_txid, 'hex') || ':' || vout AS "Output"
		FROM {inscriptions}.satoshi ORDER BY sat`)), wantSats(want))
	checkLists(t, db, wantLists(want), most)
	checkMissing(t, db, want)
}

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

func same[T any](t replay.TB, what string, got, want []T) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: missing %s", what, toJSON(want[i]))
			return
		case i >= len(want):
			t.Errorf("%s: unexpected %s", what, toJSON(got[i]))
			return
		case !reflect.DeepEqual(got[i], want[i]):
			t.Errorf("%s:\n got %s\nwant %s", what, toJSON(got[i]), toJSON(want[i]))
			return
		}
	}
}

func storedInscriptions(t replay.TB, db replay.Querier) []inscriptionRow {
	type stored struct {
		inscriptionRow
		Bits ordinals.Charms
		Rank int
	}
	list := Rows[stored](t, db, schemas.In(`
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

func textsOf[S ~string](list []S) []string {
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
			Meta: null(string(i.Metadata)), Parents: textsOf(i.Parents), Refs: textsOf(i.RecursionRefs),
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

// listKey orders a list's entries.
type listKey [3]int64

func (k listKey) compare(other listKey) int { return slices.Compare(k[:], other[:]) }

// wantLists returns the expected keys of all lists.
func wantLists(s *synthordinals.State) map[string][]listKey {
	lists, on, places := map[string][]listKey{}, onSats(s), places(s)
	for _, i := range s.Inscriptions {
		genesis := listKey{int64(i.Genesis.Height), int64(i.Genesis.TxIndex), i.Number}
		number := listKey{i.Number}
		rarity := strconv.Itoa(rarity(i))
		names := map[string]listKey{
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
		slices.SortFunc(keys, listKey.compare)
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

func checkLists(t replay.TB, db replay.Querier, lists map[string][]listKey, most int) {
	t.Helper()
	var want []listRow
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		want = append(want, listRow{name, int64(len(lists[name]))})
	}
	same(t, "lists", Rows[listRow](t, db, schemas.In(`SELECT name AS "Name", n AS "N" FROM {inscriptions}.list ORDER BY name`)), want)
	parts := map[string][]partRow{}
	for _, p := range Rows[partRow](t, db, schemas.In(`SELECT list AS "List", a::text::numeric AS "A", b AS "B", c AS "C", n AS "N" FROM {inscriptions}.part ORDER BY list, a, b, c`)) {
		parts[p.List] = append(parts[p.List], p)
	}
	for name, keys := range lists {
		if len(keys) <= most {
			if len(parts[name]) > 0 {
				t.Errorf("list %s of %d entries has parts", name, len(keys))
			}
			continue
		}
		checkParts(t, name, keys, parts[name])
		delete(parts, name)
	}
	if len(parts) > 0 {
		t.Errorf("parts of lists that do not exist: %v", parts)
	}
}

// checkParts checks that the parts of a list divide its keys.
func checkParts(t replay.TB, name string, keys []listKey, parts []partRow) {
	t.Helper()
	if len(parts) == 0 || parts[0].A != math.MinInt64 {
		t.Errorf("list %s of %d entries has the parts %v", name, len(keys), parts)
		return
	}
	for i, p := range parts {
		end := len(keys)
		if i+1 < len(parts) {
			next := parts[i+1]
			end, _ = slices.BinarySearchFunc(keys, listKey{next.A, next.B, next.C}, listKey.compare)
		}
		if p.N != int64(end) || p.N == 0 {
			t.Errorf("list %s: part %v has %d entries", name, p, end)
		}
		keys = keys[end:]
	}
}

func checkMissing(t replay.TB, db replay.Querier, s *synthordinals.State) {
	t.Helper()
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
	if got := Rows[listRow](t, db, schemas.In(`SELECT '' AS "Name", n AS "N" FROM {inscriptions}.missing`))[0].N; got != missing {
		t.Errorf("%d inscriptions are missing, want %d", got, missing)
	}
}

// Rows reads the rows of a query into structs.
func Rows[T any](t replay.TB, db replay.Querier, query string, args ...any) []T {
	t.Helper()
	result := must.Get(db.Query(context.Background(), `SELECT row_to_json(r)::text FROM (`+query+`) r`, args...))(t)
	list := must.Get(pgx.CollectRows(result, func(row pgx.CollectableRow) (one T, err error) {
		var text string
		if err := row.Scan(&text); err != nil {
			return one, err
		}
		return one, json.Unmarshal([]byte(text), &one)
	}))(t)
	return list
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
