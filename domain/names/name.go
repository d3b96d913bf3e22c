package names

import (
	"errors"
	"fmt"
	"strings"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Lengths in bytes that the contract's types allow.
const (
	LabelMax     = 48 // of a name without its namespace
	NamespaceMax = 20
)

// ContractName is the name of the boot contract.
const ContractName = "bns"

// The contract on mainnet and on testnet.
const (
	MainnetContract = "SP000000000000000000002Q6VF78." + ContractName
	TestnetContract = "ST000000000000000000002AMW42H." + ContractName
)

// assetName is the name of the contract's non-fungible token. Its ids are the tuples that ReadKey reads.
const assetName = "names"

// ErrName is the error of a text that is not a name with its namespace.
var ErrName = errors.New("not a name (want name.namespace in lower case letters, digits, - and _)")

// Name is a name with its namespace. Both have only the characters that the contract allows: a-z, 0-9, - and _.
type Name struct{ Label, Namespace string }

// Parse parses a name such as "bob.btc".
func Parse(text string) (Name, error) {
	label, namespace, _ := strings.Cut(text, ".")
	n := Name{label, namespace}
	if !n.Valid() {
		return Name{}, fmt.Errorf("%q: %w", text, ErrName)
	}
	return n, nil
}

// String returns the name as one text: "bob.btc".
func (n Name) String() string { return n.Label + "." + n.Namespace }

// Valid reports whether the contract can hold the name.
func (n Name) Valid() bool { return ValidLabel(n.Label) && ValidNamespace(n.Namespace) }

// ValidLabel reports whether a text can be a name without its namespace.
func ValidLabel(text string) bool { return len(text) <= LabelMax && validCharacters(text) }

// ValidNamespace reports whether a text can be a namespace.
func ValidNamespace(text string) bool { return len(text) <= NamespaceMax && validCharacters(text) }

// validCharacters reports whether a text is not empty and has only the characters that the contract allows.
func validCharacters(text string) bool {
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) && !isNonAlpha(c) {
			return false
		}
	}
	return text != ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// isNonAlpha reports whether a character is one of those for which names are cheaper.
func isNonAlpha(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c == '_' }

// IsContract reports whether a principal is the contract, of mainnet or of testnet.
func IsContract(p clarity.Principal) bool {
	return p.Contract == ContractName && p.Address.Hash160 == [20]byte{} &&
		(p.Address.Version == c32.MainnetSingle || p.Address.Version == c32.TestnetSingle)
}

// IsContractText is IsContract for the text of a principal.
func IsContractText(text string) bool {
	if !strings.HasSuffix(text, "."+ContractName) { // most contracts
		return false
	}
	p, err := clarity.ParsePrincipal(text)
	return err == nil && IsContract(p)
}

// IsAsset reports whether an asset identifier, ADDRESS.contract::asset, is the one of names.
func IsAsset(text string) bool {
	contract, asset, _ := strings.Cut(text, "::")
	return asset == assetName && IsContractText(contract)
}

// ReadKey reads a name from a tuple with the fields name and namespace, such as the id of the name's token.
func ReadKey(v clarity.Value) (Name, bool) {
	label, ok := bufferText(v, "name")
	namespace, too := bufferText(v, "namespace")
	n := Name{label, namespace}
	return n, ok && too && n.Valid()
}

// Key returns the tuple that identifies a name in the contract.
func (n Name) Key() (clarity.Value, error) {
	label, err := clarity.NewBuffer([]byte(n.Label))
	namespace, failed := clarity.NewBuffer([]byte(n.Namespace))
	if err = errors.Join(err, failed); err != nil {
		return clarity.Value{}, err
	}
	return clarity.NewTuple(clarity.Field{Name: "name", Value: label}, clarity.Field{Name: "namespace", Value: namespace})
}

// bufferText returns the text of a field that is a buffer.
func bufferText(v clarity.Value, field string) (string, bool) {
	f, ok := v.Field(field)
	if !ok {
		return "", false
	}
	b, ok := f.Buffer()
	return string(b), ok
}

// PreorderHash returns the hash under which a name is preordered: that of the name, its namespace and a salt.
func (n Name) PreorderHash(salt []byte) hash.Hash20 {
	return key.Hash160(append([]byte(n.String()), salt...))
}

// ZonefileHash returns the hash by which the contract knows a zonefile.
func ZonefileHash(content []byte) hash.Hash20 { return key.Hash160(content) }
