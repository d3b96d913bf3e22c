package tokentest

import (
	"testing"
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
)

func itself(abi []byte) fetch.Exchange { return has(string(abi)) }

func TestInterfaces(t *testing.T) { each(t, interfaceRules) }

var interfaceRules = map[string]func(w *world){
	// A deploy without its interface raises a want for it. What happens before the answer is not lost.
	"InterfaceComesLater": func(w *world) {
		w.outside.says(punks, "get-last-token-id", okNumber(0))
		w.outside.says(punks, "get-token-uri", okNone)
		w.mine(alice.Deploys("punks", nil, mintNFT(punks, 1)))
		w.mine(by(mintNFT(punks, 2), announce(punks, "nft", "token-ids", ids(1), "update-mode", value.Text("frozen"))))
		w.mine(by(dynamic("token-ids", ids(2), "ttl", value.Uint(600))))
		for _, kind := range kinds {
			w.checkWants("of a contract that nobody knows", kind, "interface punks")
			w.check("contracts", kind, contractRows)
		}
		w.outside.interfaces[punks] = itself(sip009)
		w.ask(token.NFT, "interface punks")
		w.check("contract", token.NFT, `SELECT height || ' ' || source_seq || ' ' || interface_seq || ' ' || coalesce(fungible_token, '-') || ' ' || non_fungible_token FROM {schema}.contract`, "1 1 4 - art")
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2")
		w.check("unrecognised", token.NFT, `SELECT contract_id FROM {schema}.unrecognised`)
		w.checkWants("of the contract and all its tokens", token.NFT, "last punks", "read punks 1", "read punks 2")
		for _, name := range []string{"last punks", "read punks 1"} {
			if s := w.openWant(token.NFT, name); s.minHeight == nil || *s.minHeight != 3 {
				w.t.Errorf("%s is wanted at height %v, want 3, because the read must reflect all blocks since the deploy", name, s.minHeight)
			}
		}
		w.settle(token.NFT)
		w.checkWants("of what is dynamic", token.NFT, "read punks 2")
		for _, kind := range []token.Kind{token.FT, token.SFT} {
			w.check("contracts of another kind", kind, contractRows)
			w.check("tokens of another kind", kind, tokenRows)
			w.check("notifications of another kind", kind, noticeRows)
			w.checkWants("of another kind", kind)
			w.check("counters of another kind", kind, `SELECT name FROM {schema}.counter WHERE n <> 0`)
		}
		w.revert(3)
		w.check("contracts", token.NFT, contractRows)
		w.checkWants("of nobody", token.NFT)
	},
	"InterfaceOfFungible": func(w *world) {
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 9, none)
		w.mine(alice.Deploys("usdc", nil))
		w.mine(by(mintFT(usdc)))
		w.outside.interfaces[usdc] = itself(sip010)
		w.ask(token.FT, "interface usdc")
		w.checkWants("of the token", token.FT, "read usdc")
		// Blocks before the recognition changed the supply, so a read below them is no answer.
		w.record(w.outside.report(w.openWant(token.FT, "read usdc").want, w.tipAt(1), w.now))
		w.check("token", token.FT, factRows, "usdc 1 - - - - -")
		w.now = w.now.Add(time.Minute)
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - USD Coin USDC 6 9")
	},
	"InterfaceOfSemiFungible": func(w *world) {
		w.outside.interfaces[deeds] = itself(sip013)
		w.mine(alice.Deploys("deeds", nil), by(printSFT(deeds, "sft_mint", value.Uint(4), 1)))
		w.ask(token.SFT, "interface deeds")
		w.check("tokens", token.SFT, tokenRows, "deeds 4")
		w.checkWants("of its token", token.SFT, "read deeds 4")
	},
	"InterfaceOfNoToken": func(w *world) {
		w.outside.interfaces[punks] = itself(noToken)
		w.mine(alice.Deploys("punks", nil), by(mintNFT(punks, 4), printSFT(punks, "sft_mint", value.Uint(4), 1), dynamic()))
		w.ask(token.NFT, "interface punks")
		for _, kind := range kinds {
			w.check("rows", kind, `SELECT contract_id FROM {schema}.contract UNION ALL SELECT contract_id FROM {schema}.token
				UNION ALL SELECT contract_id FROM {schema}.unrecognised UNION ALL SELECT contract_id FROM {schema}.notification`)
			w.checkWants("of nobody", kind)
		}
		w.mine(by(mintNFT(punks, 5)))
		w.check("tokens", token.NFT, tokenRows)
	},
	// The interface is requested again from a node that does not have the contract yet, or does not answer.
	"InterfaceFails": func(w *world) {
		w.mine(alice.Deploys("punks", nil))
		w.try(token.NFT, "interface punks")
		w.checkFailed("not found", token.NFT, "interface punks", 30*time.Second, 1, 0, int(fetch.Troubled))
		w.outside.interfaces[punks] = down
		w.try(token.NFT, "interface punks")
		w.checkFailed("down", token.NFT, "interface punks", 5*time.Second, 1, 1, int(fetch.Waiting))
		w.refresh(punks, "")
		for _, kind := range kinds {
			if s := w.openWant(kind, "interface punks"); s.due.After(w.now) || s.attempts+s.waits != 0 || s.priority != 1 {
				w.t.Errorf("a person asked, but of %s it is %+v", kind, s)
			}
		}
		w.outside.interfaces[punks] = itself(sip009)
		w.try(token.NFT, "interface punks")
		w.check("contracts", token.NFT, contractRows, "punks")
	},
	// The deploy is reverted before the answer comes, and happens again in another block.
	"InterfaceAfterRollback": func(w *world) {
		w.outside.interfaces[punks] = itself(sip009)
		w.mine()
		w.mine(alice.Deploys("punks", nil, mintNFT(punks, 1)))
		late := w.answer(token.NFT, "interface punks")
		w.revert(1)
		w.record(late)
		w.check("contracts", token.NFT, contractRows)
		w.check("tokens", token.NFT, tokenRows)
		w.apply(w.on("b", 1, alice.Deploys("punks", nil)))
		w.checkWants("once more", token.NFT, "interface punks")
		w.ask(token.NFT, "interface punks")
		w.check("contracts", token.NFT, contractRows, "punks")
		w.check("tokens", token.NFT, tokenRows)
	},
}
