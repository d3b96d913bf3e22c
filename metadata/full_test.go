package metadata_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
)

// While the disk of the database has too little space, no want is taken, and no request is made for those that were taken before. With
// space, each is fetched.
func TestNothingIsFetchedWithoutSpace(t *testing.T) {
	short.Skip(t, "waits for several passes")
	t.Parallel()
	log := openLog(t, databases.New(t))
	var full atomic.Bool
	var fills sync.Once
	node := newNode(t, func(w http.ResponseWriter, _ *http.Request) {
		fills.Do(func() { full.Store(true) })
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	c := config(log, node.URL)
	c.Full, c.Concurrency = full.Load, 1
	full.Store(true)
	const wants = 7
	for i := range wants {
		raise(t, log.Pool(), "ft_v1", row{want: contractRead(fmt.Sprintf("get-%d", i))})
	}
	r := run(t, c)
	time.Sleep(1500 * time.Millisecond) // in which there would be several passes
	wantLeases(t, log, 0)
	full.Store(false) // until the first request
	eventually.Holds(t, "one is fetched", func() bool { return len(reports(t, log)) > 0 })
	time.Sleep(time.Second)
	if got := len(node.requests()); got > 2 { // the lane has two workers
		t.Errorf("the node got %d requests, although there was no space after the first", got)
	}
	full.Store(false)
	r.awaitReports(t, wants)
	t.Logf("fault: a disk below the floor, with %d wants: none was fetched meanwhile, all after it", wants)
}
