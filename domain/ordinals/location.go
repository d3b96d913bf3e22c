package ordinals

import "strata/domain/hash"

// LocationType says how a sat came to its location.
type LocationType string

// Types of locations.
const (
	Transferred LocationType = "transferred"
	SpentInFees LocationType = "spent_in_fees" // the miner owns the sat, and may move it
	Burnt       LocationType = "burnt"         // in an output that nobody can spend
	Unbound     LocationType = "unbound"       // on no sat: the place of one inscription, which never moves
)

// Location says where a sat is after a reveal or a transfer. The current location of a sat is the one with the highest
// height and, within a block, the highest TxIndex.
type Location struct {
	Sat      Sat // meaningless if Type is Unbound
	TxIndex  uint32
	Type     LocationType
	Satpoint Satpoint
	// Address of the owner; nil for none.
	Address *string
	// Value of the output in sats; nil if unknown.
	Value *uint64
}

// Location returns the location at which transaction tx in the block at height revealed the inscription. The address is
// the inscriber's, exactly as the feed has it. Nobody owns an unbound inscription, and its place has no value.
func (r *Reveal) Location(tx hash.Hash32, height uint64) Location {
	if r.Unbound() {
		return Location{Sat: r.Sat, TxIndex: r.TxIndex, Type: Unbound, Satpoint: r.Satpoint()}
	}
	l, _ := r.SatLocation(tx, height)
	return l
}

// SatLocation returns the location to which the reveal took its sat, with the older inscriptions on it: the inscription's own
// location, unless it is unbound. ok is false if there is no sat.
func (r *Reveal) SatLocation(tx hash.Hash32, height uint64) (l Location, ok bool) {
	return Location{
		Sat: r.Sat, TxIndex: r.TxIndex, Type: r.satLocationType(tx, height), Satpoint: r.SatpointPost, Address: r.InscriberAddress, Value: &r.OutputValue,
	}, r.Sat != 0
}

// satLocationType returns Transferred if the reveal has an address. Without an address, the sat was burnt if the output
// has a value, and spent in fees otherwise. But some indexers write no value for a burnt sat. Then the satpoint tells:
// a burnt sat is in the revealing transaction, at an offset below the subsidy. A sat that was spent in fees cannot have
// such an offset.
func (r *Reveal) satLocationType(tx hash.Hash32, height uint64) LocationType {
	switch satpoint := r.SatpointPost; {
	case r.InscriberAddress != nil && *r.InscriberAddress != "":
		return Transferred
	case r.OutputValue > 0:
		return Burnt
	case satpoint.TxID == tx && satpoint.Offset != nil && *satpoint.Offset < Subsidy(height):
		return Burnt
	}
	return SpentInFees
}

// Location returns the location to which the sat went. A sat that was spent in fees has neither owner nor value, and a
// burnt sat has no owner. A value of 0 counts as unknown.
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

// DerivedCharms returns the charms that follow from a reveal by transaction tx in the block at height, for feeds that
// send no charms. It never returns CharmLost: the reveal does not tell whether the sat was lost.
func (r *Reveal) DerivedCharms(network Network, tx hash.Hash32, height uint64) (charms Charms) {
	if r.Number.Classic < 0 {
		if height < network.JubileeHeight() {
			charms |= CharmCursed
		} else {
			charms |= CharmVindicated
		}
	}
	if r.Unbound() {
		return charms | CharmUnbound
	}
	charms |= r.Sat.Charms()
	if curse := r.Curse(); curse != nil && *curse == curseReinscription {
		charms |= CharmReinscription
	}
	if r.satLocationType(tx, height) == Burnt {
		charms |= CharmBurned
	}
	return charms
}
