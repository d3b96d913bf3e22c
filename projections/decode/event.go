package decode

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"strata/domain/fetch"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
	"strata/domain/transaction"
	"strata/eventstore"
	"strata/projections"
)

// decodeFeed decodes an event for ordinals. The item of an event that ordinals does not read has no content.
func decodeFeed(event *eventstore.Event) projections.LogItem {
	item := projections.LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size}
	if !slices.Contains(FeedPaths, event.Path) {
		return item
	}
	item.Err = projections.Recovered(func() (err error) {
		item.Feed, err = ordinals.Decode(event.Body)
		return err
	})
	if item.Err != nil {
		item.Feed = nil
	}
	return item
}

// decodeEvent decodes an event for chain. The item of an event that chain does not read has no content.
func decodeEvent(event *eventstore.Event) projections.LogItem {
	item := projections.LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size}
	if slices.Contains(recordedPaths, event.Path) {
		item.Record, item.Err = decodeRecord(event)
		return item
	}
	if !slices.Contains(ChainPaths, event.Path) {
		return item
	}
	item.Err = projections.Recovered(func() error {
		payload, unknown, err := nodeevent.DecodeAll(event.Path, event.Body)
		if err != nil {
			return err
		}
		item.Payload, item.Unknown, item.Damaged = payload, unknown, nodeevent.Damaged(payload)
		switch p := payload.(type) {
		case *nodeevent.MempoolTx:
			announcement, damaged := decodeAnnouncement(p, event.ReceivedAt)
			item.Record, item.Damaged = announcement, append(item.Damaged, damaged...)
		case *nodeevent.DropMempoolTx:
			item.Record = p
		case *nodeevent.Attachments:
			item.Record = p
		case *nodeevent.Block:
			decoded, err := decodeTransactions(p.Transactions)
			if err != nil {
				return err
			}
			item.Block = &projections.Block{Block: p, Seq: event.Seq, BodySize: event.Size, Decoded: decoded, Unknown: unknown}
		case *nodeevent.Microblocks:
			_, err = decodeTransactions(p.Transactions)
			return err
		}
		return nil
	})
	if item.Err != nil {
		item.Payload, item.Block, item.Record, item.Damaged = nil, nil, nil, nil
	}
	return item
}

// recordOf returns what steps name of an event: its Record, or the Bitcoin block that it announces.
func recordOf(item *projections.LogItem) projections.Record {
	if burn, ok := item.Payload.(*nodeevent.BurnBlock); ok {
		return burn
	}
	return item.Record
}

// decodeRecord decodes an event that this program has put into the log.
func decodeRecord(event *eventstore.Event) (record projections.Record, err error) {
	err = projections.Recovered(func() (err error) {
		switch event.Path {
		case fetch.PathRefresh:
			record, err = fetch.DecodeRefresh(event.Body)
		case fetch.PathRest:
			record, err = fetch.DecodeRest(event.Body)
		case fetch.PathRecheck:
			record, err = fetch.DecodeRecheck(event.Body)
		case names.PathExport:
			record, err = names.DecodeExport(event.Body)
		default:
			record, err = fetch.DecodeReport(event.Body)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return record, nil
}

// decodeAnnouncement decodes the transactions of a mempool. Each stands for itself: damaged are those that can't be read.
func decodeAnnouncement(payload *nodeevent.MempoolTx, receivedAt time.Time) (a *projections.Announcement, damaged []*nodeevent.FieldError) {
	a = &projections.Announcement{ReceivedAt: receivedAt, Transactions: make([]projections.Announced, 0, len(payload.RawTxs))}
	for i, raw := range payload.RawTxs {
		if raw == nil {
			continue
		}
		tx, err := transaction.Decode(raw)
		if err != nil {
			damaged = append(damaged, unreadableTransaction("/"+strconv.Itoa(i), raw, err))
			continue
		}
		a.Transactions = append(a.Transactions, projections.Announced{Transaction: tx, ID: transaction.ID(raw), Raw: raw, Index: i})
	}
	return a, damaged
}

// decodeTransactions refuses the payload when it can't tell who pays what: without that every later balance would be
// wrong. A payload type that this program does not know is no reason to refuse: the fee is in the part before it.
func decodeTransactions(txs []nodeevent.Transaction) ([]*transaction.Transaction, error) {
	decoded := make([]*transaction.Transaction, len(txs))
	for i := range txs {
		if transaction.IsBurnchainOp(txs[i].RawTx) {
			continue
		}
		tx, err := transaction.Decode(txs[i].RawTx)
		if err != nil {
			return nil, unreadableTransaction(txs[i].Pointer()+"/raw_tx", txs[i].RawTx, err)
		}
		decoded[i] = tx
	}
	return decoded, nil
}

func unreadableTransaction(pointer string, raw []byte, err error) *nodeevent.FieldError {
	return &nodeevent.FieldError{Path: pointer, Want: "a serialised transaction", Got: fmt.Sprintf("%d bytes", len(raw)), Err: err}
}
