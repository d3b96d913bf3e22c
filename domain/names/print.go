package names

import (
	"math/big"

	"strata/domain/clarity"
)

// Change is the print of an operation on a name.
type Change struct {
	Name      Name
	Operation Operation
	// Sender is the tx-sender of the call: the importer for an import, and the former owner for a transfer.
	Sender clarity.Principal
	// ZonefileHash has 20 bytes, or none where the operation clears it. The contract also takes shorter ones.
	ZonefileHash []byte
}

// Launch is the print of the launch of a namespace.
type Launch struct {
	Namespace string
	NamespaceProperties
}

// NamespaceProperties is what the contract knows of a namespace. Heights and the lifetime are in the contract's clock;
// see Lease.
type NamespaceProperties struct {
	Importer               clarity.Principal // who may import names and change the price function
	RevealedAt             *big.Int
	LaunchedAt             *big.Int // nil for none
	Lifetime               *big.Int // 0: names never expire
	CanUpdatePriceFunction bool
	Price                  PriceFunction
}

// DecodePrint decodes a value that the contract printed: a *Change or a *Launch; nil for anything else.
func DecodePrint(v clarity.Value) any {
	if attachment, ok := v.Field("attachment"); ok {
		if c, ok := decodeChange(attachment); ok {
			return c
		}
		return nil
	}
	if l, ok := decodeLaunch(v); ok {
		return l
	}
	return nil
}

func decodeChange(v clarity.Value) (*Change, bool) {
	metadata, _ := v.Field("metadata")
	n, ok := ReadKey(metadata)
	if !ok {
		return nil, false
	}
	op, _ := metadata.Field("op")
	text, _ := op.Text()
	operation, ok := ParseOperation(text)
	if !ok {
		return nil, false
	}
	sender, _ := metadata.Field("tx-sender")
	principal, ok := sender.Principal()
	if !ok {
		return nil, false
	}
	field, _ := v.Field("hash")
	hash, ok := field.Buffer()
	return &Change{n, operation, principal, hash}, ok
}

// statusReady is the status of a namespace that is launched.
const statusReady = "ready"

func decodeLaunch(v clarity.Value) (*Launch, bool) {
	status, _ := v.Field("status")
	if text, _ := status.Text(); text != statusReady {
		return nil, false
	}
	namespace, ok := bufferText(v, "namespace")
	if !ok || !ValidNamespace(namespace) {
		return nil, false
	}
	field, _ := v.Field("properties")
	properties, ok := decodeProperties(field)
	if !ok {
		return nil, false
	}
	return &Launch{Namespace: namespace, NamespaceProperties: *properties}, true
}

// decodeProperties decodes the properties of a namespace.
func decodeProperties(v clarity.Value) (*NamespaceProperties, bool) {
	importer, _ := v.Field("namespace-import")
	principal, ok := importer.Principal()
	if !ok {
		return nil, false
	}
	p := &NamespaceProperties{Importer: principal}
	if launched, ok := v.Field("launched-at"); ok {
		if inner, ok := launched.Inner(); ok {
			p.LaunchedAt, _ = inner.Int()
		}
	}
	update, _ := v.Field("can-update-price-function")
	if p.CanUpdatePriceFunction, ok = update.Bool(); !ok {
		return nil, false
	}
	if p.RevealedAt, ok = number(v, "revealed-at"); !ok {
		return nil, false
	}
	if p.Lifetime, ok = number(v, "lifetime"); !ok {
		return nil, false
	}
	price, _ := v.Field("price-function")
	p.Price, ok = decodePriceFunction(price)
	return p, ok
}

func decodePriceFunction(v clarity.Value) (p PriceFunction, ok bool) {
	list, _ := v.Field("buckets")
	if list.Len() != BucketCount {
		return p, false
	}
	for i, e := range list.Elements() {
		if p.Buckets[i], ok = e.Int(); !ok {
			return p, false
		}
	}
	for _, f := range []struct {
		name  string
		field **big.Int
	}{
		{"base", &p.Base}, {"coeff", &p.Coefficient}, {"nonalpha-discount", &p.NonAlphaDiscount}, {"no-vowel-discount", &p.NoVowelDiscount},
	} {
		if *f.field, ok = number(v, f.name); !ok {
			return p, false
		}
	}
	return p, true
}

func number(v clarity.Value, field string) (*big.Int, bool) {
	f, ok := v.Field(field)
	if !ok {
		return nil, false
	}
	return f.Int()
}
