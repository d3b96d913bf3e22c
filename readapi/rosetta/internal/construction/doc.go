// Package construction builds unsigned transactions from the operations of the standard, puts signatures into them, and
// tells what they do. Its functions are pure: they know neither a node nor a database.
package construction

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"strata/domain/bitcoin"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

// Builder builds transactions for a network.
type Builder struct {
	Network transaction.Network
	Bitcoin bitcoin.Network
}

// Curve is the only curve of keys.
const Curve = "secp256k1"

// mainnet reports whether addresses are those of mainnet.
func (b *Builder) mainnet() bool { return b.Network.Version.Mainnet() }

// publicKey reads a public key.
func publicKey(k wire.PublicKey) (key.Public, error) {
	if k.CurveType != Curve {
		return key.Public{}, fault.New(fault.InvalidCurve)
	}
	p, err := key.ParsePublicHex(strings.TrimPrefix(k.HexBytes, "0x"))
	if err != nil {
		return key.Public{}, fault.New(fault.InvalidPublicKey)
	}
	return p, nil
}

// hashModes are the hash modes of several keys, by the names that clients of Stacks know.
var hashModes = map[string]transaction.HashMode{
	"p2sh": transaction.P2SH, "p2wsh-p2sh": transaction.P2WSHP2SH,
	"p2sh-non-sequential": transaction.P2SHOrderIndependent, "p2wsh-p2sh-non-sequential": transaction.P2WSHP2SHOrderIndependent,
}

// Derive returns the address of a public key, or, with further keys in metadata, that of all of them.
func (b *Builder) Derive(first wire.PublicKey, metadata map[string]any) (string, error) {
	p, err := publicKey(first)
	if err != nil {
		return "", err
	}
	further, ok := metadata["public_keys"].([]any)
	if !ok {
		if metadata["public_keys"] != nil {
			return "", fault.New(fault.InvalidPublicKey)
		}
		return p.Address(b.mainnet()).String(), nil
	}
	holders := []key.Public{p}
	for _, k := range further {
		members, _ := k.(map[string]any)
		text, _ := members["hex_bytes"].(string)
		curve, _ := members["curve_type"].(string)
		holder, err := publicKey(wire.PublicKey{HexBytes: text, CurveType: curve})
		if err != nil {
			return "", err
		}
		holders = append(holders, holder)
	}
	mode := transaction.P2SH
	if name, given := metadata["hash_mode"]; given {
		text, _ := name.(string)
		var known bool
		if mode, known = hashModes[text]; !known {
			return "", fault.Newf(fault.InvalidParams, "metadata.hash_mode %v is not known", name)
		}
	}
	required, ok := wholeNumber(metadata["signatures_required"])
	if !ok || !required.IsInt64() || required.Int64() > int64(len(holders)) {
		return "", fault.Newf(fault.InvalidParams, "metadata.signatures_required must be a number from 1 to %d", len(holders))
	}
	shared, err := transaction.NewMultisig(mode, int(required.Int64()), holders...)
	if err != nil {
		return "", fault.Newf(fault.InvalidPublicKey, "%s", err)
	}
	return shared.Address(b.mainnet()).String(), nil
}

// Decode reads a transaction in hex. It refuses one of another network.
func (b *Builder) Decode(text string) (*transaction.Transaction, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, fault.New(fault.InvalidTransactionText)
	}
	tx, err := transaction.Decode(raw)
	if err != nil {
		return nil, fault.Newf(fault.InvalidTransactionText, "%s", err)
	}
	if tx.Version.Mainnet() != b.mainnet() {
		return nil, fault.Newf(fault.InvalidNetwork, "the transaction is for another network")
	}
	return tx, nil
}

// text returns a member of metadata as text; numbers in decimal.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// wholeNumber reads a number or decimal text that is not negative.
func wholeNumber(v any) (*big.Int, bool) {
	digits := strings.TrimPrefix(text(v), "u")
	if digits == "" || len(digits) > 39 || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return new(big.Int).SetString(digits, 10)
}

// oneOf returns the first member with one of the names that is there and not null.
func oneOf(members map[string]any, names ...string) any {
	at := slices.IndexFunc(names, func(name string) bool { return members[name] != nil })
	if at < 0 {
		return nil
	}
	return members[names[at]]
}
