package tokentest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/rig/body"
)

// The names of these tests are those of rows in the conformance list of token metadata. A pending job there is an open
// want here, and a job that is done is no want.

// Queries that several tests use.
const (
	blockRows    = `SELECT height::text FROM {schema}.block ORDER BY height`
	contractRows = `SELECT split_part(contract_id, '.', 2) FROM {schema}.contract ORDER BY contract_id`
	tokenRows    = `SELECT split_part(contract_id, '.', 2) || ' ' || token_id FROM {schema}.token ORDER BY contract_id, token_id`
	factRows     = `
		SELECT concat_ws(' ', split_part(contract_id, '.', 2), token_id, coalesce(uri, '-'), coalesce(name, '-'), coalesce(symbol, '-'),
		       coalesce(decimals::text, '-'), coalesce(total_supply::text, '-'), nullif(reason, 0))
		FROM {schema}.token ORDER BY contract_id, token_id`
	noticeRows = `
		SELECT concat_ws(' ', split_part(contract_id, '.', 2), coalesce(token_id::text, '*'), height, mode, ttl)
		FROM {schema}.notification ORDER BY contract_id, token_id NULLS FIRST, height`
)

// Contracts, by the names that the tests use.
var (
	usdc  = alice.Contract("usdc")
	punks = alice.Contract("punks")
	deeds = alice.Contract("deeds")
)

// punksWith deploys an nft contract with n tokens in block 1, and reads all of them.
func punksWith(w *world, n uint64) {
	w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(n)))
	w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewNone()))
	w.mine(alice.Deploys("punks", sip009))
	w.settle(token.NFT)
	w.checkWants("after all is read", token.NFT)
}

// usdcRead deploys an ft contract in block 1, and reads it.
func usdcRead(w *world) {
	w.outside.ft(usdc, "USD Coin", "USDC", 6, 10_000, clarity.NewNone())
	w.mine(alice.Deploys("usdc", sip010))
	w.settle(token.FT)
	w.checkWants("after all is read", token.FT)
}

// deedsRead deploys an sft contract in block 1 with token 3, and reads it.
func deedsRead(w *world) {
	w.outside.says(deeds, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/{id}.json"))))
	w.outside.says(deeds, "get-decimals", clarity.NewOk(value.Uint(6)))
	w.outside.says(deeds, "get-total-supply", clarity.NewOk(value.Uint(200)))
	w.outside.web["http://m.io/3.json"] = has(`{"name":"Deed"}`)
	w.mine(alice.Deploys("deeds", sip013))
	w.mine(by(printSFT(deeds, "sft_mint", value.Uint(3), 1000)))
	w.settle(token.SFT)
	w.checkWants("after all is read", token.SFT)
}

func TestBlocks(t *testing.T) { each(t, blockRules) }

var blockRules = map[string]func(w *world){
	"X1Tip": func(w *world) {
		w.mine(alice.Deploys("other", noToken))
		w.check("blocks", token.FT, blockRows, "1")
		w.mine(by(body.Print(punks, value.Uint(1))))
		w.check("blocks", token.FT, blockRows, "1", "2")
		w.check("contracts", token.FT, contractRows)
	},
	// X4 expects the supply arithmetic of v1, which gives negative supplies. X6 replaces it.
	"X4SupplyIsReadAgain": func(w *world) {
		usdcRead(w)
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(12_000)))
		w.settle(token.FT)
		w.check("after the mint", token.FT, factRows, "usdc 1 - USD Coin USDC 6 12000")
		w.mine(by(burnFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(8_000)))
		w.settle(token.FT)
		w.check("after the burn", token.FT, factRows, "usdc 1 - USD Coin USDC 6 8000")
	},
	"X7MintOfAnotherToken": func(w *world) {
		punksWith(w, 3)
		w.mine(by(mintNFT(punks, 4)))
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2", "punks 3", "punks 4")
		w.checkWants("after the mint", token.NFT, "read punks 4")
	},
	"X8MintOfTheFirstToken": func(w *world) {
		punksWith(w, 0)
		w.check("tokens", token.NFT, tokenRows)
		w.mine(by(mintNFT(punks, 1)))
		w.check("tokens", token.NFT, tokenRows, "punks 1")
		w.checkWants("after the mint", token.NFT, "read punks 1")
	},
	"X9UnknownContract": func(w *world) {
		w.mine(by(mintNFT(punks, 1), mintFT(usdc), printSFT(deeds, "sft_mint", value.Uint(1), 1)))
		for _, kind := range kinds {
			w.check("tokens", kind, tokenRows)
			w.checkWants("of nobody", kind)
		}
	},
	// X10 counts the three jobs that remain, done or not: those of the contract and of two tokens. Here there is no want of
	// these.
	"X10RollbackOfMint": func(w *world) {
		punksWith(w, 2)
		w.mine(by(mintNFT(punks, 3)))
		w.revert(1)
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2")
		w.checkWants("after the rollback", token.NFT)
	},
	"X11MintsOfOneToken": func(w *world) {
		w.mine(alice.Deploys("deeds", sip013))
		w.mine(by(printSFT(deeds, "sft_mint", value.Uint(3), 1000), printSFT(deeds, "sft_mint", value.Uint(3), 200)))
		w.check("tokens", token.SFT, tokenRows, "deeds 3")
		w.checkWants("after the mints", token.SFT, "read deeds 3")
	},
	// X12 keeps one job, that of the contract. Here contracts of kind sft have no wants.
	"X12RollbackOfPrint": func(w *world) {
		w.mine(alice.Deploys("deeds", sip013))
		w.mine(by(printSFT(deeds, "sft_mint", value.Uint(1), 1000)))
		w.revert(1)
		w.check("contracts", token.SFT, contractRows, "deeds")
		w.check("tokens", token.SFT, tokenRows)
		w.checkWants("after the rollback", token.SFT)
	},
	// X13 expects the token's job to be pending. Here only its supply is wanted, because a mint of more changes nothing
	// else.
	"X13MintOfMore": func(w *world) {
		deedsRead(w)
		w.mine(by(printSFT(deeds, "sft_mint", value.Uint(3), 5)))
		w.check("tokens", token.SFT, factRows, "deeds 3 http://m.io/3.json - - 6 200")
		w.checkWants("after the mint", token.SFT, "supply deeds 3")
	},
	"X14Deploy": func(w *world) {
		w.mine(alice.Deploys("punks", sip009))
		w.check("contracts", token.NFT, contractRows, "punks")
		w.check("contracts of another kind", token.FT, contractRows)
		w.checkWants("of the contract", token.NFT, "last punks")
	},
	"X15FailedDeploy": func(w *world) {
		failed := alice.Deploys("punks", sip009)
		failed.Status = "abort_by_response"
		w.mine(failed)
		w.check("contracts", token.NFT, contractRows)
		w.checkWants("of nobody", token.NFT)
	},
	"X16EmptyInterface": func(w *world) {
		w.mine(alice.Deploys("punks", contractInterface(nil, nil, []any{})))
		w.check("contracts", token.NFT, contractRows)
		w.check("unrecognised", token.NFT, `SELECT contract_id FROM {schema}.unrecognised`)
		w.checkWants("of nobody", token.NFT)
	},
	"X17RollbackOfDeploy": func(w *world) {
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(3)))
		w.mine(alice.Deploys("punks", sip009), alice.Deploys("usdc", sip010))
		w.ask(token.NFT, "last punks")
		w.mine()
		w.revert(2)
		for _, kind := range kinds {
			w.check("contracts", kind, contractRows)
			w.check("tokens", kind, tokenRows)
			w.checkWants("of nobody", kind)
			w.check("counters", kind, `SELECT name FROM {schema}.counter WHERE n <> 0`)
		}
	},
	// X18 and X19: the job in flight is a report that comes after its want was deleted.
	"X18ContractReportAfterRollback": func(w *world) {
		w.mine()
		w.mine(alice.Deploys("punks", sip009))
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(3)))
		late := w.answer(token.NFT, "last punks")
		w.revert(1)
		w.record(late)
		w.check("contracts", token.NFT, contractRows)
		w.check("tokens", token.NFT, tokenRows)
	},
	"X19TokenReportAfterRollback": func(w *world) {
		punksWith(w, 0)
		w.mine(by(mintNFT(punks, 1)))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/{id}.json"))))
		late := w.answer(token.NFT, "read punks 1")
		w.ask(token.NFT, "read punks 1")
		document := w.answer(token.NFT, "document http://m.io/1.json")
		w.revert(1)
		w.record(late)
		w.record(document)
		w.check("tokens", token.NFT, tokenRows)
		w.check("documents", token.NFT, `SELECT uri FROM {schema}.document`)
		w.checkWants("of nobody", token.NFT)
	},
	// X20 has a record for each token. Here one row stands for all of them.
	"X20NotificationForAll": func(w *world) {
		punksWith(w, 3)
		w.mine(by(announce(punks, "nft")))
		w.check("notifications", token.NFT, noticeRows, "punks * 2 standard")
		w.checkWants("of all", token.NFT, "read punks 1", "read punks 2", "read punks 3")
	},
	"X21NotificationForSome": func(w *world) {
		punksWith(w, 3)
		w.mine(by(announce(punks, "nft", "token-ids", ids(1, 2))))
		w.check("notifications", token.NFT, noticeRows, "punks 1 2 standard", "punks 2 2 standard")
		w.checkWants("of some", token.NFT, "read punks 1", "read punks 2")
	},
	"X22Frozen": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft", "update-mode", utf8("frozen"))))
		w.check("notifications", token.NFT, noticeRows, "punks * 2 frozen")
	},
	"X23NotificationForFrozen": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("frozen"))))
		w.later()
		w.settle(token.NFT)
		w.mine(by(announce(punks, "nft")))
		w.check("notifications", token.NFT, noticeRows, "punks * 2 frozen")
		w.checkWants("of what is frozen", token.NFT)
	},
	"X24StandardEndsDynamic": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("dynamic"), "ttl", value.Uint(3600))))
		w.mine(by(announce(punks, "nft")))
		w.check("notifications", token.NFT, noticeRows, "punks * 2 dynamic 3600", "punks * 3 standard")
		w.later()
		w.settle(token.NFT)
		w.checkWants("of what is not dynamic any more", token.NFT)
	},
	"X25NotificationForAllAfterOne": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft", "token-ids", ids(1), "update-mode", value.Text("dynamic"))))
		w.mine(by(announce(punks, "nft")))
		w.check("notifications", token.NFT, noticeRows, "punks * 3 standard", "punks 1 2 dynamic")
		w.later()
		w.settle(token.NFT)
		w.checkWants("of what is not dynamic any more", token.NFT)
	},
	"X26RollbackOfNotification": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft")))
		w.revert(1)
		w.check("notifications", token.NFT, noticeRows)
	},
	"X27RollbackOfFrozen": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft")))
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("frozen"))))
		w.revert(1)
		w.check("notifications", token.NFT, noticeRows, "punks * 2 standard")
	},
	"X28OtherPrint": func(w *world) {
		punksWith(w, 1)
		w.mine(by(body.Print(punks, value.Tuple("notification", value.Text("something-else"), "payload", announcement(punks, "nft"))), body.Print(punks, value.Uint(1))))
		w.checkWants("after other prints", token.NFT)
	},
	"X29Unauthorised": func(w *world) {
		punksWith(w, 1)
		w.mine(stranger.Did(body.Print(stranger.Contract("fake"), announcement(punks, "nft"))))
		w.check("notifications", token.NFT, noticeRows)
		w.checkWants("after a stranger's word", token.NFT)
		// It counts from any contract in a transaction of the owner, and from the contract itself in anybody's
		// transaction.
		w.mine(by(body.Print(stranger.Contract("notify"), announcement(punks, "nft"))))
		w.mine(stranger.Did(announce(punks, "nft")))
		w.check("notifications", token.NFT, noticeRows, "punks * 3 standard", "punks * 4 standard")
	},
	// X30 and X31: rows come from canonical blocks only, and a branch that becomes canonical again is applied again.
	"X30X31Fork": func(w *world) {
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 10_000, clarity.NewNone())
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(0)))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewNone()))
		at := map[int][]body.Transaction{
			5: {alice.Deploys("usdc", sip010)}, 10: {alice.Deploys("punks", sip009)}, 12: {by(mintFT(usdc))}, 15: {by(mintFT(usdc))},
			18: {by(mintNFT(punks, 1))}, 20: {by(burnFT(usdc))}, 22: {by(mintNFT(punks, 2))},
			24: {by(announce(punks, "nft", "token-ids", ids(1, 2), "update-mode", value.Text("dynamic")))},
			26: {by(mintFT(usdc))}, 27: {by(mintNFT(punks, 3))}, 28: {by(burnFT(usdc))},
			29: {by(announce(punks, "nft", "token-ids", ids(1, 2, 3), "update-mode", value.Text("frozen")))}, 30: {by(mintFT(usdc))},
		}
		for height := 1; height <= 30; height++ {
			w.mine(at[height]...)
			w.settle(token.FT)
			w.settle(token.NFT)
		}
		old := slices.Clone(w.chain[25:])
		w.revert(5)
		w.apply(w.on("b", 25))
		w.check("tip", token.NFT, `SELECT max(height)::text FROM {schema}.block`, "26")
		w.check("contracts", token.FT, contractRows, "usdc")
		w.check("contracts", token.NFT, contractRows, "punks")
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2")
		w.check("notifications", token.NFT, noticeRows, "punks 1 24 dynamic", "punks 2 24 dynamic")
		w.settle(token.FT)
		w.settle(token.NFT)
		w.checkWants("that are dynamic again", token.NFT, "read punks 1", "read punks 2")

		w.revert(1)
		for _, name := range old {
			w.again(name)
		}
		w.mine()
		w.check("tip", token.NFT, `SELECT max(height)::text FROM {schema}.block`, "31")
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2", "punks 3")
		w.check("notifications", token.NFT, noticeRows,
			"punks 1 24 dynamic", "punks 1 29 frozen", "punks 2 24 dynamic", "punks 2 29 frozen", "punks 3 29 frozen")
		// There only token 3 is pending. Here the tokens that the notification names are wanted too, as when it first
		// came.
		w.checkWants("of the branch that won back", token.NFT, "read punks 1", "read punks 2", "read punks 3")
		w.checkWants("of the branch that won back", token.FT, "read usdc", "supply usdc")
	},
	// N9: a print that violates SIP-019 is no notification, and the rest of the block is folded.
	"N9NoNotification": func(w *world) {
		punksWith(w, 1)
		other := announce(punks, "nft")
		other.Data["topic"] = "say"
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("sometimes")), other, mintNFT(punks, 2)))
		w.check("notifications", token.NFT, noticeRows)
		w.checkWants("of the rest of the block", token.NFT, "read punks 2")
	},
	// Events of a transaction that failed, events that were not committed, and operations of Bitcoin do not count (X32).
	"IneffectiveEvents": func(w *world) {
		punksWith(w, 0)
		failed := by(mintNFT(punks, 1))
		failed.Status = "abort_by_post_condition"
		uncommitted := mintNFT(punks, 2)
		uncommitted.Uncommitted = true
		w.mine(failed, by(uncommitted), by(body.MintNFT(punks+"::art", value.Text("three"))))
		w.check("tokens", token.NFT, tokenRows)
	},
	"CountersAfterAll": func(w *world) {
		punksWith(w, 3)
		w.mine(by(mintNFT(punks, 4)))
		got := strings.Join(w.rows(token.NFT, `SELECT name || ' ' || n FROM {schema}.counter WHERE n <> 0 ORDER BY name`), ", ")
		if want := "contracts 1, pending 1, tokens 4"; got != want {
			w.t.Errorf("got %s, want %s", got, want)
		}
	},
	// A block that comes back raises its wants again, although they were answered before its revert.
	"WantsOfABlockThatComesBack": func(w *world) {
		coin := alice.Contract("coin")
		w.mine(alice.Deploys("coin", raw(sip010)))
		w.outside.ft(coin, "Coin", "C", 6, 1000, none)
		w.settle(token.FT)
		w.mine(by(burnFT(coin)))
		before := w.openWant(token.FT, "supply coin")
		w.ask(token.FT, "supply coin")
		w.revert(1)
		w.settle(token.FT)
		w.again("a2")
		after := w.openWant(token.FT, "supply coin")
		if after.sourceSeq <= before.sourceSeq {
			w.t.Errorf("the want was raised at event %d, and then again at %d", before.sourceSeq, after.sourceSeq)
		}
	},
}

// X2 and X3: there a sweep at each block finds what is due. Here a want is due at a time, whatever the blocks.
func TestX2X3Dynamic(t *testing.T) {
	for name, test := range map[string]struct {
		ttl  []any
		want time.Duration
	}{
		"X2 without ttl": {nil, 24 * time.Hour},
		"X3 with ttl":    {[]any{"ttl", value.Uint(3600)}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				punksWith(w, 3)
				w.mine(by(announce(punks, "nft", append([]any{"update-mode", value.Text("dynamic")}, test.ttl...)...)))
				w.later()
				w.settle(token.NFT)
				w.checkWants("of several tokens", token.NFT, "read punks 1", "read punks 2", "read punks 3")
				if got := w.openWant(token.NFT, "read punks 2").due; !got.Equal(w.now.Add(test.want)) {
					t.Errorf("due at %v, want %v after %v", got, test.want, w.now)
				}
			})
		})
	}
}

// X5 is of v1, which expects no new token. X6 is of v2, which expects one job, for the supply.
func TestX5X6Supply(t *testing.T) {
	for name, event := range map[string]func(string) body.Event{"mint": mintFT, "burn": burnFT} {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				usdcRead(w)
				w.mine(by(event(usdc)))
				w.check("tokens", token.FT, tokenRows, "usdc 1")
				w.checkWants("after a change of the supply", token.FT, "supply usdc")
			})
		})
	}
}
