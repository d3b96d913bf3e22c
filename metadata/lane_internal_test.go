package metadata

import "testing"

func TestLanesHaveMoreWorkersThanRequests(t *testing.T) {
	t.Parallel()
	c := Config{Concurrency: 16, Nodes: []string{"http://127.0.0.1"}, Images: imageKeeper{}}
	for l, want := range map[lane]int{laneContract: 16, laneDocument: 16, laneImage: 2} {
		if most, workers := c.concurrency(l), c.workers(l); most != want || workers <= most {
			t.Errorf("%s: got %d requests and %d workers, want %d requests and more workers", l, most, workers, want)
		}
	}
}
