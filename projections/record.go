package projections

import (
	"fmt"
	"strconv"
	"time"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/eventstore"
)

// Announcement is what a node has taken into its mempool (/new_mempool_tx).
type Announcement struct {
	// ReceivedAt is when it reached this program, or whoever made the archive that it came in: a node does not say when it
	// got a transaction itself.
	ReceivedAt time.Time
	// Transactions in the order of the body, where each is the item of its index.
	Transactions []Announced
}

// Announced is a transaction that waits to be mined.
type Announced struct {
	*transaction.Transaction
	ID  hash.Hash32
	Raw []byte
}

// announcement decodes transactions of a mempool. It refuses all when one can't be read: then the body is not what a node
// sends.
func announcement(payload *nodeevent.MempoolTx, receivedAt time.Time) (*Announcement, error) {
	a := &Announcement{ReceivedAt: receivedAt, Transactions: make([]Announced, len(payload.RawTxs))}
	for i, raw := range payload.RawTxs {
		tx, err := transaction.Decode(raw)
		if err != nil {
			return nil, &nodeevent.FieldError{Path: "/" + strconv.Itoa(i), Want: "a serialised transaction", Got: fmt.Sprintf("%d bytes", len(raw)), Err: err}
		}
		a.Transactions[i] = Announced{Transaction: tx, ID: transaction.ID(raw), Raw: raw}
	}
	return a, nil
}

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
