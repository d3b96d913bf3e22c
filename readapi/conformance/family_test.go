package conformance

// version3 has what version 3 of the API adds to versions 1 and 2.
func version3() []row {
	const v3, account = "/extended/v3", "/extended/v3/principals/{account}"
	return []row{
		get("list-blocks-v3", v3+"/blocks?limit=2", "results # 2", "results/0/hash = {tip_hash}"),
		get("get-block-v3", v3+"/blocks/{block}", "hash = {block_hash}"),
		get("get-block-v3", v3+"/blocks/latest", "height = {tip}"),
		refuse("get-block-v3", v3+"/blocks/99999999", 404),
		get("list-bitcoin-blocks", v3+"/bitcoin-blocks?limit=1", "results/0/height = {burn_height}"),
		get("get-bitcoin-block", v3+"/bitcoin-blocks/{burn_height}", "hash = {burn_hash}"),
		get("list-bitcoin-block-blocks", v3+"/bitcoin-blocks/{burn_hash}/blocks?limit=1", "results/0/hash = {tip_hash}"),
		get("get-mempool-summary", v3+"/mempool", "count > 0", "by_type/token_transfer/count > 0"),
		get("get-mining", account+"/mining"),
		get("list-mining-rewards", account+"/mining/rewards?limit=1", "limit = 1", "results/0/recipient = {account}", "results/0/miner", "results/0/source_block"),
		refuse("list-mining-rewards", account+"/mining/rewards?cursor=1:32768", 400, "message = Cursor value out of range: 1:32768"),
		get("list-ft-transfers", "/extended/v3/principals/{holder}/transfers/ft/{coin}?limit=1", "results # 1"),
		get("list-inbound-stx-transfers", account+"/transfers/stx/inbound?limit=1", "results # 1"),
		get("list-outbound-stx-transfers", account+"/transfers/stx/outbound?limit=1", "results # 1"),
		get("search-v3", v3+"/search?q={call}", "results # 1", "results/0/type = transaction", "results/0/result/tx_id = {call}"),
		get("search-v3", v3+"/search?q={block}", "results/0/type = block", "results/0/result/height = {block}"),
		get("search-v3", v3+"/search?q={burn_hash}", "results/0/type = bitcoin_block", "results/0/result/height = {burn_height}"),
		get("search-v3", v3+"/search?q={account}", "results/0/type = address", "results/0/result/principal = {account}"),
		get("search-v3", v3+"/search?q={deployed}", "results/0/type = smart_contract", "results/0/result/contract_id = {deployed}"),
		get("search-v3", v3+"/search?q={coin}", "results/0/type = token", "results/0/result/asset_identifier = {coin}", "results/0/result/asset_type = ft"),
		get("search-v3", v3+"/search?q=COIN&type=token", "results/0/result/asset_type = ft"),
		get("search-v3", v3+"/search?q={pending}&type=mempool_transaction", "results/0/result/tx_id = {pending}"),
		get("search-v3", v3+"/search?q={name}&type=name", "results/0/type = name", "results/0/result/owner = {name_owner}"),
		get("search-v3", v3+"/search?q=that-begins-as&type=name", "results/0/type = name", "results/1/type = name"),
		get("search-v3", v3+"/search?q=MEM&type=token_metadata", "results # 1", "results/0/type = token_metadata", "results/0/result/contract_id = {p1}"),
		get("search-v3", v3+"/search?q=$+%23&type=token_metadata,brc20_token", "results # 0"),
		get("search-v3", v3+"/search?q={ticker}&type=brc20_token", "results/0/type = brc20_token", "results/0/result/block_height > 0"),
		get("search-v3", v3+"/search?q=zzzz", "results # 0"),
		refuse("search-v3", v3+"/search?q=zz", 400, "~ The term is not a block or transaction hash"),
		refuse("search-v3", v3+"/search?q=zz&type=name", 400, "~ The term is not a block or transaction hash"),
		refuse("search-v3", v3+"/search?q=+&type=token_metadata", 400, "~ The term is not a block or transaction hash"),
		get("get-contract-v3", v3+"/smart-contracts/{deployed}", "contract_id = {deployed}"),
		get("list-contract-events-v3", v3+"/smart-contracts/{printer}/events?limit=1", "results # 1"),
		get("list-ft-holders-v3", v3+"/tokens/ft/{coin}/holders?limit=1", "results/0/principal = {holder}"),
		get("get-ft-supply-v3", v3+"/tokens/ft/{coin}/supply", "total", "asset_identifier = {coin}"),
		get("list-nft-holders-v3", v3+"/tokens/nft/{art}/holders?limit=1", "results # 1"),
		get("list-nft-holders", "/extended/v1/tokens/nft/{art}/holders?limit=1", "results # 1"),
		get("list-nft-history-v3", v3+"/tokens/nft/{art}/{item}/history?limit=1", "results # 1"),
		get("list-nft-history-v3", v3+"/tokens/nft/{art}/{item}/history?cursor=2147483647:0:0:0", "limit = 50"),
		refuse("list-nft-history-v3", v3+"/tokens/nft/{art}/{item}/history?cursor=1:0:32768:0", 400, "message = Cursor value out of range: 1:0:32768:0"),
		refuse("list-nft-history-v3", v3+"/tokens/nft/{art}/340282366920938463463374607431768211456/history", 400, "message = Token id is larger than the maximum Clarity uint"),
		get("list-stx-holders-v3", v3+"/tokens/stx/holders?limit=1", "results # 1"),
		get("list-transaction-batch", v3+"/transactions/batch?tx_id={call}", "~ {call}"),
		refuse("list-transaction-batch", v3+"/transactions/batch", 400),
		get("getTokenBatch", "/metadata/v1/batch?contract={p1}", "results # 1"),
		post("postTokenBatch", "/metadata/v1/batch", `{"contracts":["{p1}","SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.none"]}`, 200, "results # 2", "results/1/error = Contract not found"),
		get("getBrc20BalancesOfAddresses", "/ordinals/v1/brc-20/balances?address={brc20_owner}&limit=1", "limit = 1"),
		get("list-narrow-copies", "/audit/v1/narrow-copies?limit=1", "results"),
		get("list-feed-anomalies", "/audit/v1/feed-anomalies?limit=1", "results"),
		get("list-unknown-fields", "/audit/v1/unknown-fields?limit=1", "results"),
	}
}

// staking has the reads about pox-5. Its contract is not called on the made-up chain: the tests of readapi/staking compare
// full bodies with a simulation of it.
func stakingRows() []row {
	const v3, v1 = "/extended/v3/staking", "/extended/v1/pox5"
	return []row{
		get("get-staking", v3),
		get("get-staking-rewards", v3+"/rewards", "~ btc"),
		get("list-staking-bonds", v3+"/bonds?limit=1", "limit = 1"),
		get("get-staking-bond", v3+"/bonds/0", "index = 0"),
		refuse("get-staking-bond", v3+"/bonds/x", 400),
		get("list-staking-bond-allowlist", v3+"/bonds/0/allowlist?limit=1", "results # 0"),
		refuse("get-staking-bond-allowlist-entry", v3+"/bonds/0/allowlist/{account}", 404),
		get("list-staking-bond-events", v3+"/bonds/0/events?limit=1", "results # 0"),
		refuse("list-staking-bond-events", v3+"/bonds/0/events?cursor=5:0:40000:0", 400, "message = Cursor value out of range: 5:0:40000:0"),
		get("list-staking-bond-registrations", v3+"/bonds/0/registrations?limit=1", "results # 0"),
		refuse("get-staking-bond-registration", v3+"/bonds/0/registrations/{account}", 404),
		get("get-staking-cycle", v3+"/cycles/current", "number"),
		refuse("list-staking-cycle-signers", v3+"/cycles/current/signers?limit=1", 404, "message = No reward set for this PoX cycle"),
		get("list-staking-cycle-stakers", v3+"/cycles/current/stakers?limit=1", "limit = 1"),
		get("list-staking-signers", v3+"/signers?limit=1", "results # 0"),
		refuse("get-staking-signer", v3+"/signers/{printer}", 404),
		get("list-staking-signer-stakers", v3+"/signers/{printer}/stakers?limit=1", "results # 0"),
		get("list-staking-signer-key-rewards", v3+"/signer-keys/{key}/rewards?limit=1", "limit = 1"),
		get("list-staking-miner-rewards", v3+"/miners/{account}/rewards?limit=1", "limit = 1"),
		get("get-principal-staking", "/extended/v3/principals/{account}/staking"),
		get("list-principal-staking-bonds", "/extended/v3/principals/{account}/staking/bonds?limit=1", "results # 0"),
		get("list-pox5-events", v1+"/events?limit=1", "results # 0"),
		refuse("list-pox5-events-of-transaction", v1+"/tx/0x0000000000000000000000000000000000000000000000000000000000000009", 404),
		get("list-pox5-events-of-stacker", v1+"/stacker/SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS", "results # 0", "total = 0"),
	}
}

// names has the reads about both registries of names.
func namesRows() []row {
	const v1 = "/v1"
	return []row{
		get("list-bns-v1-namespaces", v1+"/namespaces", "namespaces # 2"),
		get("list-bns-v1-namespace-names", v1+"/namespaces/{namespace}/names", "~ {name}"),
		refuse("list-bns-v1-namespace-names", v1+"/namespaces/nowhere/names", 400, "error = No such namespace"),
		get("list-bns-v1-names", v1+"/names?page=0", "~ {name}"),
		refuse("list-bns-v1-names", v1+"/names?page=999", 400, "error = Invalid page"),
		get("get-bns-v1-name", v1+"/names/{name}", "address = {name_owner}"),
		refuse("get-bns-v1-name", v1+"/names/nobody.nowhere", 404, "error = cannot find name nobody.nowhere"),
		get("list-bns-v1-subdomains", v1+"/names/{name}/subdomains", "~ ["),
		get("get-bns-v1-zonefile", v1+"/names/{name}/zonefile", "zonefile"),
		refuse("get-bns-v1-zonefile-by-hash", v1+"/names/{name}/zonefile/0x00", 404),
		get("list-bns-v1-names-of-address", v1+"/addresses/stacks/{name_owner}", "~ {name}"),
		refuse("get-bns-v1-name-price", "/v2/prices/names/nobody.nowhere", 503).varies("no node is configured"),
		get("get-bns-v1-namespace-price", "/v2/prices/namespaces/abc", "units = STX", "amount"),
	}
}

// secondNames has the reads about the second registry of names. Nobody calls it on the made-up chain: the tests of
// readapi/bns compare full bodies.
func secondNames() []row {
	const v2, owner = "/bns/v2", "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS"
	rows := []row{
		get("get-bns-last-token-id", v2+"/token/last-id"),
		get("get-bns-names-of-addresses", v2+"/names/by-address?address="+owner),
		get("get-bns-namespace-price", v2+"/prices/namespaces/abc", "units = uSTX"),
		refuse("get-bns-name-can-register", v2+"/names/btc/alice/can-register", 404, "reason = NAMESPACE_NOT_FOUND"),
	}
	for operation, path := range map[string]string{
		"list-bns-events": "/events", "list-bns-listings": "/listings", "list-bns-names": "/names", "list-bns-expired-names": "/names/expired",
		"list-bns-revoked-names": "/names/revoked", "list-bns-valid-names": "/names/valid", "list-bns-namespaces": "/namespaces",
		"list-bns-address-names": "/names/address/" + owner, "list-bns-address-expired-names": "/names/address/" + owner + "/expired",
		"list-bns-address-expiring-names": "/names/address/" + owner + "/expiring-soon", "list-bns-address-revoked-names": "/names/address/" + owner + "/revoked",
		"list-bns-address-valid-names": "/names/address/" + owner + "/valid", "list-bns-preorders": "/preorders/" + owner,
	} {
		rows = append(rows, get(operation, v2+path))
	}
	for operation, path := range map[string]string{
		"get-bns-btc-address": "/btc-address/alice.btc", "get-bns-primary-name": "/names/address/" + owner + "/primary", "list-bns-namespace-names": "/names/namespace/btc",
		"get-bns-name": "/names/alice.btc", "get-bns-name-can-resolve": "/names/alice.btc/can-resolve", "list-bns-name-events": "/names/alice.btc/history",
		"get-bns-name-id": "/names/alice.btc/id", "get-bns-name-owner": "/names/alice.btc/owner", "get-bns-name-renewal": "/names/alice.btc/renewal",
		"get-bns-namespace": "/namespaces/btc", "list-bns-namespace-events": "/namespaces/btc/history", "get-bns-name-price": "/prices/names/alice.btc",
		"resolve-bns-name": "/resolve-name/alice.btc", "get-bns-subdomain": "/subdomain/a.alice.btc", "get-bns-subdomain-owner": "/subdomain/a.alice.btc/owner",
		"list-bns-subdomains": "/subdomains/alice.btc", "get-bns-token-info": "/tokens/1/info", "get-bns-token-name": "/tokens/1/name",
		"get-bns-token-owner": "/tokens/1/owner", "get-bns-profile": "/zonefile/alice.btc/profile", "get-bns-raw-zonefile": "/zonefile/alice.btc/raw",
	} {
		rows = append(rows, refuse(operation, v2+path, 404, "error"))
	}
	return rows
}

// standard has the operations of the integration standard, in both dialects.
func standard() (rows []row) {
	const (
		network  = `"network_identifier":{"blockchain":"stacks","network":"mainnet"}`
		key      = `"public_key":{"curve_type":"secp256k1","hex_bytes":"025c13b2fc2261956d8a4ad07d481b1a3b2cbf93a24f992249a61c3a1c4de79c51"}`
		ofBlock  = `"block_identifier":{"hash":"{block_index}"}`
		account  = `"account_identifier":{"address":"{account}"}`
		ofCall   = `"transaction_identifier":{"hash":"{call}"}`
		waiting  = `"transaction_identifier":{"hash":"{pending}"}`
		unsigned = `"unsigned_transaction":"00"`
	)
	for _, dialect := range []struct{ operation, prefix string }{{"mesh", "/mesh"}, {"rosetta", "/rosetta/v1"}} {
		ask := func(operation, path, members string, facts ...string) row {
			return post(dialect.operation+operation, dialect.prefix+path, "{"+network+members+"}", 200, facts...)
		}
		fail := func(operation, path, members string) row {
			return post(dialect.operation+operation, dialect.prefix+path, "{"+network+members+"}", 500, "code > 0", "message")
		}
		rows = append(rows,
			post(dialect.operation+"NetworkList", dialect.prefix+"/network/list", "{}", 200, "network_identifiers/0/blockchain = stacks"),
			ask("NetworkOptions", "/network/options", "", "allow/operation_types", "allow/errors/0/code > 0").varies("it has the version of the program"),
			ask("NetworkStatus", "/network/status", "", "current_block_identifier/index = {tip}"),
			ask("Block", "/block", ","+ofBlock, "block/block_identifier/index = {block}"),
			ask("BlockTransaction", "/block/transaction", `,"block_identifier":{"hash":"{call_index}"},`+ofCall, "transaction/transaction_identifier/hash = {call}"),
			ask("AccountBalance", "/account/balance", ","+account, "balances/0/currency/symbol = STX"),
			fail("AccountCoins", "/account/coins", ","+account),
			ask("Mempool", "/mempool", "", "~ {pending}"),
			ask("MempoolTransaction", "/mempool/transaction", ","+waiting, "transaction/transaction_identifier/hash = {pending}"),
			fail("Call", "/call", `,"method":"x","parameters":{}`),
			ask("EventsBlocks", "/events/blocks", `,"limit":1`, "events # 1"),
			ask("SearchTransactions", "/search/transactions", `,"limit":1,`+account, "transactions # 1"),
			ask("ConstructionDerive", "/construction/derive", ","+key, "account_identifier/address = SP19SH1QSCR8VMEX6SVWP33WCF08RPDY5QR4KH85G"),
			fail("ConstructionPreprocess", "/construction/preprocess", `,"operations":[]`),
			fail("ConstructionMetadata", "/construction/metadata", `,"options":{}`),
			fail("ConstructionPayloads", "/construction/payloads", `,"operations":[]`),
			fail("ConstructionCombine", "/construction/combine", `,"signatures":[],`+unsigned),
			fail("ConstructionParse", "/construction/parse", `,"signed":false,"transaction":"00"`),
			fail("ConstructionHash", "/construction/hash", `,"signed_transaction":"00"`),
			fail("ConstructionSubmit", "/construction/submit", `,"signed_transaction":"00"`))
	}
	return rows
}
