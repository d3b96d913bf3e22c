package transaction

// UndecodedPart tells at which part of a transaction decoding stopped.
type UndecodedPart uint8

// The parts at which decoding can stop.
const (
	// UnknownPayload means that the payload has an unknown id. Raw begins with that id.
	UnknownPayload UndecodedPart = iota + 1
	// UnknownPostCondition means that the layout of a post-condition is unknown, so the start of the payload is unknown
	// too. Raw begins with the u32 count of post-conditions.
	UnknownPostCondition
)

// Undecoded holds the rest of a transaction from the point where its layout becomes unknown. That happens when the
// network is ahead of this program. It always extends to the end of the input.
type Undecoded struct {
	Part UndecodedPart
	Raw  []byte
}

// ID returns the unknown id, or 255 if decoding stopped before the payload.
func (u *Undecoded) ID() PayloadID {
	if u.Part == UnknownPayload && len(u.Raw) > 0 {
		return PayloadID(u.Raw[0])
	}
	return unknownPayloadID
}

func (u *Undecoded) appendTo(dst []byte) []byte { return append(dst, u.Raw...) }

func (u *Undecoded) validate() error { return nil }

func (u *Undecoded) sizeHint() int { return len(u.Raw) }
