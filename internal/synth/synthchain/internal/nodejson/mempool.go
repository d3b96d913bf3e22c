package nodejson

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/node"
)

// MempoolTransactions encodes the body of /new_mempool_tx.
func MempoolTransactions(raws [][]byte) []byte {
	return appendList(nil, len(raws), func(dst []byte, i int) []byte { return appendHex(dst, raws[i]) })
}

// DroppedTransactions encodes the body of /drop_mempool_tx. by is the transaction that replaces the dropped ones; nil
// for none.
func (e *Encoder) DroppedTransactions(reason string, by *hash.Hash32, dropped []hash.Hash32) []byte {
	o := newObject(nil).list("dropped_txids", len(dropped), func(dst []byte, i int) []byte { return appendHex(dst, dropped[i][:]) })
	if e.Generation >= node.V3109 && by != nil {
		o = o.hash("new_txid", *by)
	} else if e.Generation >= node.V3109 {
		o = o.object("new_txid", "")
	}
	return o.text("reason", reason).end()
}
