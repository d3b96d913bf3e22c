package metadata_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/short"
	"strata/metadata"
)

// While a host wants to be left alone, its wants wait without a report for each, and those of other hosts are fetched.
func TestWantsOfAPausedHostWait(t *testing.T) {
	short.Skip(t, "waits for the end of a pause")
	t.Parallel()
	log := openLog(t, databases.New(t))
	var refused atomic.Int64
	var until atomic.Pointer[time.Time]
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begins := time.Now().Add(8 * time.Second)
		if until.CompareAndSwap(nil, &begins) || time.Now().Before(*until.Load()) {
			refused.Add(1)
			w.Header().Set("Retry-After", fmt.Sprint(int(time.Until(*until.Load()).Seconds())+1))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, `{}`)
	}))
	t.Cleanup(limited.Close)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
	t.Cleanup(other.Close)
	c := config(log)
	var err error
	if c.Web, err = metadata.NewWeb(metadata.WebConfig{Allow: []string{"127.0.0.1"}}); err != nil {
		t.Fatal(err)
	}
	c.Resolve = func(uri string) ([]metadata.Candidate, error) { return []metadata.Candidate{{URL: uri}}, nil }
	c.Concurrency = 1 // so there are two workers
	const wants = 40
	for i := range wants {
		raise(t, log.Pool(), "ft_v1", row{want: document(fmt.Sprintf("%s/%d", limited.URL, i))})
	}
	r := run(t, c)
	eventually.Holds(t, "the host asks for a pause", func() bool { return refused.Load() > 0 })
	raise(t, log.Pool(), "ft_v1", row{want: document(other.URL), priority: 4})
	eventually.Holds(t, "the other host's document comes", func() bool {
		all := reports(t, log)
		return len(all) > 0 && all[len(all)-1].Want.URI == other.URL
	})
	if !time.Now().Before(*until.Load()) {
		t.Error("the other host's document came only after the pause")
	}
	got := map[string]int{}
	for _, report := range r.awaitReports(t, wants+1) {
		for _, e := range report.Exchanges {
			got[fmt.Sprintf("%d asked: %t", e.Status, !strings.Contains(e.Error, "not asked"))]++
		}
	}
	// The report of a refusal does not come with its want again: nothing folds reports here.
	if n := int(refused.Load()); got["200 asked: true"] != wants+1-n || got["429 asked: true"] != n || len(got) != 2 {
		t.Errorf("got %v and %d refusals, want one report of each want", got, n)
	}
	t.Logf("fault: a host that asked to be left alone for 8 s, with %d wants: %d requests were refused; 0 events of requests that were not made", wants, refused.Load())
}
