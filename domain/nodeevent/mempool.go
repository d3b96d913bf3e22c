package nodeevent

import "strata/domain/hash"

// MempoolTx is the body of /new_mempool_tx.
type MempoolTx struct {
	RawTxs  [][]byte // consensus bytes, in the order of the body; nil for what is no hex string
	Damaged []*FieldError
}

// DropReason says why transactions left a node's mempool. An unknown reason is kept as the node wrote it.
type DropReason string

// Drop reasons of node releases up to 4.0.
const (
	DropReplaceByFee        DropReason = "ReplaceByFee"
	DropReplaceAcrossFork   DropReason = "ReplaceAcrossFork"
	DropStaleGarbageCollect DropReason = "StaleGarbageCollect" // nodes also send it for transactions that are mined
	DropTooExpensive        DropReason = "TooExpensive"
	DropProblematic         DropReason = "Problematic"
)

// DropMempoolTx is the body of /drop_mempool_tx.
type DropMempoolTx struct {
	TxIDs  []hash.Hash32 // required; without those that can't be read
	Reason DropReason    // empty when missing
	// NewTxID is the replacement, which nodes usually announce only afterwards. Nil for other reasons, and before
	// release 3.1.0.0.3.
	NewTxID *hash.Hash32
	Damaged []*FieldError
}

func (c *cursor) mempoolTx() *MempoolTx {
	m := &MempoolTx{}
	damaged, present := c.Units(func(int) {
		raw := c.Hex()
		c.NeedValue(raw != nil, "a hex string")
		m.RawTxs = append(m.RawTxs, raw)
	})
	m.Damaged = damaged
	c.NeedValue(present, "an array")
	return m
}

func (c *cursor) dropMempoolTx() *DropMempoolTx {
	d := &DropMempoolTx{}
	present := c.Members(
		required("dropped_txids", func() (ids bool) {
			d.TxIDs = nil
			d.Damaged, ids = c.Units(func(int) {
				var h hash.Hash32
				c.NeedValue(c.Hash32(&h), "32 bytes in hex")
				if !c.Failed() {
					d.TxIDs = append(d.TxIDs, h)
				}
			})
			return ids
		}, "an array"),
		optional("reason", (*string)(&d.Reason)),
		optional("new_txid", &d.NewTxID),
	)
	c.NeedValue(present, "an object")
	return d
}
