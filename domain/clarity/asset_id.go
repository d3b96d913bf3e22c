package clarity

// AssetID identifies a class of fungible or non-fungible tokens by its contract and its name in that contract.
type AssetID struct {
	Contract Principal
	Asset    string
}

// String returns ADDRESS.contract::asset.
func (a AssetID) String() string { return a.Contract.String() + "::" + a.Asset }
