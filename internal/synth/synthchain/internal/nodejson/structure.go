package nodejson

import (
	"strconv"

	"strata/domain/clarity"
)

// appendStructure writes a Clarity value in the form that nodes before V34 add to its serialised form: their internal
// structure, in which each byte of a buffer is a number. It only has to be present; nobody should read it.
func appendStructure(dst []byte, v clarity.Value) []byte {
	switch v.Type() {
	case clarity.TypeInt, clarity.TypeUint:
		name := "UInt"
		if v.Type() == clarity.TypeInt {
			name = "Int"
		}
		digits, _ := v.Decimal()
		dst = append(dst, `{"`+name+`":`...)
		dst = append(dst, digits...)
		return append(dst, '}')
	case clarity.TypeTrue:
		return append(dst, `{"Bool":true}`...)
	case clarity.TypeFalse:
		return append(dst, `{"Bool":false}`...)
	case clarity.TypePrincipal, clarity.TypeContractPrincipal:
		return appendPrincipalStructure(dst, v)
	case clarity.TypeBuffer:
		b, _ := v.Buffer()
		dst = append(dst, `{"Sequence":{"Buffer":{"data":`...)
		dst = appendByteList(dst, b)
		return append(dst, `}}}`...)
	case clarity.TypeASCII:
		text, _ := v.Text()
		dst = append(dst, `{"Sequence":{"String":{"ASCII":{"data":`...)
		dst = appendByteList(dst, []byte(text))
		return append(dst, `}}}}`...)
	case clarity.TypeUTF8:
		text, _ := v.Text()
		dst = append(dst, `{"Sequence":{"String":{"UTF8":{"data":[`...)
		for i, r := range []rune(text) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendByteList(dst, []byte(string(r)))
		}
		return append(dst, `]}}}}`...)
	case clarity.TypeNone:
		return append(dst, `{"Optional":{"data":null}}`...)
	case clarity.TypeSome:
		inner, _ := v.Inner()
		dst = append(dst, `{"Optional":{"data":`...)
		return append(appendStructure(dst, inner), `}}`...)
	case clarity.TypeOk, clarity.TypeErr:
		inner, _ := v.Inner()
		dst = append(dst, `{"Response":{"committed":`...)
		dst = strconv.AppendBool(dst, v.Type() == clarity.TypeOk)
		dst = append(dst, `,"data":`...)
		return append(appendStructure(dst, inner), `}}`...)
	case clarity.TypeList:
		dst = append(dst, `{"Sequence":{"List":{"data":[`...)
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendStructure(dst, element)
		}
		return append(dst, `]}}}`...)
	case clarity.TypeTuple:
		dst = append(dst, `{"Tuple":{"data_map":{`...)
		for i, f := range v.SortedFields() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, f.Name), ':')
			dst = appendStructure(dst, f.Value)
		}
		return append(dst, `}}}`...)
	}
	return append(dst, "null"...)
}

func appendPrincipalStructure(dst []byte, v clarity.Value) []byte {
	p, _ := v.Principal()
	standard := func(dst []byte) []byte {
		dst = append(dst, '[')
		dst = appendNumber(dst, uint64(p.Address.Version))
		dst = append(dst, ',')
		dst = appendByteList(dst, p.Address.Hash160[:])
		return append(dst, ']')
	}
	if !p.IsContract() {
		return append(standard(append(dst, `{"Principal":{"Standard":`...)), `}}`...)
	}
	dst = standard(append(dst, `{"Principal":{"Contract":{"issuer":`...))
	dst = object(dst).text("name", p.Contract)
	return append(dst, `}}}`...)
}

func appendByteList(dst, b []byte) []byte {
	dst = append(dst, '[')
	for i, n := range b {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumber(dst, uint64(n))
	}
	return append(dst, ']')
}
