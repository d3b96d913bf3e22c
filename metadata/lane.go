package metadata

import "strata/domain/fetch"

// lane is the workers for wants that are fetched from the same kind of place. Separate lanes keep slow images from
// delaying contract reads, and slow nodes from delaying documents.
type lane string

const (
	laneContract lane = "contract"
	laneDocument lane = "document"
	laneImage    lane = "image"
	// laneAttachment is for the contents of attachments, of which there may be very many after a replay.
	laneAttachment lane = "attachment"
)

// kinds lists the kinds of wants in each lane.
var kinds = map[lane][]fetch.Kind{
	laneContract: {fetch.ContractRead, fetch.ContractInterface},
	laneDocument: {fetch.Document},
	laneImage:    {fetch.Image},

	laneAttachment: {fetch.Attachment},
}

// imageShare is the inverse of the fraction of Config.Concurrency that images get.
const imageShare = 8

// attachmentShare is the inverse of the fraction of Config.Concurrency that attachments get, and attachmentsPerSecond
// the most that one process asks for in a second: nodes answer with the thread that also follows the chain, and nobody
// waits for the zonefiles of years ago.
const (
	attachmentShare      = 32
	attachmentsPerSecond = 5
)

// lanes returns the lanes that this process works on.
func (c Config) lanes() []lane {
	lanes := []lane{laneDocument}
	if len(c.Nodes) > 0 {
		lanes = append(lanes, laneContract, laneAttachment)
	}
	if c.Images != nil {
		lanes = append(lanes, laneImage)
	}
	return lanes
}

// concurrency returns the maximum number of wants of a lane that are fetched at the same time.
func (c Config) concurrency(l lane) int {
	switch l {
	case laneImage:
		return max(c.Concurrency/imageShare, 1)
	case laneAttachment:
		return max(c.Concurrency/attachmentShare, 1)
	}
	return c.Concurrency
}

// workers returns the number of workers of a lane. It is twice the concurrency: while one half makes requests, the other half
// waits for its turn or records reports, so the database's time does not add to that of the requests.
func (c Config) workers(l lane) int { return 2 * c.concurrency(l) }
