package rosetta_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/domain/transaction"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
)

// TestPreprocess has the cases of stacks-blockchain-api for /construction/preprocess.
func TestPreprocess(t *testing.T) {
	t.Parallel()
	const bitcoinAddress = "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3"
	signerKey, signerPrivateKey := "02"+strings.Repeat("cd", 32), strings.Repeat("01", 32)+"01"
	for _, tt := range []struct {
		name    string
		request map[string]any
		want    map[string]any
	}{
		{"a transfer with a memo", map[string]any{
			"operations": []any{
				stxOperation(0, "token_transfer", address(alice), "-500000", nil), stxOperation(1, "token_transfer", address(bob), "500000", nil),
			},
			"max_fee": []any{map[string]any{"value": "12380898", "currency": map[string]any{"symbol": "STX", "decimals": 6}}}, "suggested_fee_multiplier": 1,
			"metadata": map[string]any{"memo": "SAMPLE MEMO"},
		}, map[string]any{
			"type": "token_transfer", "sender_address": address(alice), "token_transfer_recipient_address": address(bob), "amount": "500000", "symbol": "STX", "decimals": 6,
			"max_fee": "12380898", "suggested_fee_multiplier": 1, "size": 180, "memo": "SAMPLE MEMO",
		}},
		{"stack_stx", map[string]any{
			"operations": []any{
				stxOperation(0, "stack_stx", address(alice), "-500000", map[string]any{
					"number_of_cycles": 3, "pox_addr": bitcoinAddress, "signer_key": signerKey, "signer_private_key": signerPrivateKey,
				}),
				stxOperation(1, "fee", address(alice), "270", nil),
			},
		}, map[string]any{
			"type": "stack_stx", "sender_address": address(alice), "amount": "500000", "symbol": "STX", "decimals": 6, "number_of_cycles": 3, "pox_addr": bitcoinAddress,
			"signer_key": signerKey, "signer_private_key": signerPrivateKey, "fee": "270", "size": 405,
		}},
		{"delegate_stx", map[string]any{
			"operations": []any{
				stxOperation(0, "delegate_stx", address(alice), "-500000", map[string]any{"delegate_to": address(bob), "pox_addr": bitcoinAddress}),
				stxOperation(1, "fee", address(alice), "270", nil),
			},
		}, map[string]any{
			"type": "delegate_stx", "sender_address": address(alice), "amount": "500000", "symbol": "STX", "decimals": 6, "delegate_to": address(bob), "pox_addr": bitcoinAddress,
			"fee": "270", "size": 253,
		}},
	} {
		got := ask[types.ConstructionPreprocessResponse](offline(t, "testnet", rosetta.LegacyPath), "/construction/preprocess", tt.request)
		for name, want := range tt.want {
			check.Equal(t, tt.name+": "+name, fmt.Sprint(got.Options[name]), fmt.Sprint(want))
		}
		if len(got.RequiredPublicKeys) != 1 || got.RequiredPublicKeys[0].Address != address(alice) {
			t.Errorf("%s: required keys: got %s", tt.name, types.PrintStruct(got.RequiredPublicKeys))
		}
	}
}

// TestRewardAddresses checks that stacking takes every form of a Bitcoin address.
func TestRewardAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, address, version, digest string }{
		{"p2pkh", "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3", "00", "05cf52a44bf3e6829b4f8c221cc675355bf83b7d"},
		{"p2sh, p2sh-p2wpkh and p2sh-p2wsh", "3P14159f73E4gFr7JterCCQh9QjiTjiZrG", "01", "e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a"},
		{"p2wpkh", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "04", "751e76e8199196d454941c45d1b3a323f1433bd6"},
		{"p2wsh", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", "05", "1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"},
		{"p2tr", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "06", "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"},
	} {
		stacking := map[string]any{"number_of_cycles": 1, "pox_addr": tt.address, "signer_key": "02" + strings.Repeat("cd", 32), "pox_auth_id": "1", "reward_cycle_id": 7}
		got := ask[types.ConstructionPayloadsResponse](offline(t, "testnet", rosetta.LegacyPath), "/construction/payloads", map[string]any{
			"operations":  []any{stxOperation(0, "fee", address(alice), "-270", nil), stxOperation(1, "stack_stx", address(alice), "-500000", stacking)},
			"metadata":    map[string]any{"account_sequence": 0, "contract_address": "ST000000000000000000002AMW42H", "contract_name": "pox-4", "burn_block_height": 200},
			"public_keys": []any{publicKey(alice)},
		})
		tx := must.Get(transaction.Decode(must.Get(hex.DecodeString(strings.TrimPrefix(got.UnsignedTransaction, "0x")))(t)))(t)
		call, ok := tx.Payload.(*transaction.ContractCall)
		want := fmt.Sprintf("(tuple (hashbytes 0x%s) (version 0x%s))", tt.digest, tt.version)
		if !ok || call.Arguments.List()[1].Repr() != want {
			t.Errorf("%s: got %s, want %s in its call", tt.name, got.UnsignedTransaction, want)
		}
	}
}

// TestHashOfSigned checks the hash of a transaction that is known from stacks-blockchain-api.
func TestHashOfSigned(t *testing.T) {
	t.Parallel()
	const signed = "80800000000400539886f96611ba3ba6cef9618f8c78118b37c5be000000000000000000000000000000b400017a33a91515ef48608a99c6adecd2eb258e11534a1acf66348f5678c8e2c8f83d" +
		"243555ed67a0019d3500df98563ca31321c1a675b43ef79f146e322fe08df75103020000000000051a1ae3f911d8f1d46d7416bfbe4b593fd41eac19cb000000000007a12000000000000000000000000000000000000000000000000000000000000000000000"
	for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
		for _, text := range []string{signed, "0x" + signed} {
			got := ask[types.TransactionIdentifierResponse](offline(t, "testnet", prefix), "/construction/hash", map[string]any{"signed_transaction": text})
			check.Equal(t, prefix, got.TransactionIdentifier.Hash, "0xf3b054a5fbae98f7f35e5e917b65759fc365a3e073f8af1c3b8d211b286fa74a")
		}
	}
}
