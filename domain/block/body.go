package block

import (
	"encoding/binary"
	"errors"
	"fmt"

	"strata/domain/transaction"
)

// Body is the list of transactions of a block.
type Body struct {
	// Count is the number of transactions that the block claims to hold.
	Count uint32
	// Transactions holds Count transactions in order, or fewer if the layout of one is unknown. That one is the last,
	// and its undecoded payload holds the rest of the block.
	Transactions []*transaction.Transaction
}

// Complete reports whether Transactions holds all Count transactions.
func (b *Body) Complete() bool { return uint64(len(b.Transactions)) == uint64(b.Count) }

// NewBody returns the body of a block of the given transactions.
func NewBody(transactions ...*transaction.Transaction) Body {
	return Body{Count: uint32(len(transactions)), Transactions: transactions}
}

// decodeBody decodes the body that begins at raw[off]. It must extend to the end of raw.
func decodeBody(raw []byte, off int) (Body, error) {
	if len(raw)-off < 4 {
		return Body{}, truncated("transaction count", off, 4, len(raw)-off)
	}
	body := Body{Count: binary.BigEndian.Uint32(raw[off:])}
	off += 4
	for i := uint32(0); i < body.Count; i++ {
		t, n, err := transaction.DecodeNext(raw[off:])
		if err != nil {
			return Body{}, transactionError(i, off, err)
		}
		body.Transactions = append(body.Transactions, t)
		off += n
		if _, unknown := t.Payload.(*transaction.Undecoded); unknown {
			break
		}
	}
	if off != len(raw) {
		return Body{}, trailing(off, len(raw)-off)
	}
	return body, nil
}

// transactionError wraps the error of transaction i, which begins at off, with an offset from the start of the block.
func transactionError(i uint32, off int, err error) error {
	var part *transaction.DecodeError
	if errors.As(err, &part) {
		off += part.Offset
	}
	return &DecodeError{Part: fmt.Sprintf("transaction %d", i), Offset: off, Err: err}
}

func (b *Body) appendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, b.Count)
	for _, t := range b.Transactions {
		dst = append(dst, t.Encode()...)
	}
	return dst
}
