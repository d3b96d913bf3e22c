package ordinals

import (
	"strata/domain/hash"
	"strata/readapi/internal/ordinal"
)

// satLocation is a location of a satoshi, and the transaction that moved it there.
type satLocation struct {
	BlockHeight int64   `json:"block_height"`
	BlockHash   string  `json:"block_hash"`
	Address     *string `json:"address" nullable:"true" doc:"Address of the owner; null if it has no owner."`
	TxID        string  `json:"tx_id" doc:"Id of the transaction that moved it there."`
	Location    string  `json:"location" doc:"Transaction, output and offset."`
	Output      string  `json:"output" doc:"Transaction and output."`
	Value       *string `json:"value" nullable:"true" doc:"Value of the output, in sats; null when it is not known."`
	Offset      *string `json:"offset" nullable:"true" doc:"Offset of the satoshi in the output; null when it is not known."`
	Timestamp   int64   `json:"timestamp" doc:"Milliseconds since 1970."`
}

// locationRow is a location as the tables store it.
type locationRow struct {
	height, time  int64
	hash          hash.Hash32
	address       *string
	tx, outputTx  hash.Hash32
	vout          string
	value, offset *int64
}

// locationSQL returns the columns that locationRow reads; l and b are the SQL aliases of the location and its block.
func locationSQL(l, b string) string {
	return l + ".height, " + b + ".time, " + b + ".block_hash, " + l + ".address, " + l + ".txid, " + l + ".output_txid, " + l + ".vout, " + l + ".value, " + l + ".sat_offset"
}

func (r *locationRow) columns() []any {
	return []any{&r.height, &r.time, &r.hash, &r.address, &r.tx, &r.outputTx, &r.vout, &r.value, &r.offset}
}

func (r *locationRow) shape() satLocation {
	l := satLocation{
		BlockHeight: r.height, BlockHash: ordinal.Bare(r.hash), Address: r.address, TxID: ordinal.Bare(r.tx), Output: output(r.outputTx, r.vout),
		Value: ordinal.DecimalOrNull(r.value), Offset: ordinal.DecimalOrNull(r.offset), Timestamp: ordinal.Milliseconds(r.time),
	}
	l.Location = location(l.Output, l.Offset)
	return l
}
