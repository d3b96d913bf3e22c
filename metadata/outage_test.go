package metadata_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/short"
)

// The database is down at the start, and is stopped and killed while requests are in progress. No want is lost, and no
// attempt is recorded twice.
func TestAnOutageOfTheDatabase(t *testing.T) {
	short.Skip(t, "stops and kills the database")
	t.Parallel()
	server := dedicatedServer(t)
	log := openLog(t, server.New(t))
	node := newNode(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	const wants, failures = 300, 1
	for i := range wants {
		raise(t, log.Pool(), []string{"ft_v1", "nft_v1"}[i%2], row{want: contractRead(fmt.Sprintf("get-%d", i))})
	}
	server.Stop(t)
	c, logged := impatient(config(log, node.URL)), &logbuffer.Buffer{}
	c.Logger = slog.New(slog.NewTextHandler(logged, nil))
	r := run(t, c)
	fold(t, log, failures)
	eventually.Holds(t, "the role waits for the database", func() bool { return logged.HasLine("waits for the database") })
	server.Start(t)
	for _, end := range []func(testing.TB){server.Stop, server.Kill} {
		before := len(node.requests())
		eventually.Holds(t, "further requests arrive", func() bool { return len(node.requests()) > before+20 })
		end(t)
		time.Sleep(time.Second) // the outage lasts for some retries
		server.Start(t)
	}
	checkEachOnce(t, log, wants, failures, r)
}
