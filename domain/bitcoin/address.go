package bitcoin

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
)

var (
	// ErrAddress is returned for text that is not a Bitcoin address.
	ErrAddress = errors.New("not a Bitcoin address")

	// ErrNetwork is returned for an address of another network.
	ErrNetwork = errors.New("address of another Bitcoin network")
)

// Kind is the kind of output that an address pays to.
type Kind byte

// The kinds of output.
const (
	PubKeyHash Kind = iota + 1 // P2PKH
	ScriptHash                 // P2SH
	Witness                    // a segregated-witness program
)

const (
	hashLength = 20 // bytes in the hash of a public key or script

	// maxTextLength is the limit of bech32 (BIP-173). It also bounds base58 decoding, whose cost grows with the square
	// of the length.
	maxTextLength = 90

	maxWitnessVersion = 16
	minProgramLength  = 2
	maxProgramLength  = 40
)

// Address is a Bitcoin address without its network.
type Address struct {
	Kind    Kind
	Version byte   // witness version, 0 to 16; 0 for the other kinds
	Hash    []byte // 20 bytes, or a witness program of 2 to 40 bytes
}

// ParseAddress parses an address of network n. The error quotes the text and wraps ErrAddress or ErrNetwork.
func ParseAddress(text string, n Network) (Address, error) {
	a, err := parse(text, n)
	if err != nil {
		return Address{}, fmt.Errorf("address %.100q: %w", text, err)
	}
	return a, nil
}

func parse(text string, n Network) (Address, error) {
	if len(text) > maxTextLength {
		return Address{}, fmt.Errorf("%w: %d characters", ErrAddress, len(text))
	}
	hash, version, base58Err := base58.CheckDecode(text)
	if base58Err == nil {
		switch {
		case len(hash) != hashLength:
			return Address{}, fmt.Errorf("%w: holds %d bytes, want %d", ErrAddress, len(hash), hashLength)
		case version == n.PubKeyHash:
			return Address{Kind: PubKeyHash, Hash: hash}, nil
		case version == n.ScriptHash:
			return Address{Kind: ScriptHash, Hash: hash}, nil
		}
		return Address{}, fmt.Errorf("%w: version %d", ErrNetwork, version)
	}
	hrp, groups, checksum, bech32Err := bech32.DecodeGeneric(text)
	if bech32Err != nil {
		return Address{}, fmt.Errorf("%w: %w; %w", ErrAddress, base58Err, bech32Err)
	}
	if hrp != n.HRP {
		return Address{}, fmt.Errorf("%w: prefix %q, want %q", ErrNetwork, hrp, n.HRP)
	}
	return parseProgram(groups, checksum)
}

// parseProgram reads a witness version and program (BIP-173 "Segwit address format", BIP-350).
func parseProgram(groups []byte, checksum bech32.Version) (Address, error) {
	if len(groups) == 0 || groups[0] > maxWitnessVersion {
		return Address{}, fmt.Errorf("%w: no witness version", ErrAddress)
	}
	a := Address{Kind: Witness, Version: groups[0]}
	want := bech32.VersionM
	if a.Version == 0 {
		want = bech32.Version0
	}
	if checksum != want {
		return Address{}, fmt.Errorf("%w: witness version %d with the checksum of another version", ErrAddress, a.Version)
	}
	var err error
	if a.Hash, err = bech32.ConvertBits(groups[1:], 5, 8, false); err != nil {
		return Address{}, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	if !a.validProgram() {
		return Address{}, fmt.Errorf("%w: witness program of %d bytes", ErrAddress, len(a.Hash))
	}
	return a, nil
}

func (a Address) validProgram() bool {
	n := len(a.Hash)
	if a.Version == 0 {
		return n == 20 || n == 32
	}
	return a.Version <= maxWitnessVersion && minProgramLength <= n && n <= maxProgramLength
}

// Text returns the address as text of network n. It returns false for an address that cannot exist: one with a hash of
// the wrong length or an unknown kind.
func (a Address) Text(n Network) (string, bool) {
	switch {
	case a.Kind == PubKeyHash && len(a.Hash) == hashLength:
		return base58.CheckEncode(a.Hash, n.PubKeyHash), true
	case a.Kind == ScriptHash && len(a.Hash) == hashLength:
		return base58.CheckEncode(a.Hash, n.ScriptHash), true
	case a.Kind == Witness && a.validProgram():
		return a.bech32(n.HRP)
	}
	return "", false
}

func (a Address) bech32(hrp string) (string, bool) {
	groups, err := bech32.ConvertBits(a.Hash, 8, 5, true)
	if err != nil {
		return "", false
	}
	encode := bech32.EncodeM
	if a.Version == 0 {
		encode = bech32.Encode
	}
	text, err := encode(hrp, append([]byte{a.Version}, groups...))
	return text, err == nil
}
