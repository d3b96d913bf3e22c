package rosetta_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"strata/domain/bitcoin"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
	"strata/readapi/rosetta/internal/construction"
	"strata/readapi/rosetta/internal/fault"
	"strata/readapi/rosetta/internal/wire"
)

var testnet = &construction.Builder{Network: transaction.Testnet, Bitcoin: bitcoin.Testnet}

// row is a line of the vectors.
type row struct {
	PrivateKey    string           `json:"private_key"`
	PublicKey     string           `json:"public_key"`
	Network       string           `json:"network"`
	Operations    []wire.Operation `json:"operations"`
	Metadata      map[string]any   `json:"metadata"`
	Address       string           `json:"derive_address"`
	Unsigned      string           `json:"unsigned_transaction"`
	Size          int              `json:"unsigned_size"`
	Payload       string           `json:"payload_hex_bytes"`
	Signature     string           `json:"signature_rsv"`
	Signed        string           `json:"signed_transaction"`
	Hash          string           `json:"transaction_hash"`
	SignerKey     string           `json:"signer_private_key"`
	SignerMessage string           `json:"signer_message_hash"`
}

func builderOf(network string) *construction.Builder {
	if network == "mainnet" {
		return &construction.Builder{Network: transaction.Mainnet, Bitcoin: bitcoin.Mainnet}
	}
	return testnet
}

func TestVectors(t *testing.T) {
	vector.Each(t, "rosetta_construction.jsonl", func(t *testing.T, line json.RawMessage) {
		want := vector.Decode[row](t, line)
		b := builderOf(want.Network)
		public := wire.PublicKey{HexBytes: want.PublicKey, CurveType: construction.Curve}
		if got, err := b.Derive(public, nil); err != nil || got != want.Address {
			t.Errorf("derive: got %s (%v), want %s", got, err, want.Address)
		}
		got := must.Get(b.Payloads(want.Operations, []wire.PublicKey{public}, want.Metadata))(t)
		if got.UnsignedTransaction != want.Unsigned || len(got.UnsignedTransaction) != 2*want.Size+2 {
			t.Fatalf("unsigned transaction: got %s, want %s", got.UnsignedTransaction, want.Unsigned)
		}
		check.Equal(t, "payload", got.Payloads[0].HexBytes, want.Payload)
		signature := wire.Signature{SigningPayload: got.Payloads[0], PublicKey: public, SignatureType: construction.SignatureType, HexBytes: want.Signature}
		signed, err := b.Combine(want.Unsigned, []wire.Signature{signature})
		if err != nil || signed != want.Signed {
			t.Errorf("signed transaction: got %s (%v), want %s", signed, err, want.Signed)
		}
		if id, _, err := b.Hash(want.Signed); err != nil || strings.TrimPrefix(id.String(), "0x") != strings.TrimPrefix(want.Hash, "0x") {
			t.Errorf("hash: got %s (%v), want %s", id, err, want.Hash)
		}
		if want.SignerMessage == "" {
			return
		}
		intent := must.Get(b.Intent(want.Operations))(t)
		options := must.Get(intent.With(want.Metadata))(t)
		if message, err := b.SignerMessage(options); err != nil || message.String() != want.SignerMessage {
			t.Errorf("message of the signer: got %s (%v), want %s", message, err, want.SignerMessage)
		}
		wantSignature := options["signer_signature"]
		delete(options, "signer_signature")
		options["signer_private_key"] = want.SignerKey
		if err := b.SignForSigner(options); err != nil || options["signer_signature"] != wantSignature {
			t.Errorf("signature of the signer: got %v (%v), want %v", options["signer_signature"], err, wantSignature)
		}
	})
}

// account is a key with its address.
type account struct {
	key.Private
	public  wire.PublicKey
	address string
}

func newAccount(seed string) account {
	k := key.FromSeed([]byte(seed))
	compressed := k.Public().CompressedBytes()
	public := wire.PublicKey{HexBytes: hex.EncodeToString(compressed[:]), CurveType: construction.Curve}
	return account{k, public, k.Address(false).String()}
}

// sign signs a payload as a client does.
func (a account) sign(t *testing.T, p wire.SigningPayload) wire.Signature {
	t.Helper()
	digest := must.Get(hash.Parse32(p.HexBytes))(t)
	vrs := a.Sign(digest)
	return wire.Signature{SigningPayload: p, PublicKey: a.public, SignatureType: p.SignatureType, HexBytes: hex.EncodeToString(slices.Concat(vrs[1:], vrs[:1]))}
}

func amount(value string) *wire.Amount { return &wire.Amount{Value: value, Currency: wire.STX()} }

func transfer(payer, from, to string) []wire.Operation {
	return []wire.Operation{
		{Type: "fee", Account: &wire.AccountIdentifier{Address: payer}, Amount: amount("-180")},
		{Type: "token_transfer", Account: &wire.AccountIdentifier{Address: from}, Amount: amount("-500000")},
		{Type: "token_transfer", Account: &wire.AccountIdentifier{Address: to}, Amount: amount("500000")},
	}
}

// TestSponsored signs a transfer twice: as the origin, and then as the sponsor, who pays the fee.
func TestSponsored(t *testing.T) {
	origin, sponsor, other := newAccount("origin"), newAccount("sponsor"), newAccount("other")
	operations := transfer(sponsor.address, origin.address, other.address)
	metadata := map[string]any{"account_sequence": json.Number("7"), "sponsor_sequence": json.Number("9")}
	first := must.Get(testnet.Payloads(operations, []wire.PublicKey{sponsor.public, origin.public}, metadata))(t)
	check.Equal(t, "first signer", first.Payloads[0].Address, origin.address)
	half := must.Get(testnet.Combine(first.UnsignedTransaction, []wire.Signature{origin.sign(t, first.Payloads[0])}))(t)
	if _, _, err := testnet.Hash(half); faultOf(err) != fault.NotSigned {
		t.Errorf("hash without the sponsor's signature: got %v, want %d", err, fault.NotSigned)
	}
	second := must.Get(testnet.Payloads(operations, nil, map[string]any{"origin_signed_transaction": half}))(t)
	check.Equal(t, "second signer", second.Payloads[0].Address, sponsor.address)
	whole := must.Get(testnet.Combine(half, []wire.Signature{sponsor.sign(t, second.Payloads[0])}))(t)
	tx := must.Get(testnet.Decode(whole))(t)
	must.Do(t, tx.Verify())
	nonce, _ := tx.SponsorNonce()
	if tx.FeePayer().String() != sponsor.address || tx.Fee() != 180 || tx.Nonce() != 7 || nonce != 9 {
		t.Errorf("got payer %s, fee %d, nonces %d and %d", tx.FeePayer(), tx.Fee(), tx.Nonce(), nonce)
	}
	parsed := must.Get(testnet.Parse(whole, true))(t)
	check.EqualSlices(t, "signers", parsed.Signers, []string{origin.address, sponsor.address})
	for i, op := range parsed.Operations {
		if op.Account != operations[i].Account.Address || op.Value != operations[i].Amount.Value || op.Status != "" {
			t.Errorf("operation %d: got %+v, want %+v", i, op, operations[i])
		}
	}
}

func faultOf(err error) fault.Fault {
	var failed *fault.Error
	if !errors.As(err, &failed) {
		return 0
	}
	return failed.Fault
}

// TestSizes checks the sizes that /construction/preprocess tells.
func TestSizes(t *testing.T) {
	sender, other := newAccount("sender"), newAccount("other")
	const address = "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3"
	stack := map[string]any{"number_of_cycles": json.Number("3"), "pox_addr": address, "signer_key": strings.Repeat("02", 33), "signer_private_key": strings.Repeat("01", 32)}
	for _, tt := range []struct {
		name       string
		operations []wire.Operation
		want       int
	}{
		{"transfer", transfer(sender.address, sender.address, other.address), 180},
		{"stack_stx", []wire.Operation{{Type: "stack_stx", Account: &wire.AccountIdentifier{Address: sender.address}, Amount: amount("-500000"), Metadata: stack}}, 405},
		{"delegate_stx", []wire.Operation{{Type: "delegate_stx", Account: &wire.AccountIdentifier{Address: sender.address}, Amount: amount("-500000"),
			Metadata: map[string]any{"delegate_to": other.address, "pox_addr": address}}}, 253},
	} {
		o := must.Get(testnet.Intent(tt.operations))(t)
		if got, err := testnet.Size(o); err != nil || got != tt.want {
			t.Errorf("%s: got %d (%v), want %d", tt.name, got, err, tt.want)
		}
	}
}

// TestRefuses checks the faults of requests that are wrong in one thing.
func TestRefuses(t *testing.T) {
	sender, other := newAccount("sender"), newAccount("other")
	keys := []wire.PublicKey{sender.public}
	good := map[string]any{"account_sequence": json.Number("0")}
	for _, tt := range []struct {
		name   string
		change func(operations []wire.Operation, metadata map[string]any, keys *[]wire.PublicKey)
		want   fault.Fault
	}{
		{"no fee", func(o []wire.Operation, _ map[string]any, _ *[]wire.PublicKey) { o[0].Amount = nil }, fault.MissingFee},
		{"symbol", func(o []wire.Operation, _ map[string]any, _ *[]wire.PublicKey) { o[1].Amount.Currency.Symbol = "BTC" }, fault.InvalidSymbol},
		{"decimals", func(o []wire.Operation, _ map[string]any, _ *[]wire.PublicKey) { o[1].Amount.Currency.Decimals = 8 }, fault.InvalidDecimals},
		{"type", func(o []wire.Operation, _ map[string]any, _ *[]wire.PublicKey) { o[0].Type = "invalid operation type" }, fault.InvalidOperation},
		{"recipient", func(o []wire.Operation, _ map[string]any, _ *[]wire.PublicKey) { o[2].Account.Address = "xyz" }, fault.InvalidRecipient},
		{"no nonce", func(_ []wire.Operation, m map[string]any, _ *[]wire.PublicKey) { delete(m, "account_sequence") }, fault.MissingNonce},
		{"two keys", func(_ []wire.Operation, _ map[string]any, k *[]wire.PublicKey) { *k = append(*k, other.public) }, fault.NeedOnePublicKey},
		{"no keys", func(_ []wire.Operation, _ map[string]any, k *[]wire.PublicKey) { *k = nil }, fault.MissingPublicKey},
		{"curve", func(_ []wire.Operation, _ map[string]any, k *[]wire.PublicKey) { (*k)[0].CurveType = "edwards25519" }, fault.InvalidCurve},
		{"another's key", func(_ []wire.Operation, _ map[string]any, k *[]wire.PublicKey) { (*k)[0] = other.public }, fault.InvalidPublicKey},
		{"other options", func(_ []wire.Operation, m map[string]any, _ *[]wire.PublicKey) {
			m["options"] = map[string]any{"amount": "3"}
		}, fault.InvalidParams},
		{"options with a maximum", func(_ []wire.Operation, m map[string]any, _ *[]wire.PublicKey) {
			m["options"] = map[string]any{"amount": "500000", "max_fee": "200", "suggested_fee_multiplier": json.Number("1")}
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			operations, metadata, given := transfer(sender.address, sender.address, other.address), maps.Clone(good), slices.Clone(keys)
			tt.change(operations, metadata, &given)
			if _, err := testnet.Payloads(operations, given, metadata); faultOf(err) != tt.want {
				t.Errorf("got %v, want fault %d", err, tt.want)
			}
		})
	}
	unsigned := must.Get(testnet.Payloads(transfer(sender.address, sender.address, other.address), keys, good))(t)
	signature := sender.sign(t, unsigned.Payloads[0])
	for _, tt := range []struct {
		name       string
		text       string
		signatures func() []wire.Signature
		want       fault.Fault
	}{
		{"none", unsigned.UnsignedTransaction, func() []wire.Signature { return nil }, fault.MissingSignature},
		{"two", unsigned.UnsignedTransaction, func() []wire.Signature { return []wire.Signature{signature, signature} }, fault.NeedOneSignature},
		{"no transaction", "invalid transaction", func() []wire.Signature { return []wire.Signature{signature} }, fault.InvalidTransactionText},
		{"signature text", unsigned.UnsignedTransaction, func() []wire.Signature { s := signature; s.HexBytes = "invalid"; return []wire.Signature{s} }, fault.InvalidSignature},
		{"other key", unsigned.UnsignedTransaction, func() []wire.Signature { s := signature; s.PublicKey = other.public; return []wire.Signature{s} }, fault.UnverifiedSignature},
		{"key text", unsigned.UnsignedTransaction, func() []wire.Signature { s := signature; s.PublicKey.HexBytes = "invalid"; return []wire.Signature{s} }, fault.UnverifiedSignature},
		{"other payload", unsigned.UnsignedTransaction, func() []wire.Signature {
			s := signature
			s.SigningPayload.HexBytes = strings.Repeat("ab", 32)
			return []wire.Signature{s}
		}, fault.UnverifiedSignature},
	} {
		if _, err := testnet.Combine(tt.text, tt.signatures()); faultOf(err) != tt.want {
			t.Errorf("combine, %s: got %v, want fault %d", tt.name, err, tt.want)
		}
	}
	if _, err := builderOf("mainnet").Decode(unsigned.UnsignedTransaction); faultOf(err) != fault.InvalidNetwork {
		t.Errorf("a transaction of testnet on mainnet: got %v, want fault %d", err, fault.InvalidNetwork)
	}
	if _, err := testnet.Parse(unsigned.UnsignedTransaction, true); faultOf(err) != fault.InvalidParams {
		t.Errorf("parse an unsigned transaction as signed: got %v", err)
	}
}

// TestDerive checks the addresses of one key and of several.
func TestDerive(t *testing.T) {
	const text = "025c13b2fc2261956d8a4ad07d481b1a3b2cbf93a24f992249a61c3a1c4de79c51"
	public := wire.PublicKey{HexBytes: text, CurveType: construction.Curve}
	if got, err := testnet.Derive(public, nil); err != nil || got != "ST19SH1QSCR8VMEX6SVWP33WCF08RPDY5QVHX94BM" {
		t.Errorf("got %s (%v)", got, err)
	}
	other := newAccount("other")
	holder := map[string]any{"hex_bytes": other.public.HexBytes, "curve_type": construction.Curve}
	for name, mode := range map[string]transaction.HashMode{"p2sh": transaction.P2SH, "p2wsh-p2sh-non-sequential": transaction.P2WSHP2SHOrderIndependent} {
		first := must.Get(key.ParsePublicHex(text))(t)
		second := must.Get(key.ParsePublicHex(other.public.HexBytes))(t)
		want := must.Get(transaction.NewMultisig(mode, 2, first, second))(t)
		got, err := testnet.Derive(public, map[string]any{"public_keys": []any{holder}, "signatures_required": json.Number("2"), "hash_mode": name})
		if err != nil || got != want.Address(false).String() {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, want.Address(false))
		}
	}
	for _, tt := range []struct {
		k    wire.PublicKey
		want fault.Fault
	}{
		{wire.PublicKey{HexBytes: text, CurveType: "this is an invalid curve type"}, fault.InvalidCurve},
		{wire.PublicKey{HexBytes: "this is an invalid key", CurveType: construction.Curve}, fault.InvalidPublicKey},
	} {
		if _, err := testnet.Derive(tt.k, nil); faultOf(err) != tt.want {
			t.Errorf("%+v: got %v, want fault %d", tt.k, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	unsigned := must.Get(testnet.Payloads(transfer(newAccount("a").address, newAccount("a").address, newAccount("b").address),
		[]wire.PublicKey{newAccount("a").public}, map[string]any{"account_sequence": json.Number("0")}))(f)
	f.Add(unsigned.UnsignedTransaction)
	f.Add("0x80")
	f.Fuzz(func(t *testing.T, text string) {
		for _, signed := range []bool{true, false} {
			if _, err := testnet.Parse(text, signed); err != nil && faultOf(err) == 0 {
				t.Errorf("%q: got %v, want a fault", text, err)
			}
		}
	})
}
