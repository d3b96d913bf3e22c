package account_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"strata/domain/shard"
	"strata/internal/testkit/check"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// Every error body and rule of coercion of the lists of transactions and accounts.
func TestAccountConformance(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	busy, known := busiest(all, 1)[0], all[len(all)-1]
	wrong := busy[:len(busy)-1] + map[bool]string{true: "1", false: "0"}[busy[len(busy)-1] == '0']
	v1, v2, v3 := "/extended/v1/address/"+busy, "/extended/v2/addresses/"+busy, "/extended/v3/principals/"+busy
	nobody, unknown := apitest.Account(99), apitest.ID(apitest.TxHash, 9).String()
	for _, got := range s.ExpectAnswers(apitest.Answers{
		{"/extended/v1/tx?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v1/tx?limit=0&offset=99999999999999&unanchored=true&else=1", 200, ""},
		{"/extended/v1/tx?offset=-1", 400, apitest.Invalid("querystring/offset must be >= 0")},
		{"/extended/v1/tx?offset=9223372036854775808", 400, apitest.Invalid("querystring/offset must be integer")},
		{"/extended/v1/tx?type=coinbase,x", 400, apitest.Invalid("querystring/type/1 must be equal to one of the allowed values")},
		{"/extended/v1/tx?order=up", 400, apitest.Invalid("querystring/order must be equal to one of the allowed values")},
		{"/extended/v1/tx?sort_by=size", 400, apitest.Invalid("querystring/sort_by must be equal to one of the allowed values")},
		{"/extended/v1/tx?from_address=x", 400, apitest.BadRequest(`Invalid query parameter for \"from_address\": \"x\" is not a valid STX address`)},
		{"/extended/v1/tx?from_address=" + nobody + ".x", 400, apitest.BadRequest(`Invalid query parameter for \"from_address\": \"` + nobody + `.x\" is not a valid STX address`)},
		{"/extended/v1/tx?to_address=" + wrong, 400, ""},
		{"/extended/v1/tx?contract_id=x", 400, apitest.BadRequest(`Invalid query parameter for \"contract_id\": \"x\" is not a valid principal`)},
		{"/extended/v1/tx?nonce=-1", 400, apitest.Invalid("querystring/nonce must be >= 0")},
		{"/extended/v1/tx?nonce=18446744073709551615", 400, apitest.Invalid("querystring/nonce must be integer")},
		{"/extended/v1/tx?start_time=x", 400, apitest.Invalid("querystring/start_time must be integer")},
		{"/extended/v1/tx?start_time=9223372036854775807&end_time=0", 200, ""},
		{"/extended/v1/tx?sort_by=fee&cursor=3", 400, ""},
		{"/extended/v1/tx?cursor=0", 200, ""},
		{"/extended/v1/tx?cursor=x", 400, apitest.Invalid(`querystring/cursor must match pattern \"^[0-9]{1,18}$\"`)},
		{"/extended/v1/tx/events?tx_id=" + known.id + "&address=" + busy, 400, apitest.BadRequest("can't handle both 'address' and 'tx_id' in the same request")},
		{"/extended/v1/tx/events?address=" + wrong, 400, ""},
		{"/extended/v1/tx/events?address=" + nobody, 200, `{"limit":20,"offset":0,"events":[]}`},
		{"/extended/v1/tx/events?address=" + busy + "&type=x", 400, apitest.BadRequest("invalid 'event type'")},
		{"/extended/v1/tx/events?cursor=999999999999999999:999999999&address=" + busy, 200, ""},

		{v1 + "/transactions?until_block=10&unanchored=true", 400, apitest.BadRequest("can't handle both 'unanchored=true' and 'until_block' in the same request")},
		{v1 + "/transactions?until_block=10&height=10", 400, apitest.BadRequest("can't handle until_block and block_height in the same request")},
		{v1 + "/transactions?until_block=0", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{v1 + "/transactions?from_block=x", 400, apitest.BadRequest("Unexpected integer value for block height path parameter")},
		{v1 + "/transactions?until_block=" + unknown, 404, apitest.NotFound("block not found with hash")},
		{v1 + "/transactions?height=0", 400, apitest.Invalid("querystring/height must be >= 1")},
		{v1 + "/transactions?height=9223372036854775807", 200, `{"limit":20,"offset":0,"total":0,"results":[],"next_cursor":null,"prev_cursor":null,"cursor":null}`},
		{v1 + "/transactions?from_block=9&to_block=8", 200, `{"limit":20,"offset":0,"total":0,"results":[],"next_cursor":null,"prev_cursor":null,"cursor":null}`},
		{v1 + "/transactions?exclude_function_args=true&limit=50", 200, ""},
		{"/extended/v1/address/" + wrong + "/transactions", 400, apitest.BadRequest(`invalid STX address \"` + wrong + `\"`)},
		{"/extended/v1/address/" + nobody + "/transactions", 200, `{"limit":20,"offset":0,"total":0,"results":[],"next_cursor":null,"prev_cursor":null,"cursor":null}`},
		{"/extended/v1/address/x/transactions", 400, ""},
		{v1 + "/transactions_with_transfers?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{v1 + "/" + unknown + "/with_transfers", 404, apitest.NotFound("No matching transaction found")},
		{v1 + "/0x12/with_transfers", 400, ""},
		{"/extended/v1/address/" + nobody + "/" + known.id[2:] + "/with_transfers", 404, apitest.NotFound("No matching transaction found")},
		{v1 + "/assets?limit=101", 400, apitest.Invalid("querystring/limit must be <= 100")},
		{v1 + "/assets?until_block=" + unknown, 404, apitest.NotFound("block not found with hash")},
		{v1 + "/stx_inbound?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v1/address/" + wrong + "/stx_inbound", 400, apitest.BadRequest(`invalid STX address \"` + wrong + `\"`)},
		{v1 + "/nonces?block_height=3&block_hash=" + unknown, 400, apitest.BadRequest("Multiple block query parameters specified")},
		{v1 + "/nonces?block_hash=x", 400, apitest.BadRequest("Query parameter 'block_hash' is not a valid block hash hex string")},
		{v1 + "/nonces?block_height=999999", 404, apitest.NotFound(`No block found for {\"height\":999999}`)},
		{v1 + "/nonces?block_hash=" + unknown, 404, apitest.NotFound(`No block found for {\"hash\":\"` + unknown + `\"}`)},
		{"/extended/v1/address/" + nobody + "/nonces", 200, `{"last_mempool_tx_nonce":null,"last_executed_tx_nonce":null,"possible_next_nonce":0,"detected_missing_nonces":[],"detected_mempool_nonces":[]}`},

		{v2 + "/transactions?cursor=x", 404, apitest.NotFound("Invalid cursor format")},
		{v2 + "/transactions?cursor=" + unknown + ":-1:0", 404, apitest.NotFound("Invalid cursor format")},
		{v2 + "/transactions?cursor=" + unknown + ":0:0", 404, apitest.NotFound("Invalid cursor: block not found")},
		{v2 + "/transactions?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v2/addresses/" + nobody + "/transactions", 200, `{"limit":20,"offset":0,"total":0,"next_cursor":null,"prev_cursor":null,"cursor":null,"results":[]}`},
		{v2 + "/transactions/" + unknown + "/events", 404, apitest.NotFound("Transaction not found")},
		{"/extended/v2/addresses/" + nobody + "/transactions/" + known.id[2:] + "/events", 200, `{"limit":20,"offset":0,"total":0,"results":[]}`},
		{v2 + "/balances/ft?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},
		{v2 + "/balances/ft/x", 200, `{"balance":"0"}`},
		{"/extended/v2/addresses/" + nobody + "/balances/ft", 200, `{"limit":100,"offset":0,"total":0,"results":[]}`},
		{"/extended/v2/addresses/" + wrong + "/balances/ft", 400, apitest.BadRequest(`invalid STX address \"` + wrong + `\"`)},

		{"/extended/v3/transactions?limit=0", 400, apitest.Invalid("querystring/limit must be >= 1")},
		{"/extended/v3/transactions?cursor=2147483647:2147483647:32767", 200, ""},
		{"/extended/v3/transactions?cursor=999999999999999999:9999999999:9999999999", 400, apitest.BadRequest("Cursor value out of range: 999999999999999999:9999999999:9999999999")},
		{"/extended/v3/transactions?cursor=0:0:0", 200, ""},
		{"/extended/v3/transactions?cursor=1", 400, ""},
		{v3 + "/transactions?limit=51", 400, apitest.Invalid("querystring/limit must be <= 50")},
		{"/extended/v3/principals/" + nobody + "/transactions", 200, `{"total":0,"limit":20,"cursor":{"next":null,"previous":null,"current":null},"results":[]}`},
		{"/extended/v3/principals/" + nobody + ".x-y/transactions", 200, ""},
		{"/extended/v3/principals/" + nobody + "!/transactions", 400, ""},
		{v3 + "/transactions/" + unknown + "/balance-changes", 200, `{"total":0,"limit":20,"cursor":{"next":null,"previous":null,"current":null},"results":[]}`},
		{v3 + "/transactions/" + known.id[2:] + "/balance-changes?cursor=3:z", 200, ""},
		{v3 + "/balance-changes", 400, apitest.Invalid("querystring must have required property 'tx_id'")},
		{v3 + "/balance-changes?tx_id=0x12", 400, apitest.Invalid(`querystring/tx_id/0 must match pattern \"^(0x)?[a-fA-F0-9]{64}$\"`)},
		{v3 + "/balance-changes?tx_id=" + strings.Repeat(unknown+",", 20) + unknown, 400, apitest.Invalid("querystring/tx_id must NOT have more than 20 items")},
		{v3 + "/balance-changes?cursor=1:2:3:1:stx&tx_id=" + known.id[2:] + "&tx_id=" + unknown, 200, ""},
		{"/extended/v3/principals/" + nobody + "/balances/stx", 200, `{"balance":"0","available":"0","locked":null,"mempool":null}`},
		{"/extended/v3/principals/" + nobody + "/balances/ft", 200, `{"total":0,"limit":100,"cursor":{"next":null,"previous":null,"current":null},"results":[]}`},
		{"/extended/v3/principals/" + nobody + "/balances/nft", 200, `{"total":0,"limit":100,"cursor":{"next":null,"previous":null,"current":null},"results":[]}`},
		{v3 + "/balances/ft?cursor=x", 400, ""},
		{v3 + "/balances/ft?cursor=9999999999999999999999999999999999999999:x", 200, ""},
		{v3 + "/balances/nft?cursor=0x" + strings.Repeat("ff", 80) + ":z", 200, ""},
		{v3 + "/balances/nft?limit=201", 400, apitest.Invalid("querystring/limit must be <= 200")},
		{v3 + "/balances/ft/" + nobody + ".a::b", 200, `{"asset_identifier":"` + nobody + `.a::b","balance":"0"}`},
		{v3 + "/balances/ft/x", 400, ""},
		{v3 + "/balances/ft/stx", 400, ""},
		{"/extended/v3/principals/" + nobody + ".a/nonces", 400, apitest.Invalid(`params/principal must match pattern \"^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{28,41}$\"`)},
		{"/extended/v3/principals/" + nobody + "/nonces", 200, `{"next_nonce":0,"last_confirmed_nonce":null,"mempool":{"last_nonce":null,"pending_nonces":[],"missing_nonces":[]}}`},
	}) {
		if !json.Valid([]byte(got.Body)) {
			t.Errorf("got %s, which is no JSON", got.Body)
		}
	}
}

// Each shape, of the account with the longest list.
func TestAccountShapes(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	account := busiest(all, 1)[0]
	newest := newestFirst(all, func(tx *plainTx) bool { return tx.concerns(account) && len(tx.events) > 1 })[0]
	v1, v2, v3 := "/extended/v1/address/"+account, "/extended/v2/addresses/"+account, "/extended/v3/principals/"+account
	for name, target := range map[string]string{
		"tx": "/extended/v1/tx?limit=1&offset=3", "tx_v3": "/extended/v3/transactions?limit=2", "events": "/extended/v1/tx/events?limit=3&address=" + account,
		"transactions": v1 + "/transactions?limit=1&offset=2", "transfers": v1 + "/transactions_with_transfers?limit=2", "transfers_one": v1 + "/" + newest + "/with_transfers",
		"assets": v1 + "/assets?limit=3", "inbound": v1 + "/stx_inbound?limit=2", "nonces": v1 + "/nonces",
		"transactions_v2": v2 + "/transactions?limit=1&offset=1", "events_v2": v2 + "/transactions/" + newest + "/events?limit=3", "ft_v2": v2 + "/balances/ft?limit=2",
		"transactions_v3": v3 + "/transactions?limit=2", "changes": v3 + "/transactions/" + newest + "/balance-changes", "changes_many": v3 + "/balance-changes?tx_id=" + newest,
		"stx_v3": v3 + "/balances/stx", "ft_v3": v3 + "/balances/ft?limit=2", "nft_v3": v3 + "/balances/nft?limit=2", "nonces_v3": v3 + "/nonces",
	} {
		s.Golden("accounts/"+name, s.Get(target).Body)
	}
}

// A block that does not touch an account leaves what is kept of it as it is; one that does, does not.
func TestAccountListsKept(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	account := busiest(plain(s), 1)[0]
	k := apitest.NewKeeper(t, s.Pool, readapi.Config{Network: apitest.NetworkOf(apitest.ListedPosts(1))})
	targets := []string{
		"/extended/v1/address/" + account + "/transactions", "/extended/v1/address/" + account + "/assets?until_block=40", "/extended/v1/tx/events?address=" + account,
		"/extended/v2/addresses/" + account + "/transactions", "/extended/v3/principals/" + account + "/transactions",
	}
	before := map[string]string{}
	for _, target := range targets {
		before[target] = k.Get(target).Header.Get("ETag")
	}
	made := k.Reads()
	for _, projection := range []string{"chain", "accounts"} {
		s.Advance(projection, shard.Height(1<<40))
	}
	k.Seen("/extended/v1/tx")
	made = k.Reads() - made
	for _, target := range targets {
		if got := k.Get(target); got.Status != http.StatusOK || got.Header.Get("ETag") != before[target] || before[target] == "" {
			t.Errorf("%s: got %d with %q, want %q", target, got.Status, got.Header.Get("ETag"), before[target])
		}
	}
	check.Equal(t, "reads", k.Reads(), len(targets)+made)
	s.Advance("accounts", shard.Account(account))
	// The position of answers is that of chain, which has not moved.
	eventually.Holds(t, "the keeper sees it", func() bool { return k.Builds(targets[0]) })
	for _, target := range targets[1:] {
		if !k.Builds(target) {
			t.Errorf("%s: is as before its account was touched", target)
		}
	}
}

// Before the first block there is nothing to find, and nothing fails.
func TestAccountsBeforeTheFirst(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
	some := apitest.ID(apitest.TxHash, 1).String()
	for _, before := range []string{"the projection", "the first block"} {
		for target, want := range map[string]int{
			"/extended/v1/tx": 200, "/extended/v1/tx?nonce=1": 200, "/extended/v3/transactions": 200, "/extended/v1/tx/events?address=" + apitest.Alice: 200,
			"/extended/v1/address/" + apitest.Alice + "/transactions": 404, "/extended/v1/address/" + apitest.Alice + "/assets": 404, "/extended/v1/address/" + apitest.Alice + "/stx_inbound": 404,
			"/extended/v1/address/" + apitest.Alice + "/transactions?until_block=" + some: 404, "/extended/v1/address/" + apitest.Alice + "/" + some + "/with_transfers": 404, "/extended/v1/address/" + apitest.Alice + "/nonces": 404,
			"/extended/v2/addresses/" + apitest.Alice + "/transactions": 200, "/extended/v2/addresses/" + apitest.Alice + "/transactions/" + some + "/events": 404, "/extended/v2/addresses/" + apitest.Alice + "/balances/ft": 404,
			"/extended/v3/principals/" + apitest.Alice + "/transactions": 200, "/extended/v3/principals/" + apitest.Alice + "/balance-changes?tx_id=" + some: 200, "/extended/v3/principals/" + apitest.Alice + "/balances/nft": 200,
		} {
			if got := s.Get(target); got.Status != want {
				t.Errorf("before %s: %s: got %d %s, want %d", before, target, got.Status, got.Body, want)
			}
		}
		if before == "the projection" {
			for _, name := range []string{"chain", "balances", "accounts"} {
				s.Projection(name, map[bool]string{true: "log", false: "chain_v1"}[name == "chain"])
			}
		}
	}
}

// The rows behind a list are those that it shows, and the events have them where the rows say.
func TestTraceOfAccountLists(t *testing.T) {
	t.Parallel()
	s := apitest.NewListed(t)
	all := plain(s)
	account := busiest(all, 1)[0]
	for target, want := range map[string]struct {
		table string
		n     int
	}{
		"/extended/v1/tx?limit=5": {"accounts.transaction", 5}, "/extended/v3/transactions?limit=5": {"accounts.transaction", 5}, "/extended/v1/tx?limit=3&to_address=" + account: {"accounts.transaction", 3},
		"/extended/v1/address/" + account + "/transactions?limit=4": {"accounts.account_transaction", 4}, "/extended/v1/address/" + account + "/transactions_with_transfers?limit=4": {"accounts.account_transaction", 4},
		"/extended/v2/addresses/" + account + "/transactions?limit=4": {"accounts.account_transaction", 4}, "/extended/v3/principals/" + account + "/transactions?limit=4": {"accounts.account_transaction", 4},
		"/extended/v1/address/" + account + "/assets?limit=6": {"accounts.account_event", 6}, "/extended/v1/address/" + account + "/stx_inbound?limit=2": {"accounts.account_event", 2},
	} {
		shown := s.Get(target).Body
		traced := s.Trace(target, 200)
		listed, rows := traced.In(want.table), traced.In("chain.transaction")
		if len(listed) != want.n || len(rows) == 0 {
			t.Errorf("%s: got %d rows of the list and %d transactions, want %d", target, len(listed), len(rows), want.n)
			continue
		}
		for _, row := range listed {
			fact := s.Fact(row, "source_seq")
			if txid, _ := fact["txid"].(string); txid == "" || !strings.Contains(shown, txid) {
				t.Errorf("%s: row %v comes from %v, which is not shown", target, row.Key, fact["txid"])
			}
		}
	}
	var owner string
	must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`SELECT owner FROM {balances}.nft_custody WHERE owner IS NOT NULL ORDER BY owner LIMIT 1`)).Scan(&owner))
	if got := s.Trace("/extended/v3/principals/"+owner+"/balances/nft", 200).In("balances.nft_custody"); len(got) == 0 || got[0].Column("owner") != owner {
		t.Errorf("got %v behind what %s owns", got, owner)
	}
	sender := newestSender(all)
	if got := s.Trace("/extended/v1/address/"+sender+"/nonces", 50).In("balances.nonce"); len(got) != 1 || got[0].Column("account") != sender {
		t.Errorf("got %v behind the nonces of %s", got, sender)
	}
}

func newestSender(all []plainTx) string {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].kind == "token_transfer" && all[i].nonce != "-1" {
			return all[i].sender
		}
	}
	return ""
}

// Whatever stands in a path or a query, the answer is one that is documented, and never a failure of the server.
func FuzzAccounts(f *testing.F) {
	s := apitest.NewListed(f)
	all := plain(s)
	account, some := busiest(all, 1)[0], all[len(all)/2].id
	for _, seed := range [][2]string{
		{"v1/tx", "limit=50&offset=9223372036854775807&type=coinbase,token_transfer&order=asc"}, {"v1/tx", "sort_by=fee&start_time=0&end_time=9223372036854775807"},
		{"v1/tx", "from_address=" + account + "&nonce=9223372036854775807&cursor=999999999999999999"}, {"v1/tx", "to_address=" + account + "&function_name=%27&order=asc&cursor=0"},
		{"v1/tx", "contract_id=" + account + ".x&type=&from_block=9223372036854775807&to_block=" + some}, {"v3/transactions", "cursor=5:0:0&limit=1"},
		{"v1/tx/events", "address=" + account + "&type=stx_lock,smart_contract_log&cursor=999999999999999999:999999999&offset=2147483648"},
		{"v1/address/" + account + "/transactions", "height=9223372036854775807&cursor=999999999999999999&offset=1"}, {"v1/address/" + account + "/assets", "until_block=" + some + "&unanchored=true"},
		{"v1/address/" + account + "/transactions_with_transfers", "from_block=1&to_block=2&limit=0"}, {"v1/address/" + account + "/" + some[2:] + "/with_transfers", ""},
		{"v1/address/" + account + "/stx_inbound", "limit=50&offset=5"}, {"v1/address/" + account + "/nonces", "block_height=9223372036854775807"}, {"v1/address/%00/nonces", "block_hash=" + some},
		{"v2/addresses/" + account + "/transactions", "cursor=" + some + ":4294967295:4294967295"}, {"v2/addresses/" + account + "/transactions/" + some + "/events", "offset=9223372036854775807&limit=0"},
		{"v2/addresses/" + account + "/balances/ft/%25", "until_block=3"}, {"v2/addresses/" + account + "/balances/ft", "offset=9223372036854775807"},
		{"v3/principals/" + account + "/balance-changes", "tx_id=" + some + "," + some + "&cursor=2147483647:2147483647:32767:3:%00"}, {"v3/principals/" + account + "/transactions/" + some + "/balance-changes", "cursor=1:%ff&limit=1"},
		{"v3/principals/" + account + "/balances/ft", "cursor=9999999999999999999999999999999999999999:%27"}, {"v3/principals/" + account + "/balances/nft", "cursor=0x00:%c3%28"}, {"v3/principals/" + account + "/nonces", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	s.FuzzReads(f)
}
