package metadata

import (
	"context"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"golang.org/x/sync/semaphore"

	"strata/domain/fetch"
)

// lane is a queue of its own for wants that wait for the same kind of thing, so that slow images don't hold up the
// nodes, nor slow nodes the documents.
type lane string

const (
	laneContract lane = "contract"
	laneDocument lane = "document"
	laneImage    lane = "image"
)

// kinds are the wants of each lane.
var kinds = map[lane][]fetch.Kind{
	laneContract: {fetch.ContractRead, fetch.ContractInterface},
	laneDocument: {fetch.Document},
	laneImage:    {fetch.Image},
}

func (l lane) queue() string { return "metadata_" + string(l) }

// imageShare of Config.Concurrency is what images get.
const imageShare = 8

// lanes are those in which this process can do something.
func (c Config) lanes() []lane {
	lanes := []lane{laneDocument}
	if len(c.Nodes) > 0 {
		lanes = append(lanes, laneContract)
	}
	if c.Images != nil {
		lanes = append(lanes, laneImage)
	}
	return lanes
}

// concurrency is how many wants of a lane are asked for at the same time.
func (c Config) concurrency(l lane) int {
	if l == laneImage {
		return max(c.Concurrency/imageShare, 1)
	}
	return c.Concurrency
}

// workers is how many jobs of a lane are under way: as many again as are asked for, which are taken from the queue or
// recorded meanwhile. So the database's time does not add to that of the requests.
func (c Config) workers(l lane) int { return min(2*c.concurrency(l), river.QueueNumWorkersMax) }

// turns lets so many jobs of a lane make requests as the configuration says.
type turns map[string]*semaphore.Weighted // by queue

func newTurns(c Config) turns {
	t := turns{}
	for _, l := range c.lanes() {
		t[l.queue()] = semaphore.NewWeighted(int64(c.concurrency(l)))
	}
	return t
}

// take waits for the job's turn, which ends with the function that is returned. It is not ok when there was none in time.
func (t turns) take(ctx context.Context, queue string, patience time.Duration) (end func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if t[queue].Acquire(ctx, 1) != nil {
		return nil, false
	}
	return sync.OnceFunc(func() { t[queue].Release(1) }), true
}
