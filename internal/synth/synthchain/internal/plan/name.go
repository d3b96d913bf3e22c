package plan

import (
	"encoding/base64"
	"fmt"
	"strings"

	"strata/domain/clarity"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/account"
	"strata/internal/synth/synthchain/internal/ledger"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
	"strata/internal/synth/value"
)

// namespaces are those that accounts found. Only the names of the last one never expire.
var namespaces = []struct {
	name     string
	lifetime uint64
}{{"id", 25}, {"btc", 60}, {"app", 0}}

// drawName returns a random name. Half of them have the first 24 bytes in common, some are taken.
func (p *Planner) drawName(namespace string) string {
	n := p.random.IntN(2 * len(p.accounts))
	if p.random.IntN(2) == 0 {
		return fmt.Sprintf("a-name-that-begins-as-others-do-%d.%s", n, namespace)
	}
	return fmt.Sprintf("%c%d.%s", 'a'+rune(n%26), n, namespace)
}

// ownedName returns a random account with a name, and the name; nil for none.
func (p *Planner) ownedName(x *vm.Execution) (*account.Account, string) {
	for range 12 {
		a := p.accounts[p.random.IntN(len(p.accounts))]
		if name, ok := x.NameOf.Rows[a.Party]; ok && x.Spendable(a.Party) >= spare {
			return a, name
		}
	}
	return nil, ""
}

// zonefile writes a zonefile and returns the bytes of its hash.
func (p *Planner) zonefile(x *vm.Execution, name string, subdomains bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "$ORIGIN %s\n$TTL 3600\n", name)
	if subdomains {
		for range 1 + p.random.IntN(3) {
			label := fmt.Sprintf("sub%d", p.random.IntN(6))
			owner := p.rules.Roll.Text(p.Recipient(x, -1))
			inner := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "$ORIGIN %s.%s\n$TTL 3600\n_http._tcp URI 10 1 \"https://example.com/%d\"\n", label, name, p.random.IntN(100)))
			half := len(inner) / 2
			fmt.Fprintf(&text, "%s TXT \"owner=%s\" \"seqn=%d\" \"parts=2\" \"zf0=%s\" \"zf1=%s\"\n", label, owner, p.random.IntN(3), inner[:half], inner[half:])
		}
		if p.random.IntN(3) > 0 {
			fmt.Fprintf(&text, "_resolver URI 10 1 \"https://registrar%d.example\"\n", p.random.IntN(3))
		}
	} else {
		fmt.Fprintf(&text, "_http._tcp URI 10 1 \"https://example.com/%d\"\n", p.random.IntN(100))
	}
	hash := key.Hash160([]byte(text.String()))
	p.rules.Zonefiles[string(hash[:])] = []byte(text.String())
	return string(hash[:])
}

// optional returns some buffer, or none for an empty text.
func optional(text string) clarity.Value { return value.Optional(text != "", []byte(text)) }

// name plans an operation of the first naming system. The contract refuses some of them.
func (p *Planner) name(x *vm.Execution) *vm.Operation {
	chosen := namespaces[p.random.IntN(len(namespaces))]
	s, known := x.Namespace.Rows[chosen.name]
	from := p.sender(x)
	if from == nil {
		return nil
	}
	switch {
	case !known:
		return p.reveal(x, from, chosen.name, chosen.lifetime)
	case !s.Launched:
		return p.importOrLaunch(x, chosen.name, s)
	case p.random.IntN(20) == 0:
		return p.updatePrice(x, chosen.name, s)
	case p.random.IntN(3) == 0:
		name := p.drawName(chosen.name)
		zonefile := p.zonefile(x, name, false)
		label, _, _ := strings.Cut(name, ".")
		return p.callNames(x, from, "name-register", func(x *vm.Execution) nodejson.Outcome {
			return x.RegisterName(name, from.Party, zonefile)
		}, value.Buffer(chosen.name), value.Buffer(label), value.Buffer("salt"), value.Buffer(zonefile))
	}
	return p.changeName(x)
}

// changeName plans an operation of a name's owner.
func (p *Planner) changeName(x *vm.Execution) *vm.Operation {
	from, name := p.ownedName(x)
	if from == nil {
		return nil
	}
	label, namespace, _ := strings.Cut(name, ".")
	arguments := []clarity.Value{value.Buffer(namespace), value.Buffer(label)}
	zonefile := ""
	if p.random.IntN(2) == 0 {
		zonefile = p.zonefile(x, name, false)
	}
	switch n := p.random.IntN(20); {
	case n < 9:
		zonefile = p.zonefile(x, name, p.random.IntN(3) > 0)
		return p.callNames(x, from, "name-update", func(x *vm.Execution) nodejson.Outcome {
			return x.UpdateName(name, from.Party, zonefile)
		}, append(arguments, value.Buffer(zonefile))...)
	case n < 13:
		to := p.Recipient(x, from.Party)
		return p.callNames(x, from, "name-transfer", func(x *vm.Execution) nodejson.Outcome {
			return x.TransferName(name, from.Party, to, zonefile)
		}, append(arguments, p.rules.Roll.Value(to), optional(zonefile))...)
	case n < 14:
		return p.callNames(x, from, "name-revoke", func(x *vm.Execution) nodejson.Outcome {
			return x.RevokeName(name, from.Party)
		}, arguments...)
	}
	return p.callNames(x, from, "name-renewal", func(x *vm.Execution) nodejson.Outcome {
		return x.RenewName(name, from.Party, zonefile)
	}, append(arguments, clarity.NewUint64(1_000_000), clarity.NewNone(), optional(zonefile))...)
}

func (p *Planner) reveal(x *vm.Execution, from *account.Account, namespace string, lifetime uint64) *vm.Operation {
	base := 1 + p.random.Uint64N(4)
	return p.callNames(x, from, "namespace-reveal", func(x *vm.Execution) nodejson.Outcome {
		return x.RevealNamespace(namespace, from.Party, lifetime, base)
	}, value.Buffer(namespace), value.Buffer("salt"), clarity.NewUint64(base), clarity.NewUint64(lifetime), p.rules.Roll.Value(from.Party))
}

// importOrLaunch plans an operation of the account that revealed a namespace.
func (p *Planner) importOrLaunch(x *vm.Execution, namespace string, s ledger.Namespace) *vm.Operation {
	from := p.accounts[s.Importer]
	if x.Spendable(from.Party) < spare {
		return nil
	}
	if p.random.IntN(4) == 0 {
		return p.callNames(x, from, "namespace-ready", func(x *vm.Execution) nodejson.Outcome {
			return x.LaunchNamespace(namespace, from.Party)
		}, value.Buffer(namespace))
	}
	name, to := p.drawName(namespace), p.Recipient(x, -1)
	zonefile := p.zonefile(x, name, false)
	label, _, _ := strings.Cut(name, ".")
	return p.callNames(x, from, "name-import", func(x *vm.Execution) nodejson.Outcome {
		return x.ImportName(name, from.Party, to, zonefile)
	}, value.Buffer(namespace), value.Buffer(label), p.rules.Roll.Value(to), value.Buffer(zonefile))
}

// updatePrice plans a change of what names cost.
func (p *Planner) updatePrice(x *vm.Execution, namespace string, s ledger.Namespace) *vm.Operation {
	from := p.accounts[s.Importer]
	if x.Spendable(from.Party) < spare {
		return nil
	}
	base := 1 + p.random.Uint64N(4)
	arguments := []clarity.Value{value.Buffer(namespace), clarity.NewUint64(base), clarity.NewUint64(vm.NameCoefficient)}
	arguments = append(arguments, vm.NameBuckets()...)
	arguments = append(arguments, clarity.NewUint64(vm.NameDiscount), clarity.NewUint64(vm.NameDiscount))
	return p.callNames(x, from, "namespace-update-function-price", func(x *vm.Execution) nodejson.Outcome {
		return x.UpdateNamePrice(namespace, from.Party, base)
	}, arguments...)
}

func (p *Planner) callNames(x *vm.Execution, from *account.Account, function string, run vm.Run, arguments ...clarity.Value) *vm.Operation {
	return p.call(x, from, p.rules.Names(), allowAll, function, arguments, run)
}
