package header_test

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"testing"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/synth/synthchain/internal/header"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// TestRealBlock hashes the header of a block of mainnet.
func TestRealBlock(t *testing.T) {
	t.Parallel()
	vector.Each(t, "nakamoto_blocks.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			Hex    string `json:"hex"`
			Expect struct {
				Version          uint8  `json:"version"`
				ChainLength      string `json:"chain_length"`
				BurnSpent        string `json:"burn_spent"`
				ConsensusHash    string `json:"consensus_hash"`
				ParentBlockID    string `json:"parent_block_id"`
				TxMerkleRoot     string `json:"tx_merkle_root"`
				StateIndexRoot   string `json:"state_index_root"`
				Timestamp        uint64 `json:"timestamp"`
				MinerSignature   string `json:"miner_signature"`
				SignerSignatures int    `json:"signer_signature_count"`
				PoxBytes         int    `json:"pox_treatment_bytes"`
				BlockHash        string `json:"block_hash"`
				BlockID          string `json:"block_id"`
			} `json:"expect"`
		}](t, line)
		want := row.Expect
		number := func(text string) uint64 {
			return must.Get(strconv.ParseUint(text, 10, 64))(t)
		}
		const fixed = 1 + 8 + 8 + 20 + 32 + 32 + 32 + 8 + key.SignatureSize
		treatment := vector.Bytes(t, row.Hex)[fixed+4+want.SignerSignatures*key.SignatureSize:][:2+4+want.PoxBytes]
		h := header.Nakamoto{
			Version: want.Version, ChainLength: number(want.ChainLength), BurnSpent: number(want.BurnSpent),
			ConsensusHash:  hash.Hash20(vector.Bytes(t, want.ConsensusHash)),
			ParentBlockID:  hash.Hash32(vector.Bytes(t, want.ParentBlockID)),
			TxMerkleRoot:   hash.Hash32(vector.Bytes(t, want.TxMerkleRoot)),
			StateIndexRoot: hash.Hash32(vector.Bytes(t, want.StateIndexRoot)),
			Timestamp:      want.Timestamp, MinerSignature: key.Signature(vector.Bytes(t, want.MinerSignature)), PoxTreatment: treatment,
		}
		equal(t, "block hash", h.Hash().String(), want.BlockHash)
		equal(t, "block id", h.ID().String(), want.BlockID)
	})
}

func nakamoto() header.Nakamoto {
	return header.Nakamoto{
		ChainLength: 7, BurnSpent: 8, ConsensusHash: hash.Hash20{1}, ParentBlockID: hash.Hash32{2},
		TxMerkleRoot: hash.Hash32{3}, StateIndexRoot: hash.Hash32{4}, Timestamp: 1738687125,
		MinerSignature: key.Signature{1, 5}, PoxTreatment: header.Ones(13),
	}
}

// TestNakamotoHashes pins the hash of a synthetic block. As in TestEpoch2Hashes, a separate program computed the pinned hash
// from the field sizes in the specification.
func TestNakamotoHashes(t *testing.T) {
	t.Parallel()
	h := nakamoto()
	before := h.Hash()
	equal(t, "hash", before.String(), "0x3344f5354766e30a1f4d3d80f8e42daee408eda7cc79f8ea8c4fcc32c465696e")
	equal(t, "id", h.ID(), hash.IndexBlockHash(before, h.ConsensusHash))
	h.MinerSignature[0] ^= 1
	equal(t, "hash covers the miner's signature", h.Hash() != before, true)
}

// newest returns a header of version 1, which lists transactions that were skipped.
func newest() header.Nakamoto {
	h := nakamoto()
	h.Version = 1
	h.Problematic = []header.ProblematicTransaction{{Index: 1, Category: 2}, {Index: 0x01020304, Category: 255}}
	return h
}

// TestProblematicHashes pins the hash of a header of version 1: it covers the list of skipped transactions. A separate
// program computed the pinned hash from the field sizes in the specification.
func TestProblematicHashes(t *testing.T) {
	t.Parallel()
	h := newest()
	before := h.Hash()
	equal(t, "hash", before.String(), "0xfa6fba5d52df211854d3bb79add77e320ec11c85323c2a296f37b1896d8cf492")
	h.Problematic[1].Category--
	equal(t, "hash covers the categories", h.Hash() != before, true)
	h = newest()
	h.Problematic = nil
	equal(t, "hash covers an empty list, too", h.Hash() != before, true)
}

// TestEpoch2Hashes pins the hash of a synthetic block.
func TestEpoch2Hashes(t *testing.T) {
	t.Parallel()
	h := header.Epoch2{
		Version: 1, Burn: 2, Work: 3, VRFProof: transaction.VRFProof{4}, ParentBlock: hash.Hash32{5},
		ParentMicroblock: hash.Hash32{6}, ParentMicroblockSequence: 7, TxMerkleRoot: hash.Hash32{8},
		StateIndexRoot: hash.Hash32{9}, MicroblockPubkeyHash: hash.Hash20{10},
	}
	equal(t, "hash", h.Hash().String(), "0xa563b7cf891e200620c9b2a5ae4ff5dd509737731763ec0101825700baa42a84")
	equal(t, "id", h.ID(hash.Hash20{1}), hash.IndexBlockHash(h.Hash(), hash.Hash20{1}))
}

func TestOnes(t *testing.T) {
	t.Parallel()
	equal(t, "1 bit", hex.EncodeToString(header.Ones(1)), "00010000000180")
	equal(t, "8 bits", hex.EncodeToString(header.Ones(8)), "000800000001ff")
	equal(t, "13 bits", hex.EncodeToString(header.Ones(13)), "000d00000002fff8")
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
