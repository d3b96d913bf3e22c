package pox

import (
	"encoding/hex"
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// Print is an event of pox-5: a plain tuple that says under topic what happened. Unlike those of the earlier contracts
// its amounts apply as they are.
type Print struct {
	Topic string
	Value clarity.Value // the tuple
}

// topics has the fields that a print has besides its topic.
var topics = map[string][]string{
	"set-bond-admin":  {"old-admin", "new-admin"},
	"set-pause-admin": {"old-admin", "new-admin"},
	"pause-rewards":   {},
	"setup-bond": {"bond-index", "target-rate", "stx-value-ratio", "min-ustx-ratio", "early-unlock-bytes",
		"first-reward-cycle", "bond-start-height", "unlock-cycle", "unlock-burn-height"},
	"add-to-allowlist": {"staker", "max-sats", "bond-index"},
	"register-for-bond": {"signer", "staker", "amount-ustx", "sats-total", "bond-index", "first-reward-cycle",
		"unlock-burn-height", "unlock-cycle", "is-l1-lock", "btc-lockup"},
	"update-bond-registration": {"staker", "signer", "old-signer", "bond-index", "amount-ustx", "amount-sats",
		"first-reward-cycle", "num-cycles", "is-l1-lock"},
	"register-signer": {"signer", "signer-key"},
	"stake": {"signer", "staker", "amount-ustx", "num-cycles", "first-reward-cycle", "unlock-burn-height",
		"unlock-cycle"},
	"stake-update": {"staker", "signer", "old-signer", "unlock-burn-height", "prev-unlock-height", "unlock-cycle",
		"num-cycles", "amount-ustx", "amount-increase", "cycles-to-extend"},
	"unstake":                {"staker", "signer", "amount-ustx", "first-reward-cycle", "unlock-cycle", "unlock-burn-height"},
	"announce-l1-early-exit": {"staker", "signer", "bond-index", "amount-sats-released"},
	"unstake-sbtc":           {"staker", "signer", "bond-index", "amount-withdrawn-sats", "new-amount-sats"},
	"calculate-rewards": {"bond-periods", "calculation-height", "gross-accrued-rewards", "total-bond-rewards",
		"reserve-deposit", "reserve-balance", "stx-cycle", "total-stx-staker-rewards", "cycle-staked-ustx",
		"accrued-rewards-per-ustx", "cumulative-rewards-per-ustx"},
	"bond-distribution": {"bond-index", "target-yield", "bond-rewards", "bond-staked-sats", "accrued-rewards-per-sat",
		"cumulative-rewards-per-sat"},
	"claim-rewards":                   {"reward-cycle", "signer-manager", "stx-rewards", "bond-rewards", "bond-totals", "total-rewards"},
	"claim-staker-rewards-for-signer": {"signer-manager", "staker", "reward-cycle", "bond-index", "rewards-claimed"},
	"grant-signer-key":                {"signer-key", "signer-manager", "auth-id"},
	"revoke-signer-grant":             {"signer-key", "signer-manager"},
}

// DecodePrint reads the value printed by pox-5. It returns ErrEvent for what is not a tuple, an unknown topic or a
// missing field.
func DecodePrint(v clarity.Value) (Print, error) {
	topic, _ := v.Field("topic")
	p := Print{Value: v}
	if p.Topic, _ = topic.Text(); p.Topic == "" {
		return Print{}, fmt.Errorf("%w: no topic in %s", ErrEvent, clip(v))
	}
	fields, ok := topics[p.Topic]
	if !ok {
		return Print{}, fmt.Errorf("%w: unknown topic %.40q", ErrEvent, p.Topic)
	}
	for _, field := range fields {
		if _, ok := v.Field(field); !ok {
			return Print{}, fmt.Errorf("%w: %s: %s is missing", ErrEvent, p.Topic, field)
		}
	}
	return p, nil
}

// Uint returns a number, which may be in some; false for none and for other types.
func (p Print) Uint(field string) (*big.Int, bool) {
	v, ok := p.get(field)
	if !ok || v.Type() != clarity.TypeUint {
		return nil, false
	}
	return v.Int()
}

// Principal returns a principal, which may be in some; false for none and for other types.
func (p Print) Principal(field string) (clarity.Principal, bool) {
	v, _ := p.get(field)
	return v.Principal()
}

// Buffer returns bytes, which may be in some; false for none and for other types.
func (p Print) Buffer(field string) ([]byte, bool) {
	v, _ := p.get(field)
	return v.Buffer()
}

// Bool returns a truth value, which may be in some; false for none and for other types.
func (p Print) Bool(field string) (value, ok bool) {
	v, _ := p.get(field)
	return v.Bool()
}

func (p Print) get(field string) (clarity.Value, bool) {
	v, _ := p.Value.Field(field)
	return unwrap(v)
}

// MarshalJSON returns topic and data, the other fields by name. Names have underscores, numbers are decimal strings,
// bytes 0x hex, principals and strings text, none is null, some is what it holds, lists are arrays and tuples objects.
func (p Print) MarshalJSON() ([]byte, error) {
	data := object{}
	for _, f := range p.Value.SortedFields() {
		if f.Name != "topic" {
			data = append(data, member{f.Name, plain(f.Value)})
		}
	}
	return object{{"topic", p.Topic}, {"data", data}}.MarshalJSON()
}

// plain returns a value as it stands in JSON. The depth of its recursion is that of the value.
func plain(v clarity.Value) any {
	switch v.Type() {
	case clarity.TypeInt, clarity.TypeUint:
		digits, _ := v.Decimal()
		return digits
	case clarity.TypeBuffer:
		b, _ := v.Buffer()
		return "0x" + hex.EncodeToString(b)
	case clarity.TypeTrue, clarity.TypeFalse:
		return v.Type() == clarity.TypeTrue
	case clarity.TypePrincipal, clarity.TypeContractPrincipal:
		p, _ := v.Principal()
		return p.String()
	case clarity.TypeASCII, clarity.TypeUTF8:
		text, _ := v.Text()
		return text
	case clarity.TypeOk, clarity.TypeErr, clarity.TypeSome:
		inner, _ := v.Inner()
		return plain(inner)
	case clarity.TypeList:
		list := []any{}
		for _, element := range v.Elements() {
			list = append(list, plain(element))
		}
		return list
	case clarity.TypeTuple:
		fields := object{}
		for _, f := range v.SortedFields() {
			fields = append(fields, member{f.Name, plain(f.Value)})
		}
		return fields
	}
	return nil
}
