package clarity

import "iter"

// Contracts iterates over the contract principals in a value, at any depth, in the order in which they stand there.
func (v Value) Contracts() iter.Seq[Principal] {
	return func(yield func(Principal) bool) { v.eachContract(yield) }
}

// eachContract returns false if yield did.
func (v Value) eachContract(yield func(Principal) bool) bool {
	switch v.Type() {
	case TypeContractPrincipal:
		if p, ok := v.Principal(); ok {
			return yield(p)
		}
	case TypeSome, TypeOk, TypeErr:
		if inner, ok := v.Inner(); ok {
			return inner.eachContract(yield)
		}
	case TypeList:
		for _, element := range v.Elements() {
			if !element.eachContract(yield) {
				return false
			}
		}
	case TypeTuple:
		for _, field := range v.Fields() {
			if !field.Value.eachContract(yield) {
				return false
			}
		}
	}
	return true
}
