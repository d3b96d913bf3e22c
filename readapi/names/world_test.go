package names_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	domain "strata/domain/bns"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/projections/bns"
	projection "strata/projections/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// namesSchema is the schema of the tables.
var namesSchema = projection.Spec().String()

// world is an API over a made-up chain with forks, and what is true of it.
type world struct {
	*apitest.Site
	truth synthchain.State
}

func newWorld(t *testing.T) *world {
	t.Helper()
	config := synthchain.Everything(3, synthchain.V40)
	config.SigningSample, config.Accounts, config.Mix = 1000, 150, synthchain.Mix{Transfer: 1, Naming: 50}
	config.TxPerBlock = synthchain.Range{Min: 8, Max: 16}
	generator := synthchain.New(config)
	log := replay.NewLog(t)
	posts := replay.Take(900, generator.Next)
	replay.Append(t, log, posts...)
	replay.Run(t, log, apitest.NewChain(t), projection.New(), bns.New(domain.KnownContracts()))
	return &world{apitest.NewSiteOn(t, log.Pool(), readapi.Config{}), generator.Expected()}
}

// list returns the names of a list of the model that a condition accepts, sorted.
func (w *world) list(accept func(name string, n synthchain.Name) bool) []string {
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(w.truth.Names)) {
		if n := w.truth.Names[name]; n.Operation != "name-revoke" && accept(name, n) {
			all = append(all, name)
		}
	}
	return all
}

// pages reads all pages of a list.
func (w *world) pages(path string) (all []string) {
	w.T.Helper()
	for page := 0; ; page++ {
		got := w.Get(fmt.Sprintf("%s?page=%d", path, page))
		if got.Status == 400 && page > 0 {
			check.Equal(w.T, fmt.Sprintf("%s, page %d", path, page), got.Body, `{"error":"Invalid page"}`)
			return all
		}
		var names []string
		apitest.DecodeJSON(w.T, got.Body, &names)
		if page > 100 || len(names) > 100 {
			w.T.Fatalf("%s, page %d: got %d names", path, page, len(names))
		}
		all = append(all, names...)
	}
}

// TestNamesOfChain compares lists and names with the model.
func TestNamesOfChain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sameList := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %d names %v, want %d %v", what, len(got), got, len(want), want)
		}
	}
	all := w.list(func(string, synthchain.Name) bool { return true })
	if len(all) < 120 {
		t.Fatalf("there are only %d names", len(all))
	}
	sameList("all names", w.pages("/v1/names"), all)
	var launched []string
	for _, namespace := range slices.Sorted(maps.Keys(w.truth.Namespaces)) {
		if w.truth.Namespaces[namespace].Launched {
			launched = append(launched, namespace)
			sameList(namespace, w.pages("/v1/namespaces/"+namespace+"/names"), w.list(func(name string, _ synthchain.Name) bool {
				return strings.HasSuffix(name, "."+namespace)
			}))
		}
	}
	check.Equal(t, "namespaces", w.Get("/v1/namespaces").Body, `{"namespaces":["`+strings.Join(launched, `","`)+`"]}`)
	owners := map[string]bool{}
	for name, n := range w.truth.Names {
		owners[n.Owner] = true
		got := w.Get("/v1/names/" + name)
		if n.Operation == "name-revoke" {
			if want := `{"error":"cannot find name ` + name + `"}`; got.Status != 404 || got.Body != want {
				t.Errorf("%s: got %d %s, want %s", name, got.Status, got.Body, want)
			}
			continue
		}
		var body struct {
			Address, Status  string
			ZonefileHash     string  `json:"zonefile_hash"`
			ExpireBlock      *uint64 `json:"expire_block"`
			Expired, InGrace bool
			Zonefile         string
		}
		apitest.DecodeJSON(t, got.Body, &body)
		if body.Address != n.Owner || body.Status != n.Operation || body.ZonefileHash != n.ZonefileHash || fmt.Sprint(deref(body.ExpireBlock)) != fmt.Sprint(deref(n.Expires)) {
			t.Errorf("%s: got %s, want %+v", name, got.Body, n)
		}
		if n.Expires != nil && body.Expired != (w.truth.Tip.Tenure > *n.Expires) {
			t.Errorf("%s: got %s at tenure %d", name, got.Body, w.truth.Tip.Tenure)
		}
		if body.Zonefile != "" && body.Zonefile != string(w.truth.Zonefiles[n.ZonefileHash]) {
			t.Errorf("%s: got the zonefile %q", name, body.Zonefile)
		}
	}
	for owner := range owners {
		var body struct{ Names []string }
		apitest.DecodeJSON(t, w.Get("/v1/addresses/stacks/"+owner).Body, &body)
		var held []string
		for _, name := range body.Names {
			if strings.Count(name, ".") == 1 {
				held = append(held, name)
			}
		}
		if want := w.list(func(_ string, n synthchain.Name) bool { return n.Owner == owner }); !slices.Equal(held, want) && len(held)+len(want) > 0 {
			t.Errorf("%s: got %v, want %v", owner, held, want)
		}
	}
}

// TestBothRegistries has a name in both registries: its answer names the owner in the second one, and the search finds both.
func TestBothRegistries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := w.list(func(string, synthchain.Name) bool { return true })[0]
	path, search := "/v1/names/"+name, "/extended/v1/search/"+name
	first := `{"registry":"bns-v1","owner":"` + w.truth.Names[name].Owner + `"}`
	if got := w.Get(path); strings.Contains(got.Body, "bns_v2") {
		t.Errorf("got %s, want nothing of the second registry", got.Body)
	}
	check.Equal(t, "search", w.Get(search).Body, `{"found":true,"result":{"entity_id":"`+name+`","entity_type":"name","name_data":[`+first+`]}}`)
	label, namespace, _ := strings.Cut(name, ".")
	w.Exec(`INSERT INTO `+bns.Spec().String()+`.name (height, source_seq, id, tx_index, events, airdropped, revoked, valid, key_a, key_b, key_c, renewal_height, stx_burn, full_name, label, namespace, owner, pointer)
		VALUES (1, 1, 1, 0, 1, true, false, true, 0, 0, 0, 0, 0, $1, $2, $3, $4, '/events/0')`, name, label, namespace, apitest.Alice)
	again := apitest.NewSiteOn(t, w.Pool, readapi.Config{}) // which has kept no answer
	second := `{"registry":"bns-v2","owner":"` + apitest.Alice + `"}`
	if got := again.Get(path); !strings.HasSuffix(got.Body, `"bns_v2":`+second+`}`) {
		t.Errorf("got %s, want %s", got.Body, second)
	}
	if got, want := again.Get(search).Body, `"name_data":[`+second+`,`+first+`]}}`; !strings.HasSuffix(got, want) {
		t.Errorf("search: got %s, want %s", got, want)
	}
	for _, target := range []string{path, search} {
		again.ExpectTexts(apitest.TracePath(target), 200, `"`+bns.Spec().String()+`.name"`)
	}
	// The rows of the first registry lead to the event of the block, and to the place in it.
	traced := again.Get(apitest.TracePath(path))
	for _, want := range []string{`"` + namesSchema + `.operation"`, `"/events/`, `"` + w.truth.Names[name].Owner + `"`} {
		if !strings.Contains(traced.Body, want) {
			t.Errorf("trace of %s: got %.2000s, want %s", path, traced.Body, want)
		}
	}
	again.ExpectTexts("/extended/v1/search/nobody.nowhere", 404, `"entity_type":"invalid_term"`)
}

func deref(n *uint64) any {
	if n == nil {
		return "none"
	}
	return *n
}
