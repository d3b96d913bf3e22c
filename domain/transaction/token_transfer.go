package transaction

import (
	"encoding/binary"
	"fmt"

	"strata/domain/clarity"
)

// MemoSize is the size of a memo in bytes.
const MemoSize = 34

// Memo is the free text of a transfer, padded with zero bytes.
type Memo [MemoSize]byte

// NewMemo returns a memo of at most MemoSize bytes of text. The error wraps ErrMalformed.
func NewMemo[T string | []byte](text T) (Memo, error) {
	var m Memo
	if len(text) > MemoSize {
		return m, fmt.Errorf("memo of %d bytes: %w, at most %d", len(text), ErrMalformed, MemoSize)
	}
	copy(m[:], text)
	return m, nil
}

// TokenTransfer transfers STX.
type TokenTransfer struct {
	Recipient clarity.Principal
	Amount    uint64 // microSTX
	Memo      Memo
}

func readTokenTransfer(r *reader) *TokenTransfer {
	p := &TokenTransfer{
		Recipient: r.principal("transfer recipient"),
		Amount:    r.u64("transfer amount"),
	}
	copy(p.Memo[:], r.take(MemoSize, "transfer memo"))
	return p
}

// ID returns TokenTransferID.
func (p *TokenTransfer) ID() PayloadID { return TokenTransferID }

func (p *TokenTransfer) appendTo(dst []byte) []byte {
	dst = appendPrincipal(append(dst, byte(TokenTransferID)), p.Recipient)
	dst = binary.BigEndian.AppendUint64(dst, p.Amount)
	return append(dst, p.Memo[:]...)
}

func (p *TokenTransfer) validate() error { return validatePrincipal("transfer recipient", p.Recipient) }

func (p *TokenTransfer) sizeHint() int { return 72 + len(p.Recipient.Contract) }
