package document_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// A bare identifier is recognised in every base that identifiers use, but only if it is complete.
func TestBareCID(t *testing.T) {
	b := must.Get(hex.DecodeString(cidV1Base16[1:]))(t)
	inBase32 := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString
	inBase36 := func(b []byte) string { return new(big.Int).SetBytes(b).Text(36) }
	for name, write := range map[string]func([]byte) string{
		"base 16":             func(b []byte) string { return "f" + hex.EncodeToString(b) },
		"base 16 in capitals": func(b []byte) string { return "F" + strings.ToUpper(hex.EncodeToString(b)) },
		"base 32":             func(b []byte) string { return "b" + strings.ToLower(inBase32(b)) },
		"base 32 in capitals": func(b []byte) string { return "B" + inBase32(b) },
		"base 36":             func(b []byte) string { return "k" + inBase36(b) },
		"base 36 in capitals": func(b []byte) string { return "K" + strings.ToUpper(inBase36(b)) },
		"base 58":             func(b []byte) string { return "z" + base58.Encode(b) },
		"base 64 for URLs":    func(b []byte) string { return "u" + base64.RawURLEncoding.EncodeToString(b) },
	} {
		t.Run(name, func(t *testing.T) {
			if cid := write(b); !isResolved(cid) {
				t.Errorf("%s is not recognised", cid)
			}
			for part := range b {
				if cid := write(b[:part]); isResolved(cid) {
					t.Errorf("%s is recognised although its end is missing", cid)
				}
			}
			if cid := write(append([]byte{2}, b[1:]...)); isResolved(cid) {
				t.Errorf("%s is recognised although its version is 2", cid)
			}
			for _, wrong := range []string{"!", "é", "-_"} {
				if cid := write(b) + wrong; isResolved(cid) {
					t.Errorf("%s is recognised", cid)
				}
			}
		})
	}
}

// isResolved reports whether a text without a scheme is taken for a content identifier of IPFS.
func isResolved(cid string) bool {
	_, err := document.Resolve(cid, document.Gateways{IPFS: []string{"https://ipfs.example"}})
	return err == nil
}
