package internal_test

import (
	"slices"
	"strings"
	"testing"

	"strata/readapi/internal/page"
)

func TestShortNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "stx", strings.Repeat("a", 115), strings.Repeat("é", 57)} {
		if got := page.ShortName(name, 115); got != name {
			t.Errorf("got %q, want %q as it is", got, name)
		}
		if _, _, ok := page.CutShortName(name); ok {
			t.Errorf("%q is no short form", name)
		}
	}
	seen := map[string]bool{}
	for _, name := range []string{strings.Repeat("a", 116), strings.Repeat("a", 117), strings.Repeat("é", 58), strings.Repeat("a", 1<<20)} {
		short := page.ShortName(name, 115)
		beginning, digest, ok := page.CutShortName(short)
		if len(short) > 115 || !ok || len(digest) != 32 || !strings.HasPrefix(name, beginning) || seen[short] {
			t.Errorf("got %q (%q, %x, %v) for %d bytes", short, beginning, digest, ok, len(name))
		}
		seen[short] = true
	}
	if _, _, ok := page.CutShortName("x~" + strings.Repeat("g", 64)); ok {
		t.Error("text that is no hex is taken for a digest")
	}
}

func TestEventCursor(t *testing.T) {
	t.Parallel()
	for cursor, want := range map[page.EventCursor][4]int64{
		"":                {1<<63 - 1, 1<<31 - 1, 1<<31 - 1, 1<<31 - 1},
		"7:0:0:0":         {7, 1<<31 - 1, 1<<31 - 1, 1<<31 - 1},
		"7:0:0:5":         {7, 0, 0, 5},
		"7:2147483647:3:": {},
		page.EventCursor(page.EventText(7, 2147483647, 3, 4)): {7, 2147483647, 3, 4},
	} {
		err := cursor.Check()
		if want == [4]int64{} {
			if err == nil {
				t.Errorf("%q is accepted", cursor)
			}
			continue
		}
		height, sequence, index, event := cursor.Position()
		if got := [4]int64{height, sequence, index, event}; got != want || err != nil {
			t.Errorf("%q: got %v, %v, want %v", cursor, got, err, want)
		}
	}
	for _, cursor := range []page.EventCursor{"2147483648:0:0:0", "0:2147483648:0:0", "0:0:32768:0", "0:0:0:2147483648", "99999999999999999999:0:0:0"} {
		if err := cursor.Check(); err == nil || err.Error() != "Cursor value out of range: "+string(cursor) {
			t.Errorf("%q: got %v", cursor, err)
		}
	}
}

func TestPositionCursor(t *testing.T) {
	t.Parallel()
	for _, cursor := range []page.PositionCursor{"", "2147483647:2147483647:32767", "7:0:0"} {
		if err := cursor.Check(); err != nil {
			t.Errorf("%q: got %v", cursor, err)
		}
	}
	for _, cursor := range []page.PositionCursor{"2147483648:0:0", "0:2147483648:0", "0:0:32768", "99999999999999999999:0:0"} {
		if err := cursor.Check(); err == nil || err.Error() != "Cursor value out of range: "+string(cursor) {
			t.Errorf("%q: got %v", cursor, err)
		}
	}
}

// Every page of a numbered list, with the cursors of the pages beside it.
func TestDescendingPage(t *testing.T) {
	t.Parallel()
	type row struct{ n int64 }
	texts := strings.Split("0123456789", "")
	for length := range int64(9) {
		for start := range length + 1 {
			for limit := 1; limit < 5; limit++ {
				d := page.Descent{Start: start, Length: length, Limit: limit}
				var rows []row
				for _, n := range d.Numbers() {
					rows = append(rows, row{n})
				}
				list := page.DescendingPage(d, rows, func(r *row) int64 { return r.n }, func(r *row) string { return texts[r.n] }, func(r *row) int64 { return r.n })
				var want []int64
				for n := start; n > max(start-int64(limit), 0); n-- {
					want = append(want, n)
				}
				is := func(cursor *string, n int64) bool {
					return n <= 0 && cursor == nil || n > 0 && cursor != nil && *cursor == texts[n]
				}
				before := int64(0)
				if start < length {
					before = min(start+int64(limit), length)
				}
				if c := list.Cursor; !slices.Equal(list.Results, want) || !is(c.Current, start) || !is(c.Next, start-int64(limit)) || !is(c.Previous, before) || list.Total != length {
					t.Errorf("%+v: got %+v", d, list)
				}
			}
		}
	}
}
