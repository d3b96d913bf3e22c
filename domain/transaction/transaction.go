package transaction

import (
	"crypto/sha512"
	"fmt"

	"strata/domain/hash"
)

// burnchainOp is the whole raw_tx of an operation that was made on Bitcoin.
const burnchainOp = 0x00

// Transaction is a Stacks transaction in parts.
type Transaction struct {
	Envelope
	AnchorMode     AnchorMode
	PostConditions PostConditions
	Payload        Payload // never nil after Decode
}

// Decode reads a raw transaction, all of it. Slices inside the result point into raw. The error is a *DecodeError.
func Decode(raw []byte) (*Transaction, error) {
	t, n, err := DecodeNext(raw)
	if err != nil {
		return nil, err
	}
	if n != len(raw) {
		return nil, &DecodeError{Part: "end", Offset: n, Err: fmt.Errorf("%w: %d", ErrTrailing, len(raw)-n)}
	}
	return t, nil
}

// DecodeNext reads the transaction at the start of b, as in the body of a block, and returns its size in bytes. A
// transaction with an Undecoded payload always takes all of b. Slices inside the result point into b. The error is a
// *DecodeError.
func DecodeNext(b []byte) (*Transaction, int, error) {
	r := reader{b: b}
	t := new(Transaction)
	t.read(&r)
	if r.err != nil {
		return nil, 0, r.err
	}
	return t, r.off, nil
}

func (t *Transaction) read(r *reader) {
	t.Envelope.read(r)
	if r.err != nil {
		return
	}
	start := r.off
	t.AnchorMode = AnchorMode(r.u8("anchor mode"))
	if r.err == nil && !t.AnchorMode.Valid() {
		r.fail("anchor mode", start, fmt.Errorf("%w: anchor mode %d, want 1 to 3", ErrMalformed, t.AnchorMode))
	}
	var known bool
	t.PostConditions, known = readPostConditions(r)
	if !known {
		t.Payload = &Undecoded{Part: UnknownPostCondition, Raw: r.take(r.left(), "post-conditions")}
		return
	}
	t.Payload = readPayload(r)
}

// Encode writes the transaction. For a decoded one these are the bytes that it was decoded from. A transaction that
// was put together by hand must pass Validate.
func (t *Transaction) Encode() []byte { return t.encode(&t.Envelope) }

// encode writes the transaction with another envelope, because signature hashes are made over a changed one.
func (t *Transaction) encode(e *Envelope) []byte {
	b := make([]byte, 0, t.sizeHint(e))
	b = e.appendTo(b)
	b = append(b, byte(t.AnchorMode))
	if u, ok := t.Payload.(*Undecoded); ok && u.Part == UnknownPostCondition {
		return u.appendTo(append(b, byte(t.PostConditions.Mode())))
	}
	b = append(b, t.PostConditions.Blob()...)
	if t.Payload == nil {
		return b
	}
	return t.Payload.appendTo(b)
}

// sizeHint is a size in bytes that holds the transaction.
func (t *Transaction) sizeHint(e *Envelope) int {
	const conditionSize = 103
	n := 7 + 2*conditionSize + len(t.PostConditions.Blob()) + len(e.Origin.Fields)*(1+65)
	if e.Sponsor != nil {
		n += len(e.Sponsor.Fields) * (1 + 65)
	}
	if t.Payload != nil {
		n += t.Payload.sizeHint()
	}
	return n
}

// TxID is the transaction id: SHA-512/256 of the encoded transaction. With the raw bytes at hand, ID is cheaper.
func (t *Transaction) TxID() hash.Hash32 { return ID(t.Encode()) }

// ID is the id of a raw transaction. It does not hold for burnchain operations, see IsBurnchainOp.
func ID(raw []byte) hash.Hash32 { return sha512.Sum512_256(raw) }

// IsBurnchainOp reports whether raw is what nodes deliver as raw_tx for an operation made on Bitcoin: the single byte
// 0x00. There is nothing to decode, and its id is made from the Bitcoin transaction.
func IsBurnchainOp(raw []byte) bool { return len(raw) == 1 && raw[0] == burnchainOp }
