package clarity

import "fmt"

// TypeID is the type prefix: the first byte of a serialized value (SIP-005).
type TypeID byte

// The types that a value can have.
const (
	TypeInt               TypeID = 0x00
	TypeUint              TypeID = 0x01
	TypeBuffer            TypeID = 0x02
	TypeTrue              TypeID = 0x03
	TypeFalse             TypeID = 0x04
	TypePrincipal         TypeID = 0x05
	TypeContractPrincipal TypeID = 0x06
	TypeOk                TypeID = 0x07
	TypeErr               TypeID = 0x08
	TypeNone              TypeID = 0x09
	TypeSome              TypeID = 0x0a
	TypeList              TypeID = 0x0b
	TypeTuple             TypeID = 0x0c
	TypeASCII             TypeID = 0x0d
	TypeUTF8              TypeID = 0x0e

	// TypeInvalid is the type of the zero Value. No serialized value has it.
	TypeInvalid TypeID = 0xff
)

var typeNames = [...]string{
	TypeInt:               "int",
	TypeUint:              "uint",
	TypeBuffer:            "buffer",
	TypeTrue:              "true",
	TypeFalse:             "false",
	TypePrincipal:         "standard principal",
	TypeContractPrincipal: "contract principal",
	TypeOk:                "response ok",
	TypeErr:               "response err",
	TypeNone:              "none",
	TypeSome:              "some",
	TypeList:              "list",
	TypeTuple:             "tuple",
	TypeASCII:             "string-ascii",
	TypeUTF8:              "string-utf8",
}

// String returns the name of the type for messages. For Clarity source text see Value.TypeText.
func (t TypeID) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type 0x%02x", byte(t))
}
