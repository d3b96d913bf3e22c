package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"strata/eventstore"
	"strata/internal/testkit/must"
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
	for _, err := range eventstore.Check(t.Context(), log.Pool(), 10, 1) {
		if err == nil {
			t.Error("Check yields results from a closed pool")
		}
	}
}
