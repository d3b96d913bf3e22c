package names

import "math/big"

// GracePeriod is how long after its expiry a name can only be renewed, by its owner.
const GracePeriod = 5000

// Lease is how long a name is its owner's. All heights are in the contract's clock, the block-height of Clarity 1: the
// height of the Stacks block before epoch 3.0, and the height of the tenure since.
type Lease struct {
	// RegisteredAt is when the name was registered or renewed last; nil for an imported name.
	RegisteredAt *int64
	// ImportedAt is when the name was imported; nil for a registered name.
	ImportedAt *int64
}

// Term is the lifetime of the names of a namespace, with the heights that the leases of imported names depend on.
type Term struct {
	RevealedAt, LaunchedAt, Lifetime *big.Int
}

// Expires returns the last height at which the lease holds; nil if it never ends, or if nobody knows when it began. An
// imported name's lease begins with the launch of the namespace if it was imported between reveal and launch, and at
// height 0 otherwise.
func (l Lease) Expires(t *Term) *big.Int {
	if t == nil || t.Lifetime == nil || t.Lifetime.Sign() == 0 {
		return nil
	}
	var start *big.Int
	switch {
	case l.RegisteredAt != nil:
		start = big.NewInt(*l.RegisteredAt)
	case l.ImportedAt == nil || t.LaunchedAt == nil:
		return nil
	default:
		start = new(big.Int)
		imported := big.NewInt(*l.ImportedAt)
		if t.RevealedAt != nil && imported.Cmp(t.RevealedAt) >= 0 && imported.Cmp(t.LaunchedAt) <= 0 {
			start = t.LaunchedAt
		}
	}
	return new(big.Int).Add(start, t.Lifetime)
}

// Phase is where a name stands in its life.
type Phase int

// Phases.
const (
	Alive   Phase = iota
	InGrace       // expired, and only its owner can have it, by renewing it
	Free          // expired, and anyone may register it
)

// PhaseAt returns the phase at a height, given when the lease expires; nil for never.
func PhaseAt(height int64, expires *big.Int) Phase {
	now := big.NewInt(height)
	switch {
	case expires == nil || now.Cmp(expires) <= 0:
		return Alive
	case now.Cmp(new(big.Int).Add(expires, big.NewInt(GracePeriod))) <= 0:
		return InGrace
	}
	return Free
}
