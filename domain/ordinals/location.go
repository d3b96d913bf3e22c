package ordinals

import "strata/domain/hash"

// LocationType says how a sat came to where it is.
type LocationType string

// Types of locations.
const (
	Transferred LocationType = "transferred"
	SpentInFees LocationType = "spent_in_fees" // it is the miner's now, and may move on
	Burnt       LocationType = "burnt"         // in an output that nobody has the key of
)

// Location is where a sat is after a reveal or a move. Of all the locations of a sat, the one with the highest height
// and then the highest TxIndex is the current one.
type Location struct {
	Sat      Sat
	TxIndex  uint32
	Type     LocationType
	Satpoint Satpoint
	// Address of the owner; nil for none.
	Address *string
	// Value of the output in sats; nil when it is not known.
	Value *uint64
}

// Location is where the operation took the sat: that of its Reveal or Transfer, in a transaction of the block at a
// height.
func (o *Operation) Location(tx hash.Hash32, height uint64) Location {
	if o.Reveal != nil {
		return o.Reveal.Location(tx, height)
	}
	return o.Transfer.Location()
}

// Location is where the inscription was revealed by a transaction of the block at a height. The address is the
// inscriber's exactly as the feed has it.
func (r *Reveal) Location(tx hash.Hash32, height uint64) Location {
	return Location{
		Sat:      r.Sat,
		TxIndex:  r.TxIndex,
		Type:     r.LocationType(tx, height),
		Satpoint: r.SatpointPost,
		Address:  r.InscriberAddress,
		Value:    &r.OutputValue,
	}
}

// LocationType is Transferred when there is an address. Without one, the sat was burnt if the output has a value, and
// spent in fees if not. But some indexers give no value for what was burnt; then the satpoint tells: it is in the
// revealing transaction, and its offset is below the subsidy, where that of a sat spent in fees can't be.
func (r *Reveal) LocationType(tx hash.Hash32, height uint64) LocationType {
	switch at := r.SatpointPost; {
	case r.InscriberAddress != nil && *r.InscriberAddress != "":
		return Transferred
	case r.OutputValue > 0:
		return Burnt
	case at.TxID == tx && at.Offset != nil && *at.Offset < Subsidy(height):
		return Burnt
	}
	return SpentInFees
}

// Location is where the sat went. One that was spent in fees has neither owner nor value, a burnt one no owner. A value
// of 0 counts as not known.
func (t *Transfer) Location() Location {
	l := Location{Sat: t.Sat, TxIndex: t.TxIndex, Type: t.Destination, Satpoint: t.SatpointPost}
	if t.Destination == Transferred {
		l.Address = t.DestinationValue
	}
	if t.Destination != SpentInFees && t.OutputValue != nil && *t.OutputValue > 0 {
		l.Value = t.OutputValue
	}
	return l
}

// DerivedCharms are those that follow from a reveal by a transaction of the block at a height, for feeds that send
// none. Whether the sat was lost can't be told.
func (r *Reveal) DerivedCharms(network Network, tx hash.Hash32, height uint64) Charms {
	charms := r.Sat.Charms()
	if r.Number.Classic < 0 {
		if height < network.JubileeHeight() {
			charms |= CharmCursed
		} else {
			charms |= CharmVindicated
		}
	}
	if curse := r.Curse(); curse != nil && *curse == curseReinscription {
		charms |= CharmReinscription
	}
	switch r.LocationType(tx, height) {
	case SpentInFees:
		charms |= CharmUnbound
	case Burnt:
		charms |= CharmBurned
	}
	return charms
}
