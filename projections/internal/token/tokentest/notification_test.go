package tokentest

import (
	"testing"
	"time"

	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/foldtest"
)

func dynamic(parts ...any) body.Event {
	return announce(punks, "nft", append([]any{"update-mode", value.Text("dynamic")}, parts...)...)
}

func TestNotifications(t *testing.T) { each(t, notificationRules) }

var notificationRules = map[string]func(w *world){
	// D1: any number of dynamic tokens may be due at once, with any ttl.
	"D1DueTogether": func(w *world) {
		punksWith(w, 3)
		w.mine(by(dynamic("ttl", huge)))
		w.later()
		w.settle(token.NFT)
		w.checkFailed("a ttl of ages", token.NFT, "read punks 1", 100*365*day, 0, 0, 0)
		w.mine(by(dynamic("ttl", value.Uint(600))))
		w.later()
		w.settle(token.NFT)
		w.now = w.now.Add(time.Hour)
		w.mine()
		if asked := w.settle(token.NFT); len(asked) != 3 {
			w.t.Errorf("asked for %v", asked)
		}
		w.checkFailed("again", token.NFT, "read punks 3", 10*time.Minute, 0, 0, 0)
		if s := w.openWant(token.NFT, "read punks 3"); s.priority != 4 {
			w.t.Errorf("priority %d", s.priority)
		}
	},
	// D2: a print with an unknown mode is no notification, and does no harm.
	"D2UnknownMode": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("never")), mintNFT(punks, 2)))
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2")
		w.check("notifications", token.NFT, noticeRows)
	},
	// D3: ids are numbers below 2^128.
	"D3LargeIDs": func(w *world) {
		const largest = "340282366920938463463374607431768211455"
		punksWith(w, 0)
		w.mine(alice.Deploys("deeds", sip013), by(body.MintNFT(punks+"::art", huge), mintNFT(punks, 0), printSFT(deeds, "sft_mint", huge, 1)))
		w.check("tokens", token.NFT, tokenRows, "punks 0", "punks "+largest)
		w.check("tokens", token.SFT, tokenRows, "deeds "+largest)
		w.mine(by(announce(punks, "nft", "token-ids", value.Must(newList(huge)))))
		w.check("notifications", token.NFT, noticeRows, "punks "+largest+" 3 standard")
		w.settle(token.NFT)
		w.checkWants("of the largest", token.SFT, "read deeds "+largest)
	},
	// D9: zero is a number.
	"D9Zero": func(w *world) {
		w.outside.ft(usdc, "Zero", "Z", 0, 0, none)
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - Zero Z 0 0")
	},
	// D14: SIP-019 has notifications of class sft, and all of them are prints.
	"D14ClassAndTopic": func(w *world) {
		deedsRead(w)
		say := announce(deeds, "sft", "token-ids", ids(3))
		say.Data["topic"] = "say"
		mint := printSFT(deeds, "sft_mint", value.Uint(4), 1)
		mint.Data["topic"] = "say"
		w.mine(by(say, mint))
		w.check("notifications", token.SFT, noticeRows)
		w.check("tokens", token.SFT, tokenRows, "deeds 3")
		w.mine(by(announce(deeds, "sft", "token-ids", ids(3, 9))))
		w.check("notifications", token.SFT, noticeRows, "deeds 3 4 standard", "deeds 9 4 standard")
		w.checkWants("of the one that is there", token.SFT, "document http://m.io/3.json", "read deeds 3")
	},
	// D15: minting a token again does not delete what is known of it.
	"D15MintedAgain": func(w *world) {
		punk(w, `{"name":"Punk"}`)
		before := append(w.rows(token.NFT, factRows), w.rows(token.NFT, documentRows)...)
		w.mine(by(mintNFT(punks, 1)))
		foldtest.Compare(w.t, "rows", append(w.rows(token.NFT, factRows), w.rows(token.NFT, documentRows)...), before)
		w.checkWants("after the mint", token.NFT, "read punks 1")
	},
	// D22: the revert of a later block does not delete a token that existed before.
	"D22MintedEarlier": func(w *world) {
		punksWith(w, 0)
		w.mine(by(mintNFT(punks, 1)))
		w.mine(by(mintNFT(punks, 1)))
		w.revert(1)
		w.check("minted twice", token.NFT, tokenRows, "punks 1")
		w.apply(w.on("b", 2, by(mintNFT(punks, 2))))
		w.revert(1)
		w.check("of the other branch", token.NFT, tokenRows, "punks 1")
	},
	// A frozen token stays frozen until the block that froze it is reverted. Then earlier notifications count again.
	"FrozenWinsUntilReverted": func(w *world) {
		punksWith(w, 2)
		w.mine(by(dynamic("token-ids", ids(1), "ttl", value.Uint(600))))
		w.later()
		w.settle(token.NFT)
		w.mine(by(announce(punks, "nft", "token-ids", ids(1), "update-mode", value.Text("frozen"))))
		w.later()
		w.settle(token.NFT)
		w.checkWants("of what is frozen", token.NFT)
		// Later notifications do not count for it, nor do those for all tokens; for other tokens they do.
		w.mine(by(dynamic("token-ids", ids(1, 2))))
		w.checkWants("of the other", token.NFT, "read punks 2")
		w.mine(by(announce(punks, "nft")))
		w.checkWants("of the other", token.NFT, "read punks 2")
		w.later()
		w.settle(token.NFT)
		// A person may still request it.
		w.refresh(punks, "1")
		w.checkWants("by a person", token.NFT, "read punks 1")
		w.settle(token.NFT)
		w.revert(3)
		w.check("notifications", token.NFT, noticeRows, "punks 1 2 dynamic 600")
		w.settle(token.NFT)
		w.checkFailed("dynamic again", token.NFT, "read punks 1", 10*time.Minute, 0, 0, 0)
		w.checkWants("of what is dynamic", token.NFT, "read punks 1")
	},
	// A token that was read at a block below the one that froze it must become dynamic again, too.
	"FrozenAfterTheBlockThatWasRead": func(w *world) {
		punksWith(w, 1)
		w.mine(by(dynamic()))
		w.settle(token.NFT)
		w.refresh(punks, "1")
		r := w.answer(token.NFT, "read punks 1")
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("frozen"), "token-ids", ids(1))))
		w.record(r)
		w.now = w.now.Add(time.Minute)
		w.settle(token.NFT)
		w.checkWants("of what is frozen", token.NFT)
		w.revert(1)
		w.settle(token.NFT)
		w.checkWants("of what is dynamic", token.NFT, "read punks 1")
	},
	// Of a notification for all tokens and one for a single token the later counts, unless the earlier one froze.
	"AllAndSingle": func(w *world) {
		punksWith(w, 2)
		w.mine(by(dynamic("ttl", value.Uint(600))))
		w.mine(by(announce(punks, "nft", "token-ids", ids(1))))
		w.later()
		w.settle(token.NFT)
		w.checkWants("of all but one", token.NFT, "read punks 2")
		w.mine(by(mintNFT(punks, 3)))
		w.later()
		w.settle(token.NFT)
		w.checkWants("of one that came later too", token.NFT, "read punks 2", "read punks 3")
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("frozen"))), by(dynamic("token-ids", ids(1, 2))))
		w.later()
		w.settle(token.NFT)
		w.checkWants("of what is frozen", token.NFT)
		w.mine(by(mintNFT(punks, 4), mintNFT(punks, 1)))
		w.checkWants("that mints raise all the same", token.NFT, "read punks 1", "read punks 4")
		w.later()
		w.settle(token.NFT)
		w.checkWants("after all", token.NFT)
	},
	// Within a block the last notification counts.
	"OrderOfNotifications": func(w *world) {
		punksWith(w, 1)
		w.mine(by(announce(punks, "nft"), dynamic("ttl", value.Uint(600))), by(mintNFT(punks, 2), dynamic("ttl", value.Uint(1200))))
		w.later()
		w.settle(token.NFT)
		w.checkFailed("the last", token.NFT, "read punks 1", 20*time.Minute, 0, 0, 0)
		w.mine(by(dynamic(), announce(punks, "nft")))
		w.later()
		w.settle(token.NFT)
		w.checkWants("of what is standard", token.NFT)
	},
}

// D22: nor does the revert of its mint delete a token that the contract has counted. The two may come in either order.
func TestD22CountedEarlier(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(map[bool]string{false: "before the mint", true: "after the mint"}[late], func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				w.outside.says(punks, "get-last-token-id", okNumber(2))
				w.outside.says(punks, "get-token-uri", okNone)
				w.mine(alice.Deploys("punks", sip009))
				r := w.answer(token.NFT, "last punks")
				if !late {
					w.record(r)
				}
				w.mine(by(mintNFT(punks, 2), mintNFT(punks, 3)))
				if late {
					w.record(r)
				}
				w.settle(token.NFT)
				w.revert(1)
				w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2")
			})
		})
	}
}
