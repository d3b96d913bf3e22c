package versions

import (
	"math"
	"strings"
	"testing"
	"time"

	"strata/eventstore"
	"strata/internal/testkit/must"
	"strata/rig/replay"
)

// The estimated size of a log is exact for a short log, and approximate for a long one.
func TestLogBytes(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	empty, err := readLogBytes(t.Context(), log.Pool())
	if err != nil || empty.upTo(0) != 0 || empty.upTo(100) != 0 {
		t.Errorf("an empty log: got %v and %v", empty, err)
	}
	const events = logStretches*logSamples + 5000
	var batch []eventstore.Incoming
	sums := []float64{0}
	for i := range events {
		size := 2 + i%97
		if i > events/2 {
			size += 1000
		}
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "test", Path: "/p", ContentType: "text/plain", Body: eventstore.NewBody([]byte(strings.Repeat("x", size))),
		})
		sums = append(sums, sums[i]+float64(size))
	}
	appendAll := func(batch []eventstore.Incoming) {
		t.Helper()
		must.Get(log.AppendBatch(t.Context(), batch, nil))(t)
	}
	appendAll(batch[:1000])
	known := must.Get(readLogBytes(t.Context(), log.Pool()))(t)
	for _, seq := range []int64{logSamples, 10 * logSamples, 1000} { // the ends of stretches
		if got := known.upTo(seq); math.Abs(got-sums[seq]) > 1e-6 {
			t.Errorf("up to event %d: got %f, want %f", seq, got, sums[seq])
		}
	}
	appendAll(batch[1000:])
	if known, err = readLogBytes(t.Context(), log.Pool()); err != nil {
		t.Fatal(err)
	}
	if len(known.ends) > logStretches+1 || known.ends[len(known.ends)-1] != events {
		t.Errorf("got %d stretches up to %d, want at most %d up to %d", len(known.ends), known.ends[len(known.ends)-1], logStretches, events)
	}
	last := 0.0
	for seq := int64(1); seq <= events; seq += 501 {
		got := known.upTo(seq)
		if math.Abs(got-sums[seq]) > sums[seq]/20+5000 || got < last {
			t.Errorf("up to event %d: got %f, want about %f, and not less than %f", seq, got, sums[seq], last)
		}
		last = got
	}
	if got, want := known.upTo(events+100)-known.upTo(events), 100*(1000+50.0); math.Abs(got-want) > want/5 {
		t.Errorf("what came since: got %f, want about %f", got, want)
	}
}
