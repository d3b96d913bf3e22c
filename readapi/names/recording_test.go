package names_test

import (
	"slices"
	"strings"
	"testing"

	projection "strata/projections/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestRecording reads the name that somebody registered, updated and gave away on a chain of a real node. The node posted
// the zonefile of the registration, never that of the update, and for the transfer, which has none, an empty one whose
// hash is zeros.
func TestRecording(t *testing.T) {
	t.Parallel()
	const (
		name       = "strataholdoutname233509.id"
		path       = "/v1/names/" + name
		seller     = "ST11NJTTKGVT6D1HY4NJRVQWMQM7TVAR091EJ8P2Y"
		another    = "STB44HYPYAT2BB2QE513NSP81HTMYWBJP02HPGK6"
		registered = "4a27c11a01402b742866d0979796fdfc4ee20115"
		updated    = "9c7081d82b646f29118a3de1991a895c8aefb7ac"
		content    = `"$ORIGIN strataholdoutname233509.id.\n$TTL 3600\n_http._tcp URI 10 1 \"https://example.org/p.json\"\n"`
		unlaunched = `"expired":false,"in_grace":false,"source":"bns-v1"}`
	)
	posts := replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")
	announced := 1 + slices.IndexFunc(posts, func(p replay.Post) bool {
		return p.Path == "/attachments/new" && strings.Contains(string(p.Body), registered)
	})
	log := replay.NewLog(t)
	fold := func(posts []replay.Post) *apitest.Site {
		replay.Append(t, log, posts...)
		replay.Run(t, log, apitest.NewChain(t), projection.New())
		return apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})
	}
	expectBodies(t, "registered", fold(posts[:announced]), map[string]string{
		path: `{"address":"` + seller + `","blockchain":"stacks","last_txid":"0x592fc48bd467eb7c9252d8e554cd233d0db616410812ed5b58887fc8a20b1625","status":"name-register","zonefile":` +
			content + `,"zonefile_hash":"` + registered + `",` + unlaunched,
		path + "/zonefile":                `{"zonefile":` + content + `}`,
		"/v1/addresses/stacks/" + seller:  `{"names":["` + name + `"]}`,
		"/v1/addresses/stacks/" + another: `{"names":[]}`,
	})
	s := fold(posts[announced:])
	expectBodies(t, "given away", s, map[string]string{
		path: `{"address":"` + another + `","blockchain":"stacks","last_txid":"0x04c02439178627a63a676d784ea86a563ddc04af85d5c9fb2068d2bc4c25f2db","status":"name-transfer","zonefile":"","zonefile_hash":"",` +
			unlaunched,
		path + "/zonefile":                `{"error":"No such name or zonefile does not exist"}`,
		path + "/zonefile/" + registered:  `{"zonefile":` + content + `}`,
		path + "/zonefile/" + updated:     `{"zonefile":"","zonefile_missing":{"error":"The zonefile has not come yet","attempts":0,"next_attempt_at":"2026-11-22T21:27:35Z"}}`,
		path + "/subdomains":              `[]`,
		"/v1/names":                       `["` + name + `"]`,
		"/v1/namespaces/id/names":         `["` + name + `"]`,
		"/v1/namespaces":                  `{"namespaces":["id"]}`, // the genesis block has launched it, and says so nowhere
		"/v1/addresses/stacks/" + seller:  `{"names":[]}`,
		"/v1/addresses/stacks/" + another: `{"names":["` + name + `"]}`,
	})
	// The answer leads to the print in the block of the transfer.
	traced := s.Get(apitest.TracePath(path)).Body
	for _, want := range []string{`"` + namesSchema + `.operation"`, `"/events/1"`, `"` + namesSchema + `.custody"`} {
		if !strings.Contains(traced, want) {
			t.Errorf("trace: got %s, want %s", traced, want)
		}
	}
}

// expectBodies compares answers with the bodies that they are to have.
func expectBodies(t *testing.T, what string, s *apitest.Site, bodies map[string]string) {
	t.Helper()
	for target, want := range bodies {
		if got := s.Get(target); got.Body != want {
			t.Errorf("%s: %s:\n got %d %s\nwant %s", what, target, got.Status, got.Body, want)
		}
	}
}
