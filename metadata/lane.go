package metadata

import "strata/domain/fetch"

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

// workers is how many wants of a lane are under way at the same time.
func (c Config) workers(l lane) int {
	if l == laneImage {
		return max(c.Concurrency/imageShare, 1)
	}
	return c.Concurrency
}
