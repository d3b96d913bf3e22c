package synthchain

import (
	"strata/domain/c32"
	"strata/domain/clarity"
)

// party is a principal in the model: its number in the roll. The first ones are the accounts.
type party int32

// roll numbers principals, so that the tables of the model need not hold their texts. It only grows.
type roll struct {
	numbers map[clarity.Principal]party
	entries []rollEntry
}

type rollEntry struct {
	principal clarity.Principal
	text      string
}

func newRoll() *roll { return &roll{numbers: make(map[clarity.Principal]party)} }

// number returns the number of a principal. It adds principals that are not in the roll.
func (r *roll) number(p clarity.Principal) party {
	if n, ok := r.numbers[p]; ok {
		return n
	}
	n := party(len(r.entries))
	r.numbers[p] = n
	r.entries = append(r.entries, rollEntry{principal: p, text: p.String()})
	return n
}

// contract returns the number of a contract.
func (r *roll) contract(a c32.Address, name string) party {
	return r.number(clarity.Principal{Address: a, Contract: name})
}

func (r *roll) principal(n party) clarity.Principal { return r.entries[n].principal }
func (r *roll) text(n party) string                 { return r.entries[n].text }
