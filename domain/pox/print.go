package pox

import (
	"encoding/hex"
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// Print is an event of pox-5: a plain tuple whose field topic tells what happened. Unlike the events of the earlier
// contracts, its amounts need no adjustment.
type Print struct {
	Topic string
	Value clarity.Value // the tuple
}

// topics maps each topic to the other fields of its prints.
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
	"unstake": {"staker", "signer", "amount-ustx", "first-reward-cycle", "unlock-cycle",
		"unlock-burn-height"},
	"announce-l1-early-exit": {"staker", "signer", "bond-index", "amount-sats-released"},
	"unstake-sbtc":           {"staker", "signer", "bond-index", "amount-withdrawn-sats", "new-amount-sats"},
	"calculate-rewards": {"bond-periods", "calculation-height", "gross-accrued-rewards", "total-bond-rewards",
		"reserve-deposit", "reserve-balance", "stx-cycle", "total-stx-staker-rewards", "cycle-staked-ustx",
		"accrued-rewards-per-ustx", "cumulative-rewards-per-ustx"},
	"bond-distribution": {"bond-index", "target-yield", "bond-rewards", "bond-staked-sats", "accrued-rewards-per-sat",
		"cumulative-rewards-per-sat"},
	"claim-rewards": {"reward-cycle", "signer-manager", "stx-rewards", "bond-rewards", "bond-totals",
		"total-rewards"},
	"claim-staker-rewards-for-signer": {"signer-manager", "staker", "reward-cycle", "bond-index", "rewards-claimed"},
	"grant-signer-key":                {"signer-key", "signer-manager", "auth-id"},
	"revoke-signer-grant":             {"signer-key", "signer-manager"},
}

// DecodePrint decodes a value printed by pox-5. It returns ErrEvent for a value that is not a tuple, that has an
// unknown topic or that lacks a field.
func DecodePrint(v clarity.Value) (Print, error) {
	topic, _ := v.Field("topic")
	p := Print{Value: v}
	if p.Topic, _ = topic.Text(); p.Topic == "" {
		return Print{}, fmt.Errorf("%w: no topic in %s", ErrEvent, describe(v))
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

// Uint returns the number in a field, plain or wrapped in some. It returns false for none and for other types.
func (p Print) Uint(field string) (*big.Int, bool) {
	v, ok := p.field(field)
	if !ok || v.Type() != clarity.TypeUint {
		return nil, false
	}
	return v.Int()
}

// Principal returns the principal in a field, plain or wrapped in some. It returns false for none and for other types.
func (p Print) Principal(field string) (clarity.Principal, bool) {
	v, _ := p.field(field)
	return v.Principal()
}

// Buffer returns the bytes in a field, plain or wrapped in some. It returns false for none and for other types.
func (p Print) Buffer(field string) ([]byte, bool) {
	v, _ := p.field(field)
	return v.Buffer()
}

// Bool returns the truth value in a field, plain or wrapped in some. It returns false for none and for other types.
func (p Print) Bool(field string) (value, ok bool) {
	v, _ := p.field(field)
	return v.Bool()
}

func (p Print) field(name string) (clarity.Value, bool) {
	v, _ := p.Value.Field(name)
	return unwrap(v)
}

// MarshalJSON returns an object with the members topic and data. The latter holds the other fields in order of their
// names, with underscores in place of hyphens. Numbers become decimal strings; bytes 0x hex; principals and strings
// text; lists arrays; tuples objects; none null. A value in some, ok or err stands without its wrapper.
func (p Print) MarshalJSON() ([]byte, error) {
	data := object{}
	for _, f := range p.Value.SortedFields() {
		if f.Name != "topic" {
			data = append(data, member{f.Name, plainJSON(f.Value)})
		}
	}
	return object{{"topic", p.Topic}, {"data", data}}.MarshalJSON()
}

// plainJSON returns a value for JSON, as MarshalJSON describes it. It recurses as deep as the value nests.
func plainJSON(v clarity.Value) any {
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
		return plainJSON(inner)
	case clarity.TypeList:
		list := []any{}
		for _, element := range v.Elements() {
			list = append(list, plainJSON(element))
		}
		return list
	case clarity.TypeTuple:
		fields := object{}
		for _, f := range v.SortedFields() {
			fields = append(fields, member{f.Name, plainJSON(f.Value)})
		}
		return fields
	}
	return nil
}
