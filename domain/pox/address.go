package pox

import (
	"fmt"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// Address reads a reward address, the tuple {version: (buff 1), hashbytes: (buff 20|32)}, which may be wrapped in some.
// It returns nil without an error for none, and ErrEvent for any other value.
func Address(v clarity.Value) (*bitcoin.PoxAddress, error) {
	v, present := unwrap(v)
	if !present {
		return nil, nil
	}
	version, _ := v.Field("version")
	hash, _ := v.Field("hashbytes")
	v1, okVersion := version.Buffer()
	h, okHash := hash.Buffer()
	if !okVersion || !okHash || len(v1) != 1 {
		return nil, fmt.Errorf("%w: reward address is %s", ErrEvent, clip(v))
	}
	return &bitcoin.PoxAddress{Version: v1[0], Hash: h}, nil
}

// AddressValue returns the tuple that Address reads. It fails for a hash longer than a buffer can be.
func AddressValue(p bitcoin.PoxAddress) (clarity.Value, error) {
	version, err := clarity.NewBuffer([]byte{p.Version})
	if err != nil {
		return clarity.Value{}, err
	}
	hash, err := clarity.NewBuffer(p.Hash)
	if err != nil {
		return clarity.Value{}, fmt.Errorf("reward address: %w", err)
	}
	return clarity.NewTuple(
		clarity.Field{Name: "hashbytes", Value: hash},
		clarity.Field{Name: "version", Value: version},
	)
}

// unwrap takes a value out of some; it returns false for none and for no value.
func unwrap(v clarity.Value) (clarity.Value, bool) {
	if v.Type() == clarity.TypeSome {
		v, _ = v.Inner()
	}
	return v, !v.IsZero() && v.Type() != clarity.TypeNone
}

// clip shows a value in a message, shortened.
func clip(v clarity.Value) string {
	const most = 200
	if v.IsZero() {
		return "missing"
	}
	if len(v.Raw()) > most {
		return fmt.Sprintf("a %s of %d bytes", v.Type(), len(v.Raw()))
	}
	return v.Repr()
}
