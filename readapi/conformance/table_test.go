package conformance

import "slices"

// row is a request with what is expected of its answer. Names of the world stand in braces.
type row struct {
	operation, method, target, body string
	status                          int
	// facts are expectations of the body: "a/0/b = x" is a member's value, "a # 3" the length of a list, "a > 3" a number
	// above another, "a" a member that is not null, "!a" one that is absent or null, "~ x" a part of the text.
	facts []string
	// varying is the reason why no golden answer is compared; empty if one is.
	varying string
}

func get(operation, target string, facts ...string) row {
	return row{operation: operation, method: "GET", target: target, status: 200, facts: facts}
}

func refuse(operation, target string, status int, facts ...string) row {
	return row{operation: operation, method: "GET", target: target, status: status, facts: facts}
}

func post(operation, target, body string, status int, facts ...string) row {
	return row{operation: operation, method: "POST", target: target, body: body, status: status, facts: facts}
}

// varies says why the bytes of an answer differ from run to run.
func (r row) varies(reason string) row {
	r.varying = reason
	return r
}

// table has the expectations, by tag of the operations.
func table() []row {
	return slices.Concat(blocks(), transactions(), accountRows(), tokens(), bitcoin(), version3(), stakingRows(), namesRows(), secondNames(), standard(), rest())
}

func blocks() []row {
	const v1, v2 = "/extended/v1/block", "/extended/v2/blocks"
	return []row{
		get("list-blocks-v1", v1+"?limit=2", "limit = 2", "results # 2", "results/0/hash = {tip_hash}", "results/0/canonical = true"),
		get("list-blocks-v1", v1+"?offset=100000", "results # 0", "total > 10"),
		refuse("list-blocks-v1", v1+"?offset=-1", 400, "message = querystring/offset must be >= 0"),
		get("get-block-by-hash", v1+"/{block_hash}", "height = {block}", "canonical = true"),
		refuse("get-block-by-hash", v1+"/0x0000000000000000000000000000000000000000000000000000000000000009", 404, "message = cannot find block by hash"),
		get("get-block-by-height", v1+"/by_height/{block}", "hash = {block_hash}"),
		get("get-block-by-burn-block-hash", v1+"/by_burn_block_hash/{burn_hash}", "hash = {tip_hash}"),
		get("get-block-by-burn-block-height", v1+"/by_burn_block_height/{burn_height}", "hash = {tip_hash}"),
		get("list-blocks", v2+"?limit=2", "results # 2", "results/0/height = {tip}", "prev_cursor", "!next_cursor"),
		refuse("list-blocks", v2+"?offset=301", 400, "message = querystring/offset must be <= 300"),
		get("get-block", v2+"/latest", "height = {tip}", "index_block_hash = {tip_index}"),
		get("get-block", v2+"/{block}", "hash = {block_hash}"),
		get("get-average-block-times", v2+"/average-times", "last_1h", "last_30d"),
		get("get-block-by-time", v2+"/by-block-time/{tip_time}", "height = {tip}"),
		get("get-block-by-time", v2+"/by-block-time/1", "height = 0"),
		get("list-signer-signatures", v2+"/{signed}/signer-signatures?limit=1", "limit = 1"),
		get("list-block-transactions", v2+"/{block}/transactions?limit=2", "results # 2", "results/0/block_height = {block}"),
		get("list-tenure-blocks", "/extended/v2/block-tenures/{tenure}/blocks?limit=2", "results/0/hash = {tip_hash}"),
		get("list-burn-blocks", "/extended/v2/burn-blocks?limit=1", "results/0/burn_block_height = {burn_height}"),
		get("get-burn-block", "/extended/v2/burn-blocks/{burn_height}", "burn_block_hash = {burn_hash}", "stacks_blocks/0 = {tip_hash}"),
		get("list-burn-block-blocks", "/extended/v2/burn-blocks/{burn_height}/blocks?limit=1", "results/0/hash = {tip_hash}"),
		get("list-microblocks", "/extended/v1/microblock?limit=1", "results # 0"),
		refuse("get-microblock", "/extended/v1/microblock/{tip_hash}", 404, "message = cannot find microblock by hash"),
		get("list-unanchored-transactions", "/extended/v1/microblock/unanchored/txs", "total = 0"),
		get("get-network-block-times", "/extended/v1/info/network_block_times", "testnet/target_block_time = 120", "mainnet/target_block_time = 600"),
		get("get-network-block-time", "/extended/v1/info/network_block_time/mainnet", "target_block_time = 600"),
	}
}

func transactions() []row {
	const v1, v3 = "/extended/v1/tx", "/extended/v3/transactions"
	return []row{
		get("list-transactions", v1+"?limit=1&type=contract_call", "results # 1", "results/0/tx_type = contract_call", "results/0/events # 0"),
		refuse("list-transactions", v1+"?limit=51", 400, "message = querystring/limit must be <= 50"),
		get("list-transactions-by-block-hash", v1+"/block/{block_hash}?limit=1", "results/0/block_hash = {block_hash}"),
		get("list-transactions-by-block-height", v1+"/block_height/{block}?limit=1", "results/0/block_height = {block}"),
		get("list-events", v1+"/events?tx_id={call}&limit=2", "events/0/tx_id = {call}"),
		refuse("list-events", v1+"/events", 400, "message = can not find 'address' or 'tx_id' in the request"),
		get("get-transaction", v1+"/{call}", "tx_id = {call}", "contract_call/function_name = {function}", "contract_call/function_signature", "tx_status = success"),
		get("get-transaction", v1+"/{transfer}?event_limit=1", "tx_type = token_transfer", "token_transfer/amount"),
		get("get-transaction", v1+"/{deploy}?exclude_function_args=true", "smart_contract/contract_id = {deployed}"),
		get("get-transaction", v1+"/{pending}", "tx_status = pending", "sender_address = {pending_sender}"),
		get("get-raw-transaction", v1+"/{call}/raw", "raw_tx"),
		get("get-transactions", v1+"/multiple?tx_id={transfer},{pending}", "{transfer}/found = true", "{pending}/result/tx_status = pending"),
		get("list-mempool", v1+"/mempool?limit=1", "results # 1", "results/0/tx_status = pending"),
		get("list-dropped", v1+"/mempool/dropped?limit=1", "results # 1"),
		get("get-mempool-stats", v1+"/mempool/stats", "tx_type_counts/token_transfer"),
		get("list-mempool-of", "/extended/v1/address/{pending_sender}/mempool?limit=1", "total > 0"),
		get("get-mempool-fees", "/extended/v2/mempool/fees", "all/no_priority > 0"),
		get("list-mempool-v3", "/extended/v3/mempool/transactions?limit=1", "results # 1", "results/0/status = pending"),
		get("list-mempool-of-v3", "/extended/v3/principals/{pending_sender}/mempool/transactions?limit=1", "total > 0"),
		get("list-transactions-v3", v3+"?limit=1", "results # 1", "cursor/next"),
		get("get-transaction-v3", v3+"/{call}?include=function_args,result,post_conditions", "tx_id = {call}", "contract_call/function_name = {function}", "result/repr"),
		refuse("get-transaction-v3", v3+"/0x0000000000000000000000000000000000000000000000000000000000000009", 404, "message = Transaction not found"),
		get("list-transaction-events", v3+"/{call}/events?limit=1", "results # 1"),
		get("list-block-transactions-v3", "/extended/v3/blocks/{block}/transactions?limit=1", "results/0/block/height = {block}"),
		post("get-fee-rate", "/extended/v1/fee_rate", `{"transaction":"0x00"}`, 200, "fee_rate = 400"),
		get("search", "/extended/v1/search/{call}", "found = true", "result/entity_type = tx_id", "result/tx_data/canonical = true"),
		get("search", "/extended/v1/search/{pending}", "result/entity_type = mempool_tx_id", "result/tx_data/tx_type", "!result/tx_data/block_hash"),
		get("search", "/extended/v1/search/{tip_hash}", "result/entity_type = block_hash"),
		get("search", "/extended/v1/search/{deployed}", "result/entity_type = contract_address", "result/tx_data/tx_id = {deploy}"),
		get("search", "/extended/v1/search/{account}?include_metadata=true", "result/entity_type = standard_address", "result/metadata/balance"),
		get("search", "/extended/v1/search/{name}", "result/entity_type = name", "result/name_data/0/registry = bns-v1", "result/name_data/0/owner = {name_owner}"),
		refuse("search", "/extended/v1/search/x", 404, "found = false", "result/entity_type = invalid_term"),
	}
}

func accountRows() []row {
	const v1, v2, v3 = "/extended/v1/address/{account}", "/extended/v2/addresses/{account}", "/extended/v3/principals/{account}"
	return []row{
		get("get-stx-balance-v1", v1+"/stx", "balance > 0", "lock_height"),
		get("get-stx-balance-v1", v1+"/stx?until_block={block}", "balance", "!estimated_balance"),
		refuse("get-stx-balance-v1", v1+"/stx?until_block=0", 400, "message = Unexpected integer value for block height path parameter"),
		get("get-balances-v1", v1+"/balances", "stx/balance > 0", "fungible_tokens", "non_fungible_tokens"),
		get("list-account-transactions", v1+"/transactions?limit=1", "results # 1", "total > 5"),
		get("list-account-transfers", v1+"/transactions_with_transfers?limit=2", "results # 2", "results/0/stx_sent"),
		get("get-account-transfers", v1+"/{account_tx}/with_transfers", "tx/tx_id = {account_tx}", "stx_transfers # 1"),
		get("list-account-assets", v1+"/assets?limit=2", "results # 2"),
		get("list-inbound-stx", v1+"/stx_inbound?limit=1", "limit = 1"),
		get("get-nonces", v1+"/nonces", "possible_next_nonce > 0", "last_executed_tx_nonce"),
		get("list-account-transactions-v2", v2+"/transactions?limit=1", "results/0/events/stx/transfer"),
		get("list-account-transaction-events", v2+"/transactions/{account_tx}/events?limit=1", "results/0/type = stx"),
		get("get-stx-balance", v2+"/balances/stx?include_mempool=true", "balance > 0", "estimated_balance"),
		get("list-ft-balances", "/extended/v2/addresses/{holder}/balances/ft?limit=1", "total > 0"),
		get("get-ft-balance", "/extended/v2/addresses/{holder}/balances/ft/{coin}", "balance > 0"),
		get("get-ft-balance", v2+"/balances/ft/stx", "balance > 0"),
		get("get-principal-stx", v3+"/balances/stx", "balance > 0", "available"),
		get("list-principal-ft", "/extended/v3/principals/{holder}/balances/ft?limit=1", "results # 1"),
		get("get-principal-ft", "/extended/v3/principals/{holder}/balances/ft/{coin}", "asset_identifier = {coin}", "balance > 0"),
		refuse("get-principal-ft", v3+"/balances/ft/stx", 400, "~ params/asset_identifier must match pattern"),
		get("list-principal-nft", "/extended/v3/principals/{owner}/balances/nft?limit=1", "results # 1"),
		get("get-principal-nonces", v3+"/nonces", "next_nonce > 0"),
		refuse("get-principal-nonces", v3+".x/nonces", 400, "~ params/principal must match pattern"),
		get("list-principal-transactions", v3+"/transactions?limit=1", "results/0/involvement"),
		get("list-transaction-balance-changes", v3+"/transactions/{account_tx}/balance-changes", "results/0/asset/type = stx"),
		get("list-balance-changes", v3+"/balance-changes?tx_id={account_tx}", "results/0/tx_id = {account_tx}"),
	}
}

func tokens() []row {
	const nft = "/extended/v1/tokens/nft/"
	return []row{
		get("list-token-holders", "/extended/v1/tokens/ft/{coin}/holders?limit=1", "total > 0", "total_supply > 0", "results/0/address = {holder}"),
		get("list-nft-holdings", nft+"holdings?principal={owner}&limit=1", "results # 1", "total > 0"),
		refuse("list-nft-holdings", nft+"holdings", 400, "message = querystring must have required property 'principal'"),
		get("list-nft-history", nft+"history?asset_identifier={art}&value={item}", "results/0/recipient = {owner}"),
		get("list-nft-mints", nft+"mints?asset_identifier={art}&limit=1", "results # 1"),
		get("get-contract", "/extended/v1/contract/{deployed}", "tx_id = {deploy}", "abi", "source_code"),
		refuse("get-contract", "/extended/v1/contract/{account}.none", 404, "message = cannot find contract by ID"),
		refuse("list-contracts-by-trait", "/extended/v1/contract/by_trait?trait_abi={}", 400, "message = Invalid 'trait_abi'"),
		get("list-contract-events", "/extended/v1/contract/{printer}/events?limit=1", "results/0/contract_log/contract_id = {printer}"),
		get("list-contract-logs", "/extended/v2/smart-contracts/{printer}/logs?limit=1", "results/0/event_type = smart_contract_log"),
		get("get-contract-statuses", "/extended/v2/smart-contracts/status?contract_id={deployed}&contract_id={account}.none", "{deployed}/result/status = success", "{account}.none/found = false"),
		get("get-stx-supply", "/extended/v1/stx_supply", "total_stx > 0", "unlocked_percent = 100.00", "block_height = {tip}"),
		get("get-stx-supply-total-plain", "/extended/v1/stx_supply/total/plain", "~ ."),
		get("get-stx-supply-circulating-plain", "/extended/v1/stx_supply/circulating/plain", "~ ."),
		get("get-stx-supply-legacy", "/extended/v1/stx_supply/legacy_format", "totalStacks > 0"),
		get("get-stx-supply-v3", "/extended/v3/tokens/stx/supply", "total > 0"),
		get("getApiStatus", "/metadata/v1", "status = ready"),
		get("getFungibleTokens", "/metadata/v1/ft?limit=1&symbol=meme", "results # 1", "results/0/symbol = MEME"),
		get("getFtMetadata", "/metadata/v1/ft/{p1}", "name = Meme", "decimals = 5", "metadata/name = hello-world"),
		refuse("getFtMetadata", "/metadata/v1/ft/{account}.none", 404, "error = Contract not found"),
		get("getFtProvenance", "/metadata/v1/ft/{p1}/provenance", "contract/kind = ft"),
		get("getNftMetadata", "/metadata/v1/nft/{n1}/1", "metadata/name = hello-world"),
		get("getNftProvenance", "/metadata/v1/nft/{n1}/1/provenance", "contract/kind = nft"),
		get("getSftMetadata", "/metadata/v1/sft/{p2}/1", "decimals = 5"),
		get("getSftProvenance", "/metadata/v1/sft/{p2}/1/provenance", "contract/kind = sft"),
		get("searchTokens", "/metadata/v1/search?contract={p1}&contract={n1}:1", "~ hello-world"),
		post("refreshToken", "/metadata/v1/refresh", `{"contract_id":"{p1}"}`, 404),
	}
}

func bitcoin() []row {
	const burnchain, cycle = "/extended/v1/burnchain/", "/extended/v2/pox/cycles/{cycle}"
	rows := []row{
		get("list-reward-slot-holders", burnchain+"reward_slot_holders?limit=1", "total > 0"),
		get("list-reward-slots-of-address", burnchain+"reward_slot_holders/{slotted}?limit=1", "results/0/address = {slotted}"),
		get("list-burnchain-rewards", burnchain+"rewards?limit=1", "results # 1"),
		get("list-burnchain-rewards-of-address", burnchain+"rewards/{rewarded}?limit=1", "results/0/reward_recipient = {rewarded}"),
		get("get-burnchain-reward-total", burnchain+"rewards/{rewarded}/total", "reward_amount > 0"),
		refuse("get-burnchain-reward-total", burnchain+"rewards/nobody/total", 400, "message = Address nobody is not a valid Bitcoin or STX address."),
		get("list-address-pox-transactions", "/extended/v2/addresses/{paid}/pox-transactions?limit=1", "results/0/recipient = {paid}"),
		get("list-burn-block-pox-transactions", "/extended/v2/burn-blocks/{burn_height}/pox-transactions?limit=1", "limit = 1"),
		get("list-pox-cycles", "/extended/v2/pox/cycles?limit=1", "results/0/cycle_number = {cycle}"),
		get("get-pox-cycle", cycle, "cycle_number = {cycle}", "total_signers > 0"),
		get("list-pox-cycle-signers", cycle+"/signers?limit=2", "results/0/signing_key = {key}", "results/0/weight_percent > 0"),
		get("get-pox-cycle-signer", cycle+"/signers/{key}", "signing_key = {key}"),
		get("list-pox-cycle-signer-stackers", cycle+"/signers/{key}/stackers?limit=1", "limit = 1"),
		refuse("get-pox-cycle", "/extended/v2/pox/cycles/99999", 404, "message = Not found"),

		get("getOrdinalsStatus", "/ordinals/v1", "status = ready"),
		get("getInscriptions", "/ordinals/v1/inscriptions?limit=1", "results # 1", "total > 20"),
		get("getInscription", "/ordinals/v1/inscriptions/{inscription}", "id = {inscription}", "number = {number}"),
		get("getInscription", "/ordinals/v1/inscriptions/{number}", "id = {inscription}"),
		refuse("getInscription", "/ordinals/v1/inscriptions/999999999", 404),
		get("getInscriptionContent", "/ordinals/v1/inscriptions/{inscription}/content").varies("it is no text"),
		get("getInscriptionTransfers", "/ordinals/v1/inscriptions/{inscription}/transfers?limit=1", "total > 0"),
		get("getTransfersPerBlock", "/ordinals/v1/inscriptions/transfers?block={moved}&limit=1", "results # 1"),
		get("getSatoshi", "/ordinals/v1/sats/{sat}", "inscription_id"),
		get("getSatoshiInscriptions", "/ordinals/v1/sats/{sat}/inscriptions?limit=1", "results # 1"),
		get("getStatsInscriptionCount", "/ordinals/v1/stats/inscriptions?from_block_height={ordinals_height}&to_block_height={ordinals_height}", "results # 1"),
		get("getBrc20Tokens", "/ordinals/v1/brc-20/tokens?limit=1", "results # 1"),
		get("getBrc20TokenDetails", "/ordinals/v1/brc-20/tokens/{ticker}", "token/ticker", "supply/max_supply"),
		get("getBrc20TokenHolders", "/ordinals/v1/brc-20/tokens/{ticker}/holders?limit=1", "limit = 1"),
		get("getBrc20Activity", "/ordinals/v1/brc-20/activity?limit=1", "results # 1"),
		get("getBrc20Balances", "/ordinals/v1/brc-20/balances/{brc20_owner}?limit=1", "results # 1"),
		get("getBrc20TransferableInscriptions", "/ordinals/v1/brc-20/balances/{brc20_owner}/transferable?limit=1", "limit = 1"),
	}
	for _, version := range []string{"pox2", "pox3", "pox4"} {
		events, v1 := "list-"+version+"-events", "/extended/v1/"+version
		if version != "pox4" {
			rows = append(rows,
				get(events, v1+"/events?limit=1", "limit = 1"),
				refuse(events+"-of-transaction", v1+"/tx/0x0000000000000000000000000000000000000000000000000000000000000009", 404, "message = could not find transaction by ID"),
				get(events+"-of-stacker", v1+"/stacker/SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS", "results # 0", "total = 0"),
				get("list-"+version+"-delegations", v1+"/SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS/delegations", "total = 0", "results # 0"))
			continue
		}
		rows = append(rows,
			get(events, v1+"/events?limit=1", "results # 1"),
			get(events+"-of-transaction", v1+"/tx/{stacked_tx}", "results/0/tx_id = {stacked_tx}"),
			get(events+"-of-stacker", v1+"/stacker/{stacker}", "results/0/stacker = {stacker}"),
			get("list-"+version+"-delegations", v1+"/{pool}/delegations?limit=1", "limit = 1"))
	}
	return rows
}

func rest() []row {
	const node, log = "no node is configured", "the key of the log is drawn at random"
	return []row{
		get("get-status", "/extended", "status = ready", "chain_tip/block_height = {tip}", "chain_tip/burn_block_height > 0"),
		get("get-status-v1", "/extended/v1/status", "strata/network = mainnet"),
		post("request-faucet-stx", "/extended/v1/faucets/stx?address=ST000000000000000000002AMW42H", "", 403, "success = false", "error = Faucet is not available"),
		post("request-faucet-stx-v3", "/extended/v3/faucets/stx", `{"address":"ST000000000000000000002AMW42H"}`, 403, "error = Faucet is not available"),
		post("request-faucet-stx-v3", "/extended/v3/faucets/stx", `{}`, 400, "error = body must have required property 'address'"),
		post("request-faucet-btc", "/extended/v1/faucets/btc?address=x", "", 403, "error = Faucet is not available"),
		post("request-faucet-btc-v3", "/extended/v3/faucets/btc", `{"address":"x"}`, 403, "error = Faucet is not available"),
		post("request-faucet-sbtc", "/extended/v1/faucets/sbtc?address=x", "", 403, "error = Faucet is not available"),
		post("request-faucet-sbtc-v3", "/extended/v3/faucets/sbtc", `{"address":"x"}`, 403, "error = Faucet is not available"),
		refuse("get-faucet-btc-balance", "/extended/v1/faucets/btc/x", 403, "error = Faucet is not available"),
		get("get-event", "/audit/v1/events/1", "seq = 1", "path"),
		get("get-event-body", "/audit/v1/events/1/body").varies("it is as long as the event"),
		refuse("get-event", "/audit/v1/events/999999", 404, "message = no event 999999 in the log"),
		get("list-negative-balances", "/audit/v1/negative-balances?limit=1", "results"),
		get("list-projections", "/audit/v1/projections", "~ balances").varies("it has times of the run"),
		get("list-quarantine", "/audit/v1/quarantine?limit=1", "results"),
		get("get-trace", "/audit/v1/trace?path=/extended/v2/blocks/{block}", "status = 200", "rows/0/table", "events/0/seq"),
		refuse("get-log-checkpoint", "/audit/v1/log/checkpoint", 404),
		refuse("get-log-checkpoint-of-size", "/audit/v1/log/checkpoints/1", 404),
		post("post-log-cosignatures", "/audit/v1/log/cosignatures", "x", 404),
		refuse("get-log-key", "/audit/v1/log/key", 404),
		refuse("get-log-consistency-proof", "/audit/v1/log/proofs/consistency?from=1", 404),
		refuse("get-log-inclusion-proof", "/audit/v1/log/proofs/inclusion?seq=1", 404),
		refuse("get-log-entries", "/audit/v1/log/tile/entries/0", 404),
		refuse("get-log-tile", "/audit/v1/log/tile/0/0", 404),
		get("get-health", "/healthz", "status = ok"),
		get("get-readiness", "/readyz").varies("it has times of the run"),
		refuse("get-metrics", "/metrics", 403),
		refuse("get-nodes", "/proxy/v1/nodes", 503),
		refuse("getAccount", "/v2/accounts/{account}", 503).varies(node),
		refuse("getPox", "/v2/pox", 503).varies(node),
		post("callReadOnlyFunction", "/v2/contracts/call-read/{account}/x/y", "{}", 503).varies(node),
		post("estimateTransactionFee", "/v2/fees/transaction", "{}", 503).varies(node),
		post("broadcastTransaction", "/v2/transactions", "x", 503).varies(node),
		get("socketio", "/socket.io/?EIO=4&transport=polling", "~ sid").varies("the id of the session is drawn at random"),
		post("socketio-send", "/socket.io/?EIO=4&transport=polling&sid=x", "40", 400, "code = 1"),
		refuse("websocket", "/extended/v1/ws", 426).varies("the handshake needs a connection"),
		get("stream-blocks", "/stream/v1/blocks?from=log=0", "~ event: block").varies(streaming),
		get("stream-contract-events", "/stream/v1/contracts/{printer}/events?from=log=0", "~ {printer}").varies(streaming),
		get("stream-names", "/stream/v1/names?from=log=0", "~ event: name").varies(streaming),
		get("stream-mempool", "/stream/v1/mempool?from=log=0", "~ {pending}").varies(streaming),
		get("stream-balances", "/stream/v1/principals/{account}/balances?from=log=0", "~ {account}").varies(streaming),
		get("stream-transactions", "/stream/v1/principals/{account}/transactions?from=log=0", "~ tx_id").varies(streaming),
	}
}

// streaming is the reason why the answer of a stream is not compared as a whole: it does not end.
const streaming = "a stream does not end"
