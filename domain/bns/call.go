package bns

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"strata/domain/clarity"
	"strata/domain/transaction/key"
)

// ErrCall is returned for arguments that a function of the contract can't have been called with.
var ErrCall = errors.New("not a call of BNS-V2")

// Functions whose effects are not, or not wholly, in prints.
const (
	NamespacePreorder = "namespace-preorder"
	NamespaceReveal   = "namespace-reveal"
	NamePreorder      = "name-preorder"
	ManagedPreorder   = "mng-name-preorder"
	ClaimPreorder     = "claim-preorder"
	NameRenewal       = "name-renewal"
	SetPrimaryName    = "set-primary-name"
)

// Call is a BNS-V2 contract call whose effects prints don't show, or not fully. Fields that the function does
// not have are zero.
type Call struct {
	Function string
	// Hash is the hash160 that a preorder or a refund names. For namespace-reveal it is that of the preorder.
	Hash []byte
	// Amount is what a preorder pays, in µSTX.
	Amount *big.Int
	// ID is set for set-primary-name.
	ID *big.Int
	// Name is set for name-renewal; only its namespace for namespace-reveal.
	Name Name
	// Namespace is what namespace-reveal sets, except for RevealedAt.
	Namespace *Namespace
}

// DecodeCall decodes the call of a function. It returns false for functions whose effects prints tell, and ErrCall for
// arguments that do not fit.
func DecodeCall(function string, arguments []clarity.Value) (c Call, ok bool, err error) {
	a := argumentReader{fieldReader{}, arguments}
	c.Function = function
	switch function {
	case NamespacePreorder, NamePreorder:
		c.Hash, c.Amount = a.bufferAt(0), a.uintAt(1)
	case ManagedPreorder, ClaimPreorder:
		c.Hash = a.bufferAt(0)
	case NameRenewal: // (namespace, name)
		c.Name = Name{Label: Label(a.bufferAt(1)), Namespace: Label(a.bufferAt(0))}
	case SetPrimaryName:
		c.ID = a.uintAt(0)
	case NamespaceReveal:
		c = a.reveal(c)
	default:
		return Call{}, false, nil
	}
	if a.err != nil {
		return Call{}, false, fmt.Errorf("%w: %s: %w", ErrCall, function, a.err)
	}
	return c, true, nil
}

// Arguments of namespace-reveal after the namespace and the salt: base, coeff, the buckets, both discounts, …
const (
	revealPrice     = 2
	revealBuckets   = revealPrice + 2
	revealDiscounts = revealBuckets + BucketCount
	revealRest      = revealDiscounts + 2
)

func (a *argumentReader) reveal(c Call) Call {
	namespace, salt := a.bufferAt(0), a.bufferAt(1)
	preorder := key.Hash160(slices.Concat(namespace, []byte("."), salt))
	c.Hash = preorder[:]
	c.Name.Namespace = Label(namespace)
	n := &Namespace{
		Price: PriceFunction{
			Base: a.uintAt(revealPrice), Coefficient: a.uintAt(revealPrice + 1),
			NonAlphaDiscount: a.uintAt(revealDiscounts), NoVowelDiscount: a.uintAt(revealDiscounts + 1),
		},
		Lifetime: a.uintAt(revealRest), Import: a.principalOf("namespace-import", a.at(revealRest+1)),
		CanUpdatePrice: a.boolAt(revealRest + 3), ManagerTransferable: a.boolAt(revealRest + 4), ManagerFrozen: a.boolAt(revealRest + 5),
	}
	for i := range n.Price.Buckets {
		n.Price.Buckets[i] = a.uintAt(revealBuckets + i)
	}
	if manager := a.at(revealRest + 2); manager.Type() == clarity.TypeSome {
		inner, _ := manager.Inner()
		p := a.principalOf("namespace-manager", inner)
		n.Manager = &p
		n.Lifetime = new(big.Int) // a managed namespace has none
	}
	c.Namespace = n
	return c
}

// argumentReader reads the arguments of a call, and remembers the first that has the wrong type.
type argumentReader struct {
	fieldReader
	arguments []clarity.Value
}

func (a *argumentReader) at(i int) clarity.Value {
	if i >= len(a.arguments) {
		a.fail(fmt.Sprintf("argument %d", i), clarity.Value{})
		return clarity.Value{}
	}
	return a.arguments[i]
}

func (a *argumentReader) uintAt(i int) *big.Int {
	return a.uintOf(fmt.Sprintf("argument %d", i), a.at(i))
}

func (a *argumentReader) bufferAt(i int) []byte {
	return a.bufferOf(fmt.Sprintf("argument %d", i), a.at(i))
}

func (a *argumentReader) boolAt(i int) bool {
	b, ok := a.at(i).Bool()
	if !ok {
		a.fail(fmt.Sprintf("argument %d", i), a.at(i))
	}
	return b
}
