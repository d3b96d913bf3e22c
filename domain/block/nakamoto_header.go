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
	// Problematic lists the transactions that were skipped instead of executed. Only headers of version 1 and above,
	// which exist since epoch 4.0, have the list.
	Problematic []ProblematicTransaction
}

// ProblematicTransaction is a transaction of a block that was not executed.
type ProblematicTransaction struct {
	Index    uint32 // of the transaction in the body
	Category uint8
}

// withProblematic is the first version of a header that has the list of problematic transactions.
const withProblematic = 1

// problematicSize is the size in bytes of an entry of the list.
const problematicSize = 4 + 1

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
	off += size
	if h.Version >= withProblematic {
		if size, err = h.decodeProblematic(b[off:]); err != nil {
			return nil, 0, &DecodeError{Part: "problematic transactions", Offset: off, Err: err}
		}
		off += size
	}
	return h, off, nil
}

// decodeProblematic decodes the list of problematic transactions at the start of b and returns its size in bytes.
func (h *NakamotoHeader) decodeProblematic(b []byte) (int, error) {
	if len(b) < 4 {
		return 0, fmt.Errorf("%w: need 4 bytes, have %d", ErrTruncated, len(b))
	}
	n, off := binary.BigEndian.Uint32(b), 4
	if need := uint64(n) * problematicSize; need > uint64(len(b)-off) {
		return 0, fmt.Errorf("%w: %d entries need %d bytes, have %d", ErrTruncated, n, need, len(b)-off)
	}
	if n > 0 {
		h.Problematic = make([]ProblematicTransaction, n)
	}
	for i := range h.Problematic {
		h.Problematic[i] = ProblematicTransaction{Index: binary.BigEndian.Uint32(b[off:]), Category: b[off+4]}
		off += problematicSize
	}
	return off, nil
}

// Append appends the header to dst.
func (h *NakamotoHeader) Append(dst []byte) []byte {
	dst = h.appendFixed(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.SignerSignatures)))
	for i := range h.SignerSignatures {
		dst = append(dst, h.SignerSignatures[i][:]...)
	}
	return h.appendTail(dst)
}

// appendTail appends the fields after the signer signatures.
func (h *NakamotoHeader) appendTail(dst []byte) []byte {
	dst = h.PoxTreatment.Append(dst)
	if h.Version < withProblematic {
		return dst
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.Problematic)))
	for _, p := range h.Problematic {
		dst = append(binary.BigEndian.AppendUint32(dst, p.Index), p.Category)
	}
	return dst
}

func (h *NakamotoHeader) appendFixed(dst []byte) []byte {
	return append(h.appendUnsigned(dst), h.MinerSignature[:]...)
}

// appendUnsigned appends the fields before the miner's signature.
func (h *NakamotoHeader) appendUnsigned(dst []byte) []byte {
	dst = append(dst, h.Version)
	dst = binary.BigEndian.AppendUint64(dst, h.ChainLength)
	dst = binary.BigEndian.AppendUint64(dst, h.BurnSpent)
	dst = append(dst, h.ConsensusHash[:]...)
	dst = append(dst, h.ParentBlockID[:]...)
	dst = append(dst, h.TxMerkleRoot[:]...)
	dst = append(dst, h.StateIndexRoot[:]...)
	return binary.BigEndian.AppendUint64(dst, h.Timestamp)
}

// Hash returns the block hash: SHA-512/256 of the header without the signer signatures, because they sign this hash.
func (h *NakamotoHeader) Hash() hash.Hash32 {
	return sha512.Sum512_256(h.appendTail(h.appendFixed(make([]byte, 0, h.hashedSize()))))
}

// MinerSignatureHash returns the hash that the miner signs: SHA-512/256 of the header without any signature.
func (h *NakamotoHeader) MinerSignatureHash() hash.Hash32 {
	return sha512.Sum512_256(h.appendTail(h.appendUnsigned(make([]byte, 0, h.hashedSize()))))
}

// hashedSize returns a size in bytes that is enough for the header without signer signatures.
func (h *NakamotoHeader) hashedSize() int {
	return nakamotoFixedSize + bitVecHeaderSize + byteCount(MaxBits) + 4 + problematicSize*len(h.Problematic)
}

// ID returns the index block hash.
func (h *NakamotoHeader) ID() hash.Hash32 { return hash.IndexBlockHash(h.Hash(), h.ConsensusHash) }
