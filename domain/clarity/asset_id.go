package clarity

import (
	"fmt"
	"strings"
)

// AssetID names a fungible or non-fungible token class: the contract that defines it and its name there.
type AssetID struct {
	Contract Principal
	Asset    string
}

// ParseAssetID reads ADDRESS.contract::asset. The asset name must be legal (IsName) and the principal a contract.
func ParseAssetID(s string) (AssetID, error) {
	text, asset, found := strings.Cut(s, "::")
	if !found {
		return AssetID{}, fmt.Errorf("asset identifier %q: no :: in it, want ADDRESS.contract::asset", clip(s))
	}
	contract, err := ParsePrincipal(text)
	if err != nil {
		return AssetID{}, fmt.Errorf("asset identifier %q: %w", clip(s), err)
	}
	if !contract.IsContract() {
		return AssetID{}, fmt.Errorf("asset identifier %q: no contract name in it: %w", clip(s), ErrName)
	}
	if !IsName(asset) {
		return AssetID{}, fmt.Errorf("asset identifier %q: asset name: %w", clip(s), ErrName)
	}
	return AssetID{Contract: contract, Asset: asset}, nil
}

// String returns ADDRESS.contract::asset.
func (a AssetID) String() string { return a.Contract.String() + "::" + a.Asset }
