package clarity

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The functions here step over bytes that Decode has checked.

// cut splits b behind its first value.
func cut(b []byte) (first Value, rest []byte) {
	rest = skip(b)
	n := len(b) - len(rest)
	return Value{raw: b[:n:n]}, rest
}

// skip returns what follows the first value of b.
func skip(b []byte) []byte {
	for {
		prefix := TypeID(b[0])
		b = b[1:]
		switch prefix {
		case TypeOk, TypeErr, TypeSome:
			continue
		case TypeInt, TypeUint:
			return b[integerLength:]
		case TypeBuffer, TypeASCII, TypeUTF8:
			_, b = body(b)
			return b
		case TypePrincipal:
			return b[addressLength:]
		case TypeContractPrincipal:
			b = b[addressLength:]
			return b[1+int(b[0]):]
		case TypeList:
			n, b := count(b)
			for range n {
				b = skip(b)
			}
			return b
		case TypeTuple:
			n, b := count(b)
			for range n {
				b = skip(b[1+int(b[0]):])
			}
			return b
		default: // true, false, none
			return b
		}
	}
}

// count reads a length or count and returns what follows it.
func count(b []byte) (n int, rest []byte) {
	return int(binary.BigEndian.Uint32(b)), b[countLength:]
}

// body reads a length and that many bytes.
func body(b []byte) (content, rest []byte) {
	n, b := count(b)
	return b[:n], b[n:]
}

// reorder returns nil when the n tuple fields at the start of b are in ascending order of their names, as they nearly
// always are. Otherwise it returns where each field starts, in that order, with only the last of duplicates. What
// follows the fields is returned in either case.
func reorder(b []byte, n int) (fields [][]byte, rest []byte) {
	rest = b
	ascending := true
	var previous []byte
	for i := range n {
		name := nameAt(rest)
		ascending = ascending && (i == 0 || bytes.Compare(previous, name) < 0)
		previous, rest = name, skip(rest[1+len(name):])
	}
	if ascending {
		return nil, rest
	}
	all := make([][]byte, 0, n)
	for range n {
		all = append(all, b)
		b = skip(b[1+int(b[0]):])
	}
	slices.SortStableFunc(all, func(a, b []byte) int { return bytes.Compare(nameAt(a), nameAt(b)) })
	fields = all[:0]
	for i, f := range all {
		if i+1 == len(all) || !bytes.Equal(nameAt(f), nameAt(all[i+1])) {
			fields = append(fields, f)
		}
	}
	return fields, rest
}
