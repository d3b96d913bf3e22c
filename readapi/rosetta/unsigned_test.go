package rosetta_test

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
)

// TestUnsigned checks unsigned transfers and stacking calls byte by byte. What is wanted is written as SIP-005 says it, without
// the codec.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return hex.EncodeToString([]byte(s)) }
	uint128 := func(n uint64) string { return fmt.Sprintf("01%032x", n) }
	named := func(name string) string { return fmt.Sprintf("%02x", len(name)) + text(name) }
	buffer := func(digits string) string { return fmt.Sprintf("02%08x", len(digits)/2) + digits }
	from, to := alice.Address(false).Hash160, bob.Address(false).Hash160
	// The hash160 of 1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3, with the version of an address of one key.
	rewards := "0c00000002" + named("hashbytes") + buffer("05cf52a44bf3e6829b4f8c221cc675355bf83b7d") + named("version") + buffer("00")
	signature, signer := strings.Repeat("ab", 64)+"01", "02"+strings.Repeat("cd", 32)
	unsigned := func(nonce, fee uint64, payload string) string {
		return "0x" + "80" + "80000000" + // version and chain of a testnet
			"04" + "00" + hex.EncodeToString(from[:]) + fmt.Sprintf("%016x%016x", nonce, fee) + "00" + strings.Repeat("00", 65) + // standard, one key
			"03" + "02" + "00000000" + // any anchor mode; denies what no post-condition allows, and there is none
			payload
	}
	stackingCall := func(contract, function string, arguments ...string) string {
		return "02" + "1a" + strings.Repeat("00", 20) + named(contract) + named(function) + fmt.Sprintf("%08x", len(arguments)) + strings.Join(arguments, "")
	}
	stacking := map[string]any{
		"number_of_cycles": 3, "pox_addr": "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3", "signer_key": signer, "signer_signature": signature,
		"pox_max_amount": "600000", "pox_auth_id": "99", "reward_cycle_id": 7,
	}
	without := map[string]any{"number_of_cycles": 1, "pox_addr": "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3", "signer_key": signer, "pox_auth_id": "1", "reward_cycle_id": 7}
	pool := map[string]any{"delegate_to": address(bob), "pox_addr": "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3"}
	metadata := func(nonce int, contract string, height any) map[string]any {
		m := map[string]any{"account_sequence": nonce, "contract_address": "ST000000000000000000002AMW42H", "contract_name": contract}
		if height != nil {
			m["burn_block_height"] = height
		}
		return m
	}
	for _, tt := range []struct {
		name       string
		operations []any // besides the fee
		metadata   map[string]any
		want       string
	}{
		{
			"a transfer with a memo", []any{stxOperation(1, "token_transfer", address(alice), "-500000", nil), stxOperation(2, "token_transfer", address(bob), "500000", nil)},
			map[string]any{"account_sequence": 7, "memo": "test1234"},
			unsigned(7, 270, "00"+"05"+"1a"+hex.EncodeToString(to[:])+fmt.Sprintf("%016x", 500_000)+text("test1234")+strings.Repeat("00", 34-8)),
		},
		{
			"stack_stx with a signature", []any{stxOperation(1, "stack_stx", address(alice), "-500000", stacking)}, metadata(5, "pox-4", 200),
			unsigned(5, 270, stackingCall("pox-4", "stack-stx", uint128(500_000), rewards, uint128(200), uint128(3), "0a"+buffer(signature), buffer(signer), uint128(600_000), uint128(99))),
		},
		{
			"stack_stx without one, whose maximum is the amount", []any{stxOperation(1, "stack_stx", address(alice), "-500000", without)}, metadata(0, "pox-4", 200),
			unsigned(0, 270, stackingCall("pox-4", "stack-stx", uint128(500_000), rewards, uint128(200), uint128(1), "09", buffer(signer), uint128(500_000), uint128(1))),
		},
		{
			"stack_stx of an earlier contract", []any{stxOperation(1, "stack_stx", address(alice), "-500000", stacking)}, metadata(1, "pox-3", 200),
			unsigned(1, 270, stackingCall("pox-3", "stack-stx", uint128(500_000), rewards, uint128(200), uint128(3))),
		},
		{
			"delegate_stx with a Bitcoin height", []any{stxOperation(1, "delegate_stx", address(alice), "-500000", pool)}, metadata(1<<40, "pox-4", 200),
			unsigned(1<<40, 270, stackingCall("pox-4", "delegate-stx", uint128(500_000), "05"+"1a"+hex.EncodeToString(to[:]), "0a"+uint128(200), "0a"+rewards)),
		},
		{
			"delegate_stx without an end and an address", []any{stxOperation(1, "delegate_stx", address(alice), "-500000", map[string]any{"delegate_to": address(bob)})}, metadata(0, "pox-4", nil),
			unsigned(0, 270, stackingCall("pox-4", "delegate-stx", uint128(500_000), "05"+"1a"+hex.EncodeToString(to[:]), "09", "09")),
		},
	} {
		for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
			got := ask[types.ConstructionPayloadsResponse](offline(t, "testnet", prefix), "/construction/payloads", map[string]any{
				"operations": append([]any{stxOperation(0, "fee", address(alice), "-270", nil)}, tt.operations...), "metadata": tt.metadata, "public_keys": []any{publicKey(alice)},
			})
			check.Equal(t, tt.name+prefix, got.UnsignedTransaction, tt.want)
			if len(got.Payloads) != 1 || got.Payloads[0].AccountIdentifier.Address != address(alice) || got.Payloads[0].SignatureType != types.EcdsaRecovery ||
				!bytes.Equal(got.Payloads[0].Bytes, toSign(t, tt.want)) {
				t.Errorf("%s%s: got %s", tt.name, prefix, types.PrintStruct(got.Payloads))
			}
		}
	}
}

// toSign returns what the sender of an unsigned transaction signs (SIP-005): the hash of the transaction without nonce and fee,
// hashed with the kind of authorization, the fee and the nonce.
func toSign(t *testing.T, unsigned string) []byte {
	t.Helper()
	const nonceAt, feeAt, feeEnd = 27, 35, 43
	raw := must.Get(hex.DecodeString(strings.TrimPrefix(unsigned, "0x")))(t)
	without := slices.Concat(raw[:nonceAt], make([]byte, feeEnd-nonceAt), raw[feeEnd:])
	first := sha512.Sum512_256(without)
	last := sha512.Sum512_256(slices.Concat(first[:], []byte{4}, raw[feeAt:feeEnd], raw[nonceAt:feeAt]))
	return last[:]
}
