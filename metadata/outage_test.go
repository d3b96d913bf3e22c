package metadata_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"strata/internal/testkit/pgtest"
)

// The database may be away at the start, be stopped and be killed while requests are under way: nothing is lost, and
// nothing is recorded twice.
func TestAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Dedicated(t)
	if err := fill(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
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
	run(t, impatient(config(log, node.URL)))
	fold(t, log, failures)
	time.Sleep(1500 * time.Millisecond)
	server.Start(t)
	for _, end := range []func(testing.TB){server.Stop, server.Kill} {
		before := len(node.requests())
		eventually(t, "requests go on", 60*time.Second, func() bool { return len(node.requests()) > before+20 })
		end(t)
		time.Sleep(time.Second)
		server.Start(t)
	}
	checkEachOnce(t, log, wants, failures)
}
