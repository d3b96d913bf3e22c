package transaction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/hash"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// The public key of the secret 1 is the generator of the curve. The hashes of both its forms are well known from
// Bitcoin.
const (
	secretOne        = "0000000000000000000000000000000000000000000000000000000000000001"
	generator        = "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	hashCompressed   = "0x751e76e8199196d454941c45d1b3a323f1433bd6"
	hashUncompressed = "0x91b24bf9f5288532960ac687abb035127b1d28a5"
)

// groupOrder is the order n of the secp256k1 group.
const groupOrder = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"

func TestKnownKey(t *testing.T) {
	t.Parallel()
	compressed := parse(t, secretOne+"01")
	uncompressed := parse(t, secretOne)
	equal(t, "public key", compressed.Public().String(), generator)
	equal(t, "hash of the compressed form", compressed.Public().Hash160().String(), hashCompressed)
	equal(t, "hash of the uncompressed form", uncompressed.Public().Hash160().String(), hashUncompressed)
	if got := uncompressed.Public().CompressedBytes(); fmt.Sprintf("0x%x", got) != generator {
		t.Errorf("compressed bytes: got %x, want %s", got, generator)
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "keys.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			PrivateKey string `json:"private_key"`
			PublicKey  string `json:"public_key"`
			Compressed bool   `json:"compressed"`
			Hash160    string `json:"p2pkh_hash160"`
			Mainnet    string `json:"address_mainnet"`
			Testnet    string `json:"address_testnet"`
		}](t, line)
		k := parse(t, row.PrivateKey)
		p := must.Get(key.ParsePublicHex(row.PublicKey))(t)
		equal(t, "public key", k.Public(), p)
		for _, tt := range []struct{ what, got, want string }{
			{"private key", k.Hex(), row.PrivateKey},
			{"public key", p.String(), "0x" + row.PublicKey},
			{"hash160", p.Hash160().String(), row.Hash160},
			{"mainnet address", k.Address(true).String(), row.Mainnet},
			{"testnet address", k.Address(false).String(), row.Testnet},
			{"compressed", fmt.Sprint(p.Encoding() == key.Compressed), fmt.Sprint(row.Compressed)},
		} {
			if tt.got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.what, tt.got, tt.want)
			}
		}
	})
}

func TestParsePrivateRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"empty":           "",
		"short":           secretOne[2:],
		"long":            secretOne + "0101",
		"wrong marker":    secretOne + "02",
		"zero":            strings.Repeat("0", 64),
		"group order":     groupOrder,
		"above the order": strings.Repeat("f", 64) + "01",
		"not hex":         "0x" + secretOne[2:],
	} {
		if _, err := key.ParsePrivate(in); !errors.Is(err, key.ErrPrivate) {
			t.Errorf("%s: got %v, want ErrPrivate", name, err)
		} else if len(in) > 8 && strings.Contains(err.Error(), in[:8]) {
			t.Errorf("%s: error reveals the secret: %v", name, err)
		}
	}
}

func TestParsePublicRefuses(t *testing.T) {
	t.Parallel()
	g := parse(t, secretOne).Public().Bytes()
	hybrid := bytes.Clone(g)
	hybrid[0] = 0x06 | g[64]&1
	offCurve := bytes.Clone(g)
	offCurve[64] ^= 1
	for name, in := range map[string][]byte{
		"empty":        nil,
		"hybrid":       hybrid,
		"off curve":    offCurve,
		"wrong prefix": append([]byte{0x05}, g[1:33]...),
		"no such x":    append([]byte{0x02}, bytes.Repeat([]byte{0xff}, 32)...),
	} {
		if _, err := key.ParsePublic(in); !errors.Is(err, key.ErrPublic) {
			t.Errorf("%s: got %v, want ErrPublic", name, err)
		}
	}
	if _, err := key.ParsePublicHex(strings.Repeat("00", 1<<20)); !errors.Is(err, key.ErrPublic) {
		t.Errorf("long hex: got %v, want ErrPublic", err)
	}
}

func TestSecretIsNotPrinted(t *testing.T) {
	t.Parallel()
	k := parse(t, groupOrder[:62]+"4001") // n-1
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).InfoContext(t.Context(), "key", slog.Any("key", k))
	for _, text := range []string{k.String(), fmt.Sprintf("%v", k), fmt.Sprintf("%+v", k), fmt.Sprintf("%#v", k), log.String()} {
		if strings.Contains(text, "ffffffff") || strings.Contains(text, "4294967295") {
			t.Errorf("%q reveals the secret", text)
		}
	}
}

func TestSignRecover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := key.FromSeed(rapid.SliceOf(rapid.Byte()).Draw(t, "seed"))
		digest := hash.Hash32(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
		sig := k.Sign(digest)
		if sig != k.Sign(digest) {
			t.Fatal("signing is not deterministic")
		}
		for _, encoding := range []key.Encoding{key.Compressed, key.Uncompressed} {
			want := must.Get(k.Public().As(encoding))(t)
			got := must.Get(key.Recover(digest, sig, encoding))(t)
			if got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			if got.CompressedBytes() != k.Public().CompressedBytes() {
				t.Fatalf("compressed form: got %x, want %x", got.CompressedBytes(), k.Public().CompressedBytes())
			}
		}
	})
}

// TestHighS recovers the key from the second valid form of a signature: s becomes n-s, and the parity of the nonce
// point flips.
func TestHighS(t *testing.T) {
	t.Parallel()
	k := key.FromSeed([]byte("high s"))
	digest := hash.Hash32{1, 2, 3}
	sig := k.Sign(digest)
	n, _ := new(big.Int).SetString(groupOrder, 16)
	s := new(big.Int).SetBytes(sig[33:])
	if s.Cmp(new(big.Int).Rsh(n, 1)) > 0 {
		t.Fatal("Sign returned a high s")
	}
	high := sig
	high[0] ^= 1
	new(big.Int).Sub(n, s).FillBytes(high[33:])
	got := must.Get(key.Recover(digest, high, key.Compressed))(t)
	if got != k.Public() {
		t.Errorf("got %s, want %s", got, k.Public())
	}
}

func TestRecoverRefuses(t *testing.T) {
	t.Parallel()
	good := key.FromSeed(nil).Sign(hash.Hash32{})
	badID := good
	badID[0] = 4
	wrapID := good
	wrapID[0] = 0xff
	zeroR := good
	copy(zeroR[1:33], make([]byte, 32))
	zeroS := good
	copy(zeroS[33:], make([]byte, 32))
	bigS := good
	copy(bigS[33:], bytes.Repeat([]byte{0xff}, 32))
	for name, sig := range map[string]key.Signature{
		"zero": {}, "recovery id 4": badID, "recovery id 255": wrapID, "zero r": zeroR, "zero s": zeroS, "s above n": bigS,
	} {
		if _, err := key.Recover(hash.Hash32{}, sig, key.Compressed); !errors.Is(err, key.ErrRecover) {
			t.Errorf("%s: got %v, want ErrRecover", name, err)
		}
	}
}

func FuzzRecover(f *testing.F) {
	sig := key.FromSeed(nil).Sign(hash.Hash32{})
	f.Add(make([]byte, 32), sig[:])
	f.Add(make([]byte, 32), make([]byte, key.SignatureSize))
	f.Fuzz(func(t *testing.T, digest, sig []byte) {
		if len(digest) != 32 || len(sig) != key.SignatureSize {
			return
		}
		p, err := key.Recover(hash.Hash32(digest), key.Signature(sig), key.Compressed)
		if err != nil {
			return
		}
		if _, err := key.ParsePublic(p.Bytes()); err != nil {
			t.Errorf("recovered key %s does not parse: %v", p, err)
		}
	})
}

func parse(t *testing.T, s string) key.Private {
	t.Helper()
	return must.Get(key.ParsePrivate(s))(t)
}
