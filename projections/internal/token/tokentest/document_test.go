package tokentest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/short"
	"strata/rig/body"
)

// A data document is never fetched.
func TestDocumentInURI(t *testing.T) {
	own := `{"name":"Punk {id}","image":"http://m.io/{id}.png","localization":{"uri":"data:,{\"name\":\"Punk-{locale}\"}","default":"en","locales":["fr"]}}`
	// Placeholders in any URI are filled in, so also those of a plain-text data document.
	names := map[string][]string{"base 64": {" Punk {id}", "fr Punk-fr"}, "plain": {" Punk 7", "fr Punk-"}}
	for name, uri := range map[string]string{
		"base 64": "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(own)),
		"plain":   " data:application/json," + own,
	} {
		t.Run(name, func(t *testing.T) {
			worlds(t, func(t *testing.T, w *world) {
				w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(0)))
				w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(utf8(uri))))
				w.outside.web["http://m.io/7.png"] = has("pixels")
				w.mine(alice.Deploys("punks", sip009), by(mintNFT(punks, 7)))
				asked := strings.Join(w.settle(token.NFT), ", ")
				if want := "last punks, read punks 7, image http://m.io/7.png"; asked != want {
					t.Errorf("asked for %s, want %s", asked, want)
				}
				w.check("locales", token.NFT, `
					SELECT r.locale || ' ' || (d.content::json ->> 'name') FROM {schema}.reference r JOIN {schema}.document d USING (uri_hash)
					WHERE role = 'document' ORDER BY 1`, names[name]...)
				w.check("image", token.NFT, imageRows, "http://m.io/7.png image/png 30x20")
				w.mine(by(announce(punks, "nft")))
				w.checkWants("after a notification", token.NFT, "image http://m.io/7.png", "read punks 7")
			})
		})
	}
}

func TestDocuments(t *testing.T) { each(t, documentRules) }

var documentRules = map[string]func(w *world){
	"BrokenDocumentInURI": func(w *world) {
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(1)))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("data:application/json,{nothing"))))
		w.mine(alice.Deploys("punks", sip009))
		w.settle(token.NFT)
		w.check("document", token.NFT, documentRows, "data:application/json,{nothing - 105")
		w.refresh(punks, "")
		w.checkWants("after a refresh", token.NFT, "last punks", "read punks 1")
	},
	// A token that is minted after its document became known refers to it at once.
	"DocumentIsKnownAlready": func(w *world) {
		w.outside.web["http://m.io/all.json"] = has(`{"name":"All"}`)
		punksWith(w, 1)
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/all.json"))))
		w.refresh(punks, "1")
		w.settle(token.NFT)
		w.mine(by(mintNFT(punks, 2)))
		w.ask(token.NFT, "read punks 2")
		w.checkWants("of what is known", token.NFT)
		w.check("references", token.NFT, referenceRows, "punks 1 document http://m.io/all.json", "punks 2 document http://m.io/all.json")
	},
	// D10: a locale that fails, or has no name, does not affect the others.
	"D10LocalesAreApart": func(w *world) {
		w.outside.web["http://m.io/de/1"] = has(`{"properties":{"x":"drei"}}`)
		w.outside.web["http://m.io/fr/1"] = status(500)
		w.outside.web["http://m.io/es/1"] = has(`[]`)
		w.outside.web["http://m.io/own.png"], w.outside.web["http://m.io/it.png"] = has("1"), has("22")
		w.outside.web["http://m.io/it/1"] = has(`{"name":"Uno","image":"http://m.io/it.png"}`)
		punk(w, `{"name":"One","image":"http://m.io/own.png","properties":{"x":"three"},"localization":{"uri":"http://m.io/{LOCALE}/$TOKEN_ID","default":"en","locales":["de","fr","es","it","en","de"]}}`)
		w.check("documents", token.NFT, `SELECT uri || ' ' || coalesce(content::json ->> 'name', '-') || ' ' || coalesce((content::json -> 'properties')::text, '-') || ' ' || reason FROM {schema}.document ORDER BY uri`,
			`http://m.io/1.json One {"x":"three"} 0`, `http://m.io/de/1 - {"x":"drei"} 0`, `http://m.io/es/1 - - 105`, `http://m.io/fr/1 - - 107`, `http://m.io/it/1 Uno - 0`)
		w.check("images", token.NFT, `
			SELECT coalesce(nullif(locale, ''), 'own') || ' ' || uri FROM {schema}.reference JOIN {schema}.image USING (uri_hash) WHERE role = 'image' ORDER BY 1`,
			"de http://m.io/own.png", "it http://m.io/it.png", "own http://m.io/own.png")
		w.checkWants("that failed", token.NFT, "document http://m.io/es/1", "document http://m.io/fr/1")
		w.outside.web["http://m.io/fr/1"] = has(`{"name":"Un"}`)
		w.try(token.NFT, "document http://m.io/fr/1")
		w.check("images of fr", token.NFT, `SELECT uri FROM {schema}.reference JOIN {schema}.image USING (uri_hash) WHERE locale = 'fr'`, "http://m.io/own.png")
		// When a document no longer lists locales, their documents are deleted.
		w.outside.web["http://m.io/1.json"] = has(`{"name":"One"}`)
		w.refresh(punks, "1")
		w.settle(token.NFT)
		w.check("documents", token.NFT, documentRows, `http://m.io/1.json {"name":"One"}`)
		w.check("images", token.NFT, imageRows)
		w.checkWants("after all", token.NFT)
	},
	// Ids are filled in for kinds whose contracts have more than one token.
	"IDsAreFilledIn": func(w *world) {
		const text = `{"name":"Token","image":"ipfs://images/{id}.png"}`
		w.outside.ft(usdc, "USD Coin", "USDC", 6, 5, clarity.NewSome(utf8("http://m.io/{id}-{locale}")))
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(0)))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("ipfs://meta/$TOKEN_ID"))))
		w.outside.web["http://m.io/1-"] = has(text)
		w.outside.web["ipfs://meta/340282366920938463463374607431768211455"] = has(text)
		w.mine(alice.Deploys("usdc", sip010), alice.Deploys("punks", sip009), by(body.MintNFT(punks+"::art", huge)))
		w.settle(token.FT)
		w.settle(token.NFT)
		w.check("of a fungible token", token.FT, referenceRows, "usdc 1 document http://m.io/1-", "usdc 1 image ipfs://images/{id}.png")
		w.check("of another", token.NFT, referenceRows,
			"punks 340282366920938463463374607431768211455 document ipfs://meta/340282366920938463463374607431768211455",
			"punks 340282366920938463463374607431768211455 image ipfs://images/340282366920938463463374607431768211455.png")
		// The document never changes and is known, so it is not fetched again. The image is not known yet.
		w.mine(by(announce(punks, "nft")))
		w.checkWants("again", token.NFT, "image ipfs://images/340282366920938463463374607431768211455.png", "read punks 340282366920938463463374607431768211455")
	},
	// An image that can never come is not fetched again, unless a person asks.
	"HopelessImages": func(w *world) {
		punk(w, `{"name":"Punk"}`)
		bad := fetch.Exchange{Status: 200, Body: fetch.Body("hello"), Failure: fetch.FailureImage, Error: "no image"}
		film := fetch.Exchange{Status: 200, Body: fetch.Body("film"), Failure: fetch.FailureFormat, Error: "MP4"}
		for _, image := range []struct {
			uri     string
			answer  fetch.Exchange
			reason  fetch.Reason
			delay   time.Duration // 0 for no other attempt
			ofWrong fetch.Severity
		}{
			{"data:text/plain,hello", bad, fetch.ReasonImageUnparsable, 0, 0},
			{"data:nothing", fetch.Exchange{Failure: fetch.FailureURI, Error: "no comma"}, fetch.ReasonImageUnparsable, 0, 0},
			{" DATA:video/mp4;base64,ZmlsbQ==", film, fetch.ReasonImageUnsupported, 0, 0},
			{"ipfs://film", film, fetch.ReasonImageUnsupported, 0, 0},
			{"ar://film", film, fetch.ReasonImageUnsupported, 0, 0},
			{"ipfs://page", bad, fetch.ReasonImageUnparsable, time.Hour, fetch.Wrong},
			{"http://m.io/film", film, fetch.ReasonImageUnsupported, day, fetch.Absent},
		} {
			w.outside.web[image.uri] = image.answer
			w.outside.web["http://m.io/1.json"] = has(`{"name":"Punk","image":"` + image.uri + `"}`)
			w.refresh(punks, "1")
			w.settle(token.NFT)
			w.check(image.uri, token.NFT, `SELECT uri || ' ' || reason FROM {schema}.image`, fmt.Sprintf("%s %d", image.uri, image.reason))
			name := "image " + image.uri
			if image.delay > 0 {
				w.checkFailed(image.uri, token.NFT, name, image.delay, 1, 0, int(image.ofWrong))
				continue
			}
			w.checkWants(image.uri, token.NFT)
			w.mine(by(announce(punks, "nft")))
			w.checkWants(image.uri+" after a notification", token.NFT, "document http://m.io/1.json", "read punks 1")
			w.later()
			w.settle(token.NFT)
			w.refresh(punks, "1")
			w.checkWants(image.uri+" after a refresh", token.NFT, "document http://m.io/1.json", name, "read punks 1")
			w.settle(token.NFT)
		}
	},
	// When the URI of a token changes, what it referred to is deleted, and what it refers to now is wanted.
	"URIChanges": func(w *world) {
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://n.io/{id}"))))
		w.outside.web["http://n.io/1"] = has(`{"name":"New"}`)
		w.mine(by(announce(punks, "nft")))
		w.later()
		w.settle(token.NFT)
		w.check("documents", token.NFT, documentRows, `http://n.io/1 {"name":"New"}`)
		w.check("images", token.NFT, imageRows)
		w.checkWants("after all", token.NFT)
	},
	// Texts of contracts and documents that are longer than an index can hold must not stop the projection.
	"LongWords": func(w *world) {
		// Words that do not compress.
		var long strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&long, "%x", i*i*2654435761)
		}
		word := long.String()
		w.outside.ft(usdc, word, word[1:], 6, 5, clarity.NewSome(utf8("http://m.io/1.json")))
		w.outside.web["http://m.io/1.json"] = has(`{"name":"One","localization":{"uri":"http://m.io/{locale}","default":"en","locales":["` + word + `","de"]}}`)
		w.outside.web["http://m.io/de"] = has(`{"name":"Eins"}`)
		w.mine(alice.Deploys("usdc", sip010))
		w.settle(token.FT)
		w.check("token", token.FT, `SELECT length(name) || ' ' || (name_key < '0' || lower(name)) || ' ' || starts_with('0' || lower(name), name_key) FROM {schema}.token`,
			fmt.Sprint(len(word), " true true"))
		w.check("references", token.FT, referenceRows, "usdc 1 document http://m.io/1.json", "usdc 1 document de http://m.io/de")
		w.checkLists("long words")
	},
	// Dynamic tokens are fetched again with their documents. A document that fails has its own due time, whatever interval
	// the contract sets.
	"DynamicDocuments": func(w *world) {
		w.outside.web["http://m.io/1.png"] = status(404)
		punk(w, `{"name":"Punk","image":"http://m.io/1.png"}`)
		w.mine(by(announce(punks, "nft", "update-mode", value.Text("dynamic"), "ttl", value.Uint(1))))
		w.later()
		w.settle(token.NFT)
		w.checkFailed("image", token.NFT, "image http://m.io/1.png", time.Hour, 1, 0, 2)
		for range 3 {
			w.checkFailed("at least a minute", token.NFT, "read punks 1", time.Minute, 0, 0, 0)
			w.try(token.NFT, "read punks 1")
			w.checkWants("by the clock", token.NFT, "document http://m.io/1.json", "image http://m.io/1.png", "read punks 1")
			w.outside.web["http://m.io/1.json"] = has(fmt.Sprintf(`{"name":"Punk %d","image":"http://m.io/1.png"}`, w.now.Unix()))
			w.settle(token.NFT)
			w.check("document", token.NFT, `SELECT content::json ->> 'name' FROM {schema}.document`, fmt.Sprint("Punk ", w.now.Unix()))
		}
		if s := w.openWant(token.NFT, "image http://m.io/1.png"); s.attempts != 1 {
			w.t.Errorf("the image was tried %d times in some minutes", s.attempts)
		}
	},
}

// A document that several tokens share is fetched once, and deleted with the last of them, together with its want.
func TestSharedDocument(t *testing.T) {
	tokens := short.Form(1200, 200)
	worlds(t, func(t *testing.T, w *world) {
		w.outside.says(punks, "get-last-token-id", clarity.NewOk(value.Uint(uint64(tokens))))
		w.outside.says(punks, "get-token-uri", clarity.NewOk(clarity.NewSome(value.Text("http://m.io/all.json"))))
		w.outside.web["http://m.io/all.json"] = has(`{"name":"All","image":"http://m.io/all.png"}`)
		w.outside.web["http://m.io/all.png"] = has("pixels")
		w.mine()
		w.mine(alice.Deploys("punks", sip009))
		asked := map[string]int{}
		for _, name := range w.settle(token.NFT) {
			asked[name]++
		}
		if asked["document http://m.io/all.json"] != 1 || asked["image http://m.io/all.png"] != 1 || len(asked) != tokens+3 {
			t.Errorf("asked for %d wants, the document %d times, the image %d times", len(asked), asked["document http://m.io/all.json"], asked["image http://m.io/all.png"])
		}
		w.check("references", token.NFT, `SELECT role || ' ' || count(*) FROM {schema}.reference GROUP BY role ORDER BY 1`, fmt.Sprint("document ", tokens), fmt.Sprint("image ", tokens))
		w.refresh(punks, "5")
		w.checkWants("by somebody", token.NFT, "document http://m.io/all.json", "image http://m.io/all.png", "read punks 5")
		w.outside.says(punks, "get-token-uri 5", clarity.NewOk(clarity.NewNone()))
		w.ask(token.NFT, "read punks 5")
		w.checkWants("by others", token.NFT, "document http://m.io/all.json", "image http://m.io/all.png")
		w.revert(1)
		w.check("documents", token.NFT, documentRows)
		w.check("images", token.NFT, imageRows)
		w.checkWants("by nobody", token.NFT)
	})
}
