package transaction

import (
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Walk is the sequence of hashes, signatures and keys by which a condition is signed.
type Walk struct {
	Start      hash.Hash32
	Presigns   []hash.Hash32 // the hash that each signature signs
	PublicKeys []key.Public  // stated and recovered keys in the order of the fields, in the form that is hashed
	Result     hash.Hash32   // the hash from which a sponsor continues
}

// OriginWalk recovers the origin's keys. It returns the whole walk even on an error, without the keys that could not be
// recovered or parsed. The error names the first of them and wraps key.ErrRecover or key.ErrPublic.
func (t *Transaction) OriginWalk() (Walk, error) {
	return t.Origin.walk(t.InitialSighash(), AuthStandard)
}

// SponsorWalk recovers the sponsor's keys, like OriginWalk. It starts from the result of the origin's walk. Without a
// sponsor it returns an empty Walk.
func (t *Transaction) SponsorWalk() (Walk, error) {
	if t.Sponsor == nil {
		return Walk{}, nil
	}
	return t.Sponsor.walk(t.SponsorSighash(), AuthSponsored)
}

func (c *SpendingCondition) walk(start hash.Hash32, role AuthType) (Walk, error) {
	w := Walk{Start: start}
	var firstErr error
	i := -1
	w.Result = c.chain(start, role, func(f *Field, presign hash.Hash32) {
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
		} else if firstErr == nil {
			firstErr = fmt.Errorf("field %d: %w", i, err)
		}
	})
	return w, firstErr
}
