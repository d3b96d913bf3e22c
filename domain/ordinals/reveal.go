package ordinals

import (
	"encoding/json"
	"slices"
)

// Reveal is the birth of an inscription (inscription_revealed). Where an older inscription is on the same sat, it is
// also the move of that one: the feed has no transfer for it.
//
// Strings that are optional are empty for none, whether the feed had null or "".
type Reveal struct {
	ID     InscriptionID
	Number InscriptionNumber
	// Sat that carries the inscription; 0 also for unbound inscriptions, which are on none.
	Sat Sat

	Content []byte // not nil
	// ContentAt is the byte of the body at which the hex digits of the content begin, two for each byte; -1 when some of
	// them are escaped.
	ContentAt     int64
	ContentType   string // without NULs; "unknown" when the envelope has none
	ContentLength uint64 // as the feed says
	Metaprotocol  string
	// Metadata is the JSON that the feed made of the CBOR, nil for null. It may hold \u0000.
	Metadata json.RawMessage
	Delegate string // an inscription id, not checked
	// Parents are inscription ids, not checked, each once. Nil for none.
	Parents []string
	// PointerTag is inscription_pointer: the position in the outputs that the envelope asks for. Nil for none.
	PointerTag *uint64

	// Fee of the whole transaction and OutputValue of the output that the sat went to, in sats. The value is 0 when it
	// went to the fees, and from some indexers when the output has no address.
	Fee, OutputValue uint64
	// InscriberAddress is exactly what the feed has: nil for null, and "" for "".
	InscriberAddress *string
	// SatpointPost is where the sat went: in the coinbase transaction when it was spent in fees.
	SatpointPost Satpoint
	// TxIndex is the position of the transaction in the block; with the height, it orders the places of a sat.
	TxIndex uint32

	// CurseType is the JSON that the feed has, nil for null. See [Reveal.Curse].
	CurseType json.RawMessage
	// Charms that the feed has; nil when it has none. See [Reveal.DerivedCharms].
	Charms *Charms

	// The rest is for information, and zero when missing. OrdinalBlockHeight and OrdinalOffset are what the feed says of
	// the sat and are not to be trusted: see [Sat.CoinbaseHeight] and [Sat.Offset].
	OrdinalBlockHeight, OrdinalOffset uint64
	InputIndex                        uint32
	TransfersPreInscription           uint64 // moves of the sat before
	UnboundSequence                   *uint64
}

// InscriptionNumber counts inscriptions in two ways. Below the jubilee height they agree, with the cursed ones
// negative; from there on Jubilee is one sequence for all.
type InscriptionNumber struct {
	Classic, Jubilee int64
}

// Curse is what clients are told of the curse; nil for none.
func (r *Reveal) Curse() *string { return Curse(r.CurseType) }

// ShownMetadata is the metadata, or nil where ordinals-api shows null for what JavaScript takes for false: 0, false
// and "".
func (r *Reveal) ShownMetadata() json.RawMessage {
	if isFalsy(r.Metadata) {
		return nil
	}
	return r.Metadata
}

func (c *cursor) reveal() *Reveal {
	r := &Reveal{}
	var id, number, sat, content, contentType, length, fee, value, satpoint, txIndex bool
	var parent, parents []string
	if !c.object(func(name []byte) {
		switch string(name) {
		case "inscription_id":
			id = c.inscriptionID(&r.ID)
		case "inscription_number":
			number = c.inscriptionNumber(&r.Number)
		case "ordinal_number":
			sat = c.sat(&r.Sat)
		case "content_bytes":
			r.Content, r.ContentAt = c.bytes()
			content = r.Content != nil
		case "content_type":
			contentType = c.name(&r.ContentType)
			r.ContentType = ContentType(r.ContentType)
		case "content_length":
			length = c.uint63(&r.ContentLength)
		case "metaprotocol":
			c.name(&r.Metaprotocol)
		case "metadata":
			r.Metadata = c.raw()
		case "delegate":
			c.reference(&r.Delegate)
		case "parent":
			parent = c.parent()
		case "parents":
			parents = c.parents()
		case "inscription_pointer":
			r.PointerTag = c.uint64Pointer()
		case "inscription_fee":
			fee = c.uint63(&r.Fee)
		case "inscription_output_value":
			value = c.uint63(&r.OutputValue)
		case "inscriber_address":
			r.InscriberAddress = c.namePointer()
		case "satpoint_post_inscription":
			satpoint = c.satpoint(&r.SatpointPost)
		case "tx_index":
			txIndex = c.uint32(&r.TxIndex)
		case "curse_type":
			r.CurseType = c.raw()
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
			r.UnboundSequence = c.uint63Pointer()
		default:
			c.skip()
		}
	}) {
		return nil
	}
	c.need(id, "inscription_id", "an inscription id")
	c.need(number, "inscription_number", "a number")
	c.need(sat, "ordinal_number", "a sat")
	c.need(content, "content_bytes", "a hex string")
	c.need(contentType, "content_type", "a string")
	c.need(length, "content_length", "a whole number")
	c.need(fee, "inscription_fee", "a whole number")
	c.need(value, "inscription_output_value", "a whole number")
	c.need(satpoint, "satpoint_post_inscription", "a satpoint")
	c.need(txIndex, "tx_index", "a whole number")
	r.Parents = distinct(append(parent, parents...))
	return r
}

// inscriptionNumber reads both numbers, or the single one of very old feeds.
func (c *cursor) inscriptionNumber(dst *InscriptionNumber) (present bool) {
	if c.peek() != '{' {
		present = c.int64(&dst.Classic)
		dst.Jubilee = dst.Classic
		return present
	}
	var classic, jubilee bool
	c.object(func(name []byte) {
		switch string(name) {
		case "classic":
			classic = c.int64(&dst.Classic)
		case "jubilee":
			jubilee = c.int64(&dst.Jubilee)
		default:
			c.skip()
		}
	})
	c.need(classic, "classic", "a whole number")
	c.need(jubilee, "jubilee", "a whole number")
	return true
}

// parent reads the single parent of older feeds.
func (c *cursor) parent() []string {
	var text string
	if !c.reference(&text) {
		return nil
	}
	return []string{text}
}

// parents reads the list of newer feeds.
func (c *cursor) parents() []string {
	var list []string
	c.array(func() { list = append(list, c.parent()...) })
	return list
}

// charms reads a bit set, or an object with a boolean for each.
func (c *cursor) charms() *Charms {
	var set Charms
	if c.peek() != '{' {
		n, present := c.uint(16)
		if !present {
			return nil
		}
		set = Charms(n)
		return &set
	}
	c.object(func(name []byte) {
		charm := charmNamed(name)
		if charm == 0 {
			c.skip()
			return
		}
		on := false
		c.bool(&on)
		set &^= charm
		if on {
			set |= charm
		}
	})
	return &set
}

// distinct is the texts that are not empty, each once, in place.
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
		again := seen[text]
		seen[text] = true
		return again
	})
}
