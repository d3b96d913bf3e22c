package nodejson

import (
	"encoding/json"
	"slices"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/internal/synth/value"
)

// appendStructure writes a Clarity value in the form that nodes before V34 add to its serialised form: their internal
// structure, in which each byte of a buffer is a number. It only has to be present; nobody should read it.
func appendStructure(dst []byte, v clarity.Value) []byte {
	return append(dst, value.Must(json.Marshal(structure(v)))...)
}

func structure(v clarity.Value) any {
	text, _ := v.Text()
	inner, _ := v.Inner()
	switch digits, _ := v.Decimal(); v.Type() {
	case clarity.TypeInt:
		return nested(json.Number(digits), "Int")
	case clarity.TypeUint:
		return nested(json.Number(digits), "UInt")
	case clarity.TypeTrue, clarity.TypeFalse:
		return nested(v.Type() == clarity.TypeTrue, "Bool")
	case clarity.TypePrincipal, clarity.TypeContractPrincipal:
		p, _ := v.Principal()
		if p.IsContract() {
			return nested(contractStructure(p.Address, p.Contract), "Principal", "Contract")
		}
		return nested(addressStructure(p.Address), "Principal", "Standard")
	case clarity.TypeBuffer:
		b, _ := v.Buffer()
		return nested(numbers(b), "Sequence", "Buffer", "data")
	case clarity.TypeASCII:
		return nested(numbers([]byte(text)), "Sequence", "String", "ASCII", "data")
	case clarity.TypeUTF8:
		runes := [][]int{}
		for _, r := range text {
			runes = append(runes, numbers([]byte(string(r))))
		}
		return nested(runes, "Sequence", "String", "UTF8", "data")
	case clarity.TypeNone:
		return nested(nil, "Optional", "data")
	case clarity.TypeSome:
		return nested(structure(inner), "Optional", "data")
	case clarity.TypeOk, clarity.TypeErr:
		return nested(map[string]any{"committed": v.Type() == clarity.TypeOk, "data": structure(inner)}, "Response")
	case clarity.TypeList:
		elements := []any{}
		for _, element := range v.Elements() {
			elements = append(elements, structure(element))
		}
		return nested(elements, "Sequence", "List", "data")
	case clarity.TypeTuple:
		fields := map[string]any{}
		for _, f := range v.SortedFields() {
			fields[f.Name] = structure(f.Value)
		}
		return nested(fields, "Tuple", "data_map")
	}
	return nil
}

func addressStructure(a c32.Address) any { return []any{a.Version, numbers(a.Hash160[:])} }

func contractStructure(issuer c32.Address, name string) any {
	return map[string]any{"issuer": addressStructure(issuer), "name": name}
}

// nested returns an object with one member, whose value is such an object too, down to the last name.
func nested(inner any, names ...string) any {
	for _, name := range slices.Backward(names) {
		inner = map[string]any{name: inner}
	}
	return inner
}

func numbers(b []byte) []int {
	all := make([]int, len(b))
	for i, n := range b {
		all[i] = int(n)
	}
	return all
}
