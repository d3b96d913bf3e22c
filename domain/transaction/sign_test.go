package transaction_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// TestSignVectors signs transactions that another implementation signed with the same keys. The bytes must be the same,
// because signatures by RFC 6979 are deterministic.
func TestSignVectors(t *testing.T) {
	t.Parallel()
	vector.Each(t, "rosetta_construction.jsonl", func(t *testing.T, line json.RawMessage) {
		row := vector.Decode[struct {
			PrivateKey string `json:"private_key"`
			Unsigned   string `json:"unsigned_transaction"`
			Digest     string `json:"payload_hex_bytes"`
			Signed     string `json:"signed_transaction"`
		}](t, line)
		k := must.Get(key.ParsePrivate(row.PrivateKey))(t)
		tx := decode(t, vector.Bytes(t, row.Unsigned))
		equal(t, "digest", tx.OriginDigest().String(), "0x"+row.Digest)
		must.Do(t, transaction.Sign(tx, k))
		equal(t, "signed", hexOf(tx.Encode()), row.Signed)
	})
}

func call(t testing.TB, contract clarity.Principal, function string, arguments ...clarity.Value) *transaction.ContractCall {
	t.Helper()
	args := must.Get(transaction.NewArguments(arguments...))(t)
	return &transaction.ContractCall{Contract: contract, Function: function, Arguments: args}
}

// drafts returns one unsigned transaction of every kind that a chain generator needs, by the name of its payload.
func drafts(t testing.TB, d transaction.Draft) map[string]*transaction.Transaction {
	t.Helper()
	address := key.FromSeed([]byte("other")).Address(false)
	account := clarity.Principal{Address: address}
	contract := clarity.Principal{Address: address, Contract: "pool-v1"}
	all := map[string]*transaction.Transaction{}
	add := func(name string, tx *transaction.Transaction, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		equal(t, "name", transaction.Name(tx.Payload), name)
		all[name] = tx
	}
	tx, err := d.TokenTransfer(account, 5, "memo")
	add("token_transfer", tx, err)
	tx, err = d.Transaction(call(t, contract, "stake!", clarity.NewUint64(7), clarity.NewNone()))
	add("contract_call", tx, err)
	tx, err = d.Transaction(&transaction.SmartContract{ContractName: "pool-v1", Code: []byte("(define-public (f) (ok true))")})
	add("smart_contract", tx, err)
	tx, err = d.Transaction(&transaction.VersionedSmartContract{
		ClarityVersion: 3, SmartContract: transaction.SmartContract{ContractName: "pool-v1", Code: []byte("(define-public (f) (ok true))")},
	})
	add("versioned_smart_contract", tx, err)
	tx, err = d.Transaction(&transaction.Coinbase{Data: transaction.CoinbaseData{1}})
	add("coinbase", tx, err)
	tx, err = d.Transaction(&transaction.CoinbaseToAltRecipient{Data: transaction.CoinbaseData{1}, Recipient: contract})
	add("coinbase_to_alt_recipient", tx, err)
	tx, err = d.Transaction(&transaction.NakamotoCoinbase{Data: transaction.CoinbaseData{1}, Recipient: &account, VRFProof: transaction.VRFProof{2}})
	add("nakamoto_coinbase", tx, err)
	tx, err = d.Transaction(&transaction.TenureChange{PreviousBlocks: 3, Cause: transaction.TenureExtended})
	add("tenure_change", tx, err)
	return all
}

func TestSignDrafts(t *testing.T) {
	t.Parallel()
	k := key.FromSeed([]byte("sender"))
	for name, tx := range drafts(t, transaction.Draft{Network: transaction.Testnet, Nonce: 9, Fee: 321}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tx.Verify(); !errors.Is(err, transaction.ErrUnsigned) {
				t.Errorf("before signing: got %v, want ErrUnsigned", err)
			}
			must.Do(t, transaction.Sign(tx, k))
			raw := tx.Encode()
			got := decode(t, raw)
			if err := got.Verify(); err != nil {
				t.Error(err)
			}
			equal(t, "sender", got.Sender(), k.Address(false))
			equal(t, "nonce", got.Nonce(), 9)
			equal(t, "fee", got.Fee(), 321)
			must.Do(t, transaction.Sign(tx, k))
			equal(t, "signed again", hexOf(tx.Encode()), hexOf(raw))
			onChain := transaction.TxType(tx.Payload) == "coinbase" || transaction.TxType(tx.Payload) == "tenure_change"
			equal(t, "on chain only", got.AnchorMode == transaction.AnchorOnChainOnly, onChain)
		})
	}
}

func TestSignOtherModes(t *testing.T) {
	t.Parallel()
	compressed := key.FromSeed([]byte("sender"))
	uncompressed := must.Get(key.ParsePrivate(compressed.Hex()[:64]))(t)
	for _, tt := range []struct {
		name string
		mode transaction.HashMode
		key  key.Private
		want error
	}{
		{"p2pkh uncompressed", transaction.P2PKH, uncompressed, nil},
		{"p2wpkh", transaction.P2WPKHP2SH, compressed, nil},
		{"p2wpkh uncompressed", transaction.P2WPKHP2SH, uncompressed, transaction.ErrKeys},
		{"multisig", transaction.P2SH, compressed, transaction.ErrKeys},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := drafts(t, transaction.Draft{Network: transaction.Mainnet})["token_transfer"]
			tx.Origin.HashMode = tt.mode
			if err := transaction.Sign(tx, tt.key); !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if err := decode(t, tx.Encode()).Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSponsored(t *testing.T) {
	t.Parallel()
	origin, sponsor := key.FromSeed([]byte("origin")), key.FromSeed([]byte("sponsor"))
	tx := drafts(t, transaction.Draft{Network: transaction.Mainnet, Nonce: 1, Fee: 2, Sponsored: true})["contract_call"]
	must.Do(t, transaction.Sign(tx, origin))
	if err := tx.VerifyOrigin(); err != nil {
		t.Errorf("origin: %v", err)
	}
	if err := tx.Verify(); !errors.Is(err, transaction.ErrUnsigned) {
		t.Errorf("without the sponsor: got %v, want ErrUnsigned", err)
	}
	tx.Sponsor.Nonce, tx.Sponsor.Fee = 3, 400
	must.Do(t, transaction.SignSponsor(tx, sponsor))
	got := decode(t, tx.Encode())
	if err := got.Verify(); err != nil {
		t.Error(err)
	}
	equal(t, "sender", got.Sender(), origin.Address(true))
	equal(t, "fee payer", got.FeePayer(), sponsor.Address(true))
	equal(t, "nonce", got.Nonce(), 1)
	equal(t, "fee", got.Fee(), 400)
	nonce, ok := got.SponsorNonce()
	equal(t, "sponsor nonce", nonce, 3)
	equal(t, "has a sponsor nonce", ok, true)

	got.Origin.Fee++ // the sponsor's signature also covers the origin
	if err := got.Verify(); !errors.Is(err, transaction.ErrSignerMismatch) && !errors.Is(err, key.ErrRecover) {
		t.Errorf("changed origin: got %v, want ErrSignerMismatch or ErrRecover", err)
	}
	plain := drafts(t, transaction.Draft{})["token_transfer"]
	if err := transaction.SignSponsor(plain, sponsor); !errors.Is(err, transaction.ErrNoSponsor) {
		t.Errorf("got %v, want ErrNoSponsor", err)
	}
}

func TestMultisig(t *testing.T) {
	t.Parallel()
	const holders, required = 5, 3
	for _, mode := range []transaction.HashMode{
		transaction.P2SH, transaction.P2WSHP2SH, transaction.P2SHOrderIndependent, transaction.P2WSHP2SHOrderIndependent,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			var keys []key.Private
			var public []key.Public
			for i := range holders {
				k := key.FromSeed([]byte{byte(i)})
				if i == 3 && !mode.Segwit() {
					k = must.Get(key.ParsePrivate(k.Hex()[:64]))(t) // an uncompressed key
				}
				keys, public = append(keys, k), append(public, k.Public())
			}
			m := must.Get(transaction.NewMultisig(mode, required, public...))(t)
			tx := drafts(t, transaction.Draft{Network: transaction.Testnet, Nonce: 4, Fee: 5, Sponsored: true})["token_transfer"]
			must.Do(t, m.Sign(tx, keys[4], keys[0], keys[3]))
			must.Do(t, m.SignSponsor(tx, keys[1], keys[2], keys[3]))
			got := decode(t, tx.Encode())
			must.Do(t, got.Verify())
			equal(t, "sender", got.Sender(), m.Address(false))
			equal(t, "nonce", got.Nonce(), 4)
			walk := must.Get(got.OriginWalk())(t)
			equal(t, "keys", fmt.Sprint(walk.PublicKeys), fmt.Sprint(public))
			equal(t, "signatures", len(walk.Presigns), required)
			equal(t, "result is the start", walk.Result == walk.Start, mode.OrderIndependent())

			checkMultisigRefuses(t, m, got, keys)
		})
	}
}

func checkMultisigRefuses(t *testing.T, m transaction.Multisig, signed *transaction.Transaction, keys []key.Private) {
	t.Helper()
	tx := *signed
	if err := m.Sign(&tx, keys[0], keys[1]); !errors.Is(err, transaction.ErrSignatureCount) {
		t.Errorf("too few keys: got %v, want ErrSignatureCount", err)
	}
	stranger := key.FromSeed([]byte("stranger"))
	if err := m.Sign(&tx, keys[0], keys[1], stranger); !errors.Is(err, transaction.ErrKeys) {
		t.Errorf("stranger: got %v, want ErrKeys", err)
	}
	if err := m.Sign(&tx, keys[0], keys[1], keys[1]); !errors.Is(err, transaction.ErrKeys) {
		t.Errorf("the same key twice: got %v, want ErrKeys", err)
	}
	err := m.Sign(&tx, keys...)
	if mode := signed.Origin.HashMode; mode.Sequential() {
		if !errors.Is(err, transaction.ErrSignatureCount) {
			t.Errorf("too many keys: got %v, want ErrSignatureCount", err)
		}
	} else if err != nil || tx.VerifyOrigin() != nil {
		t.Errorf("all keys: got %v, %v", err, tx.VerifyOrigin())
	}
	tx = *signed
	tx.Origin.SignaturesRequired++
	if err := tx.Verify(); !errors.Is(err, transaction.ErrSignatureCount) {
		t.Errorf("more required: got %v, want ErrSignatureCount", err)
	}
	tx = *signed
	tx.Origin.Fields = nil
	if err := tx.Verify(); !errors.Is(err, transaction.ErrUnsigned) {
		t.Errorf("no fields: got %v, want ErrUnsigned", err)
	}
}

// TestMultisigByParts signs as separate devices do: each receives the transaction and adds its field.
func TestMultisigByParts(t *testing.T) {
	t.Parallel()
	a, b, c := key.FromSeed([]byte("a")), key.FromSeed([]byte("b")), key.FromSeed([]byte("c"))
	for _, mode := range []transaction.HashMode{transaction.P2WSHP2SH, transaction.P2SHOrderIndependent} {
		m := must.Get(transaction.NewMultisig(mode, 2, a.Public(), b.Public(), c.Public()))(t)
		want := drafts(t, transaction.Draft{Network: transaction.Mainnet})["token_transfer"]
		must.Do(t, m.Sign(want, a, c))
		tx := drafts(t, transaction.Draft{Network: transaction.Mainnet})["token_transfer"]
		tx.Origin = m.Condition(0, 0)
		sign := func(k key.Private) transaction.Field {
			return transaction.SignatureField(k.Sign(tx.OriginDigest()), k.Public().Encoding())
		}
		tx.Origin.Fields = append(tx.Origin.Fields, sign(a))
		tx.Origin.Fields = append(tx.Origin.Fields, transaction.PublicKeyField(b.Public()))
		tx.Origin.Fields = append(tx.Origin.Fields, sign(c))
		equal(t, mode.String(), hexOf(tx.Encode()), hexOf(want.Encode()))
		if err := tx.Verify(); err != nil {
			t.Error(err)
		}
	}
}

func TestSegwitRefusesUncompressed(t *testing.T) {
	t.Parallel()
	compressed := key.FromSeed(nil)
	public := must.Get(compressed.Public().As(key.Uncompressed))(t)
	for _, mode := range []transaction.HashMode{transaction.P2WSHP2SH, transaction.P2WSHP2SHOrderIndependent} {
		if _, err := transaction.NewMultisig(mode, 1, public); !errors.Is(err, transaction.ErrKeys) {
			t.Errorf("%s: got %v, want ErrKeys", mode, err)
		}
	}
}

func TestMultisigScript(t *testing.T) {
	t.Parallel()
	public := key.FromSeed(nil).Public()
	for _, tt := range []struct {
		required uint16
		keys     int
		head     string
		tail     string
	}{
		{0, 0, "0x00", "0x00ae"},
		{1, 1, "0x51", "0x51ae"},
		{16, 16, "0x60", "0x60ae"},
		{17, 17, "0x0111", "0x0111ae"},
		{127, 128, "0x017f", "0x028000ae"},
		{255, 256, "0x02ff00", "0x020001ae"},
	} {
		keys := make([]key.Public, tt.keys)
		for i := range keys {
			keys[i] = public
		}
		script := transaction.MultisigScript(tt.required, keys...)
		head, tail := (len(tt.head)-2)/2, (len(tt.tail)-2)/2
		equal(t, "head", hexOf(script[:head]), tt.head)
		equal(t, "tail", hexOf(script[len(script)-tail:]), tt.tail)
		equal(t, "size", len(script), head+tail+34*tt.keys)
	}
}
