// Package microblock decodes, encodes and signs microblock headers (SIP-005). Microblocks ended with Nakamoto. Their
// headers remain in recorded blocks and in poison-microblock transactions, which carry two as proof of misconduct.
package microblock

import (
	"crypto/sha512"
	"encoding/binary"
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// HeaderSize is the size of a header in bytes.
const HeaderSize = 132

// signatureOffset is where the signature, the last field, begins.
const signatureOffset = HeaderSize - key.SignatureSize

// Header is the header of one microblock.
type Header struct {
	Version      uint8
	Sequence     uint16
	PrevBlock    hash.Hash32
	TxMerkleRoot hash.Hash32
	Signature    key.Signature
}

// Decode decodes a header from exactly HeaderSize bytes. The error wraps hash.ErrLength.
func Decode(b []byte) (Header, error) {
	if len(b) != HeaderSize {
		return Header{}, fmt.Errorf("microblock header of %d bytes: %w, want %d", len(b), hash.ErrLength, HeaderSize)
	}
	return Header{
		Version:      b[0],
		Sequence:     binary.BigEndian.Uint16(b[1:3]),
		PrevBlock:    hash.Hash32(b[3:35]),
		TxMerkleRoot: hash.Hash32(b[35:67]),
		Signature:    key.Signature(b[signatureOffset:]),
	}, nil
}

// Append appends the HeaderSize bytes of the header to dst.
func (h Header) Append(dst []byte) []byte {
	dst = append(dst, h.Version)
	dst = binary.BigEndian.AppendUint16(dst, h.Sequence)
	dst = append(dst, h.PrevBlock[:]...)
	dst = append(dst, h.TxMerkleRoot[:]...)
	return append(dst, h.Signature[:]...)
}

// Hash returns the microblock hash: SHA-512/256 of the whole header.
func (h Header) Hash() hash.Hash32 {
	return sha512.Sum512_256(h.Append(make([]byte, 0, HeaderSize)))
}

// SigningDigest returns the hash that the miner signs: SHA-512/256 of the header with a zero signature.
func (h Header) SigningDigest() hash.Hash32 {
	h.Signature = key.Signature{}
	return h.Hash()
}

// SignerHash returns the hash160 of the compressed key that signed the header. It equals the microblock_pubkey_hash of
// the block that the microblock stream extends. The error wraps key.ErrRecover.
func (h Header) SignerHash() (hash.Hash20, error) {
	public, err := key.Recover(h.SigningDigest(), h.Signature, key.Compressed)
	if err != nil {
		return hash.Hash20{}, fmt.Errorf("microblock %d after %s: %w", h.Sequence, h.PrevBlock, err)
	}
	return public.Hash160(), nil
}

// Sign signs the header with k.
func (h *Header) Sign(k key.Private) { h.Signature = k.Sign(h.SigningDigest()) }
