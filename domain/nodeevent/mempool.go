package nodeevent

import "strata/domain/hash"

// MempoolTx is the body of /new_mempool_tx.
type MempoolTx struct {
	RawTxs [][]byte // consensus bytes
}

// DropReason is why transactions left a node's mempool. A reason that is not listed here is kept as the node wrote it.
type DropReason string

// Reasons of node releases up to 4.0.
const (
	DropReplaceByFee        DropReason = "ReplaceByFee"
	DropReplaceAcrossFork   DropReason = "ReplaceAcrossFork"
	DropStaleGarbageCollect DropReason = "StaleGarbageCollect" // also names transactions that are mined already
	DropTooExpensive        DropReason = "TooExpensive"
	DropProblematic         DropReason = "Problematic"
)

// DropMempoolTx is the body of /drop_mempool_tx.
type DropMempoolTx struct {
	TxIDs  []hash.Hash32 // required
	Reason DropReason    // empty when missing
	// NewTxID is the replacement, which is usually announced only afterwards. Nil for other reasons, and before
	// release 3.1.0.0.3.
	NewTxID *hash.Hash32
}

func (c *cursor) mempoolTx() *MempoolTx {
	m := &MempoolTx{RawTxs: c.byteStrings()}
	if c.err == nil && m.RawTxs == nil {
		c.wrong("an array", []byte("null"), nil)
	}
	return m
}

func (c *cursor) dropMempoolTx() *DropMempoolTx {
	d := &DropMempoolTx{}
	ids := false
	present := c.object(func(name []byte) {
		switch string(name) {
		case "dropped_txids":
			d.TxIDs = nil
			ids = c.array(func() {
				var h hash.Hash32
				if !c.hash32(&h) {
					c.wrong("32 bytes in hex", []byte("null"), nil)
				}
				d.TxIDs = append(d.TxIDs, h)
			})
		case "reason":
			var s string
			c.name(&s)
			d.Reason = DropReason(s)
		case "new_txid":
			d.NewTxID = c.hash32Pointer()
		default:
			c.skip()
		}
	})
	c.needObject(present)
	c.need(ids, "dropped_txids", "an array")
	return d
}
