package transaction

// UndecodedPart says from where on a transaction could not be read.
type UndecodedPart uint8

// Where reading stopped.
const (
	// UnknownPayload: the payload has an unknown id. Raw begins with that id.
	UnknownPayload UndecodedPart = iota + 1
	// UnknownPostCondition: a post-condition is of an unknown kind, so the start of the payload is unknown too. Raw
	// begins with the u32 count of post-conditions.
	UnknownPostCondition
)

// Undecoded stands for the rest of a transaction from the point on where its layout is unknown, which happens when
// the network is ahead of this program. It always reaches to the end of the input.
type Undecoded struct {
	Part UndecodedPart
	Raw  []byte
}

// ID is the unknown id, or 255 when the payload was not reached.
func (u *Undecoded) ID() PayloadID {
	if u.Part == UnknownPayload && len(u.Raw) > 0 {
		return PayloadID(u.Raw[0])
	}
	return unknownPayloadID
}

// TxType is "undecoded".
func (u *Undecoded) TxType() string { return nameUndecoded }

// Name is "undecoded".
func (u *Undecoded) Name() string { return nameUndecoded }

func (u *Undecoded) appendTo(dst []byte) []byte { return append(dst, u.Raw...) }

func (u *Undecoded) validate() error { return nil }

func (u *Undecoded) sizeHint() int { return len(u.Raw) }
