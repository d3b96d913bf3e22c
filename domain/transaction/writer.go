package transaction

import (
	"encoding/binary"

	"strata/domain/c32"
	"strata/domain/clarity"
)

// Prefix bytes of Clarity values that transactions also use outside of Clarity values.
const (
	standardPrincipal = 0x05
	contractPrincipal = 0x06
	optionalNone      = 0x09
	optionalSome      = 0x0a
)

func appendName(dst []byte, name string) []byte {
	dst = append(dst, uint8(len(name)))
	return append(dst, name...)
}

func appendAddress(dst []byte, a c32.Address) []byte {
	dst = append(dst, a.Version)
	return append(dst, a.Hash160[:]...)
}

func appendPrincipal(dst []byte, p clarity.Principal) []byte {
	if p.Contract == "" {
		return appendAddress(append(dst, standardPrincipal), p.Address)
	}
	dst = appendAddress(append(dst, contractPrincipal), p.Address)
	return appendName(dst, p.Contract)
}

func appendBytes32(dst, b []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...)
}
