package metadata

import (
	"testing"
	"time"

	"strata/domain/fetch"
)

func TestTurnsAreAsManyAsConfigured(t *testing.T) {
	t.Parallel()
	c := Config{Concurrency: 16, Nodes: []string{"http://127.0.0.1"}, Images: keeper{}}
	turns := newTurns(c)
	for l, want := range map[lane]int{laneContract: 16, laneDocument: 16, laneImage: 2} {
		if got := c.workers(l); got <= want {
			t.Errorf("%s: %d jobs are under way, want more than the %d that ask", l, got, want)
		}
		var ends []func()
		for range want {
			end, ok := turns.take(t.Context(), l.queue(), time.Minute)
			if !ok {
				t.Fatalf("%s: no turn after %d, want %d", l, len(ends), want)
			}
			ends = append(ends, end)
		}
		if _, ok := turns.take(t.Context(), l.queue(), time.Millisecond); ok {
			t.Errorf("%s: got more than %d turns", l, want)
		}
		ends[0]()
		ends[0]() // is one turn all the same
		if _, ok := turns.take(t.Context(), l.queue(), time.Minute); !ok {
			t.Errorf("%s: a turn that ended is not given on", l)
		}
		if _, ok := turns.take(t.Context(), l.queue(), time.Millisecond); ok {
			t.Errorf("%s: a turn that ended once is given on twice", l)
		}
	}
}

// A projection that is behind the log for a moment, and so is not looked at, has its jobs still.
func TestDispatchedAreRememberedByVersion(t *testing.T) {
	t.Parallel()
	d := dispatched{}
	here, gone := source{"nft_v2", fetch.Document}, source{"nft_v1", fetch.Document}
	d.note(here, raising{Key: "00"})
	d.note(gone, raising{Key: "00"})
	d.only([]version{{name: "nft", schema: "nft_v2"}})
	if !d.has(here, raising{Key: "00"}) || d.has(gone, raising{Key: "00"}) {
		t.Errorf("got %v, want what is of nft_v2", d)
	}
}
