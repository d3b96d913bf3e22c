package bitcoin

import (
	"fmt"
	"slices"
)

// Versions of reward addresses (SIP-007 and its successors: the contracts pox to pox-4).
const (
	PoxP2PKH      byte = 0
	PoxP2SH       byte = 1
	PoxP2SHP2WPKH byte = 2
	PoxP2SHP2WSH  byte = 3
	PoxP2WPKH     byte = 4
	PoxP2WSH      byte = 5
	PoxP2TR       byte = 6
)

// PoxAddress is a Bitcoin address in the form of the proof-of-transfer contracts: {version, hashbytes}. The contracts
// also accept versions and lengths that no Bitcoin address has. Such a PoxAddress has no text.
type PoxAddress struct {
	Version byte
	Hash    []byte
}

// ParsePoxAddress parses an address of network n. A P2SH address becomes PoxP2SH, because its text does not tell which
// kind of script it pays to. The error quotes the text and wraps ErrAddress or ErrNetwork.
func ParsePoxAddress(text string, n Network) (PoxAddress, error) {
	a, err := ParseAddress(text, n)
	if err != nil {
		return PoxAddress{}, err
	}
	switch {
	case a.Kind == PubKeyHash:
		return PoxAddress{Version: PoxP2PKH, Hash: a.Hash}, nil
	case a.Kind == ScriptHash:
		return PoxAddress{Version: PoxP2SH, Hash: a.Hash}, nil
	case a.Version == 0 && len(a.Hash) == 20:
		return PoxAddress{Version: PoxP2WPKH, Hash: a.Hash}, nil
	case a.Version == 0:
		return PoxAddress{Version: PoxP2WSH, Hash: a.Hash}, nil
	case a.Version == 1 && len(a.Hash) == 32:
		return PoxAddress{Version: PoxP2TR, Hash: a.Hash}, nil
	}
	return PoxAddress{}, fmt.Errorf("address %.100q: %w that rewards can be paid to: witness version %d of %d bytes",
		text, ErrAddress, a.Version, len(a.Hash))
}

// Address returns the Bitcoin address that rewards are paid to, or false when p stands for no address.
func (p PoxAddress) Address() (Address, bool) {
	a := Address{Hash: p.Hash}
	length := hashLength
	switch p.Version {
	case PoxP2PKH:
		a.Kind = PubKeyHash
	case PoxP2SH, PoxP2SHP2WPKH, PoxP2SHP2WSH:
		a.Kind = ScriptHash
	case PoxP2WPKH:
		a.Kind = Witness
	case PoxP2WSH:
		a.Kind, length = Witness, 32
	case PoxP2TR:
		a.Kind, a.Version, length = Witness, 1, 32
	default:
		return Address{}, false
	}
	return a, len(p.Hash) == length
}

// Text returns the address as text of network n, or false when p stands for no address.
func (p PoxAddress) Text(n Network) (string, bool) {
	a, ok := p.Address()
	if !ok {
		return "", false
	}
	return a.Text(n)
}

// Raw returns the version followed by the hash.
func (p PoxAddress) Raw() []byte { return slices.Concat([]byte{p.Version}, p.Hash) }
