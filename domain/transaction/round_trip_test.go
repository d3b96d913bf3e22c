package transaction_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/transaction"
	"strata/internal/testkit/must"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := genTransaction.Draw(t, "transaction")
		must.Do(t, want.Validate())
		raw := want.Encode()
		got := must.Get(transaction.Decode(raw))(t)
		if again := got.Encode(); !bytes.Equal(again, raw) {
			t.Fatalf("bytes: got %x, want %x", again, raw)
		}
		if !reflect.DeepEqual(got.Envelope, want.Envelope) {
			t.Fatalf("envelope: got %+v, want %+v", got.Envelope, want.Envelope)
		}
		if !samePayload(got.Payload, want.Payload) {
			t.Fatalf("payload: got %+v, want %+v", got.Payload, want.Payload)
		}
		if !reflect.DeepEqual(got.PostConditions.List(), want.PostConditions.List()) {
			t.Fatalf("post-conditions: got %+v, want %+v", got.PostConditions.List(), want.PostConditions.List())
		}
		if got.TxID() != transaction.ID(raw) {
			t.Fatalf("txid: got %s, want %s", got.TxID(), transaction.ID(raw))
		}
	})
}

// samePayload compares payloads. For contract code, nil equals empty.
func samePayload(a, b transaction.Payload) bool {
	if x, ok := a.(*transaction.SmartContract); ok {
		y, ok := b.(*transaction.SmartContract)
		return ok && x.ContractName == y.ContractName && bytes.Equal(x.Code, y.Code)
	}
	if x, ok := a.(*transaction.VersionedSmartContract); ok {
		y, ok := b.(*transaction.VersionedSmartContract)
		return ok && x.ClarityVersion == y.ClarityVersion && samePayload(&x.SmartContract, &y.SmartContract)
	}
	return reflect.DeepEqual(a, b)
}

// TestDecodeNext decodes a transaction that is followed by another.
func TestDecodeNext(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := genTransaction.Draw(t, "first").Encode()
		second := genTransaction.Draw(t, "second").Encode()
		both := append(bytes.Clone(first), second...)
		tx, n, err := transaction.DecodeNext(both)
		if err != nil {
			t.Fatal(err)
		}
		if n != len(first) || !bytes.Equal(tx.Encode(), first) {
			t.Fatalf("got %d bytes %x, want %d bytes %x", n, tx.Encode(), len(first), first)
		}
		if _, err := transaction.Decode(both); !errors.Is(err, transaction.ErrTrailing) {
			t.Fatalf("got %v, want ErrTrailing", err)
		}
	})
}

// TestTruncated cuts transactions at a random byte. Decoding must fail with a *DecodeError.
func TestTruncated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := genTransaction.Draw(t, "transaction").Encode()
		n := rapid.IntRange(0, len(raw)-1).Draw(t, "cut")
		tx, err := transaction.Decode(raw[:n])
		var part *transaction.DecodeError
		if !errors.As(err, &part) {
			t.Fatalf("cut at %d of %d: got %+v, %v, want a *DecodeError", n, len(raw), tx, err)
		}
		if part.Offset > n || part.Part == "" {
			t.Fatalf("cut at %d: error points to %q at %d", n, part.Part, part.Offset)
		}
	})
}

// TestEnvelopeSurvives checks that the envelope can be decoded whatever bytes follow it.
func TestEnvelopeSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tx := genTransaction.Draw(t, "transaction")
		raw := tx.Encode()
		envelope := len(raw) - len(tail(tx))
		raw = append(raw[:envelope:envelope], rapid.SliceOf(rapid.Byte()).Draw(t, "rest")...)
		got := must.Get(transaction.DecodeEnvelope(raw))(t)
		if !reflect.DeepEqual(got, tx.Envelope) {
			t.Fatalf("got %+v, want %+v", got, tx.Envelope)
		}
	})
}

// tail returns the bytes after the envelope.
func tail(tx *transaction.Transaction) []byte {
	bare := *tx
	bare.Envelope = transaction.Envelope{}
	const emptyEnvelope = 1 + 4 + 1 + 103
	return bare.Encode()[emptyEnvelope:]
}
