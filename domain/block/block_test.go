package block_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/block"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/vector"
)

func TestNakamotoVectors(t *testing.T) {
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
				PoxBits          int    `json:"pox_treatment_len"`
				PoxBytes         int    `json:"pox_treatment_bytes"`
				BlockHash        string `json:"block_hash"`
				BlockID          string `json:"block_id"`
				TxCount          uint32 `json:"tx_count"`
			} `json:"expect"`
		}](t, line)
		raw := vector.Bytes(t, row.Hex)
		b, err := block.DecodeNakamoto(raw)
		if err != nil {
			t.Fatal(err)
		}
		h, want := &b.Header, row.Expect
		equal(t, "version", h.Version, want.Version)
		equal(t, "chain length", strconv.FormatUint(h.ChainLength, 10), want.ChainLength)
		equal(t, "burn spent", strconv.FormatUint(h.BurnSpent, 10), want.BurnSpent)
		equal(t, "consensus hash", h.ConsensusHash.String(), want.ConsensusHash)
		equal(t, "parent block id", h.ParentBlockID.String(), want.ParentBlockID)
		equal(t, "merkle root", h.TxMerkleRoot.String(), want.TxMerkleRoot)
		equal(t, "state root", h.StateIndexRoot.String(), want.StateIndexRoot)
		equal(t, "timestamp", h.Timestamp, want.Timestamp)
		equal(t, "miner signature", h.MinerSignature.String(), want.MinerSignature)
		equal(t, "signer signatures", len(h.SignerSignatures), want.SignerSignatures)
		equal(t, "bits", h.PoxTreatment.Len(), want.PoxBits)
		equal(t, "bytes of bits", len(h.PoxTreatment.Bytes()), want.PoxBytes)
		equal(t, "block hash", h.Hash().String(), want.BlockHash)
		equal(t, "block id", h.ID().String(), want.BlockID)
		equal(t, "transactions", b.Body.Count, want.TxCount)
		equal(t, "complete", b.Body.Complete(), true)
		equal(t, "encoded", hex.EncodeToString(b.Encode()), hex.EncodeToString(raw))
		for _, tx := range b.Body.Transactions {
			if err := tx.Verify(); err != nil {
				t.Error(err)
			}
		}
	})
}

// transactions returns a signed tenure change, coinbase and contract deployment.
func transactions(t testing.TB) []*transaction.Transaction {
	t.Helper()
	miner := key.FromSeed([]byte("miner"))
	payloads := []transaction.Payload{
		&transaction.TenureChange{PreviousBlocks: 1},
		&transaction.NakamotoCoinbase{Recipient: &clarity.Principal{Address: miner.Address(false)}},
		&transaction.VersionedSmartContract{
			ClarityVersion: 3,
			SmartContract:  transaction.SmartContract{ContractName: "c", Code: []byte("(+ 1 2)")},
		},
	}
	var all []*transaction.Transaction
	for i, p := range payloads {
		tx, err := transaction.Draft{Network: transaction.Testnet, Nonce: uint64(i)}.Transaction(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := transaction.Sign(tx, miner); err != nil {
			t.Fatal(err)
		}
		all = append(all, tx)
	}
	return all
}

func nakamoto(t testing.TB) *block.Nakamoto {
	t.Helper()
	bits, err := block.NewBitVec(13, true)
	if err != nil {
		t.Fatal(err)
	}
	return &block.Nakamoto{
		Header: block.NakamotoHeader{
			ChainLength: 7, BurnSpent: 8, ConsensusHash: hash.Hash20{1}, ParentBlockID: hash.Hash32{2},
			TxMerkleRoot: hash.Hash32{3}, StateIndexRoot: hash.Hash32{4}, Timestamp: 1738687125,
			MinerSignature: key.Signature{1, 5}, SignerSignatures: []key.Signature{{0, 6}, {1, 7}}, PoxTreatment: bits,
		},
		Body: block.NewBody(transactions(t)...),
	}
}

func epoch2(t testing.TB) *block.Epoch2 {
	t.Helper()
	return &block.Epoch2{
		Header: block.Epoch2Header{
			Version: 1, Burn: 2, Work: 3, VRFProof: transaction.VRFProof{4}, ParentBlock: hash.Hash32{5},
			ParentMicroblock: hash.Hash32{6}, ParentMicroblockSequence: 7, TxMerkleRoot: hash.Hash32{8},
			StateIndexRoot: hash.Hash32{9}, MicroblockPubkeyHash: hash.Hash20{10},
		},
		Body: block.NewBody(transactions(t)...),
	}
}

// TestNakamotoHashes pins the hash of a synthetic block, and checks which fields it covers. As in TestEpoch2Hashes, a
// separate program computed the pinned hash from the field sizes in the specification.
func TestNakamotoHashes(t *testing.T) {
	t.Parallel()
	b := nakamoto(t)
	before := b.Header.Hash()
	equal(t, "hash", before.String(), "0x3344f5354766e30a1f4d3d80f8e42daee408eda7cc79f8ea8c4fcc32c465696e")
	equal(t, "id", b.Header.ID(), hash.IndexBlockHash(before, b.Header.ConsensusHash))
	b.Header.SignerSignatures = append(b.Header.SignerSignatures, key.Signature{9})
	equal(t, "hash with another signer", b.Header.Hash(), before)
	b.Header.MinerSignature[0] ^= 1
	equal(t, "hash covers the miner's signature", b.Header.Hash() != before, true)
}

// newest returns a block with a header of version 1, which lists transactions that were skipped.
func newest(t testing.TB) *block.Nakamoto {
	t.Helper()
	b := nakamoto(t)
	b.Header.Version = 1
	b.Header.Problematic = []block.ProblematicTransaction{{Index: 1, Category: 2}, {Index: 0x01020304, Category: 255}}
	return b
}

// TestProblematicHashes pins the hashes of a header of version 1: they cover the list of skipped transactions. A
// separate program computed the pinned hashes from the field sizes in the specification.
func TestProblematicHashes(t *testing.T) {
	t.Parallel()
	h := newest(t).Header
	equal(t, "hash", h.Hash().String(), "0xfa6fba5d52df211854d3bb79add77e320ec11c85323c2a296f37b1896d8cf492")
	equal(t, "miner's hash", h.MinerSignatureHash().String(), "0x8254414cec1c3d3d43ae3ae7fae25770f3ff834aa181b585105c27c60b8ec76c")
	before, signed := h.Hash(), h.MinerSignatureHash()
	h.Problematic[1].Category--
	equal(t, "hash covers the categories", h.Hash() != before, true)
	equal(t, "miner's hash covers the categories", h.MinerSignatureHash() != signed, true)
	h = newest(t).Header
	h.Problematic = nil
	equal(t, "hash covers an empty list, too", h.Hash() != before, true)
	equal(t, "size with an empty list", len(h.Append(nil)), len(nakamoto(t).Header.Append(nil))+4)
	h = newest(t).Header
	h.MinerSignature[0] ^= 1
	equal(t, "miner's hash without the signature", h.MinerSignatureHash(), signed)
	equal(t, "hash covers the miner's signature", h.Hash() != before, true)
}

func TestProblematicRoundTrip(t *testing.T) {
	t.Parallel()
	want := newest(t).Encode()
	got, err := block.DecodeNakamoto(want)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "encoded", hex.EncodeToString(got.Encode()), hex.EncodeToString(want))
	equal(t, "skipped transactions", len(got.Header.Problematic), 2)
	equal(t, "skipped transaction", got.Header.Problematic[1], block.ProblematicTransaction{Index: 0x01020304, Category: 255})
	equal(t, "transactions", len(got.Body.Transactions), 3)
}

// TestEpoch2Hashes pins the hash of a synthetic block.
func TestEpoch2Hashes(t *testing.T) {
	t.Parallel()
	h := epoch2(t).Header
	equal(t, "size", len(h.Append(nil)), 247)
	equal(t, "hash", h.Hash().String(), "0xa563b7cf891e200620c9b2a5ae4ff5dd509737731763ec0101825700baa42a84")
	equal(t, "id", h.ID(hash.Hash20{1}), hash.IndexBlockHash(h.Hash(), hash.Hash20{1}))
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := nakamoto(t).Encode()
	got, err := block.DecodeNakamoto(want)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Nakamoto block", hex.EncodeToString(got.Encode()), hex.EncodeToString(want))
	equal(t, "complete", got.Body.Complete(), true)
	equal(t, "transactions", len(got.Body.Transactions), 3)

	want = epoch2(t).Encode()
	old, err := block.DecodeEpoch2(want)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "epoch 2 block", hex.EncodeToString(old.Encode()), hex.EncodeToString(want))
	equal(t, "work", old.Header.Work, 3)
	equal(t, "microblock sequence", old.Header.ParentMicroblockSequence, 7)
	equal(t, "transactions", len(old.Body.Transactions), 3)
}

func TestTruncated(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		raw    []byte
		decode func([]byte) error
	}{
		"Nakamoto": {nakamoto(t).Encode(), func(b []byte) error { _, err := block.DecodeNakamoto(b); return err }},
		"newest":   {newest(t).Encode(), func(b []byte) error { _, err := block.DecodeNakamoto(b); return err }},
		"epoch 2":  {epoch2(t).Encode(), func(b []byte) error { _, err := block.DecodeEpoch2(b); return err }},
	} {
		for n := range tt.raw {
			var part *block.DecodeError
			if err := tt.decode(tt.raw[:n]); !errors.As(err, &part) || part.Offset > n {
				t.Errorf("%s cut at %d: got %v, want a *DecodeError", name, n, err)
			}
		}
		if err := tt.decode(append(bytes.Clone(tt.raw), 0)); !errors.Is(err, block.ErrTrailing) {
			t.Errorf("%s with a trailing byte: got %v, want ErrTrailing", name, err)
		}
	}
}

// TestOverstatedCounts decodes blocks that claim more signatures or transactions than they hold.
func TestOverstatedCounts(t *testing.T) {
	t.Parallel()
	const signatureCountOffset = 206
	raw := nakamoto(t).Encode()
	binary.BigEndian.PutUint32(raw[signatureCountOffset:], 0xffffffff)
	if _, err := block.DecodeNakamoto(raw); !errors.Is(err, block.ErrTruncated) {
		t.Errorf("signatures: got %v, want ErrTruncated", err)
	}
	raw = epoch2(t).Encode()
	binary.BigEndian.PutUint32(raw[block.Epoch2HeaderSize:], 0xffffffff)
	if _, err := block.DecodeEpoch2(raw); !errors.Is(err, transaction.ErrTruncated) {
		t.Errorf("transactions: got %v, want ErrTruncated", err)
	}
}

// TestUnknownTransaction puts a transaction with an unknown payload in the middle of a block. Its end cannot be found,
// so its payload takes the rest of the block, and the block still encodes to the same bytes.
func TestUnknownTransaction(t *testing.T) {
	t.Parallel()
	b := nakamoto(t)
	b.Body.Transactions[1].Payload = &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{99, 1, 2, 3}}
	raw := b.Encode()
	got, err := block.DecodeNakamoto(raw)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "complete", got.Body.Complete(), false)
	equal(t, "count", got.Body.Count, 3)
	equal(t, "transactions", len(got.Body.Transactions), 2)
	equal(t, "name", got.Body.Transactions[1].Payload.Name(), "undecoded")
	equal(t, "nonce", got.Body.Transactions[1].Nonce(), 1)
	equal(t, "encoded", hex.EncodeToString(got.Encode()), hex.EncodeToString(raw))
}

func TestBitVec(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, block.MaxBits).Draw(t, "bits")
		raw := binary.BigEndian.AppendUint16(nil, uint16(n))
		raw = binary.BigEndian.AppendUint32(raw, uint32((n+7)/8))
		raw = append(raw, rapid.SliceOfN(rapid.Byte(), (n+7)/8, (n+7)/8).Draw(t, "bytes")...)
		v, size, err := block.DecodeBitVec(append(bytes.Clone(raw), 1, 2, 3))
		if err != nil {
			t.Fatal(err)
		}
		if size != len(raw) || v.Len() != n || !bytes.Equal(v.Append(nil), raw) {
			t.Fatalf("got %d bits in %d bytes %x, want %d bits in %d bytes %x", v.Len(), size, v.Append(nil), n, len(raw), raw)
		}
		i := rapid.IntRange(0, n-1).Draw(t, "index")
		if want := raw[6+i/8]>>(7-i%8)&1 == 1; v.Bit(i) != want {
			t.Fatalf("bit %d: got %t, want %t", i, v.Bit(i), want)
		}
		if v.Bit(-1) || v.Bit(n) || v.Bit(1<<30) {
			t.Fatal("a bit outside the vector is set")
		}
		full, err := block.NewBitVec(n, true)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := block.DecodeBitVec(full.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !again.Bit(i) {
				t.Fatalf("bit %d of a full vector is not set", i)
			}
		}
	})
}

func TestBitVecRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		want      error
	}{
		{"empty", "", block.ErrTruncated},
		{"no bits", "000000000000", block.ErrMalformed},
		{"too many bits", "0fa1000001f5" + strings.Repeat("00", 501), block.ErrMalformed},
		{"too few bytes", "00090000000100", block.ErrMalformed},
		{"too many bytes", "0008000000020000", block.ErrMalformed},
		{"truncated bytes", "00090000000200", block.ErrTruncated},
		{"huge", "0fa0ffffffff", block.ErrMalformed},
	} {
		if _, _, err := block.DecodeBitVec(vector.Bytes(t, tt.raw)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	for _, n := range []int{-1, 0, block.MaxBits + 1} {
		if _, err := block.NewBitVec(n, false); !errors.Is(err, block.ErrMalformed) {
			t.Errorf("%d bits: got %v, want ErrMalformed", n, err)
		}
	}
}

func FuzzDecodeNakamoto(f *testing.F) {
	f.Add(nakamoto(f).Encode())
	f.Add(newest(f).Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := block.DecodeNakamoto(raw)
		if err != nil {
			return
		}
		if got := b.Encode(); !bytes.Equal(got, raw) {
			t.Fatalf("got %x, want %x", got, raw)
		}
		_ = b.Header.ID()
	})
}

func FuzzDecodeEpoch2(f *testing.F) {
	f.Add(epoch2(f).Encode())
	f.Add(make([]byte, block.Epoch2HeaderSize+4))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, err := block.DecodeEpoch2(raw)
		if err != nil {
			return
		}
		if got := b.Encode(); !bytes.Equal(got, raw) {
			t.Fatalf("got %x, want %x", got, raw)
		}
	})
}

func FuzzDecodeBitVec(f *testing.F) {
	f.Add([]byte{0, 9, 0, 0, 0, 2, 0xff, 0x80})
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, n, err := block.DecodeBitVec(raw)
		if err == nil && !bytes.Equal(v.Append(nil), raw[:n]) {
			t.Fatalf("got %x, want %x", v.Append(nil), raw[:n])
		}
	})
}

func BenchmarkDecodeNakamoto(b *testing.B) {
	raw := nakamoto(b).Encode()
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := block.DecodeNakamoto(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
