package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// lists are the lists of versions 1 and 2 with the default and the maximum of their limits, as the reference has them.
var lists = []struct {
	target         string
	byDefault, max int
}{
	{"/extended/v1/tx", 20, 50},
	{"/extended/v1/tx/mempool", 20, 50},
	{"/extended/v1/tx/events?address={account}", 20, 100},
	{"/extended/v1/tx/block/{block_hash}", 20, 200},
	{"/extended/v1/tx/block_height/{block}", 20, 50},
	{"/extended/v1/block", 20, 30},
	{"/extended/v1/microblock", 20, 200},
	{"/extended/v1/burnchain/reward_slot_holders", 96, 250},
	{"/extended/v1/burnchain/reward_slot_holders/{slotted}", 96, 250},
	{"/extended/v1/burnchain/rewards", 96, 250},
	{"/extended/v1/burnchain/rewards/{rewarded}", 96, 250},
	{"/extended/v1/address/{account}/transactions", 20, 50},
	{"/extended/v1/address/{account}/transactions_with_transfers", 20, 50},
	{"/extended/v1/address/{account}/assets", 20, 100},
	{"/extended/v1/address/{account}/stx_inbound", 20, 50},
	{"/extended/v1/address/{account}/mempool", 20, 50},
	{"/extended/v1/tokens/nft/holdings?principal={owner}", 50, 200},
	{"/extended/v1/tokens/nft/history?asset_identifier={art}&value={item}", 50, 200},
	{"/extended/v1/tokens/nft/mints?asset_identifier={art}", 50, 200},
	{"/extended/v1/tokens/ft/{coin}/holders", 100, 200},
	{"/extended/v1/contract/{printer}/events", 20, 50},
	{"/extended/v1/contract/by_trait?trait_abi=%7B%22functions%22:[]%7D", 20, 50},
	{"/extended/v1/pox4/events", 96, 200},
	{"/extended/v1/pox4/{pool}/delegations", 100, 200},
	{"/extended/v2/blocks", 20, 30},
	{"/extended/v2/blocks/{block}/transactions", 20, 50},
	{"/extended/v2/blocks/{block}/signer-signatures", 500, 1000},
	{"/extended/v2/block-tenures/{tenure}/blocks", 20, 30},
	{"/extended/v2/burn-blocks", 20, 30},
	{"/extended/v2/burn-blocks/latest/blocks", 20, 30},
	{"/extended/v2/burn-blocks/latest/pox-transactions", 20, 30},
	{"/extended/v2/smart-contracts/{printer}/logs", 20, 100},
	{"/extended/v2/pox/cycles", 20, 60},
	{"/extended/v2/pox/cycles/{cycle}/signers", 100, 250},
	{"/extended/v2/pox/cycles/{cycle}/signers/{key}/stackers", 100, 200},
	{"/extended/v2/addresses/{account}/transactions", 20, 50},
	{"/extended/v2/addresses/{account}/transactions/{account_tx}/events", 20, 50},
	{"/extended/v2/addresses/{account}/balances/ft", 100, 200},
	{"/extended/v2/addresses/{paid}/pox-transactions", 20, 30},
}

// lowestOffsets are the lists that also count towards newer rows, with their lowest offsets.
var lowestOffsets = map[string]int{"/extended/v2/blocks": -300, "/extended/v2/block-tenures/{tenure}/blocks": -300, "/extended/v2/smart-contracts/{printer}/logs": -1000}

// booleans are the operations of versions 1 and 2 with a parameter that is true or false.
var booleans = map[string][]string{
	"unanchored": {
		"/extended/v1/tx", "/extended/v1/tx/multiple?tx_id={call}", "/extended/v1/tx/mempool", "/extended/v1/tx/{call}", "/extended/v1/address/{account}/stx",
		"/extended/v1/address/{account}/balances", "/extended/v1/address/{account}/transactions", "/extended/v1/address/{account}/transactions_with_transfers",
		"/extended/v1/address/{account}/assets", "/extended/v1/address/{account}/stx_inbound", "/extended/v1/address/{account}/mempool", "/extended/v1/stx_supply",
		"/extended/v1/stx_supply/legacy_format", "/extended/v1/tokens/nft/history?asset_identifier={art}&value={item}",
		"/extended/v1/tokens/nft/mints?asset_identifier={art}", "/extended/v1/pox4/{pool}/delegations",
	},
	"exclude_function_args": {
		"/extended/v1/tx", "/extended/v1/tx/multiple?tx_id={call}", "/extended/v1/tx/mempool", "/extended/v1/tx/{call}", "/extended/v1/tx/block/{block_hash}",
		"/extended/v1/tx/block_height/{block}", "/extended/v1/address/{account}/transactions", "/extended/v1/address/{account}/transactions_with_transfers",
		"/extended/v1/address/{account}/mempool", "/extended/v2/addresses/{account}/transactions",
	},
	"tx_metadata": {
		"/extended/v1/tokens/nft/holdings?principal={owner}", "/extended/v1/tokens/nft/history?asset_identifier={art}&value={item}",
		"/extended/v1/tokens/nft/mints?asset_identifier={art}",
	},
	"include_metadata": {"/extended/v1/search/{call}"},
	"include_mempool":  {"/extended/v2/addresses/{account}/balances/stx"},
}

// refusals are requests with the status and the message of the reference; {none} is a hash of nothing without 0x.
var refusals = []struct {
	target  string
	status  int
	message string
}{
	{"/extended/v1/block/0x{none}", 404, "cannot find block by hash"},
	{"/extended/v1/block/{none}", 404, "cannot find block by hash"},
	{"/extended/v1/block/0x{none}0", 400, `params/hash must match pattern "^(0x)?[a-fA-F0-9]{64}$"`},
	{"/extended/v1/block/by_height/-1", 400, "params/height must be >= 0"},
	{"/extended/v1/block/by_height/2147483648", 404, "cannot find block by height"},
	{"/extended/v1/block/by_burn_block_height/2147483648", 404, "cannot find block by height"},
	{"/extended/v1/block/by_burn_block_hash/{none}", 404, "cannot find block by burn block hash"},
	{"/extended/v2/blocks/-1", 404, "Block not found"},
	{"/extended/v2/blocks/2147483648", 404, "Block not found"},
	{"/extended/v2/blocks/{none}/transactions", 404, "Block not found"},
	{"/extended/v2/blocks/by-block-time/-1", 400, "params/timestamp must be >= 0"},
	{"/extended/v2/burn-blocks/2147483648", 404, "Not found"},
	{"/extended/v2/burn-blocks/{none}/blocks", 404, "Burn block not found"},

	{"/extended/v1/tx/0x{none}", 404, "could not find transaction by ID"},
	{"/extended/v1/tx/0x{none}/raw", 404, "could not find raw transaction by ID"},
	{"/extended/v1/tx/0x12", 400, `params/tx_id must match pattern "^(0x)?[a-fA-F0-9]{64}$"`},
	{"/extended/v1/tx/0x{none}?event_limit=101", 400, "querystring/event_limit must be <= 100"},
	{"/extended/v1/tx/0x{none}?event_offset=-1", 400, "querystring/event_offset must be >= 0"},
	{"/extended/v1/tx/multiple", 400, "querystring must have required property 'tx_id'"},
	{"/extended/v1/tx/multiple?tx_id=0x12", 400, "Invalid hash characters"},
	{"/extended/v1/tx?type=nothing", 400, "querystring/type/0 must be equal to one of the allowed values"},
	{"/extended/v1/tx?from_address={printer}", 400, `Invalid query parameter for "from_address": "{printer}" is not a valid STX address`},
	{"/extended/v1/tx?to_address=x", 400, `Invalid query parameter for "to_address": "x" is not a valid STX address`},
	{"/extended/v1/tx?contract_id=x", 400, `Invalid query parameter for "contract_id": "x" is not a valid principal`},
	{"/extended/v1/tx/mempool?recipient_address=x", 400, `Error: Invalid query parameter: "x" is not a valid STX address or principal`},
	{"/extended/v1/tx/mempool?address={account}&sender_address={account}", 400, `The "address" filter cannot be specified with other address filters`},
	{"/extended/v1/tx/events", 400, "can not find 'address' or 'tx_id' in the request"},
	{"/extended/v1/tx/events?tx_id={call}&address={account}", 400, "can't handle both 'address' and 'tx_id' in the same request"},
	{"/extended/v1/tx/events?address={account}&type=x", 400, "invalid 'event type'"},
	{"/extended/v1/tx/block/{none}", 404, "no block found by hash"},
	{"/extended/v1/tx/block_height/2147483648", 404, "no block found at height 2147483648"},

	{"/extended/v1/address/SP000000000000000000002Q6VF79/stx", 400, `invalid STX address "SP000000000000000000002Q6VF79"`},
	{"/extended/v1/address/SP000000000000000000002Q6VF79/mempool", 400, "Invalid query parameter, not a valid principal"},
	{"/extended/v1/address/{account}/nonces?block_hash=0x12", 400, "Query parameter 'block_hash' is not a valid block hash hex string"},
	{"/extended/v1/address/{account}/nonces?block_height=1&block_hash={block_hash}", 400, "Multiple block query parameters specified"},
	{"/extended/v1/address/{account}/nonces?block_height=2147483648", 404, `No block found for {"height":2147483648}`},
	{"/extended/v1/address/{account}/stx?until_block=2147483648", 404, "Could not find block at height: 2147483648"},
	{"/extended/v1/address/{account}/stx?until_block=1&unanchored=true", 400, "can't handle both 'unanchored=true' and 'until_block' in the same request"},
	{"/extended/v1/address/{account}/transactions?until_block=0", 400, "Unexpected integer value for block height path parameter"},
	{"/extended/v1/address/{account}/transactions?until_block=2&height=1", 400, "can't handle until_block and block_height in the same request"},
	{"/extended/v1/address/{account}/{none}/with_transfers", 404, "No matching transaction found"},
	{"/extended/v2/addresses/{account}/transactions?cursor=x", 404, "Invalid cursor format"},
	{"/extended/v2/addresses/{account}/transactions?cursor=0x{none}:1:1", 404, "Invalid cursor: block not found"},
	{"/extended/v2/addresses/{account}/transactions/{none}/events", 404, "Transaction not found"},

	{"/extended/v1/burnchain/rewards/nobody", 400, "Address nobody is not a valid Bitcoin or STX address."},
	{"/extended/v1/burnchain/rewards/1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb/total", 400, "Address 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb is not a valid Bitcoin or STX address."},
	{"/extended/v1/burnchain/reward_slot_holders/{printer}", 400, "Address {printer} is not a valid Bitcoin or STX address."},
	{"/extended/v2/addresses/SP000000000000000000002Q6VF79/pox-transactions", 400, "Address SP000000000000000000002Q6VF79 is not a valid Bitcoin or STX address."},
	{"/v1/addresses/bitcoin/1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", 400, "Unsupported blockchain"},

	{"/extended/v1/tokens/nft/holdings?principal=x", 400, "Invalid or missing principal"},
	{"/extended/v1/tokens/nft/holdings?principal={owner}&asset_identifiers=x", 400, "Invalid asset identifier"},
	{"/extended/v1/tokens/nft/history?asset_identifier=x&value=0x00", 400, "Invalid or missing asset_identifier"},
	{"/extended/v1/contract/SP000000000000000000002Q6VF78.nothing", 404, "cannot find contract by ID"},
	{"/extended/v1/contract/by_trait?trait_abi=x", 400, "Invalid 'trait_abi'"},
	{"/extended/v2/smart-contracts/{printer}/logs?cursor=99999999:1:1:1", 404, "Cursor not found"},
	{"/extended/v2/pox/cycles/2147483648", 404, "Not found"},
	{"/extended/v2/pox/cycles/2147483648/signers", 404, "PoX cycle not found"},
	{"/extended/v2/pox/cycles/{cycle}/signers/00{none}/stackers", 404, "PoX cycle signer not found"},
	{"/extended/v1/pox4/tx/{none}", 404, "could not find transaction by ID"},
	{"/extended/v1/pox4/{pool}/delegations?height=2147483648", 404, "no block at height: 2147483648"},
	{"/extended/v1/microblock/{none}", 404, "cannot find microblock by hash"},

	{"/extended/v3/transactions?cursor=2147483648:0:0", 400, "Cursor value out of range: 2147483648:0:0"},
	{"/extended/v3/transactions?cursor=99999999999999999999:0:0", 400, "Cursor value out of range: 99999999999999999999:0:0"},
	{"/extended/v3/principals/{account}/transactions?cursor=1:2147483648:0", 400, "Cursor value out of range: 1:2147483648:0"},
	{"/extended/v3/blocks/{block}/transactions?cursor=1:0:32768", 400, "Cursor value out of range: 1:0:32768"},
	{"/extended/v3/principals/{account}/balance-changes?tx_id={call}&cursor=1:0:32768:1:stx", 400, "Cursor value out of range: 1:0:32768:1:stx"},
	{"/extended/v3/principals/{account}/transfers/stx/inbound?cursor=1:2147483648:0:0", 400, "Cursor value out of range: 1:2147483648:0:0"},
	{"/extended/v3/tokens/nft/{art}/{item}/history?cursor=1:0:0:2147483648", 400, "Cursor value out of range: 1:0:0:2147483648"},
	{"/extended/v3/staking/bonds/0/allowlist?cursor=1:0:32768", 400, "Cursor value out of range: 1:0:32768"},
	{"/extended/v3/staking/bonds/0/events?cursor=2147483648:0:0:0", 400, "Cursor value out of range: 2147483648:0:0:0"},
}

// TestRefusals asks for what makes no sense or does not exist, and compares statuses and texts with those of the reference.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.names["none"] = strings.Repeat("0", 63) + "9"
	refused := func(target string, status int, message string) {
		t.Helper()
		var body struct {
			StatusCode int
			Message    string
		}
		got := w.Get(target)
		if err := json.Unmarshal([]byte(got.Body), &body); err != nil || got.Status != status || body.StatusCode != status || body.Message != message {
			t.Errorf("GET %s: got %d %.300s, want %d %s", target, got.Status, got.Body, status, message)
		}
	}
	for _, l := range lists {
		target := w.fill(l.target, true)
		with := func(query string, args ...any) string {
			if strings.Contains(target, "?") {
				return target + "&" + fmt.Sprintf(query, args...)
			}
			return target + "?" + fmt.Sprintf(query, args...)
		}
		refused(with("limit=%d", l.max+1), 400, fmt.Sprint("querystring/limit must be <= ", l.max))
		refused(with("limit=-1"), 400, "querystring/limit must be >= 0")
		refused(with("limit=1.5"), 400, "querystring/limit must be integer")
		refused(with("offset=%d", lowestOffsets[l.target]-1), 400, fmt.Sprint("querystring/offset must be >= ", lowestOffsets[l.target]))
		refused(with("offset=x"), 400, "querystring/offset must be integer")
		for given, shown := range map[string]int{with("limit=0"): l.byDefault, target: l.byDefault, with("limit=%d", l.max): l.max} {
			if limit := w.Object(given)["limit"]; limit != float64(shown) {
				t.Errorf("GET %s: got a limit of %v, want %d", given, limit, shown)
			}
		}
	}
	for name, targets := range booleans {
		for _, target := range targets {
			separator := "?"
			if strings.Contains(target, "?") {
				separator = "&"
			}
			target = w.fill(target, true) + separator + name
			for _, wrong := range []string{"", "=1", "=TRUE"} {
				refused(target+wrong, 400, "querystring/"+name+" must be boolean")
			}
			w.ExpectTexts(target+"=true", 200)
			w.ExpectTexts(target+"=false", 200)
		}
	}
	for _, r := range refusals {
		refused(w.fill(r.target, true), r.status, strings.ReplaceAll(r.message, "{printer}", w.names["printer"]))
	}
}

// TestHashesOfBlocks asks each operation that takes the hash of a Stacks block. A block's hash, its index block hash and either
// without 0x or in capitals have the same answer. An orphaned block is found where the answer says that it is orphaned;
// elsewhere it is as unknown as one that never was.
func TestHashesOfBlocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In, Description string }
		}
	}
	must.Do(t, json.Unmarshal([]byte(w.Get("/openapi.json").Body), &document))
	inPath := map[string]string{"principal": "account", "address": "account", "token": "coin"}
	withOrphans := []string{"get-block-by-hash", "list-transactions-by-block-hash"}
	missing := map[string]string{
		"block_hash": "No block found for", "until_block": "block not found with hash", "from_block": "block not found with hash", "to_block": "block not found with hash",
		"height_or_hash": "Block not found",
	}
	unknown := "0x" + strings.Repeat("0", 63) + "9"
	asked := 0
	for path, operations := range document.Paths {
		operation := operations["get"]
		for _, p := range operation.Parameters {
			taken := strings.Contains(p.Description, "index block hash") || p.Name == "until_block"
			if !strings.HasPrefix(path, "/extended/") || !taken || slices.Contains([]string{"cursor", "q", "id"}, p.Name) {
				continue // cursors and searches have their own rules
			}
			asked++
			target := func(hash string) string {
				target := strings.ReplaceAll(path, "{"+p.Name+"}", hash)
				for parameter, name := range inPath {
					target = strings.ReplaceAll(target, "{"+parameter+"}", w.names[name])
				}
				if p.In == "query" {
					target += "?" + p.Name + "=" + hash
				}
				return target
			}
			want := w.Get(target(w.names["block_hash"]))
			if want.Status != 200 {
				t.Errorf("%s by %s: got %d %.300s", path, p.Name, want.Status, want.Body)
				continue
			}
			index := strings.TrimPrefix(w.names["block_index"], "0x")
			for _, same := range []string{"0x" + index, index, strings.ToUpper(index), strings.TrimPrefix(w.names["block_hash"], "0x")} {
				if got := w.Get(target(same)); got.Status != 200 || got.Body != want.Body {
					t.Errorf("%s by %s %s: got %d %.300s, want %.300s", path, p.Name, same, got.Status, got.Body, want.Body)
				}
			}
			for _, orphan := range []string{w.names["orphan_hash"], w.names["orphan_index"]} {
				switch {
				case slices.Contains(withOrphans, operation.OperationID):
					w.ExpectTexts(target(orphan), 200, `"canonical":false`)
				case operation.OperationID == "list-signer-signatures": // empty for any block that is not there, as in the reference
					w.ExpectTexts(target(orphan), 200, `"total":0,"results":[]`)
				default:
					w.ExpectTexts(target(orphan), 404, missing[p.Name])
				}
			}
			if operation.OperationID != "list-signer-signatures" {
				w.ExpectTexts(target(unknown), 404)
			}
		}
	}
	if asked < 33 {
		t.Errorf("%d parameters take the hash of a block, want more", asked)
	}
	for _, id := range []string{"block_hash", "block_index", "orphan_hash", "orphan_index"} {
		w.ExpectTexts("/extended/v1/search/"+w.names[id], 200, fmt.Sprintf(`"canonical":%t`, !strings.HasPrefix(id, "orphan")))
	}
}
