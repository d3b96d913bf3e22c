package token_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

const httpError = `{"error":"Token error","message":"Metadata could not be processed because the server responded with an error"}`

// Which answer each state of a token has.
func TestTokenStates(t *testing.T) {
	t.Parallel()
	const failedUntil = `"refresh":{"state":"failed","reason":%d,"message":"%s","next_attempt_at":"2023-11-14T23:13:20Z"}`
	const failed = `"refresh":{"state":"failed","reason":%d,"message":"%s"}`
	failure := func(format string, reason fetch.Reason) string { return fmt.Sprintf(format, reason, reason.Message()) }
	contract := func(s *apitest.Site) { s.Contract(token.NFT, apitest.N1, nil) }
	unread := func(reason int) func(*apitest.Site) {
		return func(s *apitest.Site) {
			contract(s)
			s.Unread(token.NFT, apitest.N1, "1", apitest.Columns{"reason": reason, "failed_seq": 300})
		}
	}
	want := func(severity fetch.Severity, attempts int) func(*apitest.Site) {
		return func(s *apitest.Site) {
			s.Want(token.NFT, apitest.TokenWant(token.NFT, apitest.N1, 1), severity, attempts)
		}
	}
	documentWant := func(severity fetch.Severity, attempts int) func(*apitest.Site) {
		return func(s *apitest.Site) {
			s.Want(token.NFT, fetch.Want{Kind: fetch.Document, URI: apitest.URI}, severity, attempts)
		}
	}
	// read has a document that was never had, or failed for a reason.
	read := func(reason int) func(*apitest.Site) {
		return func(s *apitest.Site) {
			contract(s)
			s.Read(token.NFT, apitest.N1, "1", nil)
			given := apitest.Columns{"reason": reason}
			if reason != 0 {
				given["failed_seq"] = 300
			}
			s.Document(token.NFT, apitest.URI, nil, given)
			s.Refer(token.NFT, apitest.N1, "1", "document", "", apitest.URI)
		}
	}
	good := func(s *apitest.Site) {
		s.Full(token.NFT, apitest.N1, &document.Document{Name: apitest.Text("a"), Image: apitest.Text(apitest.ImageURI)}, nil)
	}
	sql := func(sql string) func(*apitest.Site) { return func(s *apitest.Site) { s.Exec(sql) } }
	goodBody := func(more string) string {
		link := imageLink(apitest.ImageURI)
		return `{"token_uri":"` + apitest.URI + `","metadata":{"sip":16,"name":"a","image":"` + apitest.ImageURI + `","cached_image":"` + link + `","cached_thumbnail_image":"` + link + `/thumb"}` + more + `}`
	}
	for _, tc := range []struct {
		name   string
		given  []func(*apitest.Site)
		status int
		body   string
	}{
		{"nothing", nil, 404, noContract},
		{"contract", []func(*apitest.Site){contract}, 404, noToken},
		{"contract that failed", []func(*apitest.Site){contract, sql(`UPDATE nft_v1.contract SET reason = 109, failed_seq = 300`)}, 422, clarityError},
		{"contract that failed, but not at first", []func(*apitest.Site){contract, sql(`UPDATE nft_v1.contract SET reason = 109, failed_seq = 300, read_height = 6, read_seq = 200`)}, 404, noToken},
		{"contract that failed, and a token that was minted", []func(*apitest.Site){good, sql(`UPDATE nft_v1.contract SET reason = 109, failed_seq = 300`)}, 200, goodBody("")},
		{"never read", []func(*apitest.Site){unread(0)}, 422, inProgress},
		{"node waits", []func(*apitest.Site){unread(100), want(fetch.Waiting, 0)}, 422, inProgress},
		{"node in trouble", []func(*apitest.Site){unread(109), want(fetch.Troubled, 2)}, 422, inProgress},
		{"node in trouble for long", []func(*apitest.Site){unread(109), want(fetch.Troubled, 3)}, 422, clarityError},
		{"contract wrong", []func(*apitest.Site){unread(109), want(fetch.Wrong, 1)}, 422, clarityError},
		{"wrong, and nobody will try", []func(*apitest.Site){unread(109)}, 422, clarityError},
		{"read, without a URI", []func(*apitest.Site){contract, func(s *apitest.Site) { s.Read(token.NFT, apitest.N1, "1", apitest.Columns{"uri": nil}) }}, 200, `{}`},
		{"document never had", []func(*apitest.Site){read(0)}, 422, inProgress},
		{"document in trouble", []func(*apitest.Site){read(107), documentWant(fetch.Troubled, 2)}, 422, inProgress},
		{"document in trouble for long", []func(*apitest.Site){read(107), documentWant(fetch.Troubled, 3)}, 422, httpError},
		{"document wrong", []func(*apitest.Site){read(107), documentWant(fetch.Wrong, 1)}, 422, httpError},
		{"document wrong, and nobody will try", []func(*apitest.Site){read(107)}, 422, httpError},
		{"good", []func(*apitest.Site){good}, 200, goodBody("")},
		{"good, then the contract failed", []func(*apitest.Site){good, want(fetch.Wrong, 4), sql(`UPDATE nft_v1.token SET failed_seq = 300, reason = 109`)},
			200, goodBody("," + failure(failedUntil, 109))},
		{"failed, then good", []func(*apitest.Site){good, sql(`UPDATE nft_v1.token SET failed_seq = 150`), sql(`UPDATE nft_v1.document SET failed_seq = 150`)}, 200, goodBody("")},
		{"good, then the document failed", []func(*apitest.Site){good, documentWant(fetch.Wrong, 4), sql(`UPDATE nft_v1.document SET failed_seq = 300, reason = 107`)},
			200, goodBody("," + failure(failedUntil, 107))},
		{"good, then the image failed", []func(*apitest.Site){good, sql(`UPDATE nft_v1.image SET failed_seq = 300, reason = 108`)}, 200, goodBody("," + failure(failed, 108))},
		{"image not there yet", []func(*apitest.Site){good, sql(`UPDATE nft_v1.image SET source_seq = NULL, sha256 = NULL`)},
			200, `{"token_uri":"` + apitest.URI + `","metadata":{"sip":16,"name":"a","image":"` + apitest.ImageURI + `"}}`},
		{"image wrong", []func(*apitest.Site){good, sql(`UPDATE nft_v1.image SET source_seq = NULL, sha256 = NULL, failed_seq = 300, reason = 106`)},
			200, `{"token_uri":"` + apitest.URI + `","metadata":{"sip":16,"name":"a","image":"` + apitest.ImageURI + `"},` + failure(failed, 106) + `}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewTokenSite(t)
			for _, given := range tc.given {
				given(s)
			}
			s.Expect("/metadata/v1/nft/"+apitest.N1+"/1", tc.status, tc.body)
		})
	}
}

// A fungible token is shown without its document, with the reason why it is missing.
func TestFungibleTokenWithoutDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.FT, apitest.P1, nil)
	s.Read(token.FT, apitest.P1, "1", hello)
	s.Document(token.FT, apitest.URI, nil, apitest.Columns{"failed_seq": 300, "reason": 105})
	s.Refer(token.FT, apitest.P1, "1", "document", "", apitest.URI)
	body := `{"name":"hello-world","symbol":"HELLO","decimals":6,"total_supply":"1","token_uri":"` + apitest.URI + `",` + ftTail
	s.Expect("/metadata/v1/ft/"+apitest.P1, 200, body+`,"refresh":{"state":"failed","reason":105,"message":"Metadata could not be parsed or it does not conform to SIP-016"}}`)
	s.Exec(`UPDATE ft_v1.document SET failed_seq = NULL, reason = 0`)
	s.Expect("/metadata/v1/ft/"+apitest.P1, 200, body+`}`)
	s.Expect("/metadata/v1/ft/"+apitest.P1+"?locale=en", 422, noLocale)
}

// A supply that a node fails to tell is shown as it was, with the time at which it is asked for again.
func TestSupplyThatMayBeOutdated(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.FT, apitest.P1, nil)
	s.Read(token.FT, apitest.P1, "1", apitest.Columns{"total_supply": "7", "uri": nil, "failed_seq": 300, "reason": 109})
	s.Want(token.FT, fetch.Want{Kind: fetch.ContractRead, Contract: apitest.P1, Calls: token.SupplyCalls(token.FT, nil)}, fetch.Waiting, 0)
	s.Expect("/metadata/v1/ft/"+apitest.P1, 200, `{"total_supply":"7",`+ftTail+
		`,"refresh":{"state":"failed","reason":109,"message":"The token contract produced a Clarity error when trying to fetch metadata","next_attempt_at":"2023-11-14T23:13:20Z"}}`)
}

// D9: what is not known is absent, and zero is a number.
func TestZeroAndUnknown(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.FT, apitest.P1, nil)
	s.Read(token.FT, apitest.P1, "1", apitest.Columns{"decimals": 0, "total_supply": "0", "name": "", "uri": nil})
	s.Contract(token.FT, apitest.P2, nil)
	s.Read(token.FT, apitest.P2, "1", apitest.Columns{"uri": nil})
	stretches(s, 10)
	s.Expect("/metadata/v1/ft/"+apitest.P1, 200, `{"decimals":0,"total_supply":"0",`+ftTail+`}`)
	if got := s.Get("/metadata/v1/ft").Body; strings.Count(got, `"decimals":0`) != 1 || strings.Count(got, `"total_supply":"0"`) != 1 || strings.Contains(got, `""`) {
		t.Errorf("got %s", got)
	}
	if got := s.Get("/metadata/v1/ft/" + apitest.P2).Body; strings.Contains(got, "decimals") || strings.Contains(got, "supply") {
		t.Errorf("got %s", got)
	}
}

// D13 and D21: each token is its own, up to the largest id, also with a query.
func TestTokensAreTheirOwn(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	const largest, other = "340282366920938463463374607431768211455", "9007199254740993"
	s.Contract(token.SFT, apitest.P2, nil)
	tags := map[string]string{}
	for _, number := range []string{"0", "1", "2", other, largest} {
		s.Read(token.SFT, apitest.P2, number, apitest.Columns{"uri": nil, "total_supply": number})
		for _, query := range []string{"", "?locale=", "?x=1"} {
			got := s.Expect("/metadata/v1/sft/"+apitest.P2+"/"+number+query, 200, `{"total_supply":"`+number+`"}`)
			tag := got.Header.Get("ETag")
			if of, found := tags[tag]; tag == "" || found && of != number {
				t.Errorf("%s%s: got ETag %q, which is of token %q, too", number, query, tag, of)
			}
			tags[tag] = number
		}
	}
	for _, missing := range []string{"340282366920938463463374607431768211456", "-1", "9007199254740992", strings.Repeat("9", 50)} {
		s.Expect("/metadata/v1/sft/"+apitest.P2+"/"+missing, 404, noToken)
	}
	s.Expect("/metadata/v1/sft/"+apitest.P2+"/002", 200, `{"total_supply":"2"}`)
	if got := s.Get("/metadata/v1/search?contract=" + apitest.P2 + ":" + largest).Body; !strings.Contains(got, `"token_number":`+largest+`,"token_id":"`+largest+`",`) {
		t.Errorf("got %s", got)
	}
}

// D19: every locale has localization; D18: ids are filled in.
func TestLocales(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	base := &document.Document{
		Name: apitest.Text("Thing {id}"), Description: apitest.Text("thing"), Image: apitest.Text("ipfs://cid/{id}.png"),
		Attributes:   []document.Attribute{{TraitType: "Background", Value: []byte(`"#{id}"`)}},
		Properties:   []document.Property{{Name: "z", Value: []byte(`{"b":12345678901234567890.50,"a":["{id}",null,false,"<&>"]}`)}, {Name: "a", Value: []byte("0")}},
		Localization: &document.Localization{URI: "http://m.io/{id}-{locale}.json", Default: "en", Locales: []string{"es-MX", "fr"}},
	}
	s.Contract(token.NFT, apitest.N1, nil)
	s.Read(token.NFT, apitest.N1, "7", nil)
	s.Document(token.NFT, apitest.URI, base, nil)
	s.Refer(token.NFT, apitest.N1, "7", "document", "", apitest.URI)
	s.Image(token.NFT, "ipfs://cid/7.png", true, nil)
	s.Refer(token.NFT, apitest.N1, "7", "image", "", "ipfs://cid/7.png")
	s.Document(token.NFT, "http://m.io/7-es-MX.json", &document.Document{
		Name: apitest.Text("Cosa {id}"), Attributes: []document.Attribute{{TraitType: "Fondo", Value: []byte("null")}}, Properties: []document.Property{{Name: "a", Value: []byte("1")}},
	}, nil)
	s.Refer(token.NFT, apitest.N1, "7", "document", "es-MX", "http://m.io/7-es-MX.json")
	s.Document(token.NFT, "http://m.io/7-fr.json", nil, nil)
	s.Refer(token.NFT, apitest.N1, "7", "document", "fr", "http://m.io/7-fr.json")

	const localization = `"localization":{"uri":"http://m.io/7-{locale}.json","default":"en","locales":["en","es-MX","fr"]}`
	link := imageLink("ipfs://cid/7.png")
	body := func(name, attributes, a string) string {
		return `{"token_uri":"` + apitest.URI + `","metadata":{"sip":16,"name":"` + name + `","description":"thing","image":"ipfs://cid/7.png","cached_image":"` + link + `","cached_thumbnail_image":"` + link +
			`/thumb","attributes":[` + attributes + `],"properties":{"z":{"b":12345678901234567890.50,"a":["7",null,false,"<&>"]},"a":` + a + `},` + localization + `}}`
	}
	path := "/metadata/v1/nft/" + apitest.N1 + "/7"
	own := body("Thing 7", `{"trait_type":"Background","value":"#7"}`, "0")
	s.Expect(path, 200, own)
	s.Expect(path+"?locale=en", 200, own)
	s.Expect(path+"?locale=es-MX", 200, body("Cosa 7", `{"trait_type":"Fondo","value":null}`, "1"))
	for _, missing := range []string{"fr", "es-mx", "es", "EN"} {
		s.Expect(path+"?locale="+missing, 422, noLocale)
	}
	// A locale with an image of its own.
	const lieu = "http://m.io/fr.png"
	s.Exec(`UPDATE nft_v1.document SET content = $1, source_seq = 250 WHERE uri = 'http://m.io/7-fr.json'`, string((&document.Document{Image: apitest.Text(lieu)}).Encode()))
	if got := s.Get(path + "?locale=fr").Body; !strings.Contains(got, `"image":"`+lieu+`","attributes`) && !strings.Contains(got, `"image":"`+lieu+`","properties`) {
		t.Errorf("before its image is there: got %s", got)
	}
	s.Image(token.NFT, lieu, true, nil)
	s.Refer(token.NFT, apitest.N1, "7", "image", "fr", lieu)
	if got := s.Get(path + "?locale=fr").Body; !strings.Contains(got, `"image":"`+lieu+`","cached_image":"`+imageLink(lieu)+`"`) {
		t.Errorf("got %s", got)
	}
}

// Without copies of images, no answer leads a page to a stranger's address. With or without them, a data URI that is no
// image is none.
func TestImagesOfStrangers(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]readapi.Config{"without copies": {}, "with copies": {ImageBase: "https://copies.example"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewTokenSiteOn(t, replay.Databases.New(t), config)
			s.Contract(token.FT, apitest.P1, nil)
			s.Read(token.FT, apitest.P1, "1", hello)
			s.Refer(token.FT, apitest.P1, "1", "document", "", apitest.URI)
			s.Document(token.FT, apitest.URI, nil, nil)
			for image, isImage := range map[string]bool{
				"ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.png": true,
				"https://test.com/1.png":                   true,
				"data:image/png;base64,iVBORw":             true,
				"ftp://test.com/1.png":                     true,
				"data:text/html,<script>alert(1)</script>": false,
				"DATA:,hello":                              false,
			} {
				s.Exec(`UPDATE ft_v1.document SET source_seq = 202, content = $1`, string((&document.Document{Name: apitest.Text("a"), Image: apitest.Text(image)}).Encode()))
				got := s.Get("/metadata/v1/ft/" + apitest.P1)
				for _, field := range []string{`"image_uri"`, `"cached_image"`, "thumb", `""`} {
					if strings.Contains(got.Body, field) {
						t.Errorf("%s: got %d %s, want no %s", image, got.Status, got.Body, field)
					}
				}
				if has := strings.Contains(got.Body, `"image_canonical_uri":"`+image+`"`) && strings.Contains(got.Body, `"image":"`+image+`"`); got.Status != 200 || has != isImage {
					t.Errorf("%s: got %d %s, want the URI: %t", image, got.Status, got.Body, isImage)
				}
			}
			// Its bytes are an image, whatever it says.
			const misnamed = "data:;base64,iVBORw"
			s.Exec(`UPDATE ft_v1.document SET source_seq = 202, content = $1`, string((&document.Document{Name: apitest.Text("a"), Image: apitest.Text(misnamed)}).Encode()))
			s.Image(token.FT, misnamed, true, nil)
			s.Refer(token.FT, apitest.P1, "1", "image", "", misnamed)
			got := s.Get("/metadata/v1/ft/" + apitest.P1)
			if copied := strings.Contains(got.Body, `"image_uri":"https://copies.example/images/`); copied != (config.ImageBase != "") || strings.Contains(got.Body, "data:") {
				t.Errorf("%s: got %d %s, want only a link to our copy", misnamed, got.Status, got.Body)
			}
		})
	}
}

// While a projection is not there, contracts of its kind are not known.
func TestWithoutProjections(t *testing.T) {
	t.Parallel()
	s := apitest.NewTokenSite(t)
	s.Contract(token.NFT, apitest.N1, nil)
	s.Read(token.NFT, apitest.N1, "1", nil)
	s.Exec(`DELETE FROM strata.active WHERE name = 'ft'`)
	s.Exec(`DELETE FROM strata.projection WHERE name = 'ft'`)
	s.Expect("/metadata/v1/ft", 200, `{"limit":20,"offset":0,"total":0,"results":[]}`)
	s.Expect("/metadata/v1/ft/"+apitest.P1, 404, noContract)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/1", 200, `{"token_uri":"`+apitest.URI+`"}`)
	s.Exec(`DELETE FROM strata.active`)
	s.Exec(`DELETE FROM strata.projection`)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/1", 404, noContract)
	s.Expect("/metadata/v1/search?contract="+apitest.N1, 200, `[]`)
	s.Expect("/metadata/v1/nft/"+apitest.N1+"/1/provenance", 404, noContract)
	s.ExpectTexts("/metadata/v1", http.StatusOK, `"chain_tip":null`)
}
