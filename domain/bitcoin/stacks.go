package bitcoin

import (
	"fmt"

	"strata/domain/c32"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// versions pairs the address versions that differ between Stacks and Bitcoin; every other one is the same number.
var versions = [...]struct{ stacks, bitcoin byte }{
	{c32.MainnetSingle, 0},
	{c32.MainnetMulti, 5},
	{c32.TestnetSingle, 111},
	{c32.TestnetMulti, 196},
}

// FromStacks returns the base58check address of the same 20 bytes: versions 22, 20, 26 and 21 become 0, 5, 111 and 196,
// any other stays.
func FromStacks(a c32.Address) string {
	version := a.Version
	for _, pair := range versions {
		if pair.stacks == a.Version {
			version = pair.bitcoin
		}
	}
	return base58.CheckEncode(a.Hash160[:], version)
}

// ToStacks returns the Stacks address of a base58check address: FromStacks reversed, except for the Stacks versions 0
// and 5, which cannot come back. It returns ErrAddress for another text, and c32.ErrVersion for a version above 31
// that has no Stacks counterpart.
func ToStacks(text string) (c32.Address, error) {
	if len(text) > maxTextLength {
		return c32.Address{}, fmt.Errorf("address %q: %w: %d characters", clip(text), ErrAddress, len(text))
	}
	hash, version, err := base58.CheckDecode(text)
	if err != nil {
		return c32.Address{}, fmt.Errorf("address %q: %w: %w", clip(text), ErrAddress, err)
	}
	if len(hash) != hashLength {
		return c32.Address{}, fmt.Errorf("address %q: %w: %d bytes in it", clip(text), ErrAddress, len(hash))
	}
	a := c32.Address{Version: version, Hash160: [20]byte(hash)}
	for _, pair := range versions {
		if pair.bitcoin == version {
			a.Version = pair.stacks
		}
	}
	if !a.Valid() {
		return c32.Address{}, fmt.Errorf("address %q: version %d: %w", clip(text), version, c32.ErrVersion)
	}
	return a, nil
}
