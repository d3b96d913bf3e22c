package ordinals

// Transfer is the move of a sat, with every inscription on it (inscription_transferred).
type Transfer struct {
	Sat         Sat
	Destination LocationType
	// DestinationValue is an address, or the script when Destination is Burnt; nil for none. See [Transfer.Location].
	DestinationValue *string
	// SatpointPre and SatpointPost are where the sat was and is: in the coinbase transaction when it was spent in fees.
	SatpointPre, SatpointPost Satpoint
	// OutputValue is the value of the output in sats; nil when missing, as it is for a sat spent in fees.
	OutputValue *uint64
	// TxIndex is the position of the transaction in the block; with the height, it orders the places of a sat.
	TxIndex uint32
}

func (c *cursor) transfer() *Transfer {
	t := &Transfer{}
	var sat, destination, before, after, txIndex bool
	if !c.object(func(name []byte) {
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
			t.OutputValue = c.uint63Pointer()
		case "tx_index":
			txIndex = c.uint32(&t.TxIndex)
		default:
			c.skip()
		}
	}) {
		return nil
	}
	c.need(sat, "ordinal_number", "a sat")
	c.need(destination, "destination", "an object")
	c.need(before, "satpoint_pre_transfer", "a satpoint")
	c.need(after, "satpoint_post_transfer", "a satpoint")
	c.need(txIndex, "tx_index", "a whole number")
	return t
}

// destination reads where the sat went. A kind that is not known is taken for a transfer, as ordinals-api does.
func (c *cursor) destination(t *Transfer) (present bool) {
	var kind string
	hasKind := false
	if !c.object(func(name []byte) {
		switch string(name) {
		case "type":
			hasKind = c.name(&kind)
		case "value":
			t.DestinationValue = c.namePointer()
		default:
			c.skip()
		}
	}) {
		return false
	}
	c.need(hasKind, "type", "a string")
	switch t.Destination = LocationType(kind); t.Destination {
	case SpentInFees, Burnt:
	default:
		t.Destination = Transferred
	}
	return true
}
