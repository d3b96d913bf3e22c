package bns

import (
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// Properties are the entry of a name in the map name-properties. Nil stands for none.
type Properties struct {
	RegisteredAt  *big.Int           // height of the registration; a Stacks height if the name was airdropped
	ImportedAt    *big.Int           // height of the import
	Preorder      []byte             // hash160 of name and salt, of the preorder that registered the name
	PreorderedBy  *clarity.Principal //
	RenewalHeight *big.Int           // 0 where the namespace decides: see Expiry
	Burned        *big.Int           // µSTX that the last registration or renewal burned
	Owner         clarity.Principal
}

// Namespace is the entry of a namespace in the map namespaces. Nil stands for none.
type Namespace struct {
	Manager             *clarity.Principal
	ManagerTransferable bool // the manager transfers names, not their owners
	ManagerFrozen       bool // the manager can't be replaced
	Import              clarity.Principal
	RevealedAt          *big.Int
	LaunchedAt          *big.Int // nil until the launch; a Stacks height if the namespace was airdropped
	Lifetime            *big.Int // blocks; 0 for names that never expire
	CanUpdatePrice      bool
	Price               PriceFunction
}

// Managed reports whether the namespace has a manager.
func (n *Namespace) Managed() bool { return n.Manager != nil }

// fieldReader reads the fields of a tuple, and remembers the first that has the wrong type.
type fieldReader struct {
	tuple clarity.Value
	err   error
}

func (r *fieldReader) field(name string) clarity.Value {
	v, ok := r.tuple.Field(name)
	if !ok {
		r.fail(name, v)
	}
	return v
}

func (r *fieldReader) fail(name string, v clarity.Value) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: field %s is %s", ErrPrint, name, v.Type())
	}
}

// optional returns the value inside some, or false for none.
func (r *fieldReader) optional(name string) (clarity.Value, bool) {
	v := r.field(name)
	switch v.Type() {
	case clarity.TypeSome:
		inner, _ := v.Inner()
		return inner, true
	case clarity.TypeNone:
	default:
		r.fail(name, v)
	}
	return clarity.Value{}, false
}

func (r *fieldReader) uint(name string) *big.Int { return r.uintOf(name, r.field(name)) }

func (r *fieldReader) uintOf(name string, v clarity.Value) *big.Int {
	if n, ok := v.Int(); ok && v.Type() == clarity.TypeUint {
		return n
	}
	r.fail(name, v)
	return new(big.Int)
}

func (r *fieldReader) optionalUint(name string) *big.Int {
	if v, ok := r.optional(name); ok {
		return r.uintOf(name, v)
	}
	return nil
}

func (r *fieldReader) bool(name string) bool {
	v := r.field(name)
	b, ok := v.Bool()
	if !ok {
		r.fail(name, v)
	}
	return b
}

func (r *fieldReader) principal(name string) clarity.Principal {
	return r.principalOf(name, r.field(name))
}

func (r *fieldReader) principalOf(name string, v clarity.Value) clarity.Principal {
	p, ok := v.Principal()
	if !ok {
		r.fail(name, v)
	}
	return p
}

func (r *fieldReader) optionalPrincipal(name string) *clarity.Principal {
	v, ok := r.optional(name)
	if !ok {
		return nil
	}
	p := r.principalOf(name, v)
	return &p
}

func (r *fieldReader) buffer(name string) []byte { return r.bufferOf(name, r.field(name)) }

func (r *fieldReader) bufferOf(name string, v clarity.Value) []byte {
	b, ok := v.Buffer()
	if !ok {
		r.fail(name, v)
	}
	return b
}

func (r *fieldReader) optionalBuffer(name string) []byte {
	if v, ok := r.optional(name); ok {
		return append([]byte{}, r.bufferOf(name, v)...)
	}
	return nil
}

// nested returns a reader of the tuple in a field; optional says that it is inside some.
func (r *fieldReader) nested(name string, optional bool) *fieldReader {
	v := r.field(name)
	if optional {
		var ok bool
		if v, ok = r.optional(name); !ok {
			r.fail(name, r.field(name))
		}
	}
	if v.Type() != clarity.TypeTuple {
		r.fail(name, v)
	}
	return &fieldReader{tuple: v, err: r.err}
}

// labels returns the name in the fields name and namespace.
func (r *fieldReader) labels() Name {
	return Name{Label(r.buffer("name")), Label(r.buffer("namespace"))}
}

func (r *fieldReader) properties() *Properties {
	return &Properties{
		RegisteredAt: r.optionalUint("registered-at"), ImportedAt: r.optionalUint("imported-at"),
		Preorder: r.optionalBuffer("hashed-salted-fqn-preorder"), PreorderedBy: r.optionalPrincipal("preordered-by"),
		RenewalHeight: r.uint("renewal-height"), Burned: r.uint("stx-burn"), Owner: r.principal("owner"),
	}
}

func (r *fieldReader) namespace() *Namespace {
	n := &Namespace{
		Manager: r.optionalPrincipal("namespace-manager"), ManagerTransferable: r.bool("manager-transferable"),
		ManagerFrozen: r.bool("manager-frozen"), Import: r.principal("namespace-import"),
		RevealedAt: r.uint("revealed-at"), LaunchedAt: r.optionalUint("launched-at"), Lifetime: r.uint("lifetime"),
		CanUpdatePrice: r.bool("can-update-price-function"),
	}
	p := r.nested("price-function", false)
	n.Price = p.price()
	r.err = p.err
	return n
}

func (r *fieldReader) price() PriceFunction {
	p := PriceFunction{
		Base: r.uint("base"), Coefficient: r.uint("coeff"), NonAlphaDiscount: r.uint("nonalpha-discount"),
		NoVowelDiscount: r.uint("no-vowel-discount"),
	}
	buckets := r.field("buckets")
	elements := buckets.Elements()
	if len(elements) != BucketCount {
		r.fail("buckets", buckets)
		return p
	}
	for i, element := range elements {
		p.Buckets[i] = r.uintOf("buckets", element)
	}
	return p
}
