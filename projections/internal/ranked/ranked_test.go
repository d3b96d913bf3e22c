package ranked_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"strata/projections"
	"strata/projections/internal/ranked"
	"strata/rig/replay"
)

var spec = projections.Spec{Schema: projections.Schema{Name: "ranked_test", Version: 1}, Tables: `
	CREATE TABLE {schema}.entry (list text COLLATE "C" NOT NULL, x bigint NOT NULL, y bigint NOT NULL, z bigint NOT NULL);
	CREATE INDEX entry_idx ON {schema}.entry (list, x, y, z);` + ranked.Tables}

var databases = replay.Tables("ranked", spec)

func sources(list string) (string, []any) {
	return `SELECT x AS a, y AS b, z AS c FROM {schema}.entry WHERE list = $1`, []any{list}
}

func TestMain(m *testing.M) {
	replay.Histories(20)
	m.Run()
}

// world has lists, and sorted slices of the keys that should be in them.
type world struct {
	t     replay.TB
	tx    pgx.Tx
	lists *ranked.Lists
	most  int64
	// sections is the largest number of entries without sections.
	sections int64
	want     map[string][]ranked.Key
}

func newWorld(t replay.TB, tx pgx.Tx, most int64) *world {
	w := &world{t: t, tx: tx, lists: ranked.New(spec, sources).Sectioned(), most: most, sections: 64 * most, want: map[string][]ranked.Key{}}
	if most != ranked.Most {
		w.lists.Limit(most)
		w.sections = 4 * most
	}
	return w
}

// batch holds the changes of one Write.
type batch struct {
	add, remove map[string][]ranked.Key
}

func newBatch() batch {
	return batch{add: map[string][]ranked.Key{}, remove: map[string][]ranked.Key{}}
}

// write applies a batch to rows, lists and slices.
func (w *world) write(b batch) {
	w.t.Helper()
	changes := w.lists.Changes()
	var rows [][]any
	for list, keys := range b.add {
		for _, k := range keys {
			changes.Add(list, k)
			rows = append(rows, []any{list, k[0], k[1], k[2]})
			w.want[list] = append(w.want[list], k)
		}
		slices.SortFunc(w.want[list], ranked.Key.Compare)
	}
	if _, err := w.tx.CopyFrom(context.Background(), pgx.Identifier{"ranked_test_v1", "entry"}, []string{"list", "x", "y", "z"}, pgx.CopyFromRows(rows)); err != nil {
		w.t.Fatal(err)
	}
	deletes := &pgx.Batch{}
	for list, keys := range b.remove {
		for _, k := range keys {
			changes.Remove(list, k)
			index, ok := slices.BinarySearchFunc(w.want[list], k, ranked.Key.Compare)
			if !ok {
				w.t.Fatalf("the test removes %v from list %s, which does not have it", k, list)
			}
			w.want[list] = slices.Delete(w.want[list], index, index+1)
			deletes.Queue(`DELETE FROM ranked_test_v1.entry WHERE ctid = (
				SELECT ctid FROM ranked_test_v1.entry WHERE list = $1 AND (x, y, z) = ($2, $3, $4) LIMIT 1)`, list, k[0], k[1], k[2])
		}
		if len(w.want[list]) == 0 {
			delete(w.want, list)
		}
	}
	if err := w.tx.SendBatch(context.Background(), deletes).Close(); err != nil {
		w.t.Fatal(err)
	}
	if err := changes.Write(context.Background(), w.tx); err != nil {
		w.t.Fatal(err)
	}
}

type part struct {
	key ranked.Key
	n   int64
}

// check compares the tables with the slices.
func (w *world) check() {
	w.t.Helper()
	numbers, parts := w.tables()
	want := map[string]int64{}
	for list, keys := range w.want {
		want[list] = int64(len(keys))
	}
	if !maps.Equal(numbers, want) {
		w.t.Fatalf("lists have %v entries, want %v", numbers, want)
	}
	for list := range parts {
		if of, ok := strings.CutPrefix(list, ranked.SectionPrefix); ok && numbers[of] <= w.sections {
			w.t.Fatalf("list %s with %d entries has sections", of, numbers[of])
		} else if !ok && numbers[list] <= w.most {
			w.t.Fatalf("list %s with %d entries has parts", list, numbers[list])
		}
	}
	for list, keys := range w.want {
		if int64(len(keys)) > w.most {
			w.checkParts(list, keys, parts[list])
		}
		if int64(len(keys)) > w.sections {
			w.checkSections(list, parts[list], parts[ranked.SectionPrefix+list])
		}
	}
	for _, c := range ranked.Checks() {
		if wrong := replay.Texts(w.t, w.tx, spec.SQL(`SELECT row_to_json(wrong)::text FROM (`+c.SQL+`) wrong`)); len(wrong) > 0 {
			w.t.Fatalf("check %q fails for %s", c.Name, wrong)
		}
	}
}

// checkSections compares the sections of a list with its parts.
func (w *world) checkSections(list string, parts, sections []part) {
	w.t.Helper()
	if len(sections) == 0 || sections[0].key != (ranked.Key{-1 << 63, -1 << 63, -1 << 63}) {
		w.t.Fatalf("list %s with %d parts has sections %v, the first of which should begin below everything", list, len(parts), sections)
	}
	for i, s := range sections {
		end := len(parts)
		if i+1 < len(sections) {
			end, _ = slices.BinarySearchFunc(parts, sections[i+1].key, func(p part, key ranked.Key) int { return p.key.Compare(key) })
		}
		n, of := int64(0), parts[:end]
		for _, p := range of {
			n += p.n
		}
		parts = parts[end:]
		switch {
		case s.n != n:
			w.t.Fatalf("list %s: section %d of %d, from %v, says %d entries, and its parts have %d", list, i, len(sections), s.key, s.n, n)
		case s.n == 0:
			w.t.Fatalf("list %s: section %d of %d is empty", list, i, len(sections))
		case s.n > w.sections && len(of) > 1:
			w.t.Fatalf("list %s: section %d of %d has %d entries in %d parts", list, i, len(sections), s.n, len(of))
		}
	}
}

func (w *world) tables() (numbers map[string]int64, parts map[string][]part) {
	w.t.Helper()
	numbers, parts = map[string]int64{}, map[string][]part{}
	var name string
	var p part
	rows, err := w.tx.Query(context.Background(), `SELECT name, n FROM ranked_test_v1.list`)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&name, &p.n}, func() error {
			numbers[name] = p.n
			return nil
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	rows, err = w.tx.Query(context.Background(), `SELECT list, a, b, c, n FROM ranked_test_v1.part ORDER BY list, a, b, c`)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&name, &p.key[0], &p.key[1], &p.key[2], &p.n}, func() error {
			parts[name] = append(parts[name], p)
			return nil
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return numbers, parts
}

func (w *world) checkParts(list string, keys []ranked.Key, parts []part) {
	w.t.Helper()
	if len(parts) == 0 || parts[0].key != (ranked.Key{-1 << 63, -1 << 63, -1 << 63}) {
		w.t.Fatalf("list %s with %d entries has parts %v, the first of which should begin below everything", list, len(keys), parts)
	}
	for i, p := range parts {
		held := keys
		if i+1 < len(parts) {
			end, _ := slices.BinarySearchFunc(keys, parts[i+1].key, ranked.Key.Compare)
			held = keys[:end]
		}
		keys = keys[len(held):]
		switch {
		case p.n != int64(len(held)):
			w.t.Fatalf("list %s: part %d of %d, from %v, says %d entries and has %d", list, i, len(parts), p.key, p.n, len(held))
		case p.n == 0:
			w.t.Fatalf("list %s: part %d of %d is empty", list, i, len(parts))
		case p.n > w.most && held[0] != held[len(held)-1]:
			w.t.Fatalf("list %s: part %d of %d has %d entries, from %v to %v", list, i, len(parts), p.n, held[0], held[len(held)-1])
		}
	}
}

func TestRandomHistories(t *testing.T) {
	t.Parallel()
	pool := databases.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		tx := replay.Begin(rt, pool)
		w := newWorld(rt, tx, rapid.SampledFrom([]int64{8, 16, 64}).Draw(rt, "most"))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for range rapid.IntRange(1, 25).Draw(rt, "batches") {
			w.write(w.random(rt, random))
			w.check()
		}
		for len(w.want) > 0 { // until all lists are empty
			w.write(w.shrink(random))
			w.check()
		}
	})
}

// shapes are the ways in which random places new keys.
var shapes = []string{"end", "anywhere", "equal", "few keys", "one place", "beginning"}

// random generates a batch: lists grow and shrink by different amounts, in different places.
func (w *world) random(rt *rapid.T, random *rand.Rand) batch {
	b := newBatch()
	for _, list := range []string{"a", "b", "ü", "d"}[:rapid.IntRange(1, 4).Draw(rt, "lists")] {
		shape := rapid.SampledFrom(shapes).Draw(rt, "shape")
		adds := rapid.SampledFrom([]int{0, 1, 3, int(w.most), 5 * int(w.most)}).Draw(rt, "adds")
		has := w.want[list]
		for i := range adds {
			key := ranked.Key{random.Int64N(1000) - 500, random.Int64N(3), random.Int64N(3)}
			switch shape {
			case "end":
				if len(has) > 0 {
					key[0] = has[len(has)-1][0] + int64(i)
				}
			case "equal":
				key = ranked.Key{}
			case "few keys":
				key = ranked.Key{random.Int64N(3)}
			case "one place":
				key[0] = 7
			case "beginning":
				if len(has) > 0 {
					key[0] = has[0][0] - int64(i)
				}
			}
			b.add[list] = append(b.add[list], key)
		}
		share := rapid.SampledFrom([]float64{0, 0, 0.05, 0.5, 0.95}).Draw(rt, "removed")
		begin := 0
		if len(has) > 0 && shape == "one place" { // remove in one place, too
			begin = random.IntN(len(has))
		}
		for _, key := range has[begin:] {
			if random.Float64() < share {
				b.remove[list] = append(b.remove[list], key)
			}
		}
		if len(b.add[list]) > 0 && rapid.Bool().Draw(rt, "added and removed") {
			b.remove[list] = append(b.remove[list], b.add[list][0])
		}
	}
	return b
}

// shrink returns a batch that removes about half of each list, or its last entries.
func (w *world) shrink(random *rand.Rand) batch {
	b := newBatch()
	for list, keys := range w.want {
		for _, key := range keys {
			if len(keys) < 4 || random.IntN(2) == 0 {
				b.remove[list] = append(b.remove[list], key)
			}
		}
	}
	return b
}

// TestTrueSize fills lists until they have parts of the real size.
func TestTrueSize(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	w := newWorld(t, tx, ranked.Most)
	for round := range int64(6) { // the lists grow at their ends, one by many entries and one by single entries
		b := newBatch()
		for i := range int64(1500) {
			b.add["grows"] = append(b.add["grows"], ranked.Key{round, i})
		}
		b.add["slow"] = append(b.add["slow"], ranked.Key{round})
		w.write(b)
		w.check()
	}
	_, parts := w.tables()
	if got := len(parts["grows"]); got < 9 || got > 18 {
		t.Errorf("a list of 9,000 entries has %d parts", got)
	}
	long := newBatch()
	for i := range int64(70_000) {
		long.add["long"] = append(long.add["long"], ranked.Key{i / 2, i % 2})
	}
	w.write(long)
	w.check()
	if _, parts = w.tables(); len(parts[ranked.SectionPrefix+"long"]) != 2 {
		t.Errorf("a list of 70,000 entries has sections %v", parts[ranked.SectionPrefix+"long"])
	}
	b := newBatch()
	b.remove["grows"] = slices.Clone(w.want["grows"][:8000])
	w.write(b)
	w.check()
}

// TestPartsDoNotPileUp empties a long list except for some scattered entries.
func TestPartsDoNotPileUp(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	const most = 64
	w := newWorld(t, tx, most)
	b := newBatch()
	for i := range int64(20 * most) {
		b.add["l"] = append(b.add["l"], ranked.Key{i})
	}
	w.write(b)
	for left := range most * 17 {
		if left%16 == 0 {
			continue
		}
		b := newBatch()
		b.remove["l"] = []ranked.Key{{int64(left)}}
		w.write(b)
	}
	w.check()
	numbers, parts := w.tables()
	if n, got := numbers["l"], int64(len(parts["l"])); got > 2+n*3/most {
		t.Errorf("a list of %d entries has %d parts of at most %d", n, got, most)
	}
	if n, got := numbers["l"], int64(len(parts[ranked.SectionPrefix+"l"])); got > 2+n*3/w.sections {
		t.Errorf("a list of %d entries has %d sections of at most %d", n, got, w.sections)
	}
}

// TestDisagreement writes changes that contradict the rows.
func TestDisagreement(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes func(c *ranked.Changes)
		want    string
	}{
		"shorter than nothing": {func(c *ranked.Changes) { c.Remove("none", ranked.Key{1}) }, `list "none" would have -1 entries`},
		"no rows": {func(c *ranked.Changes) {
			for i := range int64(9) {
				c.Add("imagined", ranked.Key{i})
			}
		}, `list "imagined" has 9 entries too few`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tx := replay.Begin(t, databases.New(t))
			lists := ranked.New(spec, sources)
			lists.Limit(8)
			changes := lists.Changes()
			test.changes(changes)
			if err := changes.Write(t.Context(), tx); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestEqualKeys fills a part with equal keys, which cannot be cut, and then adds other keys, where it can be.
func TestEqualKeys(t *testing.T) {
	t.Parallel()
	tx := replay.Begin(t, databases.New(t))
	w := newWorld(t, tx, 8)
	for i := range int64(30) {
		b := newBatch()
		b.add["l"] = []ranked.Key{{5}, {5}, {5}}
		if i > 20 {
			b.add["l"] = append(b.add["l"], ranked.Key{i}, ranked.Key{-i})
		}
		w.write(b)
		w.check()
	}
	_, parts := w.tables()
	if biggest := slices.MaxFunc(parts["l"], func(a, b part) int { return cmp.Compare(a.n, b.n) }); biggest.n != 90 {
		t.Errorf("the part of the equal keys has %d entries: %s", biggest.n, fmt.Sprint(parts))
	}
}
