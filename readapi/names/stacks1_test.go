package names_test

import (
	"testing"

	domain "strata/domain/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// TestStacks1 expects the bodies of what only the export of Stacks 1.0 tells of.
func TestStacks1(t *testing.T) {
	t.Parallel()
	s := apitest.NewSiteOn(t, replay.Databases.New(t), readapi.Config{})
	tables(s, 500)
	launch(s, "id", 1000)
	s.Exec(`UPDATE ` + namesSchema + `.namespace SET n = 0, height = 0, ready_height = 0, revealed_at = 0, launched_at = 0`)
	operate(s, "old.id", 0, domain.Register, alice, zonefileHash(zone), 0, nil)
	s.Exec(`INSERT INTO ` + namesSchema + `.list VALUES (1, 'names'), (1, 'names:id')`)
	s.Exec(`INSERT INTO `+namesSchema+`.zonefile VALUES (400, -1, NULL, decode($1, 'hex'), $2, '')`, zonefileHash("own"), []byte("own"))
	for label, content := range map[string]string{"sub": "own", "lost": "not in the export"} {
		s.Exec(`INSERT INTO `+namesSchema+`.subdomain VALUES (-1, 0, 7, 0, 300, 300, decode($1, 'hex'), decode(repeat('00', 32), 'hex'), 'old.id', $2, $3, decode($4, 'hex'), 'https://r.example')`,
			zonefileHash("parent"), label, bob, zonefileHash(content))
	}
	subdomain := `{"address":"` + bob + `","blockchain":"stacks","last_txid":"","resolver":"https://r.example","status":"registered_subdomain","zonefile":"`
	s.ExpectAnswers(apitest.Answers{
		{"/v1/namespaces", 200, `{"namespaces":["id"]}`},
		{"/v1/namespaces/id/names", 200, `["old.id"]`},
		{"/v1/names/old.id", 200, `{"address":"` + alice + `","blockchain":"stacks","expire_block":1000,"last_txid":"","status":"name-register","zonefile":"","zonefile_hash":"` +
			zonefileHash(zone) + `","expire_tenure_height":1000,"expired":false,"in_grace":false,"source":"bns-v1"}`},
		{"/v1/names/old.id/subdomains", 200, `["lost.old.id","sub.old.id"]`},
		{"/v1/names/sub.old.id", 200, subdomain + `own","zonefile_hash":"` + zonefileHash("own") + `","source":"bns-v1"}`},
		{"/v1/names/lost.old.id", 200, subdomain + `","zonefile_hash":"` + zonefileHash("not in the export") + `","source":"bns-v1"}`},
		{"/v1/names/sub.old.id/zonefile", 200, `{"zonefile":"own"}`},
		{"/v1/names/new.old.id", 404, `{"error":"cannot find subdomain new.old.id","resolver":"https://r.example"}`},
		{"/v2/prices/names/bob.id", 200, `{"units":"STX","amount":"640000"}`}, // 250 · 4^4 · 10, because no node answers
	})
}
