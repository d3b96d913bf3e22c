package block

import (
	"crypto/sha512"
	"encoding/binary"
	"fmt"

	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// nakamotoFixedSize is the size in bytes of the fields before the signer signatures.
const nakamotoFixedSize = 1 + 8 + 8 + 20 + 32 + 32 + 32 + 8 + key.SignatureSize

// NakamotoHeader is the header of a block of epoch 3.0 or later.
type NakamotoHeader struct {
	Version          uint8
	ChainLength      uint64      // block height
	BurnSpent        uint64      // satoshis spent in all sortitions up to the block's own
	ConsensusHash    hash.Hash20 // of the sortition that elected the miner
	ParentBlockID    hash.Hash32 // index block hash of the parent
	TxMerkleRoot     hash.Hash32
	StateIndexRoot   hash.Hash32
	Timestamp        uint64 // Unix seconds
	MinerSignature   key.Signature
	SignerSignatures []key.Signature
	PoxTreatment     BitVec // one bit per reward slot
}

// DecodeNakamotoHeader decodes the header at the start of b and returns its size in bytes. PoxTreatment shares memory
// with b. The error is a *DecodeError.
func DecodeNakamotoHeader(b []byte) (*NakamotoHeader, int, error) {
	if len(b) < nakamotoFixedSize+4 {
		return nil, 0, truncated("Nakamoto header", 0, nakamotoFixedSize+4, len(b))
	}
	h := &NakamotoHeader{
		Version:        b[0],
		ChainLength:    binary.BigEndian.Uint64(b[1:]),
		BurnSpent:      binary.BigEndian.Uint64(b[9:]),
		ConsensusHash:  hash.Hash20(b[17:37]),
		ParentBlockID:  hash.Hash32(b[37:69]),
		TxMerkleRoot:   hash.Hash32(b[69:101]),
		StateIndexRoot: hash.Hash32(b[101:133]),
		Timestamp:      binary.BigEndian.Uint64(b[133:]),
		MinerSignature: key.Signature(b[141:nakamotoFixedSize]),
	}
	n := binary.BigEndian.Uint32(b[nakamotoFixedSize:])
	off := nakamotoFixedSize + 4
	if need := uint64(n) * key.SignatureSize; need > uint64(len(b)-off) {
		return nil, 0, &DecodeError{
			Part: "signer signatures", Offset: off,
			Err: fmt.Errorf("%w: %d signatures need %d bytes, have %d", ErrTruncated, n, need, len(b)-off),
		}
	}
	if n > 0 {
		h.SignerSignatures = make([]key.Signature, n)
	}
	for i := range h.SignerSignatures {
		h.SignerSignatures[i] = key.Signature(b[off : off+key.SignatureSize])
		off += key.SignatureSize
	}
	bits, size, err := DecodeBitVec(b[off:])
	if err != nil {
		return nil, 0, &DecodeError{Part: "PoX treatment", Offset: off, Err: err}
	}
	h.PoxTreatment = bits
	return h, off + size, nil
}

// Append appends the header to dst.
func (h *NakamotoHeader) Append(dst []byte) []byte {
	dst = h.appendFixed(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.SignerSignatures)))
	for i := range h.SignerSignatures {
		dst = append(dst, h.SignerSignatures[i][:]...)
	}
	return h.PoxTreatment.Append(dst)
}

func (h *NakamotoHeader) appendFixed(dst []byte) []byte {
	dst = append(dst, h.Version)
	dst = binary.BigEndian.AppendUint64(dst, h.ChainLength)
	dst = binary.BigEndian.AppendUint64(dst, h.BurnSpent)
	dst = append(dst, h.ConsensusHash[:]...)
	dst = append(dst, h.ParentBlockID[:]...)
	dst = append(dst, h.TxMerkleRoot[:]...)
	dst = append(dst, h.StateIndexRoot[:]...)
	dst = binary.BigEndian.AppendUint64(dst, h.Timestamp)
	return append(dst, h.MinerSignature[:]...)
}

// Hash returns the block hash: SHA-512/256 of the header without the signer signatures, because they sign this hash.
func (h *NakamotoHeader) Hash() hash.Hash32 {
	b := make([]byte, 0, nakamotoFixedSize+bitVecHeaderSize+byteCount(MaxBits))
	return sha512.Sum512_256(h.PoxTreatment.Append(h.appendFixed(b)))
}

// ID returns the index block hash.
func (h *NakamotoHeader) ID() hash.Hash32 { return hash.IndexBlockHash(h.Hash(), h.ConsensusHash) }
