package transaction_test

import (
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// typical returns a signed swap with three post-conditions, like most transactions on a busy chain.
func typical(b *testing.B) []byte {
	b.Helper()
	k := key.FromSeed([]byte("bench"))
	contract := clarity.Principal{Address: k.Address(true), Contract: "amm-swap-pool-v1-1"}
	token := clarity.AssetID{Contract: contract, Asset: "wrapped-stx"}
	stx := transaction.PostCondition{Type: transaction.ConditionSTX, Code: transaction.SentLessOrEqual, Amount: 1e6}
	ft := transaction.PostCondition{Type: transaction.ConditionFungible, Asset: token, Code: transaction.SentGreaterOrEqual, Amount: 5}
	conditions := must.Get(transaction.NewPostConditions(transaction.PostConditionDeny, stx.OriginPrincipal(), ft.Of(contract), ft.OriginPrincipal()))(b)
	trait := must.Get(clarity.NewPrincipal(contract))(b)
	d := transaction.Draft{Network: transaction.Mainnet, Nonce: 5, Fee: 3000, PostConditions: conditions}
	tx := must.Get(d.Transaction(call(b, contract, "swap-helper", trait, trait, clarity.NewUint64(1e8), clarity.NewUint64(1e6), clarity.NewSome(clarity.NewUint64(7)))))(b)
	must.Do(b, transaction.Sign(tx, k))
	return tx.Encode()
}

func BenchmarkDecode(b *testing.B) {
	for name, raw := range map[string][]byte{"transfer": vector.Bytes(b, transferHex), "call": typical(b)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				must.Get(transaction.Decode(raw))(b)
			}
		})
	}
}

func BenchmarkDecodeEnvelope(b *testing.B) {
	raw := typical(b)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(transaction.DecodeEnvelope(raw))(b)
	}
}

func BenchmarkTxID(b *testing.B) {
	raw := typical(b)
	tx := decode(b, raw)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			tx.TxID()
		}
	})
	b.Run("raw", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			transaction.ID(raw)
		}
	})
}

func BenchmarkPostConditions(b *testing.B) {
	tx := decode(b, typical(b))
	b.ReportAllocs()
	for b.Loop() {
		for c := range tx.PostConditions.All() {
			_ = c.Amount
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	tx := decode(b, typical(b))
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, tx.Verify())
	}
}

func BenchmarkSign(b *testing.B) {
	k := key.FromSeed([]byte("bench"))
	tx := decode(b, typical(b))
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, transaction.Sign(tx, k))
	}
}
