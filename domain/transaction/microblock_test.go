package transaction_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/hash"
	"strata/domain/microblock"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
)

func TestSignedMicroblock(t *testing.T) {
	t.Parallel()
	k := key.FromSeed([]byte("miner"))
	h := microblock.Header{Version: 1, Sequence: 5, PrevBlock: hash.Hash32{1}, TxMerkleRoot: hash.Hash32{2}}
	unsigned := h.Hash()
	if got := h.SigningDigest(); got != unsigned {
		t.Errorf("digest of an unsigned header: got %s, want its hash %s", got, unsigned)
	}
	if _, err := h.SignerHash(); !errors.Is(err, key.ErrRecover) {
		t.Errorf("unsigned: got %v, want ErrRecover", err)
	}
	h.Sign(k)
	if h.Hash() == unsigned {
		t.Error("hash does not cover the signature")
	}
	equal(t, "digest of a signed header", h.SigningDigest(), unsigned)
	got := must.Get(h.SignerHash())(t)
	equal(t, "signer", k.Public().Hash160(), got)
}

func TestMicroblockRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Byte(), microblock.HeaderSize, microblock.HeaderSize).Draw(t, "header")
		h := must.Get(microblock.Decode(want))(t)
		if got := h.Append(nil); string(got) != string(want) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

func TestDecodeMicroblockRefusesOtherSizes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, microblock.HeaderSize - 1, microblock.HeaderSize + 1} {
		if _, err := microblock.Decode(make([]byte, n)); !errors.Is(err, hash.ErrLength) {
			t.Errorf("%d bytes: got %v, want ErrLength", n, err)
		}
	}
}

func FuzzDecodeMicroblock(f *testing.F) {
	f.Add(make([]byte, microblock.HeaderSize))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := microblock.Decode(raw)
		if err != nil {
			return
		}
		if got := h.Append(nil); string(got) != string(raw) {
			t.Errorf("got %x, want %x", got, raw)
		}
		_, _ = h.SignerHash() // must not panic
	})
}
