package metadata

import (
	"testing"

	"strata/domain/fetch"
)

func TestLanesHaveMoreWorkersThanSlots(t *testing.T) {
	t.Parallel()
	c := Config{Concurrency: 16, Nodes: []string{"http://127.0.0.1"}, Images: imageKeeper{}}
	for l, want := range map[lane]int{laneContract: 16, laneDocument: 16, laneImage: 2} {
		if slots, workers := c.slots()[l.queue()], c.workers(l); slots != want || workers <= slots {
			t.Errorf("%s: got %d slots and %d workers, want %d slots and more workers", l, slots, workers, want)
		}
	}
}

// The memory of a version stays as long as the version is active.
func TestDispatchMemoryIsByVersion(t *testing.T) {
	t.Parallel()
	d := dispatchMemory{}
	here, gone := source{"nft_v2", fetch.Document}, source{"nft_v1", fetch.Document}
	d.add(here, revision{Key: "00"})
	d.add(gone, revision{Key: "00"})
	d.keepVersions([]version{{schema: "nft_v2"}})
	if !d.has(here, revision{Key: "00"}) || d.has(gone, revision{Key: "00"}) {
		t.Errorf("got %v, want the revision of nft_v2 only", d)
	}
}
