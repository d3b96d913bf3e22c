package metadata

import (
	"fmt"

	"strata/domain/fetch"
	"strata/eventstore"
)

// together returns the events of a batch. Reports of the same block and gateway that found nothing new share one, which costs
// the log a fraction of as many events. It sets what each attempt costs.
func together(batch []*finishedAttempt) ([]eventstore.Incoming, error) {
	type shared struct {
		fetch.Recheck
		place    int // of its event
		attempts []*finishedAttempt
	}
	var events []eventstore.Incoming
	type source struct {
		tip     fetch.Tip // zero for none
		gateway string
	}
	rechecks := map[source]*shared{}
	for _, f := range batch {
		f.cost = f.size()
		var from source
		if last, ok := f.report.Last(); ok {
			from.gateway = last.Gateway
		}
		if f.report.Tip != nil {
			from.tip = *f.report.Tip
		}
		of := rechecks[from]
		if of == nil {
			of = &shared{place: len(events)}
		}
		if !of.Add(f.report) {
			events = append(events, f.incoming)
			continue
		}
		if of.attempts = append(of.attempts, f); len(of.attempts) == 1 { // alone so far
			rechecks[from] = of
			events = append(events, f.incoming)
		}
	}
	for _, of := range rechecks {
		if len(of.attempts) == 1 {
			continue
		}
		body, err := of.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode a recheck of %d wants: %w", len(of.attempts), err)
		}
		for _, f := range of.attempts {
			f.cost = int64(len(body) / len(of.attempts))
		}
		events[of.place] = eventstore.Incoming{
			ReceivedAt: of.FinishedAt, Source: "metadata", Path: fetch.PathRecheck, ContentType: fetch.ContentType, Body: eventstore.NewBody(body),
		}
	}
	return events, nil
}
