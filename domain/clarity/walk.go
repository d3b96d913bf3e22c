package clarity

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The functions of this file step over values whose bytes Decode has checked.

// cut splits b after its first value.
func cut(b []byte) (first Value, rest []byte) {
	rest = skip(b)
	n := len(b) - len(rest)
	return Value{raw: b[:n:n]}, rest
}

// skip returns the bytes after the first value of b.
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
		case TypeList, TypeTuple:
			n, b := count(b)
			for range n {
				if prefix == TypeTuple {
					b = b[1+int(b[0]):]
				}
				b = skip(b)
			}
			return b
		default: // true, false, none
			return b
		}
	}
}

// count returns the length or count at the start of b, and the bytes after it.
func count(b []byte) (n int, rest []byte) {
	return int(binary.BigEndian.Uint32(b)), b[countLength:]
}

// body returns the content of a buffer or string whose length starts b, and the bytes after it.
func body(b []byte) (content, rest []byte) {
	n, b := count(b)
	return b[:n], b[n:]
}

// fieldsByName returns the n tuple fields at the start of b in ascending order of their names, and only the last of
// duplicates. Each slice begins at its field and extends to the end of b. If the fields already stand in that order, as
// they nearly always do, it returns nil instead. In either case rest is what follows the fields.
func fieldsByName(b []byte, n int) (fields [][]byte, rest []byte) {
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
