package transaction

import (
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Walk is the way from a condition's first hash over its signatures to its last one.
type Walk struct {
	Start      hash.Hash32
	Presigns   []hash.Hash32 // what was signed, one for each signature
	PublicKeys []key.Public  // stated and recovered keys in the order of the fields, in the form that is hashed
	Result     hash.Hash32   // where the sponsor goes on
}

// OriginWalk recovers the origin's keys. The walk is complete but for keys that could not be recovered or parsed; the
// error tells the first of them and wraps key.ErrRecover or key.ErrPublic.
func (t *Transaction) OriginWalk() (Walk, error) {
	return t.Origin.walk(t.InitialSighash(), AuthStandard)
}

// SponsorWalk is OriginWalk for the sponsor. It starts from where the origin's walk ended. Without a sponsor it is
// empty.
func (t *Transaction) SponsorWalk() (Walk, error) {
	if t.Sponsor == nil {
		return Walk{}, nil
	}
	return t.Sponsor.walk(t.SponsorSighash(), AuthSponsored)
}

func (c *SpendingCondition) walk(start hash.Hash32, who AuthType) (Walk, error) {
	w := Walk{Start: start}
	var first error
	i := -1
	w.Result = c.chain(start, who, func(f *Field, presign hash.Hash32) {
		i++
		var public key.Public
		var err error
		if f.Kind.Signature() {
			w.Presigns = append(w.Presigns, presign)
			public, err = key.Recover(presign, f.Signature, f.Kind.Encoding())
		} else if public, err = key.ParsePublic(f.PublicKey[:]); err == nil {
			public, err = public.As(f.Kind.Encoding())
		}
		if err == nil {
			w.PublicKeys = append(w.PublicKeys, public)
		} else if first == nil {
			first = fmt.Errorf("field %d: %w", i, err)
		}
	})
	return w, first
}
