package transaction_test

import (
	"errors"
	"testing"

	"strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// transferHex is a signed transfer on mainnet of 180 bytes.
const transferHex = "0000000001" + "04" +
	"0072cfb3d915ad8971917c58b569ddcb0954d75eaa" + "0000000000000000" + "00000000000000b4" + "00" +
	"013b2f058b718e6b3bf27da77dd1446c63b9774f98afa347f4bc3a9d19375df36261f9733f3a511d2e4ea8dd478ae7a5269e80436861973898f959b609bd8e0348" +
	"03" + "0200000000" +
	"00" + "0516b75b6d97912bff72fad3019c18bfb5ce3c8b0b5e" + "00000000000186a0" +
	"55684f68200000000000000000000000000000000000000000000000000000000000"

func TestKnownTransfer(t *testing.T) {
	t.Parallel()
	raw := vector.Bytes(t, transferHex)
	tx := decode(t, raw)
	walk := must.Get(tx.OriginWalk())(t)
	transfer, ok := tx.Payload.(*transaction.TokenTransfer)
	if !ok {
		t.Fatalf("payload: got %T, want *TokenTransfer", tx.Payload)
	}
	equal(t, "size", len(raw), 180)
	equal(t, "txid", tx.TxID().String(), "0x3a532f22d297a768265790b0d0133197e6fa4dcd03d6aacdd0dd06b2c6c79bb0")
	equal(t, "initial", tx.InitialSighash().String(), "0xe2ded8797a4481c9ddc95f1d1c9d1c87e09825cdc19e54ba7317760acbe98f12")
	equal(t, "presign", walk.Presigns[0].String(), "0x1eb7144ba6566699846484cff086615d08dc3b24bd4fc31273d9427a64f863b4")
	equal(t, "digest", tx.OriginDigest(), walk.Presigns[0])
	equal(t, "public key", walk.PublicKeys[0].String(), "0x02f07c2770c479ab266880580e17ec5f661478f743b72a6ea369a7db1195cf0eaa")
	equal(t, "sender", tx.Sender().String(), "SP1SCZCYS2PPRJWCHFHCBATEXSC4N9NTYNAFN17YP")
	equal(t, "fee payer", tx.FeePayer(), tx.Sender())
	equal(t, "fee", tx.Fee(), 180)
	equal(t, "anchor mode", tx.AnchorMode.String(), "any")
	equal(t, "mode", tx.PostConditions.Mode().String(), "deny")
	equal(t, "type", transaction.TxType(transfer), "token_transfer")
	equal(t, "recipient", transfer.Recipient.String(), "SP2VNPVCQJ4NZYWQTTC0SR65ZPQ73S2RBBR3MESV5")
	equal(t, "amount", transfer.Amount, 100000)
	equal(t, "encoded", hexOf(tx.Encode()), "0x"+transferHex)
	equal(t, "boot", tx.IsBoot(), false)
	if err := tx.Verify(); err != nil {
		t.Error(err)
	}
}

// TestEveryByteIsSigned changes each byte in turn. No change may leave the signature valid.
func TestEveryByteIsSigned(t *testing.T) {
	t.Parallel()
	raw := vector.Bytes(t, transferHex)
	for i := range raw {
		raw[i] ^= 1
		if tx, err := transaction.Decode(raw); err == nil && tx.Verify() == nil {
			t.Errorf("byte %d is not covered by the signature", i)
		}
		raw[i] ^= 1
	}
}

func TestKnownPostConditions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, blob, typ, principal, code string
		kind                             string
		amount                           uint64
	}{
		{"stx", "02 00000001 00 02 16 1f6000287c9ed40ba39b27fc4257ff30cda4e91d 01 000000025a1c079a",
			"stx", "SPFP0018FJFD82X3KCKZRGJQZWRCV9793QTGE87M", "sent_equal_to", "principal_standard", 10101720986},
		{"staking", "02 00000001 03 01 01 0000001d1a94a200", "staking", "", "sent_equal_to", "principal_origin", 125000000000},
		{"pox", "02 00000001 04 01 31", "pox", "", "maybe_performed", "principal_origin", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := must.Get(transaction.DecodePostConditions(vector.Bytes(t, tt.blob)))(t)
			list := p.List()
			if len(list) != 1 || p.Len() != 1 {
				t.Fatalf("got %d conditions (%d), want 1", len(list), p.Len())
			}
			c := list[0]
			equal(t, "type", c.Type.String(), tt.typ)
			equal(t, "principal kind", c.PrincipalKind.String(), tt.kind)
			if tt.principal != "" {
				equal(t, "principal", c.Principal.String(), tt.principal)
			}
			equal(t, "code", c.Code.String(), tt.code)
			equal(t, "amount", c.Amount, tt.amount)
		})
	}
}

func TestEmptyPostConditions(t *testing.T) {
	t.Parallel()
	equal(t, "zero value", hexOf(transaction.PostConditions{}.Blob()), "0x0200000000")
	allow := must.Get(transaction.NewPostConditions(transaction.PostConditionAllow))(t)
	equal(t, "allow", hexOf(allow.Blob()), "0x0100000000")
	equal(t, "no conditions", allow.List() == nil, true)
}

func TestIsBurnchainOp(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"": false, "00": true, "01": false, "0000": false, transferHex: false} {
		equal(t, in, transaction.IsBurnchainOp(vector.Bytes(t, in)), want)
	}
	if _, err := transaction.Decode([]byte{0}); !errors.Is(err, transaction.ErrTruncated) {
		t.Errorf("decode a burnchain operation: got %v, want ErrTruncated", err)
	}
}

func decode(t testing.TB, raw []byte) *transaction.Transaction {
	t.Helper()
	return must.Get(transaction.Decode(raw))(t)
}
