package vm

import (
	"strings"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/value"
)

// Attached is a zonefile that the naming system announced by its hash.
type Attached struct {
	Txid     hash.Hash32 // set when the transaction has succeeded
	Index    uint64
	Hash     string        // bytes
	Metadata clarity.Value // as in the print
}

// Errors of the naming system.
const (
	errNamespaceExists      = 1006
	errNamespaceNotFound    = 1005
	errNotLaunched          = 1007
	errPriceUnauthorized    = 1011
	errAlreadyLaunched      = 1014
	errUnavailable          = 2004
	errUnauthorized         = 2006
	errExpired              = 2008
	errGrace                = 2009
	errNameNotFound         = 2013
	errRevoked              = 2014
	errPrincipalHasName     = 3001
	nameGrace               = 5000
	namespaceRevealLifetime = 52595
)

// Names returns the contract of the first naming system.
func (r *Rules) Names() ledger.Party { return r.Roll.Contract(r.Network.Boot(), "bns") }

// NameExpiry returns the last height of a name's lease; ok is false if the lease never ends.
func (x *Execution) NameExpiry(text string, n ledger.Name) (end uint64, ok bool) {
	_, namespace, _ := strings.Cut(text, ".")
	s := x.Namespace.Get(namespace)
	if s.Lifetime == 0 {
		return 0, false
	}
	start := n.StartedAt
	if n.Imported && s.Launched {
		if start >= s.RevealedAt && start <= s.LaunchedAt {
			start = s.LaunchedAt
		} else {
			start = 0
		}
	}
	return start + s.Lifetime, true
}

func (x *Execution) isExpired(text string, n ledger.Name) bool {
	end, ok := x.NameExpiry(text, n)
	return ok && x.Clock > end
}

func (x *Execution) inGrace(text string, n ledger.Name) bool {
	end, ok := x.NameExpiry(text, n)
	return ok && x.Clock > end && x.Clock <= end+nameGrace
}

// canReceive reports whether a principal may get a name: it has none that is alive.
func (x *Execution) canReceive(p ledger.Party) bool {
	text, ok := x.NameOf.Rows[p]
	if !ok {
		return true
	}
	n := x.Name.Get(text)
	return n.Revoked || x.isExpired(text, n)
}

// RevealNamespace executes namespace-reveal, which prints nothing. Preorders are left out: they only burn STX.
func (x *Execution) RevealNamespace(namespace string, importer ledger.Party, lifetime, base uint64) nodejson.Outcome {
	if s, ok := x.Namespace.Rows[namespace]; ok && (s.Launched || x.Clock <= s.RevealedAt+namespaceRevealLifetime) {
		return Failed(errNamespaceExists)
	}
	x.Namespace.Set(namespace, ledger.Namespace{Importer: importer, RevealedAt: x.Clock, Lifetime: lifetime, Base: base})
	return Succeeded()
}

// LaunchNamespace executes namespace-ready.
func (x *Execution) LaunchNamespace(namespace string, from ledger.Party) nodejson.Outcome {
	s, ok := x.Namespace.Rows[namespace]
	switch {
	case !ok:
		return Failed(errNamespaceNotFound)
	case s.Importer != from:
		return Failed(errPriceUnauthorized)
	case s.Launched:
		return Failed(errAlreadyLaunched)
	}
	s.Launched, s.LaunchedAt = true, x.Clock
	x.Namespace.Set(namespace, s)
	x.Print(x.Names(), value.Tuple(
		"namespace", value.Buffer(namespace), "status", "ready",
		"properties", value.Tuple(
			"namespace-import", x.Roll.Value(from), "revealed-at", s.RevealedAt,
			"launched-at", value.Some(s.LaunchedAt), "lifetime", s.Lifetime, "can-update-price-function", true,
			"price-function", value.Tuple(
				"buckets", value.Must(clarity.NewList(NameBuckets()...)), "base", s.Base,
				"coeff", NameCoefficient, "nonalpha-discount", NameDiscount, "no-vowel-discount", NameDiscount,
			),
		),
	))
	return Succeeded()
}

// The parts of price functions that all namespaces of a made-up chain share.
const (
	NameCoefficient = 3
	NameDiscount    = 2
)

// NameBuckets returns the exponents of price functions: 15 for the shortest name, 0 for the longest ones.
func NameBuckets() []clarity.Value {
	buckets := make([]clarity.Value, 16)
	for i := range buckets {
		buckets[i] = clarity.NewUint64(uint64(15 - i))
	}
	return buckets
}

// UpdateNamePrice executes namespace-update-function-price, which prints nothing.
func (x *Execution) UpdateNamePrice(namespace string, from ledger.Party, base uint64) nodejson.Outcome {
	s, ok := x.Namespace.Rows[namespace]
	switch {
	case !ok:
		return Failed(errNamespaceNotFound)
	case s.Importer != from:
		return Failed(errPriceUnauthorized)
	}
	s.Base = base
	x.Namespace.Set(namespace, s)
	return Succeeded()
}

// giveName mints a name's token, or transfers it from its owner, who may be nobody's choice: the lease is over.
func (x *Execution) giveName(text string, to ledger.Party) bool {
	if !x.canReceive(to) {
		return false
	}
	x.moveName(text, to)
	return true
}

// moveName moves the name's token. It mints it if there is none.
func (x *Execution) moveName(text string, to ledger.Party) {
	asset := x.text(x.Names()) + "::names"
	n, ok := x.Name.Rows[text]
	switch {
	case !ok:
		x.emit(nodejson.NFTMint(x.Generation, asset, NameKey(text), x.text(to)))
	case n.Owner != to:
		x.emit(nodejson.NFTTransfer(x.Generation, asset, NameKey(text), x.text(n.Owner), x.text(to)))
		x.NameOf.Remove(n.Owner)
	default:
		return
	}
	x.NameOf.Set(to, text)
}

// ImportName executes name-import.
func (x *Execution) ImportName(text string, from, to ledger.Party, zonefile string) nodejson.Outcome {
	_, namespace, _ := strings.Cut(text, ".")
	s, ok := x.Namespace.Rows[namespace]
	switch {
	case !ok:
		return Failed(errNamespaceNotFound)
	case s.Importer != from:
		return Failed(errPriceUnauthorized)
	case s.Launched:
		return Failed(errAlreadyLaunched)
	case !x.giveName(text, to):
		return Failed(errPrincipalHasName)
	}
	x.setName(text, from, ledger.Name{Owner: to, StartedAt: x.Clock, Imported: true, ZonefileHash: zonefile, Operation: "name-import"})
	return Succeeded()
}

// RegisterName executes name-register. Preorders are left out: they only burn STX.
func (x *Execution) RegisterName(text string, from ledger.Party, zonefile string) nodejson.Outcome {
	_, namespace, _ := strings.Cut(text, ".")
	n, taken := x.Name.Rows[text]
	switch {
	case !x.Namespace.Get(namespace).Launched, taken && !x.isExpired(text, n):
		return Failed(errUnavailable)
	case !x.giveName(text, from):
		return Failed(errPrincipalHasName)
	}
	x.setName(text, from, ledger.Name{Owner: from, StartedAt: x.Clock, ZonefileHash: zonefile, Operation: "name-register"})
	return Succeeded()
}

// UpdateName executes name-update.
func (x *Execution) UpdateName(text string, from ledger.Party, zonefile string) nodejson.Outcome {
	n, code := x.ownedName(text, from)
	if code != 0 {
		return Failed(code)
	}
	n.ZonefileHash, n.Operation = zonefile, "name-update"
	x.setName(text, from, n)
	return Succeeded()
}

// TransferName executes name-transfer; without a zonefile it clears the name's.
func (x *Execution) TransferName(text string, from, to ledger.Party, zonefile string) nodejson.Outcome {
	n, code := x.ownedName(text, from)
	switch {
	case code != 0:
		return Failed(code)
	case !x.canReceive(to):
		return Failed(errPrincipalHasName)
	}
	x.moveName(text, to)
	n.Owner, n.ZonefileHash, n.Operation = to, zonefile, "name-transfer"
	x.setName(text, from, n)
	return Succeeded()
}

// RevokeName executes name-revoke.
func (x *Execution) RevokeName(text string, from ledger.Party) nodejson.Outcome {
	n, code := x.ownedName(text, from)
	if code != 0 {
		return Failed(code)
	}
	n.Revoked, n.ZonefileHash, n.Operation = true, "", "name-revoke"
	x.setName(text, from, n)
	return Succeeded()
}

// RenewName executes name-renewal. It prints nothing without a zonefile.
func (x *Execution) RenewName(text string, from ledger.Party, zonefile string) nodejson.Outcome {
	_, namespace, _ := strings.Cut(text, ".")
	s, n := x.Namespace.Get(namespace), x.Name.Get(text)
	switch {
	case !x.Name.Has(text):
		return Failed(errNameNotFound)
	case !s.Launched:
		return Failed(errNotLaunched)
	case s.Lifetime == 0, n.Owner != from:
		return Failed(errUnauthorized)
	case x.isExpired(text, n) && !x.inGrace(text, n):
		return Failed(errExpired)
	case n.Revoked:
		return Failed(errRevoked)
	}
	n.StartedAt, n.Imported, n.Operation = x.Clock, false, "name-renewal"
	if zonefile == "" {
		x.Name.Set(text, n)
		return Succeeded()
	}
	n.ZonefileHash = zonefile
	x.setName(text, from, n)
	return Succeeded()
}

// ownedName returns a name that its owner may change, or the code of the contract's refusal.
func (x *Execution) ownedName(text string, from ledger.Party) (n ledger.Name, code uint64) {
	_, namespace, _ := strings.Cut(text, ".")
	n, ok := x.Name.Rows[text]
	switch {
	case !ok:
		return n, errNameNotFound
	case !x.Namespace.Get(namespace).Launched:
		return n, errNotLaunched
	case n.Owner != from:
		return n, errUnauthorized
	case x.inGrace(text, n):
		return n, errGrace
	case x.isExpired(text, n):
		return n, errExpired
	case n.Revoked:
		return n, errRevoked
	}
	return n, 0
}

// setName stores a name, and prints the operation.
func (x *Execution) setName(text string, from ledger.Party, n ledger.Name) {
	x.Name.Set(text, n)
	label, namespace, _ := strings.Cut(text, ".")
	metadata := value.Tuple(
		"name", value.Buffer(label), "namespace", value.Buffer(namespace),
		"tx-sender", x.Roll.Value(from), "op", n.Operation,
	)
	index := x.Total.Get(ledger.TotalAttachments).Lo
	x.Count(ledger.TotalAttachments, 1)
	x.Print(x.Names(), value.Tuple("attachment", value.Tuple(
		"hash", value.Buffer(n.ZonefileHash), "attachment-index", index, "metadata", metadata,
	)))
	if n.ZonefileHash != "" {
		x.Attached = append(x.Attached, Attached{Index: index, Hash: n.ZonefileHash, Metadata: metadata})
	}
}

// NameKey returns the id of a name's token.
func NameKey(text string) clarity.Value {
	label, namespace, _ := strings.Cut(text, ".")
	return value.Tuple("name", value.Buffer(label), "namespace", value.Buffer(namespace))
}
