package names_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/domain/clarity"
	domain "strata/domain/names"
	"strata/internal/testkit/check"
	projection "strata/projections/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

const (
	alice = "SP1P72Z3704VMT3DMHPP2CB8TGQWGDBHD3RPR9GZS"
	bob   = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"
	vault = bob + ".vault"
	zone  = "$ORIGIN bob.id\n$TTL 3600\n"
)

// zonefileHash returns the hash of a zonefile in hex.
func zonefileHash(content string) string {
	h := domain.ZonefileHash([]byte(content))
	return hex.EncodeToString(h[:])
}

// tables makes the tables of names with an active version, up to a block with a clock.
func tables(s *apitest.Site, clock int) {
	s.T.Helper()
	s.ChainTables(projection.Spec(), clock, clock)
	setClock(s, clock)
}

// setClock makes the newest block one with a clock.
func setClock(s *apitest.Site, clock int) {
	s.T.Helper()
	s.Exec(`DELETE FROM ` + namesSchema + `.block`)
	s.Exec(`INSERT INTO `+namesSchema+`.block VALUES (1, $1, $1, $1, 0, '\x01', '\x02')`, clock)
}

func launch(s *apitest.Site, namespace string, lifetime int) {
	s.T.Helper()
	s.Exec(`INSERT INTO `+namesSchema+`.namespace VALUES (1, 200, 200, 0, 0, 200, true, 100, 200, $2, 4, 250, 10, 20, ARRAY[6,5,4,3,2,1,0,0,0,0,0,0,0,0,0,0], '\x03', $1, $3)`,
		namespace, lifetime, alice)
}

// operate adds an operation of a name, and its row in the lists.
func operate(s *apitest.Site, name string, n int, operation domain.Operation, owner, hash string, registered, imported any) {
	s.T.Helper()
	s.Exec(`INSERT INTO `+namesSchema+`.operation VALUES ($1::int, 300 + $1::int, 300, $2, $3, 0, 0, $4, decode(lpad($1::text, 64, '0'), 'hex'), decode($5, 'hex'), $6, $7)`,
		n, registered, imported, int16(operation), hash, name, owner)
	_, namespace, _ := strings.Cut(name, ".")
	s.Exec(`INSERT INTO `+namesSchema+`.name VALUES (300, 0, 0, 0, $1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET listed = excluded.listed, holder = excluded.holder`,
		operation != domain.Revoke, name, namespace, owner)
}

func tx(n int) string { return fmt.Sprintf("0x%064d", n) }

// TestConformance expects exact bodies of all operations.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{CallRead: func(_ context.Context, contract clarity.Principal, function string, arguments ...clarity.Value) (clarity.Value, error) {
		what := fmt.Sprint(contract, " ", function, " ", arguments[0].Repr(), " ", arguments[1].Repr())
		switch {
		case what == "SP000000000000000000002Q6VF78.bns get-name-price 0x6f6c64 0x626f62":
			return clarity.NewOk(clarity.NewUint64(1234567890)), nil
		case strings.HasSuffix(what, "0x646f776e 0x626f62"):
			return clarity.Value{}, errors.New("no node answers")
		case strings.HasSuffix(what, "0x6661696c 0x626f62"):
			return clarity.Value{}, nil
		}
		return clarity.NewErr(clarity.NewUint64(1005)), nil
	}})
	tables(s, 1000)
	launch(s, "id", 1000)
	launch(s, "app", 0)
	launch(s, "btc", 52595)
	s.Exec(`INSERT INTO `+namesSchema+`.zonefile VALUES (400, 0, NULL, decode($1, 'hex'), $2, '')`, zonefileHash(zone), []byte(zone))
	operate(s, "bob.id", 1, domain.Register, alice, zonefileHash("old"), 300, nil)
	operate(s, "bob.id", 2, domain.Transfer, vault, zonefileHash(zone), 300, nil)
	operate(s, "imported.id", 1, domain.Import, alice, zonefileHash("never found"), nil, 150)
	miss := func(content string, attempts, waits, reason int) {
		s.Exec(`INSERT INTO `+namesSchema+`.want (source_seq, due_at, attempts, waits, priority, reason, severity, key_hash, zonefile_hash, kind, want)
			VALUES (300, '2026-02-03T04:05:06Z', $2, $3, 2, $4, 3, decode($1, 'hex'), decode($1, 'hex'), 'attachment', '{}')`, zonefileHash(content), attempts, waits, reason)
	}
	miss("never found", 2, 0, 200)
	miss("old", 0, 0, 0)
	operate(s, "forever.app", 1, domain.Renewal, alice, "", 400, nil)
	operate(s, "gone.id", 1, domain.Register, alice, zonefileHash("gone"), 300, nil)
	operate(s, "gone.id", 2, domain.Revoke, alice, "", 300, nil)
	operate(s, "early.new", 1, domain.Import, bob, zonefileHash(zone), nil, 150)
	s.Exec(`INSERT INTO ` + namesSchema + `.list VALUES (4, 'names'), (2, 'names:id'), (1, 'names:app'), (1, 'names:new')`)
	inner := []byte("inner \xff é")
	sub := domain.Subdomain{Content: inner}
	const resolved, plain = "resolved zonefile", "plain zonefile"
	for content, resolver := range map[string]string{resolved: "https://registrar.example", plain: ""} {
		s.Exec(`INSERT INTO `+namesSchema+`.zonefile VALUES (401, 0, NULL, decode($1, 'hex'), $2, $3)`, zonefileHash(content), []byte(content), resolver)
	}
	record := func(content, name, label, owner string, place, n, sequence int) {
		s.Exec(`INSERT INTO `+namesSchema+`.zonefile_record VALUES (401, $1, $2, decode($3, 'hex'), $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
			place, sequence, zonefileHash(content), label, owner, sub.Hash(), inner)
		s.Exec(`INSERT INTO `+namesSchema+`.subdomain VALUES ($1, $2::int, $3, 300 + $2::int, 401, 300, decode($4, 'hex'), decode(lpad($2::text, 64, '0'), 'hex'), $5, $6, $7)`,
			sequence, n, place, zonefileHash(content), name, label, owner)
	}
	record(resolved, "bob.id", "zoe", alice, 0, 3, 1)
	record(resolved, "bob.id", "al", alice, 1, 3, 0)
	record(plain, "bob.id", "zoe", bob, 0, 2, 0) // replaced by a higher sequence
	record(plain, "bob.id", "al", bob, 1, 4, 1)
	record(plain, "imported.id", "x", bob, 2, 1, 0)
	record(plain, "gone.id", "y", bob, 3, 1, 0)
	s.Exec(`UPDATE `+namesSchema+`.subdomain SET n = 5 WHERE name = 'bob.id' AND label = 'zoe' AND owner = $1`, alice) // the last update has a resolver

	const (
		notServed  = `"zonefile_missing":{"error":"No node serves it","attempts":2,"next_attempt_at":"2026-02-03T04:05:06Z"}`
		noName     = `{"error":"No such name or zonefile"}`
		noZonefile = `{"error":"No such name or zonefile does not exist"}`
		inSubdoms  = `"zonefile":"inner � é","zonefile_hash":"`
	)
	innerHash := hex.EncodeToString(sub.Hash())
	for _, tc := range []struct {
		target string
		status int
		body   string
	}{
		{"/v1/namespaces", 200, `{"namespaces":["app","btc","id"]}`},
		{"/v1/namespaces?unanchored=true", 200, `{"namespaces":["app","btc","id"]}`},
		{"/v1/namespaces/id/names", 200, `["bob.id","imported.id"]`},
		{"/v1/namespaces/id/names?page=0", 200, `["bob.id","imported.id"]`},
		{"/v1/namespaces/id/names?page=1", 400, `{"error":"Invalid page"}`},
		{"/v1/namespaces/btc/names", 200, `[]`},
		{"/v1/namespaces/btc/names?page=0", 400, `{"error":"Invalid page"}`},
		{"/v1/namespaces/new/names", 400, `{"error":"No such namespace"}`}, // not launched
		{"/v1/namespaces/id/names?page=-1", 400, `{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"querystring/page must be >= 0"}`},
		{"/v1/namespaces/id/names?page=0.5", 400, `{"statusCode":400,"code":"FST_ERR_VALIDATION","error":"Bad Request","message":"querystring/page must be integer"}`},
		{"/v1/names", 200, `["bob.id","early.new","forever.app","imported.id"]`},
		{"/v1/names?page=0", 200, `["bob.id","early.new","forever.app","imported.id"]`},
		{"/v1/names?page=1", 400, `{"error":"Invalid page"}`},
		{"/v1/names?page=9223372036854775807", 400, `{"error":"Invalid page"}`},

		{"/v1/names/bob.id", 200, `{"address":"` + vault + `","blockchain":"stacks","expire_block":1300,"last_txid":"` + tx(2) + `","status":"name-transfer","zonefile":"` +
			strings.ReplaceAll(zone, "\n", `\n`) + `","zonefile_hash":"` + zonefileHash(zone) + `","expire_tenure_height":1300,"expired":false,"in_grace":false,"source":"bns-v1"}`},
		{"/v1/names/imported.id", 200, `{"address":"` + alice + `","blockchain":"stacks","expire_block":1200,"last_txid":"` + tx(1) + `","status":"name-import","zonefile":"","zonefile_hash":"` +
			zonefileHash("never found") + `",` + notServed + `,"expire_tenure_height":1200,"expired":false,"in_grace":false,"source":"bns-v1"}`},
		{"/v1/names/forever.app", 200, `{"address":"` + alice + `","blockchain":"stacks","last_txid":"` + tx(1) +
			`","status":"name-renewal","zonefile":"","zonefile_hash":"","expired":false,"in_grace":false,"source":"bns-v1"}`},
		{"/v1/names/gone.id", 404, `{"error":"cannot find name gone.id"}`},
		{"/v1/names/nobody.id", 404, `{"error":"cannot find name nobody.id"}`},
		{"/v1/names/bob", 404, `{"error":"cannot find name bob"}`},
		{"/v1/names/a.b.c.d", 404, `{"error":"cannot find name a.b.c.d"}`},

		{"/v1/names/zoe.bob.id", 200, `{"address":"` + alice + `","blockchain":"stacks","last_txid":"` + tx(3) +
			`","resolver":"https://registrar.example","status":"registered_subdomain",` + inSubdoms + innerHash + `","source":"bns-v1"}`},
		{"/v1/names/al.bob.id", 200, `{"address":"` + bob + `","blockchain":"stacks","last_txid":"` + tx(4) + `","resolver":"","status":"registered_subdomain",` +
			inSubdoms + innerHash + `","source":"bns-v1"}`},
		{"/v1/names/new.bob.id?x=y", 404, `{"error":"cannot find subdomain new.bob.id","resolver":"https://registrar.example"}`},
		{"/v1/names/new.imported.id", 404, `{"error":"missing resolver from a malformed zonefile"}`},
		{"/v1/names/new.forever.app", 404, `{"error":"cannot find subdomain new.forever.app"}`},
		{"/v1/names/y.gone.id", 404, `{"error":"cannot find subdomain y.gone.id"}`},

		{"/v1/names/bob.id/subdomains", 200, `["al.bob.id","zoe.bob.id"]`},
		{"/v1/names/gone.id/subdomains", 200, `[]`},
		{"/v1/names/nobody.id/subdomains", 200, `[]`},
		{"/v1/names/bob.id/zonefile", 200, `{"zonefile":"` + strings.ReplaceAll(zone, "\n", `\n`) + `"}`},
		{"/v1/names/imported.id/zonefile", 200, `{"zonefile":"",` + notServed + `}`},
		{"/v1/names/forever.app/zonefile", 404, noZonefile},
		{"/v1/names/gone.id/zonefile", 404, noZonefile},
		{"/v1/names/nobody.id/zonefile", 404, noZonefile},
		{"/v1/names/zoe.bob.id/zonefile", 200, `{"zonefile":"inner � é"}`},
		{"/v1/names/new.bob.id/zonefile", 404, noZonefile},
		{"/v1/names/bob.id/zonefile/" + zonefileHash(zone), 200, `{"zonefile":"` + strings.ReplaceAll(zone, "\n", `\n`) + `"}`},
		{"/v1/names/bob.id/zonefile/0x" + zonefileHash("old"), 200, `{"zonefile":"","zonefile_missing":{"error":"The zonefile has not come yet","attempts":0,"next_attempt_at":"2026-02-03T04:05:06Z"}}`},
		{"/v1/names/bob.id/zonefile/" + zonefileHash("other"), 404, noName},
		{"/v1/names/bob.id/zonefile/no-hash", 404, noName},
		{"/v1/names/gone.id/zonefile/" + zonefileHash("gone"), 404, noName},
		{"/v1/names/zoe.bob.id/zonefile/" + innerHash, 200, `{"zonefile":"inner � é"}`},

		{"/v1/addresses/stacks/" + alice, 200, `{"names":["forever.app","imported.id","zoe.bob.id"]}`},
		{"/v1/addresses/stacks/" + bob, 200, `{"names":["al.bob.id","early.new","x.imported.id"]}`},
		{"/v1/addresses/stacks/" + vault, 200, `{"names":["bob.id"]}`},
		{"/v1/addresses/stacks/nobody", 200, `{"names":[]}`},
		{"/v1/addresses/bitcoin/" + alice, 400, `{"statusCode":400,"error":"Bad Request","message":"Unsupported blockchain"}`},

		{"/v2/prices/namespaces/a", 200, `{"units":"STX","amount":"640000000000"}`},
		{"/v2/prices/namespaces/id", 200, `{"units":"STX","amount":"64000000000"}`},
		{"/v2/prices/namespaces/" + strings.Repeat("x", 20), 200, `{"units":"STX","amount":"640000000"}`},
		{"/v2/prices/namespaces/" + strings.Repeat("x", 21), 400, `{"error":"Invalid namespace"}`},
		{"/v2/prices/names/abcdefg.id", 200, `{"units":"STX","amount":"2500"}`},
		{"/v2/prices/names/a.id", 200, `{"units":"STX","amount":"10240000"}`},
		{"/v2/prices/names/b1.id", 200, `{"units":"STX","amount":"128000"}`},
		{"/v2/prices/names/.id", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/bob", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/a.bob.id", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/" + strings.Repeat("x", 49) + ".id", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/bob.old", 200, `{"units":"STX","amount":"1234567890"}`}, // a node knows the namespace
		{"/v2/prices/names/bob.unknown", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/bob.fail", 400, `{"error":"Invalid name"}`},
		{"/v2/prices/names/bob.down", 503, `{"error":"no node answers, and the price function of the namespace is not in the log"}`},
	} {
		got := s.Get(tc.target)
		if got.Status != tc.status || got.Body != tc.body {
			t.Errorf("GET %s\n got %d %s\nwant %d %s", tc.target, got.Status, got.Body, tc.status, tc.body)
		}
		if got.Header.Get("Location") != "" {
			t.Errorf("GET %s leads to %s", tc.target, got.Header.Get("Location"))
		}
		check.Equal(t, tc.target+": is tagged", got.Header.Get("ETag") != "", (tc.status == http.StatusOK))
	}
	// Other paths of /v2 are forwarded to nodes, and without nodes answered 503. These are not, by whatever method.
	for _, method := range []string{http.MethodPut, "QUERY"} {
		if got := s.Request(method, "/v2/prices/names/bob.id"); got.Status != http.StatusNotFound {
			t.Errorf("%s of a price: got %d %s, want 404", method, got.Status, got.Body)
		}
	}
}

// TestExpiry looks at a name at the heights between which it changes.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	tables(s, 1000)
	launch(s, "id", 1000)
	operate(s, "bob.id", 1, domain.Register, alice, "", 300, nil)
	for clock, want := range map[int]string{
		1300: `"expired":false,"in_grace":false`, 1301: `"expired":true,"in_grace":true`,
		6300: `"expired":true,"in_grace":true`, 6301: `"expired":true,"in_grace":false`,
	} {
		setClock(s, clock)
		if got := s.Get("/v1/names/bob.id"); !strings.Contains(got.Body, want) {
			t.Errorf("at %d: got %s, want %s", clock, got.Body, want)
		}
	}
	check.Equal(t, "an expired name", s.Get("/v1/addresses/stacks/"+alice).Body, `{"names":["bob.id"]}`)
}

// TestNamespaceOfNames asks for a namespace whose launch is not in the log: its names prove that it exists.
func TestNamespaceOfNames(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	tables(s, 500)
	launch(s, "btc", 1000)
	operate(s, "bob.id", 1, domain.Register, alice, "", 300, nil)
	operate(s, "carol.id", 2, domain.Transfer, alice, "", 300, nil)
	operate(s, "dave.app", 3, domain.Import, alice, "", nil, 300)
	operate(s, "gone.old", 4, domain.Revoke, alice, "", 300, nil)
	s.Exec(`INSERT INTO ` + namesSchema + `.list VALUES (3, 'names'), (2, 'names:id'), (1, 'names:app')`)
	s.ExpectAnswers(apitest.Answers{
		{"/v1/namespaces", 200, `{"namespaces":["btc","id"]}`},
		{"/v1/namespaces/id/names", 200, `["bob.id","carol.id"]`},
		{"/v1/namespaces/app/names", 400, `{"error":"No such namespace"}`}, // names are imported before the launch
		{"/v1/namespaces/btc/names", 200, `[]`},
		{"/v1/namespaces/old/names", 400, `{"error":"No such namespace"}`},
		{"/v1/namespaces/i/names", 400, `{"error":"No such namespace"}`},
		{"/v2/prices/names/bob.id", 503, `{"error":"no node answers, and the price function of the namespace is not in the log"}`},
	})
	if traced := s.Get(apitest.TracePath("/v1/namespaces")).Body; !strings.Contains(traced, `"bob.id"`) {
		t.Errorf("trace of the namespaces: got %s, want the name that proves one", traced)
	}
}

// TestNothing asks an API that has no blocks, and then one without a node.
func TestNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	for target, want := range map[string]string{
		"/v1/names": `[]`, "/v1/namespaces": `{"namespaces":[]}`, "/v1/namespaces/id/names": `{"error":"No such namespace"}`,
		"/v1/names/bob.id": `{"error":"cannot find name bob.id"}`, "/v1/names/bob.id/zonefile": `{"error":"No such name or zonefile does not exist"}`,
		"/v1/names/a.bob.id": `{"error":"cannot find subdomain a.bob.id"}`, "/v1/names/bob.id/subdomains": `[]`,
		"/v1/addresses/stacks/" + alice: `{"names":[]}`, "/v2/prices/namespaces/id": `{"units":"STX","amount":"64000000000"}`,
		"/v2/prices/names/bob.id": `{"error":"no node answers, and the price function of the namespace is not in the log"}`,
	} {
		if got := s.Get(target); got.Body != want {
			t.Errorf("%s: got %d %s, want %s", target, got.Status, got.Body, want)
		}
	}
}
