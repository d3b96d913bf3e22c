package metadata_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/metadata"
)

// Wants in a database with a copy of the log are fetched as those beside the log are, into the log; a want that is in both is
// fetched once. Nothing is fetched while the copy is far behind, and a database that can't be read keeps no others waiting.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	log, elsewhere := openLog(t, databases.New(t)), openLog(t, databases.NewFresh(t))
	away, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/none?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(away.Close)
	c, logged, registry := config(log), &logbuffer.Buffer{}, prometheus.NewRegistry()
	c.Logger, c.Registry = slog.New(slog.NewTextHandler(logged, nil)), registry
	c.Elsewhere = []metadata.Elsewhere{{Name: "away", Pool: away}, {Name: "tokens", Pool: elsewhere.Pool()}}
	both := row{want: document("gopher://both"), dueAt: time.Now().Add(-time.Minute)}
	raise(t, log.Pool(), "ft_v1", both)
	raise(t, elsewhere.Pool(), "ft_v1", both)
	raise(t, elsewhere.Pool(), "nft_v1", row{want: document("gopher://elsewhere")})
	raise(t, log.Pool(), "nft_v1", row{want: document("gopher://here")})
	r := run(t, c)
	fetched := map[string]bool{}
	for _, report := range r.awaitReports(t, 3) {
		fetched[report.Want.URI] = true
	}
	if len(fetched) != 3 {
		t.Errorf("got reports about %v, want one about each of three wants", fetched)
	}
	if n := len(reports(t, elsewhere)); n != 0 {
		t.Errorf("the copy of the log was given %d reports", n)
	}
	if !logged.HasLine("can't be read", "away") {
		t.Errorf("the log lacks the database that can't be read:\n%s", logged)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := ""
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels += " " + l.GetValue()
			}
		}
	}
	if !strings.Contains(labels, " tokens:nft_v1") {
		t.Errorf("the metrics have the labels%s, want tokens:nft_v1 among them", labels)
	}

	// The projection elsewhere has all of its copy, which lacks much of the log.
	head := appendEvents(t, log, metadata.LagItemsMax+1, time.Now())
	for _, name := range []string{"ft", "nft", "names"} {
		setPosition(t, log, name, head)
	}
	for range 2 { // a pass that has begun may not have seen this
		r.awaitPass(t)
	}
	raise(t, elsewhere.Pool(), "nft_v1", row{want: document("gopher://later")})
	for range 2 {
		r.awaitPass(t)
	}
	wantJobs(t, log, 3)
	behind, err := log.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copied := appendEvents(t, elsewhere, int(behind), time.Now())
	for _, name := range []string{"ft", "nft", "names"} {
		setPosition(t, elsewhere, name, copied)
	}
	eventually.Holds(t, "the want is fetched once the copy has come closer", func() bool { return len(reports(t, log)) == 4 })
}
