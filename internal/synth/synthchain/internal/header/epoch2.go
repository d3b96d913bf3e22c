package header

import (
	"crypto/sha512"
	"encoding/binary"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/internal/synth/value"
)

// Epoch2 is the header of a block before epoch 3.0, in the order of its bytes. The consensus hash is not part of it.
type Epoch2 struct {
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

// Hash returns the block hash: SHA-512/256 of the header.
func (h *Epoch2) Hash() hash.Hash32 {
	return sha512.Sum512_256(value.Must(binary.Append(nil, binary.BigEndian, h)))
}

// ID returns the index block hash. The argument is the consensus hash of the sortition that the block won.
func (h *Epoch2) ID(consensus hash.Hash20) hash.Hash32 {
	return hash.IndexBlockHash(h.Hash(), consensus)
}
