package block

import (
	"crypto/sha512"
	"encoding/binary"

	"strata/domain/hash"
	"strata/domain/transaction"
)

// Epoch2HeaderSize is the size of an Epoch2Header in bytes.
const Epoch2HeaderSize = 1 + 8 + 8 + 80 + 32 + 32 + 2 + 32 + 32 + 20

// Epoch2Header is the header of a block before epoch 3.0. The consensus hash is not part of it.
type Epoch2Header struct {
	Version                  uint8
	Burn                     uint64 // satoshis spent on the fork
	Work                     uint64 // length of the fork
	VRFProof                 transaction.VRFProof
	ParentBlock              hash.Hash32 // block hash, not id
	ParentMicroblock         hash.Hash32 // zero when there is none
	ParentMicroblockSequence uint16
	TxMerkleRoot             hash.Hash32
	StateIndexRoot           hash.Hash32
	MicroblockPubkeyHash     hash.Hash20 // of the key that signs the microblocks on top of the block
}

// DecodeEpoch2Header decodes a header from exactly Epoch2HeaderSize bytes. The error is a *DecodeError.
func DecodeEpoch2Header(b []byte) (*Epoch2Header, error) {
	if len(b) < Epoch2HeaderSize {
		return nil, truncated("header", 0, Epoch2HeaderSize, len(b))
	}
	if len(b) > Epoch2HeaderSize {
		return nil, trailing(Epoch2HeaderSize, len(b)-Epoch2HeaderSize)
	}
	return &Epoch2Header{
		Version:                  b[0],
		Burn:                     binary.BigEndian.Uint64(b[1:]),
		Work:                     binary.BigEndian.Uint64(b[9:]),
		VRFProof:                 transaction.VRFProof(b[17:97]),
		ParentBlock:              hash.Hash32(b[97:129]),
		ParentMicroblock:         hash.Hash32(b[129:161]),
		ParentMicroblockSequence: binary.BigEndian.Uint16(b[161:]),
		TxMerkleRoot:             hash.Hash32(b[163:195]),
		StateIndexRoot:           hash.Hash32(b[195:227]),
		MicroblockPubkeyHash:     hash.Hash20(b[227:247]),
	}, nil
}

// Append appends the Epoch2HeaderSize bytes of the header to dst.
func (h *Epoch2Header) Append(dst []byte) []byte {
	dst = append(dst, h.Version)
	dst = binary.BigEndian.AppendUint64(dst, h.Burn)
	dst = binary.BigEndian.AppendUint64(dst, h.Work)
	dst = append(dst, h.VRFProof[:]...)
	dst = append(dst, h.ParentBlock[:]...)
	dst = append(dst, h.ParentMicroblock[:]...)
	dst = binary.BigEndian.AppendUint16(dst, h.ParentMicroblockSequence)
	dst = append(dst, h.TxMerkleRoot[:]...)
	dst = append(dst, h.StateIndexRoot[:]...)
	return append(dst, h.MicroblockPubkeyHash[:]...)
}

// Hash returns the block hash: SHA-512/256 of the header.
func (h *Epoch2Header) Hash() hash.Hash32 {
	return sha512.Sum512_256(h.Append(make([]byte, 0, Epoch2HeaderSize)))
}

// ID returns the index block hash. The argument is the consensus hash of the sortition that the block won.
func (h *Epoch2Header) ID(consensus hash.Hash20) hash.Hash32 {
	return hash.IndexBlockHash(h.Hash(), consensus)
}
