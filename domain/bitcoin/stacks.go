package bitcoin

import (
	"fmt"

	"strata/domain/c32"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// versions pairs the address versions whose numbers differ between Stacks and Bitcoin. All others are the same number.
var versions = [...]struct{ stacks, bitcoin byte }{
	{c32.MainnetSingle, 0},
	{c32.MainnetMulti, 5},
	{c32.TestnetSingle, 111},
	{c32.TestnetMulti, 196},
}

// FromStacks returns the base58check address with the same 20 bytes. The versions 22, 20, 26 and 21 become 0, 5, 111
// and 196; any other version stays the same.
func FromStacks(a c32.Address) string {
	version := a.Version
	for _, pair := range versions {
		if pair.stacks == a.Version {
			version = pair.bitcoin
		}
	}
	return base58.CheckEncode(a.Hash160[:], version)
}

// ToStacks returns the Stacks address for a base58check address. It reverses FromStacks, except for the Stacks versions
// 0 and 5: their Bitcoin numbers stand for the Stacks versions 22 and 20. It returns ErrAddress for any other text, and
// c32.ErrVersion for a version above 31 that has no Stacks counterpart.
func ToStacks(text string) (c32.Address, error) {
	if len(text) > maxTextLength {
		return c32.Address{}, fmt.Errorf("address %.100q: %w: %d characters", text, ErrAddress, len(text))
	}
	hash, version, err := base58.CheckDecode(text)
	if err != nil {
		return c32.Address{}, fmt.Errorf("address %.100q: %w: %w", text, ErrAddress, err)
	}
	if len(hash) != hashLength {
		return c32.Address{}, fmt.Errorf("address %.100q: %w: holds %d bytes, want %d",
			text, ErrAddress, len(hash), hashLength)
	}
	a := c32.Address{Version: version, Hash160: [20]byte(hash)}
	for _, pair := range versions {
		if pair.bitcoin == version {
			a.Version = pair.stacks
		}
	}
	if !a.Valid() {
		return c32.Address{}, fmt.Errorf("address %.100q: version %d: %w", text, version, c32.ErrVersion)
	}
	return a, nil
}
