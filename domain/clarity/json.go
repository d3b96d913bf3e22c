package clarity

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"strata/domain/lossy"
)

var _ json.Marshaler = Value{}

// MarshalJSON returns the object in which existing APIs show a decoded value. The object of every value has repr, hex
// and type_id. Further members depend on the type:
//
//   - int, uint: value (a decimal string)
//   - bool: value
//   - buffer: buffer (hex)
//   - principals: address_version, address_hash_bytes and address, and for a contract contract_name
//   - ok, err, some: value (an object)
//   - list: list (an array of objects)
//   - tuple: data (an object of objects by key)
//   - strings: data (text)
//
// The zero Value is an error.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.IsZero() {
		return nil, fmt.Errorf("marshal clarity value: %w", ErrNoValue)
	}
	return v.AppendJSON(make([]byte, 0, 8*len(v.raw)+64)), nil
}

// AppendJSON appends the JSON that MarshalJSON returns to dst, or null for the zero Value.
func (v Value) AppendJSON(dst []byte) []byte {
	t := v.Type()
	if t == TypeInvalid {
		return append(dst, "null"...)
	}
	dst = appendQuoted(append(dst, `{"repr":`...), v.AppendRepr(nil))
	dst = append(appendHex(append(dst, `,"hex":"`...), v.raw), '"')
	dst = strconv.AppendInt(append(dst, `,"type_id":`...), int64(t), 10)
	switch t {
	case TypeInt, TypeUint:
		dst = append(appendDecimal(append(dst, `,"value":"`...), t, v.raw[1:]), '"')
	case TypeTrue:
		dst = append(dst, `,"value":true`...)
	case TypeFalse:
		dst = append(dst, `,"value":false`...)
	case TypeBuffer:
		dst = append(appendHex(append(dst, `,"buffer":"`...), v.raw[1+countLength:]), '"')
	case TypePrincipal, TypeContractPrincipal:
		dst = v.appendPrincipalMembers(dst)
	case TypeOk, TypeErr, TypeSome:
		inner, _ := v.Inner()
		dst = inner.AppendJSON(append(dst, `,"value":`...))
	case TypeList:
		dst = append(dst, `,"list":[`...)
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.AppendJSON(dst)
		}
		dst = append(dst, ']')
	case TypeTuple:
		dst = append(dst, `,"data":{`...)
		for i, field := range v.SortedFields() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, []byte(field.Name)), ':')
			dst = field.Value.AppendJSON(dst)
		}
		dst = append(dst, '}')
	case TypeASCII, TypeUTF8:
		dst = appendQuoted(append(dst, `,"data":`...), v.raw[1+countLength:])
	}
	return append(dst, '}')
}

func (v Value) appendPrincipalMembers(dst []byte) []byte {
	a := address(v.raw[1:])
	dst = strconv.AppendInt(append(dst, `,"address_version":`...), int64(a.Version), 10)
	dst = appendHex(append(dst, `,"address_hash_bytes":"`...), a.Hash160[:])
	dst = append(a.AppendTo(append(dst, `","address":"`...)), '"')
	if v.Type() == TypeContractPrincipal {
		dst = appendQuoted(append(dst, `,"contract_name":`...), nameAt(v.raw[1+addressLength:]))
	}
	return dst
}

// appendQuoted appends text as a JSON string. Ill-formed UTF-8 becomes U+FFFD. Unlike encoding/json, it does not escape
// <, > and &.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		r, size := lossy.Rune(text)
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', lowerHex[r>>4], lowerHex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
		text = text[size:]
	}
	return append(dst, '"')
}
