package transaction

import (
	"fmt"

	"strata/domain/transaction/key"
)

// FieldKind tells what a field of a multisig condition holds and how its key is hashed.
type FieldKind uint8

// The field kinds. On the wire a public key is always compressed; the kind tells how it is hashed.
const (
	FieldPublicKey             FieldKind = 0
	FieldPublicKeyUncompressed FieldKind = 1
	FieldSignature             FieldKind = 2
	FieldSignatureUncompressed FieldKind = 3
)

// fieldMinSize is the size in bytes of the smallest field on the wire: a kind and a public key.
const fieldMinSize = 1 + key.CompressedSize

// Signature reports whether the field holds a signature, from which the key is recovered.
func (k FieldKind) Signature() bool { return k == FieldSignature || k == FieldSignatureUncompressed }

// Encoding returns the form in which the field's key is hashed.
func (k FieldKind) Encoding() key.Encoding { return key.Encoding(k & 1) }

// Field stands for one key holder of a multisig condition: the signature of a holder who signed, or the public key of
// one who did not. Only the member that Kind names is set.
type Field struct {
	Kind      FieldKind
	PublicKey [key.CompressedSize]byte
	Signature key.Signature
}

// PublicKeyField returns the field of a holder who did not sign.
func PublicKeyField(p key.Public) Field {
	return Field{Kind: FieldPublicKey + FieldKind(p.Encoding()), PublicKey: p.CompressedBytes()}
}

// SignatureField returns the field of a holder who signed and whose key is hashed in the given encoding.
func SignatureField(s key.Signature, e key.Encoding) Field {
	return Field{Kind: FieldSignature + FieldKind(e), Signature: s}
}

func readField(r *reader, part string) (f Field) {
	start := r.off
	f.Kind = FieldKind(r.u8(part))
	switch f.Kind {
	case FieldPublicKey, FieldPublicKeyUncompressed:
		copy(f.PublicKey[:], r.take(len(f.PublicKey), part))
	case FieldSignature, FieldSignatureUncompressed:
		copy(f.Signature[:], r.take(len(f.Signature), part))
	default:
		r.fail(part, start, fmt.Errorf("%w: field kind %d, want 0 to 3", ErrMalformed, f.Kind))
	}
	return f
}

func (f *Field) appendTo(dst []byte) []byte {
	dst = append(dst, byte(f.Kind))
	if f.Kind.Signature() {
		return append(dst, f.Signature[:]...)
	}
	return append(dst, f.PublicKey[:]...)
}
