package bns

import (
	"fmt"
	"math/big"

	"strata/domain/clarity"
	"strata/domain/fetch"
)

// Read-only functions that tell what a change without a print has left behind.
const (
	getPrimaryName = "get-primary-name"
	getNameInfo    = "get-bns-info"
)

// Subject is what a read of a contract of names is about: the primary name of a principal, or the properties of a name.
type Subject struct {
	Contract string
	// Principal is the principal whose primary name is read; zero for the properties of a name.
	Principal clarity.Principal
	Name      Name
}

// OfPrimary reports whether the read is about a primary name.
func (s Subject) OfPrimary() bool { return s.Name.IsZero() }

// PrimaryWant returns the want for the primary name of a principal.
func PrimaryWant(contract string, of clarity.Principal) (fetch.Want, error) {
	value, err := clarity.NewPrincipal(of)
	if err != nil {
		return fetch.Want{}, fmt.Errorf("ask for the primary name of %s: %w", of, err)
	}
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: []fetch.Call{fetch.NewCall(getPrimaryName, value)}}, nil
}

// InfoWant returns the want for the properties of a name.
func InfoWant(contract string, of Name) (fetch.Want, error) {
	label, err := clarity.NewBuffer(labelBytes(of.Label))
	if err != nil {
		return fetch.Want{}, fmt.Errorf("ask for the properties of %s: %w", of, err)
	}
	namespace, err := clarity.NewBuffer(labelBytes(of.Namespace))
	if err != nil {
		return fetch.Want{}, fmt.Errorf("ask for the properties of %s: %w", of, err)
	}
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: []fetch.Call{fetch.NewCall(getNameInfo, label, namespace)}}, nil
}

// SubjectOf returns what a want is about; false unless it is one of PrimaryWant or InfoWant.
func SubjectOf(w fetch.Want) (Subject, bool) {
	if w.Kind != fetch.ContractRead || len(w.Calls) != 1 {
		return Subject{}, false
	}
	call := w.Calls[0]
	arguments, err := call.Values()
	if err != nil {
		return Subject{}, false
	}
	switch {
	case call.Function == getPrimaryName && len(arguments) == 1:
		p, ok := arguments[0].Principal()
		return Subject{Contract: w.Contract, Principal: p}, ok
	case call.Function == getNameInfo && len(arguments) == 2:
		label, ok := arguments[0].Buffer()
		namespace, also := arguments[1].Buffer()
		return Subject{Contract: w.Contract, Name: Name{Label(label), Label(namespace)}}, ok && also && len(label) > 0
	}
	return Subject{}, false
}

// ReadPrimary reads the report of a PrimaryWant: the id of the primary name, or nil for none.
func ReadPrimary(r *fetch.Report) (*big.Int, *fetch.Problem) {
	e, v, problem := r.Answer(getPrimaryName)
	if problem != nil {
		return nil, problem
	}
	if v.Type() == clarity.TypeNone {
		return nil, nil
	}
	inner, _ := v.Inner()
	if id, ok := inner.Int(); ok && v.Type() == clarity.TypeSome && inner.Type() == clarity.TypeUint && id.IsInt64() {
		return id, nil
	}
	return nil, e.Problem(fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}

// ReadInfo reads the report of an InfoWant: the properties of the name, or nil if the contract does not have it.
func ReadInfo(r *fetch.Report) (*Properties, *fetch.Problem) {
	e, v, problem := r.Answer(getNameInfo)
	if problem != nil {
		return nil, problem
	}
	if v.Type() == clarity.TypeNone {
		return nil, nil
	}
	inner, _ := v.Inner()
	f := &fieldReader{tuple: inner}
	if v.Type() == clarity.TypeSome && inner.Type() == clarity.TypeTuple {
		if p := f.properties(); f.err == nil {
			return p, nil
		}
	}
	return nil, e.Problem(fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}

// NamesOn returns the contract of names on the network of a principal; false if there is none.
func (c Contracts) NamesOn(p clarity.Principal) (string, bool) {
	for _, contract := range c.Names {
		if of, err := clarity.ParsePrincipal(contract); err == nil && of.Address.IsMainnet() == p.Address.IsMainnet() {
			return contract, true
		}
	}
	return "", false
}
