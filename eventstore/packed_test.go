package eventstore_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/packed"
	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// wordy returns a body that becomes shorter.
func wordy(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, `{"txid": "0x%064x"},`, i), 20) }

// A body is read back byte for byte, however it is stored, and only a log that was empty when packing came has frames.
func TestPacked(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat(wordy(1), packed.Max/len(wordy(1))+1)
	for _, c := range []struct {
		path   string
		body   []byte
		frames bool
	}{
		{"/new_block", wordy(1), true},
		{"/new_mempool_tx", wordy(2), true},
		{"/new_block", []byte(`{"a": 1}`), false},
		{"/new_block", nil, false},
		{"/new_block", large, false},
		{"/new_block", large[:packed.Max], true},
		{"/payload", wordy(3), false},
		{"/new_block", packed.Body("/new_block", wordy(4)), false}, // a frame is a body like others
	} {
		for _, packs := range []bool{true, false} {
			t.Run(fmt.Sprint(c.path, len(c.body), packs), func(t *testing.T) { testPacked(t, c.path, c.body, packs, c.frames && packs) })
		}
	}
}

func testPacked(t *testing.T, path string, content []byte, packs, frames bool) {
	t.Helper()
	pool := migrated.New(t)
	if !packs {
		must.Get(pool.Exec(t.Context(), `DELETE FROM log.packing`))(t)
	}
	log := eventstore.Open(pool, eventstore.Config{})
	pgtest.AtEnd(t, log.Close)
	in := func() eventstore.Incoming {
		return eventstore.Incoming{Source: "test", Path: path, Body: eventstore.NewBody(content)}
	}
	must.Get(log.Append(t.Context(), in()))(t)
	other := in()
	other.Body = eventstore.NewBody(append(slices.Clone(content), ' '))
	must.Get(log.AppendBatch(t.Context(), []eventstore.Incoming{in(), other}, nil))(t)
	for i, e := range must.Get(log.Read(t.Context(), eventstore.Range{Events: 10, Bytes: 100 << 20}))(t) {
		want := content
		if i == 2 {
			want = append(slices.Clone(content), ' ')
		}
		if !bytes.Equal(e.Body, want) || e.Size != int64(len(want)) {
			t.Errorf("%s, %d bytes: event %d has %d bytes, and %d are read", path, len(content), e.Seq, e.Size, len(e.Body))
		}
		if one := must.Get(log.Get(t.Context(), e.Seq, true))(t); !bytes.Equal(one.Body, want) {
			t.Errorf("%s: another body of event %d alone", path, e.Seq)
		}
	}
	if got := pgtest.Value[bool](t, pool, `SELECT octet_length(body) < size / 3 FROM log.event WHERE seq = 1`); got != frames {
		t.Errorf("%s, %d bytes, in a log that packs (%t): has a frame: %t", path, len(content), packs, got)
	}
	for result, err := range eventstore.Check(t.Context(), pool, 3, 1) {
		if err != nil || len(result.Faults) > 0 {
			t.Errorf("event %d: %v, %v", result.Seq, result.Faults, err)
		}
	}
	pieces(t, pool, content)
}

// pieces reads the body of event 1 in pieces.
func pieces(t *testing.T, pool *pgxpool.Pool, body []byte) {
	t.Helper()
	const n = 3 << 19
	var read []byte
	for len(read) < len(body) {
		rows := must.Get(pool.Query(t.Context(), `SELECT `+packed.PieceSQL("x", "$1", "$2")+` FROM log.event x WHERE x.seq = 1`, len(read)+1, n))(t)
		var p packed.Piece
		for rows.Next() {
			must.Do(t, rows.Scan(p.Columns()...))
		}
		next := p.Unpack(int64(len(read)), n)
		if len(next) == 0 || len(next) > n {
			t.Fatalf("a piece of %d bytes after %d", len(next), len(read))
		}
		read = append(read, next...)
	}
	if !bytes.Equal(read, body) {
		t.Error("the pieces are not the body")
	}
}
