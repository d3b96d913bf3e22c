package tokentest

import (
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/synth/value"
)

// The names of these tests are those of rows in the conformance list of token metadata, as far as they concern the
// fold: 9.5 contracts, 9.6 tokens, 9.7 supplies.

const (
	documentRows = `
		SELECT concat_ws(' ', uri, coalesce(content, '-'), nullif(reason, 0)) FROM {schema}.document ORDER BY uri COLLATE "C"`
	imageRows = `
		SELECT concat_ws(' ', uri, CASE WHEN sha256 IS NULL THEN '-' ELSE content_type || ' ' || width || 'x' || height END, nullif(reason, 0))
		FROM {schema}.image ORDER BY uri COLLATE "C"`
	referenceRows = `
		SELECT concat_ws(' ', split_part(contract_id, '.', 2), token_id, r.role, nullif(r.locale, ''), coalesce(d.uri, i.uri))
		FROM {schema}.reference r
		LEFT JOIN {schema}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
		LEFT JOIN {schema}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash
		ORDER BY contract_id, token_id, r.role, r.locale COLLATE "C"`
)

func TestTokens(t *testing.T) { each(t, tokenRules) }

var tokenRules = map[string]func(w *world){
	"K1FungibleToken": func(w *world) {
		usdcRead(w)
		w.check("tokens", token.FT, tokenRows, "usdc 1")
	},
	"K2LastTokenID": func(w *world) {
		punksWith(w, 5)
		w.check("tokens", token.NFT, tokenRows, "punks 1", "punks 2", "punks 3", "punks 4", "punks 5")
		w.check("contract", token.NFT, `SELECT last_token_id || ' at ' || read_height || ' ' || reason FROM {schema}.contract`, "5 at 1 0")
	},
	"T1FungibleToken": func(w *world) {
		w.outside.ft(usdc, "FooToken", "FOO", 6, 1_997_500_000_000, clarity.NewNone())
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - FooToken FOO 6 1997500000000")
	},
	"T2DocumentFails": func(w *world) {
		w.outside.ft(usdc, "FooToken", "FOO", 6, 7, clarity.NewSome(utf8("http://m.io/{id}.json")))
		w.outside.web["http://m.io/1.json"] = status(500)
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 http://m.io/1.json FooToken FOO 6 7")
		w.check("document", token.FT, documentRows, "http://m.io/1.json - 107")
		w.checkWants("that failed", token.FT, "document http://m.io/1.json")
	},
	"T3SupplyFails": func(w *world) {
		w.outside.ft(usdc, "FooToken", "FOO", 6, 7, clarity.NewNone())
		w.outside.says(usdc, "get-total-supply", clarity.NewErr(value.Uint(6004)))
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - FooToken FOO 6 -")
		w.checkWants("after the answer", token.FT)
	},
	// A symbol that can't be read does not lose the other properties, and is tried again.
	"SymbolFails": func(w *world) {
		w.outside.ft(usdc, "FooToken", "FOO", 6, 7, clarity.NewNone())
		w.outside.says(usdc, "get-symbol", clarity.NewErr(value.Uint(1)))
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - FooToken - 6 7 109")
		w.check("whether the failure is that of the read", token.FT, `SELECT (failed_seq = read_seq)::text FROM {schema}.token`, "true")
		w.checkWants("after the answer", token.FT, "read usdc")
	},
	"T4NoImage": func(w *world) {
		w.outside.ft(usdc, "FooToken", "FOO", 6, 7, clarity.NewSome(utf8("http://m.io/foo.json")))
		w.outside.web["http://m.io/foo.json"] = has(`{"name":"Foo","image_location":"http://m.io/foo.png"}`)
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("document", token.FT, documentRows, `http://m.io/foo.json {"name":"Foo"}`)
		w.check("images", token.FT, imageRows)
	},
	"T5AttributesAndProperties": func(w *world) {
		const document = `{"name":"Punk","attributes":[{"trait_type":"Hat","value":"red"},{"trait_type":"Age","display_type":"Number","value":7},` +
			`{"trait_type":"Friends","value":["a","b"]}],"properties":{"nested":{"a":1,"b":2},"yes":true,"no":false,"price":5000}}`
		punk(w, document)
		w.check("token", token.NFT, factRows, "punks 1 http://m.io/1.json - - - -")
		w.check("document", token.NFT, documentRows, "http://m.io/1.json "+document)
	},
	"T6Locales": func(w *world) {
		own := `{"name":"Mutant","image":"http://m.io/1.png","attributes":[{"trait_type":"Background","value":"Army"}],` +
			`"properties":{"external_url":"http://m.io","description":"a mutant"},` +
			`"localization":{"uri":"http://m-locale.io/{id}-{locale}.json","default":"en","locales":["en","es-MX"]}}`
		spanish := `{"name":"Mutante","attributes":[{"trait_type":"Fondo","value":"Army"}],"properties":{"description":"un mutante"}}`
		w.outside.web["http://m-locale.io/1-es-MX.json"] = has(spanish)
		w.outside.web["http://m.io/1.png"] = has("pixels")
		punk(w, own)
		w.check("references", token.NFT, referenceRows,
			"punks 1 document http://m.io/1.json", "punks 1 document es-MX http://m-locale.io/1-es-MX.json",
			"punks 1 image http://m.io/1.png", "punks 1 image es-MX http://m.io/1.png")
		// Each document is stored as it is; readers compute what a locale inherits.
		w.check("documents", token.NFT, `SELECT uri || ' ' || (content::json ->> 'name') || ' ' || (content::json -> 'properties')::text FROM {schema}.document ORDER BY source_seq`,
			`http://m.io/1.json Mutant {"external_url":"http://m.io","description":"a mutant"}`,
			`http://m-locale.io/1-es-MX.json Mutante {"description":"un mutante"}`)
		w.check("image", token.NFT, imageRows, "http://m.io/1.png image/png 30x20")
		w.checkWants("after all is read", token.NFT)
	},
	"T7DocumentChanges": func(w *world) {
		punk(w, `{"name":"Punk","attributes":[{"trait_type":"a","value":1},{"trait_type":"b","value":2}],"properties":{"x":1,"y":2}}`)
		const changed = `{"name":"Punk","attributes":[{"trait_type":"c","value":3}],"properties":{"z":3}}`
		w.outside.web["http://m.io/1.json"] = has(changed)
		w.refresh(punks, "1")
		w.checkWants("by somebody", token.NFT, "document http://m.io/1.json", "read punks 1")
		w.settle(token.NFT)
		w.check("document", token.NFT, documentRows, "http://m.io/1.json "+changed)
	},
	"T8NoName": func(w *world) {
		punk(w, `{"description":"of nothing"}`)
		w.check("document", token.NFT, documentRows, "http://m.io/1.json - 105")
		if s := w.openWant(token.NFT, "document http://m.io/1.json"); s.attempts != 1 || s.severity != 2 {
			w.t.Errorf("%d attempts, severity %d", s.attempts, s.severity)
		}
	},
	"T9SemiFungibleToken": func(w *world) {
		w.outside.says(deeds, "get-token-uri", clarity.NewOk(clarity.NewNone()))
		w.outside.says(deeds, "get-decimals", clarity.NewOk(value.Uint(6)))
		w.outside.says(deeds, "get-total-supply", clarity.NewOk(value.Uint(200_200_200)))
		w.mine(alice.Deploys("deeds", sip013), by(printSFT(deeds, "sft_mint", value.Uint(1), 5)))
		w.settle(token.SFT)
		w.check("token", token.SFT, factRows, "deeds 1 - - - 6 200200200")
	},
	"S1SupplyOfFungible": func(w *world) {
		usdcRead(w)
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(1_997_500_000_000)))
		w.ask(token.FT, "supply usdc")
		w.check("token", token.FT, factRows, "usdc 1 - USD Coin USDC 6 1997500000000")
		w.checkWants("after the answer", token.FT)
	},
	"S2SupplyFails": func(w *world) {
		usdcRead(w)
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewErr(value.Uint(6004)))
		w.ask(token.FT, "supply usdc")
		w.check("token", token.FT, factRows, "usdc 1 - USD Coin USDC 6 10000")
		w.checkWants("after the answer", token.FT)
	},
	// A read includes the supply, so an earlier report of the supply alone is no longer its source.
	"SourceOfSupply": func(w *world) {
		usdcRead(w)
		w.mine(by(mintFT(usdc)))
		w.ask(token.FT, "supply usdc")
		const sources = `SELECT (supply_seq > read_seq)::text || ' ' || (read_height = 2) FROM {schema}.token WHERE supply_seq IS NOT NULL`
		w.check("after the supply", token.FT, sources, "true true")
		w.refresh(usdc, "")
		w.ask(token.FT, "read usdc")
		w.check("after all", token.FT, sources)
		// If the contract stops answering the supply, that of the report before stays.
		w.mine(by(mintFT(usdc)))
		w.ask(token.FT, "supply usdc")
		w.outside.says(usdc, "get-total-supply", clarity.NewErr(value.Uint(1)))
		w.refresh(usdc, "")
		w.ask(token.FT, "read usdc")
		w.check("after all but the supply", token.FT, `SELECT total_supply || ' ' || (supply_seq < read_seq) FROM {schema}.token`, "10000 true")
	},
	// A token of which only the supply is known does not count as read: it has no name and no document to show.
	"SupplyIsNoRead": func(w *world) {
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 5, clarity.NewNone())
		w.mine(alice.Deploys("usdc", sip010))
		w.mine(by(mintFT(usdc)))
		w.ask(token.FT, "supply usdc")
		w.check("token", token.FT, `SELECT total_supply || ' ' || (read_height IS NULL) FROM {schema}.token`, "5 true")
	},
	// An older read that was in flight does not replace a newer supply.
	"ReadUnderWayKeepsSupply": func(w *world) {
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 5, clarity.NewNone())
		w.mine(alice.Deploys("usdc", sip010))
		late := w.answer(token.FT, "read usdc")
		w.mine(by(mintFT(usdc)))
		w.outside.says(usdc, "get-total-supply", clarity.NewOk(value.Uint(9)))
		w.ask(token.FT, "supply usdc")
		w.record(late)
		w.now = w.now.Add(time.Minute)
		w.settle(token.FT)
		w.check("token", token.FT, factRows, "usdc 1 - USD Coin USDC 6 9")
	},
}

func TestK3TooManyTokens(t *testing.T) {
	for _, last := range []clarity.Value{value.Uint(10_000_000_000), value.Uint(50_001), huge, value.Uint(0)} {
		t.Run(last.Repr(), func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				w.outside.says(punks, "get-last-token-id", clarity.NewOk(last))
				w.mine(alice.Deploys("punks", sip009))
				w.settle(token.NFT)
				w.check("tokens", token.NFT, tokenRows)
				w.check("contract", token.NFT, `SELECT 'u' || last_token_id || ' ' || reason FROM {schema}.contract`, last.Repr()+" 0")
				w.checkWants("after the answer", token.NFT)
			})
		})
	}
}

// punk deploys an nft contract with one token, whose document is at http://m.io/1.json, and reads all of it.
func punk(w *world, document string) {
	w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(1)))
	w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/{id}.json"))))
	w.outside.web["http://m.io/1.json"] = has(document)
	w.mine(alice.Deploys("punks", sip009))
	w.settle(token.NFT)
}

func TestS3SupplyOfSemiFungible(t *testing.T) {
	for name, event := range map[string]string{"mint": "sft_mint", "burn": "sft_burn"} {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				deedsRead(w)
				w.mine(by(printSFT(deeds, event, value.Uint(3), 5)))
				w.outside.says(deeds, "get-total-supply", clarity.NewOk(value.Uint(200_200_200)))
				w.ask(token.SFT, "supply deeds 3")
				w.check("token", token.SFT, factRows, "deeds 3 http://m.io/3.json - - 6 200200200")
			})
		})
	}
}
