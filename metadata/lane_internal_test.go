package metadata

import (
	"testing"
	"time"

	"strata/domain/fetch"
)

func TestSlotsAreAsManyAsConfigured(t *testing.T) {
	t.Parallel()
	c := Config{Concurrency: 16, Nodes: []string{"http://127.0.0.1"}, Images: imageKeeper{}}
	slots := newRequestSlots(c)
	for l, want := range map[lane]int{laneContract: 16, laneDocument: 16, laneImage: 2} {
		if got := c.workers(l); got <= want {
			t.Errorf("%s: %d workers, want more than the %d slots", l, got, want)
		}
		var ends []func()
		for range want {
			end, ok := slots.acquire(t.Context(), l.queue(), time.Minute)
			if !ok {
				t.Fatalf("%s: no slot after %d, want %d", l, len(ends), want)
			}
			ends = append(ends, end)
		}
		if _, ok := slots.acquire(t.Context(), l.queue(), time.Millisecond); ok {
			t.Errorf("%s: got more than %d slots", l, want)
		}
		ends[0]()
		ends[0]() // must not release a second slot
		if _, ok := slots.acquire(t.Context(), l.queue(), time.Minute); !ok {
			t.Errorf("%s: a released slot can't be acquired", l)
		}
		if _, ok := slots.acquire(t.Context(), l.queue(), time.Millisecond); ok {
			t.Errorf("%s: one release frees two slots", l)
		}
	}
}

// The memory of a version stays as long as the version is active, in its database.
func TestDispatchMemoryIsByVersion(t *testing.T) {
	t.Parallel()
	d := dispatchMemory{}
	here, gone := source{schema: "nft_v2", kind: fetch.Document}, source{schema: "nft_v1", kind: fetch.Document}
	d.add(here, revision{Key: "00"})
	d.add(gone, revision{Key: "00"})
	elsewhere := source{place: 1, schema: "nft_v2", kind: fetch.Document}
	d.add(elsewhere, revision{Key: "00"})
	d.keepVersions([]version{{schema: "nft_v2"}})
	if !d.has(here, revision{Key: "00"}) || d.has(gone, revision{Key: "00"}) || d.has(elsewhere, revision{Key: "00"}) {
		t.Errorf("got %v, want the revision of nft_v2 in the database of the log only", d)
	}
}
