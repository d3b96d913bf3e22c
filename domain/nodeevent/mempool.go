package nodeevent

import (
	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

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
	ids := false
	present := c.Object(func(name []byte) {
		switch string(name) {
		case "dropped_txids":
			d.TxIDs = nil
			d.Damaged, ids = c.Units(func(int) {
				var h hash.Hash32
				c.NeedValue(c.Hash32(&h), "32 bytes in hex")
				if !c.Failed() {
					d.TxIDs = append(d.TxIDs, h)
				}
			})
		case "reason":
			var s string
			c.Name(&s)
			d.Reason = DropReason(s)
		case "new_txid":
			d.NewTxID = jsoncursor.Optional(c.Hash32)
		default:
			c.unknown(name)
		}
	})
	c.NeedValue(present, "an object")
	c.Need(ids, "dropped_txids", "an array")
	return d
}
