package header

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"

	"strata/domain/hash"
	"strata/domain/transaction/key"
	"strata/internal/synth/value"
)

// Nakamoto is the header of a block of epoch 3.0 or later, without the signers' signatures, which sign its hash.
type Nakamoto struct {
	Version        uint8
	ChainLength    uint64      // block height
	BurnSpent      uint64      // satoshis spent in all sortitions up to the block's own
	ConsensusHash  hash.Hash20 // of the sortition that elected the miner
	ParentBlockID  hash.Hash32 // index block hash of the parent
	TxMerkleRoot   hash.Hash32
	StateIndexRoot hash.Hash32
	Timestamp      uint64 // Unix seconds
	MinerSignature key.Signature
	PoxTreatment   []byte // an encoded bit vector with one bit per reward slot; see Ones
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

// Hash returns the block hash: SHA-512/256 of the header.
func (h *Nakamoto) Hash() hash.Hash32 {
	b := []byte{h.Version}
	b = binary.BigEndian.AppendUint64(b, h.ChainLength)
	b = binary.BigEndian.AppendUint64(b, h.BurnSpent)
	b = append(b, h.ConsensusHash[:]...)
	b = append(b, h.ParentBlockID[:]...)
	b = append(b, h.TxMerkleRoot[:]...)
	b = append(b, h.StateIndexRoot[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Timestamp)
	b = append(b, h.MinerSignature[:]...)
	b = append(b, h.PoxTreatment...)
	if h.Version >= withProblematic {
		b = binary.BigEndian.AppendUint32(b, uint32(len(h.Problematic)))
		b = value.Must(binary.Append(b, binary.BigEndian, h.Problematic))
	}
	return sha512.Sum512_256(b)
}

// ID returns the index block hash.
func (h *Nakamoto) ID() hash.Hash32 { return hash.IndexBlockHash(h.Hash(), h.ConsensusHash) }

// Ones returns a vector of n bits that are all set, in the layout of block headers and node events: u16 bit count, u32 byte
// count, bytes. The first bit is the highest bit of the first byte; spare bits of the last byte are 0.
func Ones(n int) []byte {
	bits := bytes.Repeat([]byte{0xff}, (n+7)/8)
	if spare := n % 8; spare != 0 {
		bits[len(bits)-1] <<= 8 - spare
	}
	vector := binary.BigEndian.AppendUint16(nil, uint16(n))
	return append(binary.BigEndian.AppendUint32(vector, uint32(len(bits))), bits...)
}
