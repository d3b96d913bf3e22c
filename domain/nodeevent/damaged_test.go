package nodeevent_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
)

// listBody is a kind of body with a list whose elements stand for themselves.
type listBody struct {
	path, before, after string
	pointer             string // of the list
	good                func(n int) string
	bad                 map[string]string // elements that can't be read, with the pointer of the fault within the element
}

func listBodies() []listBody {
	attachment, _, _ := strings.Cut(attachments[1:], ",{")
	return []listBody{
		{
			path: "/new_mempool_tx", before: `[`, after: `]`, good: func(n int) string { return fmt.Sprintf(`"0x%02x"`, n) },
			bad: map[string]string{`null`: "", `5`: "", `{"a":[{}]}`: "", `[[1,"]"]]`: "", `"0xg0"`: "", `"0x0"`: ""},
		},
		{
			path: "/drop_mempool_tx", before: `{"reason":"ReplaceByFee","dropped_txids":[`, after: `],"new_txid":null}`, pointer: "/dropped_txids",
			good: func(n int) string { return fmt.Sprintf(`"0x%064x"`, n) },
			bad:  map[string]string{`null`: "", `"0x12"`: "", `{}`: "", `true`: ""},
		},
		{
			path: "/attachments/new", before: `[`, after: `]`,
			good: func(n int) string {
				return strings.Replace(attachment, `"attachment_index":`, fmt.Sprintf(`"unheard":%d,"attachment_index":`, n), 1)
			},
			bad: map[string]string{
				`null`: "/attachment_index", `7`: "", `{}`: "/attachment_index",
				strings.Replace(attachment, `"tx_id"`, `"x"`, 1):                     "/tx_id",
				`{"attachment_index":{"a":[1,{"b":2}]},"content":"0x"}`:              "/attachment_index",
				strings.Replace(attachment, `"content":`, `"content":5,"again":`, 1): "/content",
			},
		},
	}
}

// TestDamagedParts checks that a body with parts that can't be read gives what the body without them gives, and says where
// they are.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	for _, w := range listBodies() {
		t.Run(w.path, func(t *testing.T) {
			t.Parallel()
			bad := slices.Sorted(func(yield func(string) bool) {
				for text := range w.bad {
					if !yield(text) {
						return
					}
				}
			})
			rapid.Check(t, func(t *rapid.T) {
				var all, readable, pointers []string
				var indexes []int // of the readable parts
				for i := range rapid.IntRange(0, 6).Draw(t, "parts") {
					part := w.good(i)
					if rapid.Bool().Draw(t, "damaged") {
						part = rapid.SampledFrom(bad).Draw(t, "part")
						pointers = append(pointers, fmt.Sprintf("%s/%d%s", w.pointer, i, w.bad[part]))
					} else {
						readable, indexes = append(readable, part), append(indexes, i)
					}
					all = append(all, part)
				}
				decode := func(parts []string) nodeevent.Payload {
					return must.Get(nodeevent.Decode(w.path, []byte(w.before+strings.Join(parts, " , ")+w.after)))(t)
				}
				got, want := decode(all), decode(readable)
				var said []string
				for _, e := range nodeevent.Damaged(got) {
					said = append(said, e.Path)
				}
				if !slices.Equal(said, pointers) || len(nodeevent.Damaged(want)) > 0 {
					t.Fatalf("got damaged %q, want %q", said, pointers)
				}
				if g, w := readableOf(got), readableOf(want); !reflect.DeepEqual(g, w) {
					t.Fatalf("got %+v, want %+v", g, w)
				}
				if at := indexesOf(got); at != nil && !slices.Equal(at, indexes) {
					t.Fatalf("got parts at %v, want %v", at, indexes)
				}
				cut := rapid.IntRange(0, len(w.after)-1).Draw(t, "cut")
				if p, err := nodeevent.Decode(w.path, []byte(w.before+strings.Join(all, ",")+w.after[:cut])); err == nil {
					t.Fatalf("a body that is cut off: got %+v", p)
				}
			})
		})
	}
}

// indexesOf returns the places of what counts of a payload that tells them.
func indexesOf(p nodeevent.Payload) (indexes []int) {
	switch p := p.(type) {
	case *nodeevent.MempoolTx:
		for i, raw := range p.RawTxs {
			if raw != nil {
				indexes = append(indexes, i)
			}
		}
	case *nodeevent.Attachments:
		for i := range p.List {
			indexes = append(indexes, p.List[i].Index)
		}
	}
	return indexes
}

// readableOf returns what counts of a payload, without the places of its parts.
func readableOf(p nodeevent.Payload) any {
	switch p := p.(type) {
	case *nodeevent.MempoolTx:
		return slices.DeleteFunc(append([][]byte{}, p.RawTxs...), func(raw []byte) bool { return raw == nil })
	case *nodeevent.DropMempoolTx:
		return append([]any{p.Reason, p.NewTxID}, any(p.TxIDs))
	case *nodeevent.Attachments:
		list := append([]nodeevent.Attachment{}, p.List...)
		for i := range list {
			list[i].Index = 0
		}
		return list
	}
	return nil
}
