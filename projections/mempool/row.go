package mempool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"strconv"

	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

type txid = hash.Hash32

// claim is the use of an account's nonce, which happens once.
type claim struct {
	account string
	nonce   uint64
}

// claimKey stands for a claim in the table mined.
type claimKey = [16]byte

// key hashes the claim, as claimSQL does in SQL. Uses are only ever looked up by their claim, for which the first half of a
// hash does: it is shorter than an address and a number, and 128 bits do not collide.
func (c claim) key() claimKey {
	sum := sha256.Sum256([]byte(c.account + "/" + strconv.FormatUint(c.nonce, 10)))
	return claimKey(sum[:len(claimKey{})])
}

// use is the transaction of a canonical block that used a nonce.
type use struct {
	txid                    txid
	height, burnHeight, seq int64
}

// compareUses orders uses by their blocks.
func compareUses(a, b use) int {
	return cmp.Or(cmp.Compare(a.height, b.height), bytes.Compare(a.txid[:], b.txid[:]))
}

// Statuses of transactions, as the read API names them.
const (
	pending           = "pending"
	mined             = "mined"
	replaceByFee      = "dropped_replace_by_fee"
	replaceAcrossFork = "dropped_replace_across_fork"
	tooExpensive      = "dropped_too_expensive"
	stale             = "dropped_stale_garbage_collect"
	problematic       = "dropped_problematic"
	dropped           = "dropped" // for a reason that this program does not know
)

// statuses maps a node's reason for a drop to a status.
var statuses = map[nodeevent.DropReason]string{
	nodeevent.DropReplaceByFee: replaceByFee, nodeevent.DropReplaceAcrossFork: replaceAcrossFork,
	nodeevent.DropStaleGarbageCollect: stale, nodeevent.DropTooExpensive: tooExpensive, nodeevent.DropProblematic: problematic,
}

// row is an announced transaction.
type row struct {
	txid txid
	// The announcement that last made it pending.
	seq, receiptTime, receiptHeight int64
	pointer                         int32

	sender              claim
	sponsor             *claim
	recipient, contract string
	fee                 uint64
	amount              *uint64
	size                int32
	payload             int16
	raw                 []byte // nil for a stored row

	dropped *dropping // by a node
	mined   *use      // by a canonical block
	taken   *use      // the lowest canonical block's use of one of its nonces for another transaction
	expired *int64    // height of the block at which it was too old

	changedSeq int64 // the event that last changed any of this

	status       string
	stored       bool   // the table has the row
	storedStatus string // status in the table; empty if not stored
	changed      bool
}

// dropping is a node's message that it dropped a transaction.
type dropping struct {
	reason string // the status that stands for it, or the node's own word if this program does not know the reason
	by     *txid
	seq    int64
}

// reasonOf returns the reason of a drop.
func reasonOf(record *nodeevent.DropMempoolTx) string {
	if status, ok := statuses[record.Reason]; ok {
		return status
	}
	return projections.Text(string(record.Reason))
}

// status returns the status of a transaction that was dropped.
func (d *dropping) status() string {
	for _, status := range statuses {
		if d.reason == status {
			return status
		}
	}
	return dropped
}

func newRow(a *projections.Announced) *row {
	r := &row{
		txid: a.ID, sender: claim{a.Sender().String(), a.Nonce()}, fee: a.Fee(),
		size: int32(len(a.Raw)), payload: int16(a.Payload.ID()), raw: a.Raw,
	}
	if nonce, ok := a.SponsorNonce(); ok {
		r.sponsor = &claim{a.FeePayer().String(), nonce}
	}
	switch p := a.Payload.(type) {
	case *transaction.TokenTransfer:
		r.recipient, r.amount = p.Recipient.String(), &p.Amount
	case *transaction.ContractCall:
		r.contract = p.Contract.String()
	}
	if contract, ok := a.Deploys(); ok {
		r.contract = contract.String()
	}
	return r
}

// claimsOf returns the nonces that a transaction uses: that of its sender, then that of its sponsor.
func claimsOf(tx *transaction.Transaction) []claim {
	claims := []claim{{tx.Sender().String(), tx.Nonce()}}
	if nonce, ok := tx.SponsorNonce(); ok {
		if c := (claim{tx.FeePayer().String(), nonce}); c != claims[0] {
			claims = append(claims, c)
		}
	}
	return claims
}

func (r *row) claims() []claim {
	if r.sponsor == nil || *r.sponsor == r.sender {
		return []claim{r.sender}
	}
	return []claim{r.sender, *r.sponsor}
}

// currentStatus derives the status from the other fields.
func (r *row) currentStatus() string {
	switch {
	case r.mined != nil:
		return mined
	case r.taken != nil:
		return replaceByFee
	case r.dropped != nil:
		return r.dropped.status()
	case r.expired != nil:
		return stale
	}
	return pending
}
