package projections

import (
	"errors"
	"strings"

	"strata/domain/fetch"
	"strata/eventstore"
)

// errForeignRecord is why an event under a path of our own is not believed: anybody who reaches the observer can post.
var errForeignRecord = errors.New("only this program itself puts such events into the log, and this one was posted to the observer")

// decodeRecord reads an event that this program has put into the log.
func decodeRecord(event *eventstore.Event) (record Record, err error) {
	if strings.HasPrefix(event.Source, "observer:") {
		return nil, errForeignRecord
	}
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
