package transaction

import (
	"crypto/sha512"
	"fmt"

	"strata/domain/hash"
)

// burnchainOp is the only byte of the raw_tx of a Bitcoin operation.
const burnchainOp = 0x00

// Transaction is a Stacks transaction.
type Transaction struct {
	Envelope
	AnchorMode     AnchorMode
	PostConditions PostConditions
	Payload        Payload // never nil after Decode
}

// Decode decodes a raw transaction, which must take up all of raw. The result shares memory with raw. The error is a
// *DecodeError.
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

// DecodeNext decodes the transaction at the start of b, as in the body of a block, and returns its size in bytes. A
// transaction with an Undecoded payload always takes up all of b. The result shares memory with b. The error is a
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

// Encode returns the raw transaction. A decoded transaction encodes to the bytes that it was decoded from. Any other
// transaction must pass Validate.
func (t *Transaction) Encode() []byte { return t.encode(&t.Envelope) }

// encode encodes the transaction with the envelope e, because signature hashes cover a changed envelope.
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

// sizeHint returns a size in bytes that suffices for the encoded transaction.
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

// TxID returns the transaction id: SHA-512/256 of the encoded transaction. If the raw bytes are at hand, ID is cheaper.
func (t *Transaction) TxID() hash.Hash32 { return ID(t.Encode()) }

// ID returns the id of a raw transaction. Bitcoin operations have other ids; see IsBurnchainOp.
func ID(raw []byte) hash.Hash32 { return sha512.Sum512_256(raw) }

// IsBurnchainOp reports whether raw is the raw_tx that nodes deliver for an operation made on Bitcoin: the single byte
// 0x00. It holds nothing to decode, and the id of the operation is derived from the Bitcoin transaction.
func IsBurnchainOp(raw []byte) bool { return len(raw) == 1 && raw[0] == burnchainOp }
