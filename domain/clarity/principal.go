package clarity

import (
	"fmt"
	"strings"

	"strata/domain/c32"
)

// Principal is an account that can own assets and call contracts: an address, or a contract that an address deployed.
// It is comparable.
type Principal struct {
	Address  c32.Address
	Contract string // the contract's name; empty for a standard principal
}

// ParsePrincipal parses ADDRESS or ADDRESS.contract, without an apostrophe. The address may take any form that
// c32.ParseAddress accepts. The contract name must be legal (IsContractName).
func ParsePrincipal(s string) (Principal, error) {
	text, name, isContract := strings.Cut(s, ".")
	address, err := c32.ParseAddress(text)
	if err != nil {
		return Principal{}, fmt.Errorf("principal: %w", err)
	}
	if isContract && !IsContractName(name) {
		return Principal{}, fmt.Errorf("principal %.200q: contract name: %w", s, ErrName)
	}
	return Principal{Address: address, Contract: name}, nil
}

// ReadPrincipal decodes the principal at the start of b and returns it with its size in bytes. The principal is
// serialized as a value, with the prefix 05 or 06. The error is a *DecodeError.
func ReadPrincipal(b []byte) (Principal, int, error) {
	if len(b) == 0 {
		return Principal{}, 0, errorAt(0, ErrTruncated)
	}
	if t := TypeID(b[0]); t != TypePrincipal && t != TypeContractPrincipal {
		return Principal{}, 0, errorAt(0, ErrType)
	}
	v, n, err := Decode(b)
	if err != nil {
		return Principal{}, 0, err
	}
	p, _ := v.Principal()
	return p, n, nil
}

// IsContract reports whether the principal is a contract.
func (p Principal) IsContract() bool { return p.Contract != "" }

// String returns ADDRESS or ADDRESS.contract in canonical form.
func (p Principal) String() string {
	var text [c32.MaxAddressLength + 1 + MaxNameLength]byte
	return string(p.AppendText(text[:0]))
}

// AppendText appends the text that String returns to dst.
func (p Principal) AppendText(dst []byte) []byte {
	dst = p.Address.AppendTo(dst)
	if p.Contract != "" {
		dst = append(dst, '.')
		dst = append(dst, p.Contract...)
	}
	return dst
}

// AppendTo appends the principal to dst in the form that ReadPrincipal reads. It returns ErrVersion or ErrName for a
// principal that cannot be serialized.
func (p Principal) AppendTo(dst []byte) ([]byte, error) {
	if !p.Address.Valid() {
		return dst, fmt.Errorf("principal with address version %d: %w", p.Address.Version, ErrVersion)
	}
	prefix := TypePrincipal
	if p.Contract != "" {
		if !IsContractName(p.Contract) {
			return dst, fmt.Errorf("principal %.200q: contract name: %w", p.String(), ErrName)
		}
		prefix = TypeContractPrincipal
	}
	dst = append(dst, byte(prefix), p.Address.Version)
	dst = append(dst, p.Address.Hash160[:]...)
	if p.Contract != "" {
		dst = appendName(dst, p.Contract)
	}
	return dst, nil
}

// MarshalText returns the text that String returns, or ErrVersion when the address has none.
func (p Principal) MarshalText() ([]byte, error) {
	if !p.Address.Valid() {
		return nil, fmt.Errorf("principal with address version %d: %w", p.Address.Version, ErrVersion)
	}
	return p.AppendText(nil), nil
}

// UnmarshalText parses text as ParsePrincipal does.
func (p *Principal) UnmarshalText(text []byte) error {
	parsed, err := ParsePrincipal(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
