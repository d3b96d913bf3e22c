package projections

import (
	"strata/domain/fetch"
	"strata/eventstore"
)

// decodeRecord reads an event that this program has put into the log.
func decodeRecord(event *eventstore.Event) (record Record, err error) {
	err = guarded(func() (err error) {
		if event.Path == fetch.PathRefresh {
			record, err = fetch.DecodeRefresh(event.Body)
		} else {
			record, err = fetch.DecodeReport(event.Body)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return record, nil
}
