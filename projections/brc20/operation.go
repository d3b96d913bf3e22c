package brc20

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/projections"
)

// key orders operations.
type key struct{ height, txIndex int64 }

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.height, other.height), cmp.Compare(k.txIndex, other.txIndex))
}

// kind is the number of a kind of operation in the tables: the index in ordinals.BRC20Kinds.
type kind int16

const (
	deploy kind = iota + 1
	mint
	transfer
	transferSend
)

// operation is a row of table operation.
type operation struct {
	key
	seq         int64
	number, sat *int64
	sent        *key // of a transfer: the key of its send; nil if it was not sent yet
	transaction int32
	kind        kind
	ticker, id  string
	address     string
	receiver    *string // of a send
	amount      *big.Int
	txid        hash.Hash32
	satpoint    *string
	moves       []move // of a send, if its transaction moves several sats
	tick        *string
	deploy      *ordinals.BRC20Deploy // nil for the other kinds
}

// move is the satpoint to which a transaction moved a sat.
type move struct {
	sat int64
	to  string
}

// operationsOf returns the operations of a block. If a feed gives two transactions the same index, the later one gets a
// free one.
func operationsOf(step projections.FeedStep) (list []*operation) {
	taken, highest := map[int64]bool{}, int64(0)
	for i := range step.Block.Transactions {
		t := &step.Block.Transactions[i]
		if t.BRC20 == nil {
			continue
		}
		index := int64(t.Index)
		if taken[index] {
			index = highest + 1
		}
		taken[index], highest = true, max(highest, index)
		o := operationOf(t)
		o.key, o.seq, o.transaction = key{step.Height, index}, step.BlockSeq, int32(i)
		list = append(list, o)
	}
	return list
}

func operationOf(t *ordinals.Transaction) *operation {
	b := t.BRC20
	o := &operation{
		kind: kind(slices.Index(ordinals.BRC20Kinds, b.Kind)), ticker: bounded(b.Ticker()), id: string(b.InscriptionID), address: bounded(b.Address), amount: b.Amount, txid: t.TxID,
	}
	switch o.kind {
	case transferSend:
		receiver := bounded(b.Receiver)
		o.receiver = &receiver
		o.readMoves(t)
		return o
	case deploy:
		tick := projections.Text(b.Tick)
		o.tick, o.deploy = &tick, b.Deploy
	}
	o.readReveal(t)
	return o
}

// bounded returns a text in the form in which indexed columns hold it.
func bounded(text string) string { return ordinals.Bounded(projections.Text(text)) }

// readReveal takes the number, sat and satpoint of the inscription from its reveal in the transaction.
func (o *operation) readReveal(t *ordinals.Transaction) {
	for i := range t.Operations {
		if r := t.Operations[i].Reveal; r != nil && string(r.ID) == o.id {
			number, satpoint := r.Number.Jubilee, r.Satpoint().String()
			o.number, o.satpoint = &number, &satpoint
			if !r.Unbound() {
				sat := int64(r.Sat)
				o.sat = &sat
			}
			return
		}
	}
}

// readMoves takes the satpoint to which the inscription moved from the transaction. If this moves several sats, the
// satpoint is known only once the sat of the inscription is: see settle.
func (o *operation) readMoves(t *ordinals.Transaction) {
	for i := range t.Operations {
		if moved := t.Operations[i].Transfer; moved != nil {
			o.moves = append(o.moves, move{int64(moved.Sat), moved.SatpointPost.String()})
		}
	}
	if len(o.moves) == 1 {
		o.satpoint, o.moves = &o.moves[0].to, nil
	}
}

// settle returns the satpoint to which a send moved a sat; nil if the feed does not tell.
func settle(moves []move, sat *int64) *string {
	for i := range moves {
		if sat != nil && moves[i].sat == *sat {
			return &moves[i].to
		}
	}
	return nil
}

// parties returns the addresses whose lists the operation is in.
func (o *operation) parties() []string {
	if o.receiver == nil || *o.receiver == "" || *o.receiver == o.address {
		return []string{o.address}
	}
	return []string{o.address, *o.receiver}
}

// amountOf returns the column value of an amount in units of 10^-18; NULL for nil.
func amountOf(units *big.Int) pgtype.Numeric {
	return pgtype.Numeric{Int: units, Exp: -ordinals.AmountDecimals, Valid: units != nil}
}

// unitsOf is the reverse of amountOf.
func unitsOf(n pgtype.Numeric) *big.Int {
	if !n.Valid {
		return nil
	}
	// The column has 18 decimals, of which n may leave out zeros at the end; it never has more.
	scale := big.NewInt(int64(n.Exp) + ordinals.AmountDecimals)
	return scale.Exp(big.NewInt(10), scale, nil).Mul(scale, n.Int)
}

// operationColumns are the columns of operationRow's values.
var operationColumns = []string{
	"height", "tx_index", "source_seq", "number", "sat", "sent_height", "sent_tx_index", "transaction", "kind", "decimals", "self_mint", "tick",
	"ticker", "id", "address", "receiver", "amount", "max_supply", "mint_limit", "txid", "satpoint", "moved_sats", "moved_to",
}

func operationRow(o *operation) []any {
	var decimals, selfMint, most, limit, movedSats, movedTo any
	if d := o.deploy; d != nil {
		decimals, selfMint, most, limit = int16(d.Decimals), d.SelfMint, amountOf(d.Max), amountOf(d.Limit)
	}
	if len(o.moves) > 0 {
		sats, to := make([]int64, len(o.moves)), make([]string, len(o.moves))
		for i, m := range o.moves {
			sats[i], to[i] = m.sat, m.to
		}
		movedSats, movedTo = sats, to
	}
	sentHeight, sentIndex := o.sent.columns()
	return []any{
		o.height, o.txIndex, o.seq, o.number, o.sat, sentHeight, sentIndex, o.transaction, int16(o.kind), decimals, selfMint, o.tick,
		o.ticker, o.id, o.address, o.receiver, amountOf(o.amount), most, limit, o.txid[:], o.satpoint, movedSats, movedTo,
	}
}

// columns returns the values of a key's columns; NULL for no key.
func (k *key) columns() (height, txIndex *int64) {
	if k == nil {
		return nil, nil
	}
	return &k.height, &k.txIndex
}

// keyOf is the reverse of columns.
func keyOf(height, txIndex *int64) *key {
	if height == nil {
		return nil
	}
	return &key{*height, *txIndex}
}
