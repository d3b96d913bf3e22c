package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// Check yields every position once, in order, with the record of its row, although workers read pages in parallel.
func TestCheck(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{})
	const size = 3000
	large := bytes.Repeat([]byte("0123456789abcdef"), 2<<20) // two slices
	var batch []eventstore.Incoming
	var total int64
	for i := range size {
		body := fmt.Appendf(nil, "body %d", i%2000)
		if i == 1500 {
			body = large
		}
		if i < 2000 {
			total += int64(len(body))
		}
		batch = append(batch, incoming("/x", body))
	}
	mustAppendBatch(t, log, batch...)
	for _, workers := range []int{0, 1, 5} {
		next, read, own := int64(1), int64(0), 0
		for c, err := range eventstore.Check(t.Context(), log.Pool(), size-1, workers) {
			must.Do(t, err)
			if c.Seq != next || c.Last != next || c.Missing() || len(c.Faults) > 0 {
				t.Fatalf("at %d: got %d to %d, missing %t, %v", next, c.Seq, c.Last, c.Missing(), c.Faults)
			}
			e, err := log.Get(t.Context(), c.Seq, false)
			if err == nil && workers == 1 && !bytes.Equal(c.Record, eventstore.AppendLeafRecord(nil, &e)) {
				t.Errorf("event %d has another record", c.Seq)
			}
			next++
			read += c.BytesRead
			if c.HoldsBody {
				own++
			}
		}
		if next != size || own != 2000 || read != total {
			t.Errorf("got %d events, %d with a body of their own, %d bytes; want %d, 2000 and %d", next-1, own, read, size-1, total)
		}
	}
}

// A caller that stops early gets nothing more. A cancelled context ends the sequence with its error.
func TestCheckStops(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{})
	var batch []eventstore.Incoming
	for i := range 2500 {
		batch = append(batch, incoming("/x", fmt.Append(nil, i)))
	}
	mustAppendBatch(t, log, batch...)
	for _, most := range []int64{1, 1024, 1025} {
		got := int64(0)
		for c, err := range eventstore.Check(t.Context(), log.Pool(), 2500, 2) {
			must.Do(t, err)
			if got = c.Seq; got == most {
				break
			}
		}
		if got != most {
			t.Errorf("got %d, want %d", got, most)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		for c, err := range eventstore.Check(ctx, log.Pool(), 2500, 2) {
			if last = err; err == nil && c.Seq == most {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("stopped at %d: got %v", most, last)
		}
		cancel()
	}
	var missing []int64
	for c, err := range eventstore.Check(t.Context(), log.Pool(), 5000, 2) {
		must.Do(t, err)
		if c.Missing() {
			missing = append(missing, c.Seq, c.Last)
		}
	}
	if fmt.Sprint(missing) != "[2501 3072 3073 4096 4097 5000]" {
		t.Errorf("beyond the end: got %v", missing)
	}
	log.Pool().Close()
	for c, err := range eventstore.Check(t.Context(), log.Pool(), 10, 1) {
		if missing = nil; c != nil || err == nil {
			t.Errorf("a closed pool: got %v, %v", c, err)
		}
	}
	if missing != nil {
		t.Error("the check of a closed pool does not fail")
	}
}

// Check names what a row contradicts, in itself and in what it refers to, and nothing else.
func TestCheckFaults(t *testing.T) {
	t.Parallel()
	log := openLog(t, migrated.New(t), eventstore.Config{})
	large := noise(2<<20, 1)
	for _, body := range []string{"a", "b", "c", string(large), "", "d", "a", "a", "a", "a", "e", "f", "g", "h", "i"} {
		mustAppend(t, log, incoming("/x", []byte(body)))
	}
	must.Get(pgtest.Connect(t, pgtest.AdminURL(t)).Exec(t.Context(), `SET session_replication_role = replica;
		ALTER TABLE log.event DROP CONSTRAINT event_body_check, DROP CONSTRAINT event_body_seq_check, DROP CONSTRAINT event_sha256_check;
		UPDATE log.event SET body = 'other' WHERE seq = 2;
		UPDATE log.event SET body = 'x' WHERE seq = 3;
		UPDATE log.event SET body = set_byte(body, 2000000, 255 - get_byte(body, 2000000)) WHERE seq = 4;
		UPDATE log.event SET sha256 = 'x' WHERE seq = 5;
		UPDATE log.event SET body = NULL WHERE seq = 6;
		UPDATE log.event SET body_seq = 2 WHERE seq = 7;
		UPDATE log.event SET body_seq = 9 WHERE seq = 8;
		UPDATE log.event SET body_seq = -4 WHERE seq = 9;
		UPDATE log.event SET body = 'a' WHERE seq = 10;
		DELETE FROM log.small_body WHERE seq = 11;
		UPDATE log.small_body SET seq = 44 WHERE seq = 12;
		DELETE FROM log.event WHERE seq IN (13, 14)`))(t)
	want := []string{
		"2 body: its body has 5 bytes, the row says 1",
		"3 body: its body has the SHA-256 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881, the row says 2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6",
		"4 body: its body has the SHA-256 ", "5 body: its SHA-256 has 1 bytes, not 32", "5 body: its body has the SHA-256 e3b0c44298fc1c149afb",
		"6 body: it holds no body, and points to none",
		"7 body_seq: it points to event 2 for its body, which holds another body", "7 log.body: its SHA-256 names event 1 there, want 2",
		"8 body_seq: it points to event 9 for its body, which is not an earlier event", "8 log.body: its SHA-256 names event 1 there, want 9",
		"9 body_seq: it points to event -4 for its body, which is missing", "9 log.body: its SHA-256 is missing there, want it to name event -4",
		"10 body_seq: it holds a body, yet points to event 1 for it", "10 log.body: its SHA-256 names event 1 there, want 10",
		"11 log.body: its SHA-256 is missing there, want it to name event 11",
		"12 log.body: its SHA-256 names event 44 there, want 12",
	}
	read := map[int64]int64{}
	for c, err := range eventstore.Check(t.Context(), log.Pool(), 15, 1) {
		must.Do(t, err)
		read[c.Seq] = c.BytesRead
		if c.Missing() != (c.Seq == 13 && c.Last == 14) {
			t.Errorf("events %d to %d: missing %t", c.Seq, c.Last, c.Missing())
		}
		for _, f := range c.Faults {
			got := fmt.Sprintf("%d %s: %s", c.Seq, f.What, f.Detail)
			if len(want) == 0 || !strings.HasPrefix(got, want[0]) {
				t.Fatalf("got %q, want %q", got, want)
			}
			want = want[1:]
		}
		if holds := !slices.Contains([]int64{5, 6, 7, 8, 9, 13}, c.Seq); c.HoldsBody != holds {
			t.Errorf("event %d holds its body: %t", c.Seq, c.HoldsBody)
		}
	}
	if len(want) > 0 || read[2] != 5 || read[4] != 2<<20 || read[6] != 0 {
		t.Errorf("%v bytes were read, and these were not found: %q", read, want)
	}
}
