package bns

import (
	"math"
	"math/big"
)

// Periods of the contract, in Bitcoin blocks.
const (
	// Grace is how long after its expiry only the owner can renew a name.
	Grace = 5000
	// Claimability is how long a namespace that is revealed, but not launched, belongs to whoever revealed it.
	Claimability = 52_595
	// PreorderLife is how long a preorder can be used; afterwards it can be refunded.
	PreorderLife = 144
	// SoonExpiring is how long before its expiry the public service calls a name expiring-soon.
	SoonExpiring = 4320
)

// NeverExpires is the expiry of a name that does not expire.
const NeverExpires = int64(math.MaxInt64)

// Expiry returns the last height at which a name is active: its renewal height, or, for an imported name that was
// never renewed, the launch of the namespace plus its lifetime. It is NeverExpires in a namespace without a lifetime,
// before the launch, and beyond any height that a chain reaches. An unknown namespace (nil) counts as one without a
// launch.
func Expiry(renewalHeight *big.Int, namespace *Namespace) int64 {
	if namespace != nil && namespace.Lifetime.Sign() == 0 {
		return NeverExpires
	}
	if renewalHeight != nil && renewalHeight.Sign() > 0 {
		return Height(renewalHeight)
	}
	if namespace == nil || namespace.LaunchedAt == nil {
		return NeverExpires
	}
	return Height(new(big.Int).Add(namespace.LaunchedAt, namespace.Lifetime))
}

// Height returns a number as a height; NeverExpires for one that no chain reaches.
func Height(n *big.Int) int64 {
	if !n.IsInt64() {
		return NeverExpires
	}
	return n.Int64()
}

// Phase is what a name's expiry means at a height.
type Phase int

// Phases of a name.
const (
	Active  Phase = iota // up to the expiry
	InGrace              // the owner can renew; the contract still resolves the name
	Lapsed               // anyone can renew, and becomes the owner; until then the owner stays
)

// PhaseAt returns the phase at a height of a name with an expiry.
func PhaseAt(height, expiry int64) Phase {
	switch {
	case height <= expiry:
		return Active
	case height-expiry < Grace:
		return InGrace
	}
	return Lapsed
}
