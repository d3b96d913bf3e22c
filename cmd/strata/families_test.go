package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/ordinals"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
)

// Two families have their projections in databases of their own, whose processes are killed while events come and one of whose
// projections is rebuilt. The API finds each family where it is, and its answers are those of a server that has everything in one
// database.
func TestFamiliesInOtherDatabases(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs four servers")
	}
	main, feedURL, standardURL, dir := pgtest.URL(t), pgtest.Fresh(t), pgtest.Fresh(t), t.TempDir()
	feedNames, standardNames := "ordinals,inscriptions,brc20", "rosetta,accounts,balances,mempool"
	s := startServer(t, dir, "--database-url", main, "--projections", "accounts,balances,mempool,pox,staking,names,bns,ft,sft,nft",
		"--projection-database-url-ordinals", feedURL, "--projection-database-url-rosetta", standardURL, "--rosetta-addr", "127.0.0.1:0", "--public-internals")
	// What does not exist yet is not there, and nothing else suffers.
	if got := s.get("/ordinals/v1/"); got.status != http.StatusServiceUnavailable {
		t.Errorf("without a database: got %d %s, want 503", got.status, got.body)
	}
	fold := func(url, names string) *server {
		w := start(t, command(t, t.TempDir(), nil, "serve", "--roles", "mirror,projector", "--database-url", url, "--mirror-of", main, "--projections", names))
		return w
	}
	feedFolder, standardFolder := fold(feedURL, feedNames), fold(standardURL, standardNames)

	feed := synthordinals.New(synthordinals.Everything(7, ordinals.Regtest))
	chain := synthchain.New(synthchain.Everything(4, synthchain.V40))
	for i := range 60 {
		post := feed.Next()
		s.mustPost(post.Path, post.Body)
		event := chain.Next()
		s.mustPost(event.Path, event.Body)
		switch i {
		case 20:
			feedFolder.signal(syscall.SIGKILL)
			standardFolder.signal(syscall.SIGKILL)
		case 30:
			feedFolder, standardFolder = fold(feedURL, feedNames), fold(standardURL, standardNames)
		}
	}
	expected := feed.Expected()
	tip, _ := expected.Tip()
	arrived := func() bool {
		var status struct {
			BlockHeight uint64 `json:"block_height"`
		}
		var page struct{ Total int }
		return s.get("/readyz?for=ordinals").status == http.StatusOK && s.get("/ordinals/v1/").status == http.StatusOK &&
			s.read("/ordinals/v1/", &status).status == http.StatusOK && status.BlockHeight == tip.Height &&
			s.read("/ordinals/v1/brc-20/activity", &page).status == http.StatusOK && page.Total == len(expected.Activity)
	}
	eventually.Holds(t, "the feed is where it is elsewhere", arrived)
	must(t, dir, "projections", "rebuild", "brc20", "--database-url", feedURL)
	eventually.Holds(t, "the feed is there after a rebuild", arrived)
	for url, want := range map[string]string{main: "accounts balances bns chain ft mempool names nft pox sft staking", feedURL: "brc20 inscriptions ordinals", standardURL: "accounts balances chain mempool rosetta"} {
		if got := strings.Join(projectionsIn(t, url), " "); got != want {
			t.Errorf("a database has the projections %s, want %s", got, want)
		}
	}
	if metrics := string(s.get("/metrics").body); !strings.Contains(metrics, `strata_api_request_seconds_count{family="ordinals",operation=`) {
		t.Error("the metrics lack the requests of the family")
	}

	whole := startServer(t, dir, "--database-url", main) // with the same key of the log
	whole.caughtUp(120)
	eventually.Holds(t, "the whole has the feed", func() bool { return whole.get("/readyz?for=all").status == http.StatusOK })
	paths := []string{"/ordinals/v1/", "/ordinals/v1/inscriptions?limit=60", "/ordinals/v1/brc-20/tokens?limit=60", "/ordinals/v1/brc-20/activity?limit=60", "/ordinals/v1/stats/inscriptions", "/ordinals/nothing"}
	for id := range expected.Inscriptions {
		paths = append(paths, "/ordinals/v1/inscriptions/"+string(id))
		if len(paths) > 16 {
			break
		}
	}
	for _, path := range paths {
		eventually.Holds(t, path+" is the same", func() bool {
			here, there := s.get(path), whole.get(path)
			return here.status == there.status && string(here.body) == string(there.body)
		})
	}
	network := `{"network_identifier":{"blockchain":"stacks","network":"mainnet"}`
	for path, body := range map[string]string{"/mesh/network/status": network + "}", "/rosetta/v1/network/status": network + "}", "/mesh/block": network + `,"block_identifier":{"index":3}}`} {
		eventually.Holds(t, path+" is the same", func() bool {
			here, there := s.ask(http.MethodPost, path, "application/json", body), whole.ask(http.MethodPost, path, "application/json", body)
			return here.status == http.StatusOK && there.status == http.StatusOK && string(here.body) == string(there.body)
		})
	}
}

// projectionsIn returns the names of the projections that a database has.
func projectionsIn(t *testing.T, url string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), `SELECT DISTINCT name FROM strata.projection ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// Three families have their projections in another database, also those whose wants are fetched, which the main database does not
// fold at all. Wants are found there, what is fetched gets into the log, and the answers are those of a server that has everything in one database.
func TestFetchedFamilies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs three servers")
	}
	world := &outside.World{}
	beyond := httptest.NewServer(world)
	defer beyond.Close()
	main, other, dir := pgtest.URL(t), pgtest.Fresh(t), t.TempDir()
	images := []string{"--image-store=dir://" + t.TempDir(), "--public-url=https://tokens.example", "--ipfs-gateways=" + beyond.URL}
	s := startServer(t, dir, "--database-url", main, "--projections", "accounts,balances,mempool",
		"--projection-database-url-tokens", other, "--projection-database-url-names", other, "--projection-database-url-stacking", other,
		"--nodes", beyond.URL, "--fetch-allow", "127.0.0.1", images[0], images[1], images[2],
		"--bns-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0", "--public-internals")
	start(t, command(t, t.TempDir(), nil, "serve", "--roles", "mirror,projector", "--database-url", other, "--mirror-of", main,
		"--projections", "accounts,pox,staking,names,bns,ft,sft,nft"))
	must(t, dir, "simulate", "--observer", s.observer, "--count", "150", "--seed", "7", "--calm")
	var list struct {
		Total   int
		Results []struct {
			Contract  string `json:"contract_principal"`
			Name      string `json:"name"`
			Thumbnail string `json:"image_thumbnail_uri"`
		}
	}
	eventually.Holds(t, "a fungible token has a name and an image", func() bool {
		return s.get("/readyz?for=tokens").status == http.StatusOK && s.read("/metadata/v1/ft?limit=60", &list).status == http.StatusOK && list.Total > 0 && list.Results[0].Thumbnail != ""
	})
	coin := list.Results[0].Contract
	if want := outside.Name(coin); list.Results[0].Name != want {
		t.Errorf("the name of %s is %q, want %q", coin, list.Results[0].Name, want)
	}
	if got, want := strings.Join(projectionsIn(t, main), " "), "accounts balances chain mempool"; got != want {
		t.Errorf("the main database has the projections %s, want %s", got, want)
	}

	// Who asks for a token again is answered from its tables, and asks in the log.
	admin := s.announced("serving the administration API")
	before := world.Calls()
	if got := do(t, http.MethodPost, admin+"/admin/v1/tokens/refresh", nil, []byte(`{"contract_id":"`+coin+`"}`)); got.status != http.StatusAccepted {
		t.Errorf("the administration API: got %d %s", got.status, got.body)
	}
	eventually.Holds(t, "the token is fetched again", func() bool { return world.Calls() >= before+5 })
	before = world.Calls()
	must(t, dir, "tokens", "refresh", coin, "--database-url", main, "--projection-database-url-tokens", other)
	eventually.Holds(t, "the token is fetched again by the command", func() bool { return world.Calls() >= before+5 })

	whole := startServer(t, t.TempDir(), "--database-url", main, "--roles", "observer,projector,api", images[0], images[1], images[2])
	eventually.Holds(t, "the whole has everything", func() bool {
		var all struct{ Total int }
		return whole.get("/readyz?for=all").status == http.StatusOK && whole.read("/metadata/v1/ft?limit=60", &all).status == http.StatusOK && all.Total == list.Total
	})
	for _, path := range []string{
		"/metadata/v1/ft?limit=60", "/metadata/v1/ft/" + coin, "/metadata/v1/search?q=a", "/v1/names", "/v1/namespaces", "/v1/names/nobody.btc", "/v2/prices/namespaces/btc",
		"/bns/v2/names", "/bns/v2/namespaces", "/bns/v2/nothing", "/extended/v2/pox/cycles", "/extended/v1/pox4/events", "/extended/v1/burnchain/rewards", "/extended/v2/burn-blocks/latest/pox-transactions",
		"/extended/v3/staking/bonds", "/extended/v3/staking", "/extended/v3/principals/" + strings.Split(coin, ".")[0] + "/staking",
	} {
		var here, there reply
		same := func() bool {
			here, there = s.get(path), whole.get(path)
			return here.status == there.status && string(here.body) == string(there.body)
		}
		eventually.Holds(t, path+" is the same", same)
		if there.status == http.StatusServiceUnavailable {
			t.Errorf("%s: got %s", path, there.body)
		}
	}
	if got := do(t, http.MethodGet, s.announced("serving the names of BNS-V2")+"/namespaces", nil, nil); string(got.body) != string(whole.get("/bns/v2/namespaces").body) {
		t.Errorf("at the address of the names: got %d %s", got.status, got.body)
	}
	// The others do without.
	if got := s.get("/extended/v3/search?q=alice.btc"); got.status != http.StatusOK {
		t.Errorf("search: got %d %s", got.status, got.body)
	}
}
