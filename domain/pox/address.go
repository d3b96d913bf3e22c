package pox

import (
	"fmt"

	"strata/domain/bitcoin"
	"strata/domain/clarity"
)

// Address returns the reward address in the tuple {version: (buff 1), hashbytes: (buff 20|32)}, which may be wrapped in
// some. It returns nil without an error for none and for the zero Value, and ErrEvent for any other value.
func Address(v clarity.Value) (*bitcoin.PoxAddress, error) {
	v, present := unwrap(v)
	if !present {
		return nil, nil
	}
	version, _ := v.Field("version")
	hash, _ := v.Field("hashbytes")
	versionBytes, okVersion := version.Buffer()
	hashBytes, okHash := hash.Buffer()
	if !okVersion || !okHash || len(versionBytes) != 1 {
		return nil, fmt.Errorf("%w: reward address is %s", ErrEvent, describe(v))
	}
	return &bitcoin.PoxAddress{Version: versionBytes[0], Hash: hashBytes}, nil
}

// AddressValue returns the tuple that Address reads. It fails if the hash is longer than a buffer can be.
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

// unwrap returns the value inside some, or v itself. It returns false for none and for the zero Value.
func unwrap(v clarity.Value) (clarity.Value, bool) {
	if v.Type() == clarity.TypeSome {
		v, _ = v.Inner()
	}
	return v, !v.IsZero() && v.Type() != clarity.TypeNone
}

// describe returns the text of a value for an error message, or only its type and size if it is long.
func describe(v clarity.Value) string {
	const maxSize = 200
	if v.IsZero() {
		return "missing"
	}
	if len(v.Raw()) > maxSize {
		return fmt.Sprintf("a %s of %d bytes", v.Type(), len(v.Raw()))
	}
	return v.Repr()
}
