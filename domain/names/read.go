package names

import (
	"fmt"
	"math/big"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/fetch"
)

// Read-only functions that tell what a change without a print has left behind.
const (
	functionResolve    = "name-resolve"             // (namespace, name)
	functionProperties = "get-namespace-properties" // (namespace)
)

// Subject is what a read of the registry is about: a name, or a namespace if the label is empty.
type Subject struct{ Name }

// OfNamespace reports whether the read is about a namespace.
func (s Subject) OfNamespace() bool { return s.Label == "" }

// String returns the name with its namespace, or the namespace alone.
func (s Subject) String() string {
	if s.OfNamespace() {
		return s.Namespace
	}
	return s.Name.String()
}

// ParseSubject is the inverse of Subject.String.
func ParseSubject(text string) (Subject, error) {
	if ValidNamespace(text) {
		return Subject{Name{Namespace: text}}, nil
	}
	n, err := Parse(text)
	return Subject{n}, err
}

// ContractOf returns the registry on the network of a principal.
func ContractOf(p clarity.Principal) string {
	version := c32.TestnetSingle
	if p.Address.IsMainnet() {
		version = c32.MainnetSingle
	}
	return clarity.Principal{Address: c32.Address{Version: version}, Contract: ContractName}.String()
}

// Want returns the want for what a registry says about the subject.
func (s Subject) Want(contract string) (fetch.Want, error) {
	namespace, err := clarity.NewBuffer([]byte(s.Namespace))
	if err != nil {
		return fetch.Want{}, fmt.Errorf("ask for %s: %w", s, err)
	}
	call := fetch.NewCall(functionProperties, namespace)
	if !s.OfNamespace() {
		label, err := clarity.NewBuffer([]byte(s.Label))
		if err != nil {
			return fetch.Want{}, fmt.Errorf("ask for %s: %w", s, err)
		}
		call = fetch.NewCall(functionResolve, namespace, label)
	}
	return fetch.Want{Kind: fetch.ContractRead, Contract: contract, Calls: []fetch.Call{call}}, nil
}

// SubjectOf returns what a want is about; false unless it is one of Subject.Want.
func SubjectOf(w fetch.Want) (s Subject, ok bool) {
	if w.Kind != fetch.ContractRead || len(w.Calls) != 1 || !IsContractText(w.Contract) {
		return Subject{}, false
	}
	call := w.Calls[0]
	arguments, err := call.Values()
	if err != nil {
		return Subject{}, false
	}
	texts := make([]string, len(arguments))
	for i, v := range arguments {
		buffer, isBuffer := v.Buffer()
		if !isBuffer {
			return Subject{}, false
		}
		texts[i] = string(buffer)
	}
	switch {
	case call.Function == functionProperties && len(texts) == 1:
		s = Subject{Name{Namespace: texts[0]}}
		return s, ValidNamespace(s.Namespace)
	case call.Function == functionResolve && len(texts) == 2:
		s = Subject{Name{Label: texts[1], Namespace: texts[0]}}
		return s, s.Valid()
	}
	return Subject{}, false
}

// ReadLease reads the report of a want for a name: when its lease began, in the clock of the contract; nil if the name does
// not resolve, because it has expired, is revoked or unknown.
func ReadLease(r *fetch.Report) (*big.Int, *fetch.Problem) {
	e, v, problem := r.Answer(functionResolve)
	if problem != nil {
		return nil, problem
	}
	inner, _ := v.Inner()
	switch v.Type() {
	case clarity.TypeErr:
		return nil, nil
	case clarity.TypeOk:
		if started, ok := number(inner, "lease-started-at"); ok && started.Sign() >= 0 && started.IsInt64() {
			return started, nil
		}
	}
	return nil, e.Problem(fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}

// ReadProperties reads the report of a want for a namespace; nil if the registry does not have it.
func ReadProperties(r *fetch.Report) (*NamespaceProperties, *fetch.Problem) {
	e, v, problem := r.Answer(functionProperties)
	if problem != nil {
		return nil, problem
	}
	inner, _ := v.Inner()
	switch v.Type() {
	case clarity.TypeErr:
		return nil, nil
	case clarity.TypeOk:
		properties, _ := inner.Field("properties")
		if p, ok := decodeProperties(properties); ok {
			return p, nil
		}
	}
	return nil, e.Problem(fetch.Wrong, fetch.ReasonClarity, "result "+v.Repr())
}
