package clarity

import (
	"fmt"
	"strings"
)

// AssetID identifies a class of fungible or non-fungible tokens by its contract and its name in that contract.
type AssetID struct {
	Contract Principal
	Asset    string
}

// ParseAssetID parses ADDRESS.contract::asset. The principal must be a contract, and the asset name legal (IsName).
func ParseAssetID(s string) (AssetID, error) {
	text, asset, found := strings.Cut(s, "::")
	if !found {
		return AssetID{}, fmt.Errorf("asset identifier %.200q: no ::, want ADDRESS.contract::asset", s)
	}
	contract, err := ParsePrincipal(text)
	if err != nil {
		return AssetID{}, fmt.Errorf("asset identifier %.200q: %w", s, err)
	}
	if !contract.IsContract() {
		return AssetID{}, fmt.Errorf("asset identifier %.200q: no contract name: %w", s, ErrName)
	}
	if !IsName(asset) {
		return AssetID{}, fmt.Errorf("asset identifier %.200q: asset name: %w", s, ErrName)
	}
	return AssetID{Contract: contract, Asset: asset}, nil
}

// String returns ADDRESS.contract::asset.
func (a AssetID) String() string { return a.Contract.String() + "::" + a.Asset }
