package ordinals

import "strata/domain/internal/jsoncursor"

// Transfer is the move of a sat, with every inscription on it (inscription_transferred).
type Transfer struct {
	Sat         Sat
	Destination LocationType
	// DestinationValue is an address, or the script if Destination is Burnt; nil for none. See [Transfer.Location].
	DestinationValue *string
	// SatpointPre is where the sat was. SatpointPost is where it went: into the coinbase transaction if it was spent in
	// fees.
	SatpointPre, SatpointPost Satpoint
	// OutputValue is the value of the output in sats; nil when missing, as it is for a sat that was spent in fees.
	OutputValue *uint64
	// TxIndex is the position of the transaction in the block. Height and TxIndex order the locations of a sat.
	TxIndex uint32
}

func (c *cursor) transfer() *Transfer {
	t := &Transfer{}
	var sat, destination, before, after, txIndex bool
	if !c.Object(func(name []byte) {
		switch string(name) {
		case "ordinal_number":
			sat = c.sat(&t.Sat)
		case "destination":
			destination = c.destination(t)
		case "satpoint_pre_transfer":
			before = c.satpoint(&t.SatpointPre)
		case "satpoint_post_transfer":
			after = c.satpoint(&t.SatpointPost)
		case "post_transfer_output_value":
			t.OutputValue = jsoncursor.Optional(c.uint63)
		case "tx_index":
			txIndex = c.uint32(&t.TxIndex)
		default:
			c.Skip()
		}
	}) {
		return nil
	}
	c.Need(sat, "ordinal_number", "a sat")
	c.Need(destination, "destination", "an object")
	c.Need(before, "satpoint_pre_transfer", "a satpoint")
	c.Need(after, "satpoint_post_transfer", "a satpoint")
	c.Need(txIndex, "tx_index", "a whole number")
	return t
}

// destination reads where the sat went. An unknown type counts as Transferred, as in ordinals-api.
func (c *cursor) destination(t *Transfer) (present bool) {
	var kind string
	if !c.Members(required("type", &kind, "a string"), optional("value", &t.DestinationValue)) {
		return false
	}
	switch t.Destination = LocationType(kind); t.Destination {
	case SpentInFees, Burnt:
	default:
		t.Destination = Transferred
	}
	return true
}
