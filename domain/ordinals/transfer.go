package ordinals

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
	if !c.Members(
		required("ordinal_number", func() bool { return c.sat(&t.Sat) }, "a sat"),
		required("destination", func() bool { return c.destination(t) }, "an object"),
		required("satpoint_pre_transfer", func() bool { return c.satpoint(&t.SatpointPre) }, "a satpoint"),
		required("satpoint_post_transfer", func() bool { return c.satpoint(&t.SatpointPost) }, "a satpoint"),
		optional("post_transfer_output_value", &t.OutputValue),
		required("tx_index", &t.TxIndex, "a whole number"),
	) {
		return nil
	}
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
