package ledger

import (
	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// Party is a principal in the model: its number in the roll. The first ones are the accounts.
type Party int32

// Roll numbers principals, so that the tables of the model need not hold their texts. It only grows.
type Roll struct {
	numbers map[clarity.Principal]Party
	entries []rollEntry
}

type rollEntry struct {
	principal clarity.Principal
	text      string
}

// NewRoll returns an empty roll.
func NewRoll() *Roll { return &Roll{numbers: make(map[clarity.Principal]Party)} }

// Number returns the number of a principal. It adds principals that are not in the roll.
func (r *Roll) Number(p clarity.Principal) Party {
	if n, ok := r.numbers[p]; ok {
		return n
	}
	n := Party(len(r.entries))
	r.numbers[p] = n
	r.entries = append(r.entries, rollEntry{principal: p, text: p.String()})
	return n
}

// Contract returns the number of a contract.
func (r *Roll) Contract(a c32.Address, name string) Party {
	return r.Number(clarity.Principal{Address: a, Contract: name})
}

// Principal returns the principal with a number.
func (r *Roll) Principal(n Party) clarity.Principal { return r.entries[n].principal }

// Text returns the text of a principal.
func (r *Roll) Text(n Party) string { return r.entries[n].text }

// Value returns a principal as a Clarity value.
func (r *Roll) Value(n Party) clarity.Value { return value.Must(clarity.NewPrincipal(r.Principal(n))) }
