package transaction_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// Parts of raw transactions in hex.
const (
	hexHead      = "8080000000" // testnet
	hexOrigin    = "00" + "1111111111111111111111111111111111111111" + "0000000000000007" + "0000000000000009" + "00"
	hexSignature = "0011111111111111111111111111111111111111111111111111111111111111112222222222222222222222222222222222222222222222222222222222222222"
	hexStandard  = hexHead + "04" + hexOrigin + hexSignature
	hexNoPost    = "03" + "0200000000"
	hexAddress   = "1a1111111111111111111111111111111111111111"
	hexCoinbase  = "04" + "0000000000000000000000000000000000000000000000000000000000000000"
)

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	multi := func(mode, count, fields, required string) string {
		return hexHead + "04" + mode + strings.Repeat("11", 20) + strings.Repeat("00", 16) + count + fields + required + hexNoPost + hexCoinbase
	}
	for _, tt := range []struct {
		name, raw, part string
		want            error
	}{
		{"empty", "", "version", transaction.ErrTruncated},
		{"auth type", hexHead + "06" + hexOrigin + hexSignature + hexNoPost + hexCoinbase, "auth type", transaction.ErrMalformed},
		{"hash mode 4", multi("04", "00000000", "", "0001"), "origin hash mode", transaction.ErrMalformed},
		{"hash mode 6", multi("06", "00000000", "", "0001"), "origin hash mode", transaction.ErrMalformed},
		{"field kind", multi("01", "00000001", "04"+strings.Repeat("00", 65), "0001"), "origin field", transaction.ErrMalformed},
		{"field count", multi("01", "ffffffff", "", "0001"), "origin field", transaction.ErrTruncated},
		{"key encoding", hexHead + "04" + hexOrigin[:len(hexOrigin)-2] + "02" + hexSignature + hexNoPost + hexCoinbase, "origin key encoding", transaction.ErrMalformed},
		{"missing sponsor", hexHead + "05" + hexOrigin + hexSignature, "sponsor hash mode", transaction.ErrTruncated},
		{"anchor mode 0", hexStandard + "00" + "0200000000" + hexCoinbase, "anchor mode", transaction.ErrMalformed},
		{"anchor mode 4", hexStandard + "04" + "0200000000" + hexCoinbase, "anchor mode", transaction.ErrMalformed},
		{"post-condition count", hexStandard + "03" + "02ffffffff" + "000101" + "0000000000000001", "post-condition type", transaction.ErrTruncated},
		{"post-condition address", hexStandard + "03" + "0200000001" + "000220" + strings.Repeat("11", 20), "post-condition principal", transaction.ErrMalformed},
		{"post-condition value", hexStandard + "03" + "0200000001" + "0201" + hexAddress + "0161" + "0162" + "0f", "post-condition asset value", clarity.ErrType},
		{"missing payload", hexStandard + hexNoPost, "payload id", transaction.ErrTruncated},
		{"recipient", hexStandard + hexNoPost + "00" + "07" + hexAddress, "transfer recipient", clarity.ErrType},
		{"contract name length", hexStandard + hexNoPost + "01" + "81" + strings.Repeat("61", 0x81) + "00000000", "contract name", transaction.ErrMalformed},
		{"contract name bytes", hexStandard + hexNoPost + "01" + "01ff" + "00000000", "contract name", transaction.ErrMalformed},
		{"code length", hexStandard + hexNoPost + "06" + "02" + "0161" + "ffffffff" + "28", "contract code", transaction.ErrTruncated},
		{"argument count", hexStandard + hexNoPost + "02" + hexAddress + "0161" + "0162" + "ffffffff" + "0303", "argument", clarity.ErrTruncated},
		{"argument", hexStandard + hexNoPost + "02" + hexAddress + "0161" + "0162" + "00000001" + "ff", "argument", clarity.ErrType},
		{"poison microblock", hexStandard + hexNoPost + "03" + strings.Repeat("00", 263), "microblock header", transaction.ErrTruncated},
		{"coinbase recipient", hexStandard + hexNoPost + "08" + strings.Repeat("00", 32) + "03" + strings.Repeat("00", 80), "coinbase recipient", transaction.ErrMalformed},
		{"VRF proof", hexStandard + hexNoPost + "08" + strings.Repeat("00", 32) + "09" + strings.Repeat("00", 79), "coinbase VRF proof", transaction.ErrTruncated},
		{"tenure change", hexStandard + hexNoPost + "07" + strings.Repeat("00", 116), "tenure public key hash", transaction.ErrTruncated},
		{"trailing", hexStandard + hexNoPost + hexCoinbase + "00", "end", transaction.ErrTrailing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx, err := transaction.Decode(vector.Bytes(t, tt.raw))
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %+v, %v, want %v", tx, err, tt.want)
			}
			var part *transaction.DecodeError
			if !errors.As(err, &part) {
				t.Fatalf("got an error of type %T, want *DecodeError", err)
			}
			equal(t, "part", part.Part, tt.part)
		})
	}
}

// TestUnknownPartsSurvive decodes transactions with parts that a later epoch may add. They encode to the same bytes.
func TestUnknownPartsSurvive(t *testing.T) {
	t.Parallel()
	undecoded := func(p transaction.Payload) string {
		u, ok := p.(*transaction.Undecoded)
		if !ok {
			return transaction.Name(p)
		}
		return hexOf(u.Raw)
	}
	for _, tt := range []struct {
		name, raw string
		id        transaction.PayloadID
		want      string
	}{
		{"payload id", hexStandard + hexNoPost + "09abcdef", 9, "0x09abcdef"},
		{"post-condition type", hexStandard + "03" + "0200000001" + "0501ab" + hexCoinbase, 255, "0x000000010501ab" + hexCoinbase},
		{"post-condition principal", hexStandard + "03" + "0300000001" + "0004ab" + hexCoinbase, 255, "0x000000010004ab" + hexCoinbase},
		{"second post-condition", hexStandard + "03" + "0200000002" + "040130" + "ff01", 255, "0x00000002040130ff01"},
		{"post-condition mode", hexStandard + "03" + "0900000000" + hexCoinbase, 4, "coinbase"},
		{"post-condition code", hexStandard + "03" + "0200000001" + "040133" + hexCoinbase, 4, "coinbase"},
		{"Clarity version", hexStandard + hexNoPost + "06" + "09" + "0161" + "0000000128", 6, "versioned_smart_contract"},
		{"tenure cause", hexStandard + hexNoPost + "07" + strings.Repeat("00", 96) + "09" + strings.Repeat("00", 20), 7, "tenure_change"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			raw := vector.Bytes(t, tt.raw)
			tx := decode(t, raw)
			equal(t, "payload", undecoded(tx.Payload), tt.want)
			equal(t, "payload id", tx.Payload.ID(), tt.id)
			equal(t, "encoded", hexOf(tx.Encode()), hexOf(raw))
			equal(t, "txid", tx.TxID(), transaction.ID(raw))
			equal(t, "nonce", tx.Nonce(), 7)
			equal(t, "fee", tx.Fee(), 9)
			equal(t, "mode", byte(tx.PostConditions.Mode()), raw[5+1+103+1])
			if _, isUndecoded := tx.Payload.(*transaction.Undecoded); isUndecoded {
				equal(t, "type", transaction.TxType(tx.Payload), "undecoded")
			}
		})
	}
}

func TestSignatureCoversUnknownParts(t *testing.T) {
	t.Parallel()
	k := key.FromSeed([]byte("future"))
	for _, rest := range []string{hexNoPost + "09abcdef", "03" + "0200000001" + "0501ab" + hexCoinbase} {
		tx := decode(t, vector.Bytes(t, hexStandard+rest))
		must.Do(t, transaction.Sign(tx, k))
		if err := decode(t, tx.Encode()).Verify(); err != nil {
			t.Error(err)
		}
	}
}

func TestDecodePostConditionsRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		blob string
		want error
	}{
		{"", transaction.ErrTruncated},
		{"02", transaction.ErrTruncated},
		{"0200000001", transaction.ErrTruncated},
		{"020000000000", transaction.ErrTrailing},
		{"0200000001 05 01 00", transaction.ErrUnknownLayout},
		{"0200000001 00 04 00", transaction.ErrUnknownLayout},
	} {
		if _, err := transaction.DecodePostConditions(vector.Bytes(t, tt.blob)); !errors.Is(err, tt.want) {
			t.Errorf("%q: got %v, want %v", tt.blob, err, tt.want)
		}
	}
}

func TestNewPostConditionsRefuses(t *testing.T) {
	t.Parallel()
	address := key.FromSeed(nil).Address(true)
	token := clarity.AssetID{Contract: clarity.Principal{Address: address, Contract: "token"}, Asset: "coin"}
	badVersion := address
	badVersion.Version = 32
	stx := transaction.PostCondition{Type: transaction.ConditionSTX, Code: transaction.SentEqual}.OriginPrincipal()
	for name, change := range map[string]func(*transaction.PostCondition){
		"type":            func(c *transaction.PostCondition) { c.Type = 5 },
		"principal kind":  func(c *transaction.PostCondition) { c.PrincipalKind = 0 },
		"code":            func(c *transaction.PostCondition) { c.Code = transaction.Sent },
		"address version": func(c *transaction.PostCondition) { *c = c.Of(clarity.Principal{Address: badVersion}) },
		"asset":           func(c *transaction.PostCondition) { c.Type = transaction.ConditionFungible },
		"contract name":   func(c *transaction.PostCondition) { c.PrincipalKind = transaction.PrincipalContract },
		"long asset name": func(c *transaction.PostCondition) {
			c.Type, c.Asset = 1, token
			c.Asset.Asset = strings.Repeat("a", 129)
		},
		"asset value":     func(c *transaction.PostCondition) { c.Type, c.Asset, c.Code = 2, token, transaction.Sent },
		"code of amounts": func(c *transaction.PostCondition) { c.Type = transaction.ConditionPox },
	} {
		c := stx
		change(&c)
		if _, err := transaction.NewPostConditions(transaction.PostConditionDeny, stx, c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestDraftRefuses(t *testing.T) {
	t.Parallel()
	d := transaction.Draft{Network: transaction.Testnet}
	account := clarity.Principal{Address: key.FromSeed(nil).Address(false)}
	contract := clarity.Principal{Address: account.Address, Contract: "c"}
	_, memo := d.TokenTransfer(account, 1, strings.Repeat("x", 35))
	_, noContract := d.Transaction(&transaction.ContractCall{Contract: account, Function: "f"})
	_, noFunction := d.Transaction(&transaction.ContractCall{Contract: contract})
	_, zeroValue := transaction.NewArguments(clarity.Value{})
	_, noName := d.Transaction(&transaction.SmartContract{})
	_, noPayload := d.Transaction(nil)
	for name, err := range map[string]error{
		"long memo": memo, "no contract": noContract, "no function": noFunction, "zero value": zeroValue,
		"no name": noName, "no payload": noPayload,
	} {
		if !errors.Is(err, transaction.ErrMalformed) {
			t.Errorf("%s: got %v, want ErrMalformed", name, err)
		}
	}
}

func TestBoot(t *testing.T) {
	t.Parallel()
	d := transaction.Draft{Network: transaction.Network{Version: transaction.VersionTestnet}}
	tx := must.Get(d.Transaction(&transaction.SmartContract{ContractName: "pox-4", Code: []byte("(ok true)")}))(t)
	boot := decode(t, tx.Encode())
	equal(t, "boot", boot.IsBoot(), true)
	equal(t, "sender", boot.Sender().String(), "ST000000000000000000002AMW42H")
	if err := boot.Verify(); !errors.Is(err, transaction.ErrUnsigned) {
		t.Errorf("got %v, want ErrUnsigned", err)
	}
	must.Do(t, transaction.Sign(tx, key.FromSeed(nil)))
	equal(t, "signed by another", tx.IsBoot(), false)
}

// TestMemoryIsBounded decodes inputs that hold as many small parts as possible.
func TestMemoryIsBounded(t *testing.T) {
	const size = 1 << 20
	head := vector.Bytes(t, hexStandard)
	many := func(prefix []byte, part []byte) []byte {
		n := (size - len(prefix) - 4) / len(part)
		b := binary.BigEndian.AppendUint32(bytes.Clone(prefix), uint32(n))
		return append(b, bytes.Repeat(part, n)...)
	}
	call := append(bytes.Clone(head), vector.Bytes(t, hexNoPost+"02"+hexAddress+"0161"+"0162")...)
	conditions := append(bytes.Clone(head), 0x03, 0x02)
	multi := vector.Bytes(t, hexHead+"04"+"01"+strings.Repeat("11", 20)+strings.Repeat("00", 16))
	for _, tt := range []struct {
		name string
		raw  []byte
	}{
		{"arguments", many(call, []byte{0x03})},
		{"post-conditions", append(many(conditions, []byte{0x04, 0x01, 0x30}), vector.Bytes(t, hexCoinbase)...)},
		{"keys", append(many(multi, make([]byte, 34)), vector.Bytes(t, "0001"+hexNoPost+hexCoinbase)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tx := decode(t, tt.raw)
			runtime.ReadMemStats(&after)
			if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(4*size); used > limit {
				t.Errorf("decoding %d bytes allocated %d bytes, want at most %d", len(tt.raw), used, limit)
			}
			equal(t, "txid", tx.TxID(), transaction.ID(tt.raw))
		})
	}
}

// What is left of an operation from Bitcoin of which nothing is known may begin with the id of a payload.
func TestTxTypeOfUndecoded(t *testing.T) {
	p := &transaction.Undecoded{Part: transaction.UnknownPayload, Raw: []byte{byte(transaction.TokenTransferID)}}
	equal(t, "type", transaction.TxType(p), "undecoded")
	equal(t, "name", transaction.Name(p), "undecoded")
}
