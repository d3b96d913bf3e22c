package projections

import (
	"time"

	"strata/domain/bns"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
)

// Record is something from outside the chain that has a place among its blocks: *fetch.Report, *fetch.Recheck,
// *fetch.Refresh, *fetch.Rest, *Announcement, *nodeevent.DropMempoolTx, *nodeevent.Attachments, *names.ExportPart, or a Bitcoin block,
// *nodeevent.BurnBlock.
type Record any

// RecordKind says what a record is about, so that a projection loads only the records that it reads.
type RecordKind int16

// Kinds of records.
const (
	// Fetched is what this program fetched, or was asked to fetch.
	Fetched RecordKind = 1
	// Mempool is what a node reports about its mempool.
	Mempool RecordKind = 2
	// BitcoinFollowed is a Bitcoin block that is on the followed fork of Bitcoin from now on.
	BitcoinFollowed RecordKind = 3
	// BitcoinLeft is a Bitcoin block that was on the followed fork until now.
	BitcoinLeft RecordKind = 4
	// Attached is what the naming systems have outside of blocks: the content of attachments, which a node has found some
	// time after their block or was asked for, the published export of Stacks 1.0, and what the contracts of
	// both answered to read-only calls about what they do not print.
	Attached RecordKind = 5
)

// KindOf returns the kind of a record, or 0 for nil. It is not for Bitcoin blocks: whether one is followed, chain
// decides.
func KindOf(record Record) RecordKind {
	switch record := record.(type) {
	case nil:
		return 0
	case *fetch.Report:
		if record.Want.Kind == fetch.Attachment {
			return Attached
		}
		if _, ok := bns.SubjectOf(record.Want); ok {
			return Attached
		}
		if _, ok := names.SubjectOf(record.Want); ok {
			return Attached
		}
	case *Announcement, *nodeevent.DropMempoolTx:
		return Mempool
	case *nodeevent.Attachments, *names.ExportPart:
		return Attached
	}
	return Fetched
}

// Announcement is the content of a /new_mempool_tx event: transactions that a node has taken into its mempool.
type Announcement struct {
	// ReceivedAt is when the event reached this program, or the program that made the archive. A node does not report
	// when it got a transaction itself.
	ReceivedAt time.Time
	// Transactions in the order of the body, without those that can't be read.
	Transactions []Announced
}

// Announced is a transaction that waits to be mined.
type Announced struct {
	*transaction.Transaction
	ID    hash.Hash32
	Raw   []byte
	Index int // position in the body
}
