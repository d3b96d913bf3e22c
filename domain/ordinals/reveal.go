package ordinals

import (
	"encoding/json"
	"slices"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
)

// Reveal is the creation of an inscription (inscription_revealed). If an older inscription is on the same sat, the
// reveal also moves that inscription: the feed sends no transfer for it.
//
// Optional strings are empty for none, whether the feed has null or "".
type Reveal struct {
	ID     InscriptionID
	Number InscriptionNumber
	// Sat carries the inscription, unless it is unbound: see [Reveal.Unbound].
	Sat Sat

	Content []byte // not nil
	// ContentAt is the offset in the body at which the hex digits of the content begin, two for each byte; -1 if some
	// of the digits are escaped.
	ContentAt     int64  `json:"-"`
	ContentType   string // without NULs; "unknown" if the envelope has none
	ContentLength uint64 // as the feed has it
	Metaprotocol  string
	// Metadata is the JSON that the feed made of the CBOR; nil for null. It may hold \u0000.
	Metadata json.RawMessage
	Delegate string // an inscription id, not validated
	// Parents are inscription ids, not validated, each once. Nil for none.
	Parents []string
	// PointerTag is inscription_pointer: the position in the outputs that the envelope asks for. Nil for none.
	PointerTag *uint64

	// Fee is the fee of the whole transaction in sats. OutputValue is the value in sats of the output to which the sat
	// went. It is 0 for a sat that was spent in fees and, from some indexers, for an output without an address.
	Fee, OutputValue uint64
	// InscriberAddress is exactly what the feed has: nil for null, and "" for "".
	InscriberAddress *string
	// SatpointPost is where the sat went: into the coinbase transaction if it was spent in fees.
	SatpointPost Satpoint
	// TxIndex is the position of the transaction in the block. Height and TxIndex order the locations of a sat.
	TxIndex uint32

	// CurseType is the JSON of the feed; nil for null. See [Reveal.Curse].
	CurseType json.RawMessage
	// Charms are the charms of the feed; nil if the feed has none. See [Reveal.DerivedCharms].
	Charms *Charms

	// The following fields are only informative, and zero when missing. OrdinalBlockHeight and OrdinalOffset are what
	// the feed says about the sat. Do not trust them: see [Sat.CoinbaseHeight] and [Sat.Offset].
	OrdinalBlockHeight, OrdinalOffset uint64
	InputIndex                        uint32
	TransfersPreInscription           uint64 // number of moves of the sat before the reveal
	UnboundSequence                   *uint64
}

// InscriptionNumber has the numbers of an inscription in two sequences. Below the jubilee height they are equal, and
// negative for cursed inscriptions. From the jubilee height on, Jubilee is a single sequence of all inscriptions.
type InscriptionNumber struct {
	Classic, Jubilee int64
}

// Curse returns the name of the curse that clients see; nil for none.
func (r *Reveal) Curse() *string { return Curse(r.CurseType) }

// ShownMetadata returns the metadata that clients see. It is nil for 0, false and "", which JavaScript takes for false:
// ordinals-api shows null for them.
func (r *Reveal) ShownMetadata() json.RawMessage {
	if isFalsy(r.Metadata) {
		return nil
	}
	return r.Metadata
}

// Unbound reports whether the inscription is on no sat, and so never moves: its inputs had no sats, for which the feed has sat 0,
// or its envelope has an even field that the protocol does not know. Nobody can spend the output with the real sat 0, but a feed
// that names an owner of sat 0 is taken at its word. An inscription whose sat was spent in fees is on that sat.
func (r *Reveal) Unbound() bool {
	if curse := r.Curse(); curse != nil && *curse == curseUnrecognized {
		return true
	}
	owned := r.InscriberAddress != nil && *r.InscriberAddress != ""
	return r.Sat == 0 && (!owned || r.UnboundSequence != nil || r.SatpointPost.TxID == hash.Hash32{})
}

// Satpoint returns where the inscription is: SatpointPost or, for an unbound one, an outpoint of zeros, at the number of unbound
// inscriptions that came before. Only newer feeds have that number.
func (r *Reveal) Satpoint() Satpoint {
	if !r.Unbound() {
		return r.SatpointPost
	}
	p := Satpoint{Vout: "0", Offset: r.UnboundSequence}
	if p.Offset == nil && r.SatpointPost.TxID == p.TxID {
		p.Offset = r.SatpointPost.Offset
	}
	return p
}

// Reveals, transfers and BRC-20 operations, of which a feed consists, are read by cases: a table of members for each would
// take 5 to 15 % more time.
func (c *cursor) reveal() *Reveal {
	r := &Reveal{}
	var id, number, sat, content, contentType, length, fee, value, satpoint, txIndex bool
	var parent, parents []string
	if !c.Object(func(name []byte) {
		switch string(name) {
		case "inscription_id":
			id = c.inscriptionID(&r.ID)
		case "inscription_number":
			number = c.inscriptionNumber(&r.Number)
		case "ordinal_number":
			sat = c.sat(&r.Sat)
		case "content_bytes":
			r.Content, r.ContentAt = c.HexAt()
			content = r.Content != nil
		case "content_type":
			contentType = c.Name(&r.ContentType)
			r.ContentType = ContentType(r.ContentType)
		case "content_length":
			length = c.uint63(&r.ContentLength)
		case "metaprotocol":
			c.Name(&r.Metaprotocol)
		case "metadata":
			r.Metadata = c.Raw()
		case "delegate":
			c.reference(&r.Delegate)
		case "parent":
			parent = c.parent()
		case "parents":
			parents = c.parents()
		case "inscription_pointer":
			r.PointerTag = jsoncursor.Optional(c.uint64)
		case "inscription_fee":
			fee = c.uint63(&r.Fee)
		case "inscription_output_value":
			value = c.uint63(&r.OutputValue)
		case "inscriber_address":
			r.InscriberAddress = jsoncursor.Optional(c.Name)
		case "satpoint_post_inscription":
			satpoint = c.satpoint(&r.SatpointPost)
		case "tx_index":
			txIndex = c.uint32(&r.TxIndex)
		case "curse_type":
			r.CurseType = c.Raw()
		case "charms":
			r.Charms = c.charms()
		case "ordinal_block_height":
			c.uint63(&r.OrdinalBlockHeight)
		case "ordinal_offset":
			c.uint63(&r.OrdinalOffset)
		case "inscription_input_index":
			c.uint32(&r.InputIndex)
		case "transfers_pre_inscription":
			c.uint63(&r.TransfersPreInscription)
		case "unbound_sequence":
			r.UnboundSequence = jsoncursor.Optional(c.uint63)
		default:
			c.Skip()
		}
	}) {
		return nil
	}
	c.Need(id, "inscription_id", "an inscription id")
	c.Need(number, "inscription_number", "a number")
	c.Need(sat, "ordinal_number", "a sat")
	c.Need(content, "content_bytes", "a hex string")
	c.Need(contentType, "content_type", "a string")
	c.Need(length, "content_length", "a whole number")
	c.Need(fee, "inscription_fee", "a whole number")
	c.Need(value, "inscription_output_value", "a whole number")
	c.Need(satpoint, "satpoint_post_inscription", "a satpoint")
	c.Need(txIndex, "tx_index", "a whole number")
	r.Parents = distinct(append(parent, parents...))
	return r
}

// inscriptionNumber reads both numbers, or the single number of very old feeds.
func (c *cursor) inscriptionNumber(dst *InscriptionNumber) (present bool) {
	if c.Peek() != '{' {
		present = c.int64(&dst.Classic)
		dst.Jubilee = dst.Classic
		return present
	}
	return c.Members(
		required("classic", func() bool { return c.int64(&dst.Classic) }, "a whole number"),
		required("jubilee", func() bool { return c.int64(&dst.Jubilee) }, "a whole number"),
	)
}

// parent reads the id of a parent. Older feeds have only one parent.
func (c *cursor) parent() []string {
	var text string
	if !c.reference(&text) {
		return nil
	}
	return []string{text}
}

// parents reads the list of parents in newer feeds.
func (c *cursor) parents() []string {
	var list []string
	c.Array(func() { list = append(list, c.parent()...) })
	return list
}

// charms reads a bit set, or an object with a boolean for each charm.
func (c *cursor) charms() *Charms {
	var set Charms
	if c.Peek() != '{' {
		n, present := c.Uint(16, parseUint)
		if !present {
			return nil
		}
		set = Charms(n)
		return &set
	}
	c.Object(func(name []byte) {
		charm := charmNamed(name)
		if charm == 0 {
			c.Skip()
			return
		}
		on := false
		c.Bool(&on)
		set &^= charm
		if on {
			set |= charm
		}
	})
	return &set
}

// distinct removes empty and repeated texts, in place. It returns nil for none.
func distinct(texts []string) []string {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return texts
	}
	seen := make(map[string]bool, len(texts))
	return slices.DeleteFunc(texts, func(text string) bool {
		repeated := seen[text]
		seen[text] = true
		return repeated
	})
}
