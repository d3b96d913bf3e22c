package rosetta_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
	"strata/rig/replay"
)

// fakeNode is a node that takes transactions. It refuses those with a fee of 1.
type fakeNode struct {
	mu    sync.Mutex
	taken [][]byte
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v2/transactions":
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "application/octet-stream" {
			http.Error(w, "bad body", http.StatusBadRequest)
			return
		}
		tx, err := transaction.Decode(raw)
		if err != nil || tx.Fee() == 1 {
			http.Error(w, `{"error":"transaction rejected","reason":"FeeTooLow"}`, http.StatusBadRequest)
			return
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		n.taken = append(n.taken, raw)
		_ = json.NewEncoder(w).Encode(strings.TrimPrefix(transaction.ID(raw).String(), "0x"))
	case strings.HasPrefix(r.URL.Path, "/v2/accounts/"):
		_, _ = io.WriteString(w, `{"balance":"0x00","nonce":12}`)
	case r.URL.Path == "/v2/fees/transaction":
		_, _ = io.WriteString(w, `{"estimations":[{"fee":200},{"fee":300},{"fee":400}]}`)
	case r.URL.Path == "/v2/pox":
		_, _ = io.WriteString(w, `{"contract_id":"ST000000000000000000002AMW42H.pox-4","current_burnchain_block_height":200,"reward_cycle_id":7}`)
	case r.URL.Path == "/v2/info":
		_, _ = io.WriteString(w, `{"stacks_tip_height":9}`)
	case r.URL.Path == "/v2/neighbors":
		_, _ = io.WriteString(w, `{"inbound":[{"peer_version":1,"ip":"1.2.3.4","port":5,"public_key_hash":"ab"}],"outbound":[{"peer_version":1,"ip":"1.2.3.4","port":5,"public_key_hash":"ab"}]}`)
	case strings.HasPrefix(r.URL.Path, "/v2/data_var/"):
		_, _ = io.WriteString(w, `{"data":"0x0100000000000000000000000000000007"}`)
	default:
		http.NotFound(w, r)
	}
}

// withNode returns a site whose requests to nodes go to a fake one over HTTP, and that node.
func withNode(t *testing.T, prefix string) (*site, *fakeNode) {
	t.Helper()
	log := replay.NewLog(t)
	fold(t, log, dance(t)...)
	node := &fakeNode{}
	target := must.Get(url.Parse(served(t, node)))(t)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	return newSite(t, log, "testnet", prefix, rosetta.Config{NodeRPC: forward}), node
}

// offline returns the operations of a process without a database.
func offline(t *testing.T, network, prefix string) *site {
	t.Helper()
	return &site{t, rosetta.Offline(rosetta.Config{Network: network, Version: "test"}, slog.New(slog.DiscardHandler)), prefix, network}
}

func publicKey(k key.Private) map[string]any {
	compressed := k.Public().CompressedBytes()
	return map[string]any{"hex_bytes": hex.EncodeToString(compressed[:]), "curve_type": "secp256k1"}
}

// signPayload signs as a client does.
func signPayload(t *testing.T, k key.Private, p *types.SigningPayload) map[string]any {
	t.Helper()
	digest := must.Get(hash.Parse32(hex.EncodeToString(p.Bytes)))(t)
	vrs := k.Sign(digest)
	return map[string]any{
		"signing_payload": map[string]any{"address": p.AccountIdentifier.Address, "hex_bytes": hex.EncodeToString(p.Bytes)}, "public_key": publicKey(k),
		"signature_type": "ecdsa_recovery", "hex_bytes": hex.EncodeToString(slices.Concat(vrs[1:], vrs[:1])),
	}
}

func stxOperation(index int, kind, account, value string, metadata map[string]any) map[string]any {
	op := map[string]any{
		"operation_identifier": map[string]any{"index": index}, "type": kind, "account": map[string]any{"address": account},
		"amount": map[string]any{"value": value, "currency": map[string]any{"symbol": "STX", "decimals": 6}},
	}
	if metadata != nil {
		op["metadata"] = metadata
	}
	return op
}

// TestConstruction takes transactions through all endpoints: what needs no chain is asked of a process without one. The
// node gets what the operations say.
func TestConstruction(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
		for _, tt := range []struct {
			name       string
			operations []any
			check      func(t *testing.T, tx *transaction.Transaction)
		}{
			{"transfer", []any{
				stxOperation(0, "fee", address(alice), "-180", nil),
				stxOperation(1, "token_transfer", address(alice), "-500000", nil), stxOperation(2, "token_transfer", address(bob)+".vault", "500000", nil),
			}, func(t *testing.T, tx *transaction.Transaction) {
				p, ok := tx.Payload.(*transaction.TokenTransfer)
				if !ok || p.Amount != 500_000 || p.Recipient.String() != address(bob)+".vault" {
					t.Errorf("got %+v", tx.Payload)
				}
			}},
			{"call", []any{
				stxOperation(0, "fee", address(alice), "-180", nil),
				map[string]any{"operation_identifier": map[string]any{"index": 1}, "type": "contract_call", "account": map[string]any{"address": address(alice)},
					"metadata": map[string]any{"contract_identifier": tokenContract, "function_name": "mint", "args": []any{"0x0100000000000000000000000000000007"}}},
			}, func(t *testing.T, tx *transaction.Transaction) {
				p, ok := tx.Payload.(*transaction.ContractCall)
				if !ok || p.Contract.String() != tokenContract || p.Function != "mint" || p.Arguments.List()[0].Repr() != "u7" {
					t.Errorf("got %+v", tx.Payload)
				}
			}},
			{"delegation", []any{
				stxOperation(0, "fee", address(alice), "-180", nil),
				stxOperation(1, "delegate_stx", address(alice), "-1000", map[string]any{"delegate_to": address(bob)}),
			}, func(t *testing.T, tx *transaction.Transaction) {
				p, ok := tx.Payload.(*transaction.ContractCall)
				if !ok || p.Contract.String() != poxContract || p.Function != "delegate-stx" || p.Arguments.List()[0].Repr() != "u1000" {
					t.Errorf("got %+v", tx.Payload)
				}
			}},
			{"stacking", []any{
				stxOperation(0, "fee", address(alice), "-180", nil),
				stxOperation(1, "stack_stx", address(alice), "-1000", map[string]any{
					"number_of_cycles": 2, "pox_addr": "1Xik14zRm29UsyS6DjhYg4iZeZqsDa8D3", "signer_key": strings.Repeat("02", 33), "signer_private_key": strings.Repeat("01", 32) + "01",
				}),
			}, func(t *testing.T, tx *transaction.Transaction) {
				p, ok := tx.Payload.(*transaction.ContractCall)
				if !ok || p.Function != "stack-stx" || p.Arguments.Len() != 8 || p.Arguments.List()[2].Repr() != "u200" || !strings.HasPrefix(p.Arguments.List()[4].Repr(), "(some") {
					t.Errorf("got %+v", tx.Payload)
				}
			}},
		} {
			t.Run(tt.name+strings.ReplaceAll(prefix, "/", "-"), func(t *testing.T) {
				t.Parallel()
				online, node := withNode(t, prefix)
				cold := offline(t, "testnet", prefix)
				account := ask[types.ConstructionDeriveResponse](cold, "/construction/derive", map[string]any{"public_key": publicKey(alice)}).AccountIdentifier
				check.Equal(t, "derive", account.Address, address(alice))
				options := ask[types.ConstructionPreprocessResponse](cold, "/construction/preprocess", map[string]any{
					"operations": tt.operations, "suggested_fee_multiplier": 2,
					"max_fee": []any{map[string]any{"value": "500", "currency": map[string]any{"symbol": "STX", "decimals": 6}}},
				})
				metadata := ask[types.ConstructionMetadataResponse](online, "/construction/metadata", map[string]any{"options": options.Options, "public_keys": []any{publicKey(alice)}})
				// Twice the node's estimate, or twice the size with the name of the stacking contract, but no more than the maximum.
				size, _ := options.Options["size"].(float64)
				want := []string{"500"}
				if prefix == rosetta.MeshPath && 2*size < 500 {
					want = []string{fmt.Sprint(2 * size), fmt.Sprint(2 * (size + 2))}
				}
				if fee := metadata.SuggestedFee[0].Value; !slices.Contains(want, fee) {
					t.Errorf("suggested fee: got %s, want one of %s", fee, want)
				}
				check.Equal[any](t, "nonce", metadata.Metadata["account_sequence"], float64(12))
				payloads := ask[types.ConstructionPayloadsResponse](cold, "/construction/payloads", map[string]any{
					"operations": tt.operations, "metadata": metadata.Metadata, "public_keys": []any{publicKey(alice)},
				})
				unsigned := ask[types.ConstructionParseResponse](cold, "/construction/parse", map[string]any{"signed": false, "transaction": payloads.UnsignedTransaction})
				combined := ask[types.ConstructionCombineResponse](cold, "/construction/combine", map[string]any{
					"unsigned_transaction": payloads.UnsignedTransaction, "signatures": []any{signPayload(t, alice, payloads.Payloads[0])},
				})
				signed := ask[types.ConstructionParseResponse](cold, "/construction/parse", map[string]any{"signed": true, "transaction": combined.SignedTransaction})
				if len(unsigned.AccountIdentifierSigners) != 0 || len(signed.AccountIdentifierSigners) != 1 || signed.AccountIdentifierSigners[0].Address != address(alice) {
					t.Errorf("signers: got %v and %v", unsigned.AccountIdentifierSigners, signed.AccountIdentifierSigners)
				}
				checkIntent(t, tt.operations, signed.Operations)
				id := ask[types.TransactionIdentifierResponse](cold, "/construction/hash", map[string]any{"signed_transaction": combined.SignedTransaction})
				submitted := ask[types.TransactionIdentifierResponse](online, "/construction/submit", map[string]any{"signed_transaction": combined.SignedTransaction})
				if len(node.taken) != 1 {
					t.Fatalf("the node got %d transactions, want 1", len(node.taken))
				}
				tx := must.Get(transaction.Decode(node.taken[0]))(t)
				must.Do(t, tx.Verify())
				if tx.TxID().String() != submitted.TransactionIdentifier.Hash || id.TransactionIdentifier.Hash != submitted.TransactionIdentifier.Hash {
					t.Errorf("hashes: got %s and %s, the node has %s", id.TransactionIdentifier.Hash, submitted.TransactionIdentifier.Hash, tx.TxID())
				}
				if tx.Nonce() != 12 || tx.Fee() != 180 || tx.Sender().String() != address(alice) {
					t.Errorf("got nonce %d, fee %d, sender %s", tx.Nonce(), tx.Fee(), tx.Sender())
				}
				tt.check(t, tx)
			})
		}
	}
}

// checkIntent checks that each operation of an intent is among those of the transaction, as clients do.
func checkIntent(t *testing.T, intent []any, parsed []*types.Operation) {
	t.Helper()
	for _, want := range intent {
		body := must.Get(json.Marshal(want))(t)
		var op types.Operation
		must.Do(t, json.Unmarshal(body, &op))
		if !slices.ContainsFunc(parsed, func(p *types.Operation) bool {
			return p.Type == op.Type && types.Hash(p.Account) == types.Hash(op.Account) && types.Hash(p.Amount) == types.Hash(op.Amount) && p.Status == nil
		}) {
			t.Errorf("operation %s is not among %s", body, types.PrintStruct(parsed))
		}
	}
}

func TestSubmitRefused(t *testing.T) {
	t.Parallel()
	legacy, node := withNode(t, rosetta.LegacyPath)
	cheap := paid(t, alice, 9, 1, address(bob), 5, "")
	mesh := &site{t, legacy.handler, rosetta.MeshPath, "testnet"}
	for _, tt := range []struct {
		site       *site
		path, text string
		want       int
	}{
		{legacy, "/construction/submit", "0x" + hex.EncodeToString(cheap.raw), 628}, {mesh, "/construction/submit", hex.EncodeToString(cheap.raw), 202},
		{legacy, "/construction/hash", "0x123", 628}, {legacy, "/construction/hash", hex.EncodeToString(bootTransaction(t)), 629},
	} {
		check.Equal(t, fmt.Sprintf("%s%s %s", tt.site.prefix, tt.path, tt.text), tt.site.failure(tt.path, map[string]any{"signed_transaction": tt.text}), tt.want)
	}
	check.Equal(t, "transactions that the node took", len(node.taken), 0)
	status := ask[types.NetworkStatusResponse](mesh, "/network/status", map[string]any{})
	if len(status.Peers) != 1 || *status.SyncStatus.TargetIndex != 9 || *status.SyncStatus.Synced {
		t.Errorf("status with a node: got %s", types.PrintStruct(status))
	}
	read := ask[types.CallResponse](mesh, "/call", map[string]any{"method": "contract_get_data_var", "parameters": map[string]any{"deployer_address": address(alice), "contract_name": "c", "var_name": "v"}})
	if read.Result["repr"] != "u7" {
		t.Errorf("call: got %v", read.Result)
	}
}

func TestOffline(t *testing.T) {
	t.Parallel()
	cold := offline(t, "testnet", rosetta.LegacyPath)
	if list := ask[types.NetworkListResponse](cold, "/network/list", nil); len(list.NetworkIdentifiers) != 1 {
		t.Errorf("list: got %s", types.PrintStruct(list))
	}
	ask[types.NetworkOptionsResponse](cold, "/network/options", map[string]any{})
	for _, path := range []string{"/network/status", "/block", "/construction/submit"} {
		if status, _ := cold.post(path, map[string]any{}); status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, status)
		}
	}
	root := &site{t, rosetta.AtRoot(cold.handler), "", "testnet"}
	if list := ask[types.NetworkListResponse](root, "/network/list", nil); len(list.NetworkIdentifiers) != 1 {
		t.Errorf("list at the root: got %s", types.PrintStruct(list))
	}
}
