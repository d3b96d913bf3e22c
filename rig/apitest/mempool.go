package apitest

import (
	"encoding/hex"
	"fmt"
	"strings"

	signed "strata/domain/transaction"
	"strata/rig/replay"
)

func Announce(txs ...*signed.Transaction) replay.Post {
	raw := make([]string, len(txs))
	for i, tx := range txs {
		raw[i] = `"0x` + hex.EncodeToString(tx.Encode()) + `"`
	}
	return replay.Post{Path: "/new_mempool_tx", Body: []byte(`[` + strings.Join(raw, ",") + `]`)}
}

func Dropped(reason string, by *signed.Transaction, tx *signed.Transaction) replay.Post {
	replacement := "null"
	if by != nil {
		replacement = `"` + by.TxID().String() + `"`
	}
	return replay.Post{Path: "/drop_mempool_tx", Body: fmt.Appendf(nil, `{"dropped_txids":["%s"],"reason":"%s","new_txid":%s}`, tx.TxID(), reason, replacement)}
}
