package clarity

import (
	"fmt"
	"strings"

	"strata/domain/c32"
)

// Principal is who can own assets and call contracts: an address, or a contract deployed by one. It is comparable.
type Principal struct {
	Address  c32.Address
	Contract string // the contract's name; empty for a standard principal
}

// ParsePrincipal reads ADDRESS or ADDRESS.contract, without an apostrophe. The address may be written as
// c32.ParseAddress accepts; the contract name must be legal (IsContractName).
func ParsePrincipal(s string) (Principal, error) {
	text, name, isContract := strings.Cut(s, ".")
	address, err := c32.ParseAddress(text)
	if err != nil {
		return Principal{}, fmt.Errorf("principal: %w", err)
	}
	if isContract && !IsContractName(name) {
		return Principal{}, fmt.Errorf("principal %q: contract name: %w", clip(s), ErrName)
	}
	return Principal{Address: address, Contract: name}, nil
}

// ReadPrincipal reads a principal from the start of b in the form it has inside values, 05 or 06 first, and returns it
// with the number of bytes it takes. A failure is a *DecodeError.
func ReadPrincipal(b []byte) (Principal, int, error) {
	if len(b) == 0 {
		return Principal{}, 0, fail(0, ErrTruncated)
	}
	if t := TypeID(b[0]); t != TypePrincipal && t != TypeContractPrincipal {
		return Principal{}, 0, fail(0, ErrType)
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

// AppendText appends what String returns to dst.
func (p Principal) AppendText(dst []byte) []byte {
	dst = p.Address.AppendTo(dst)
	if p.Contract != "" {
		dst = append(dst, '.')
		dst = append(dst, p.Contract...)
	}
	return dst
}

// AppendTo appends the form that ReadPrincipal reads to dst. It returns ErrVersion or ErrName for a principal that
// has none.
func (p Principal) AppendTo(dst []byte) ([]byte, error) {
	if !p.Address.Valid() {
		return dst, fmt.Errorf("principal with address version %d: %w", p.Address.Version, ErrVersion)
	}
	prefix := TypePrincipal
	if p.Contract != "" {
		if !IsContractName(p.Contract) {
			return dst, fmt.Errorf("principal %q: contract name: %w", clip(p.String()), ErrName)
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

// MarshalText returns what String returns, or ErrVersion when the address has no text.
func (p Principal) MarshalText() ([]byte, error) {
	if !p.Address.Valid() {
		return nil, fmt.Errorf("principal with address version %d: %w", p.Address.Version, ErrVersion)
	}
	return p.AppendText(nil), nil
}

// UnmarshalText reads what ParsePrincipal reads.
func (p *Principal) UnmarshalText(text []byte) error {
	parsed, err := ParsePrincipal(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}

// clip keeps error messages short when the input is a whole document.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most]
	}
	return s
}
