package transaction_test

import (
	"bytes"
	"testing"

	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// addSeeds adds known transactions and one of every kind, with one signer and with several.
func addSeeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		transferHex,
		"",
		"00",
		hexStandard + hexNoPost + hexCoinbase,
		hexStandard + hexNoPost + "09abcdef",
		hexStandard + "03" + "0200000001" + "0501ab" + hexCoinbase,
		hexStandard + "03" + "0200000001" + "0201" + hexAddress + "0161" + "0162" + "0301" + "10" + hexCoinbase,
	} {
		f.Add(vector.Bytes(f, s))
	}
	a, b := key.FromSeed([]byte("a")), key.FromSeed([]byte("b"))
	m := must.Get(transaction.NewMultisig(transaction.P2SH, 1, a.Public(), b.Public()))(f)
	for _, tx := range drafts(f, transaction.Draft{Network: transaction.Testnet, Sponsored: true}) {
		f.Add(tx.Encode())
		must.Do(f, m.Sign(tx, a))
		f.Add(tx.Encode())
	}
}

func FuzzDecode(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		envelope, envelopeErr := transaction.DecodeEnvelope(raw)
		tx, err := transaction.Decode(raw)
		if err != nil {
			return
		}
		if envelopeErr != nil {
			t.Fatalf("DecodeEnvelope fails where Decode succeeds: %v", envelopeErr)
		}
		if got := tx.Encode(); !bytes.Equal(got, raw) {
			t.Fatalf("got %x, want %x", got, raw)
		}
		_, _, _, _ = envelope.Sender().String(), envelope.FeePayer().String(), envelope.Fee(), envelope.IsBoot()
		if n := len(tx.PostConditions.List()); n != tx.PostConditions.Len() {
			t.Fatalf("got %d post-conditions, want %d", n, tx.PostConditions.Len())
		}
		if call, ok := tx.Payload.(*transaction.ContractCall); ok && len(call.Arguments.List()) != call.Arguments.Len() {
			t.Fatalf("got %d arguments, want %d", len(call.Arguments.List()), call.Arguments.Len())
		}
		if tx.Verify() == nil {
			if _, err := tx.OriginWalk(); err != nil {
				t.Fatalf("Verify succeeds, but OriginWalk fails: %v", err)
			}
		}
	})
}

func FuzzDecodePostConditions(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 0})
	f.Add([]byte{2, 0, 0, 0, 1, 4, 1, 0x31})
	f.Add(vector.Bytes(f, "0200000001"+"0201"+hexAddress+"0161"+"0162"+"03"+"10"))
	f.Add(vector.Bytes(f, "0200000001"+"0103"+hexAddress+"0161"+hexAddress+"0161"+"0162"+"01"+"0000000000000001"))
	f.Fuzz(func(t *testing.T, blob []byte) {
		p, err := transaction.DecodePostConditions(blob)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Blob(), blob) {
			t.Fatalf("got %x, want %x", p.Blob(), blob)
		}
		list := p.List()
		if len(list) != p.Len() {
			t.Fatalf("got %d conditions, want %d", len(list), p.Len())
		}
		again, err := transaction.NewPostConditions(p.Mode(), list...)
		if err == nil && !bytes.Equal(again.Blob(), blob) {
			t.Fatalf("rebuilt %x, want %x", again.Blob(), blob)
		}
	})
}
