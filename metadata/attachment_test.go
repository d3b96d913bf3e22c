package metadata_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/domain/fetch"
	"strata/domain/names"
)

const zonefile = "sub TXT \"owner=alice\"\n"

// TestAttachment asks the nodes for an attachment until one has it. Content with another hash is refused, and a node that
// has none is not taken for a broken one.
func TestAttachment(t *testing.T) {
	t.Parallel()
	serves := func(content string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"attachment":{"content":"%x"}}`, content)
		}
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	}
	for name, tc := range map[string]struct {
		nodes  []http.HandlerFunc
		asked  string // statuses, or failures
		reason fetch.Reason
		severe fetch.Severity
	}{
		"served":                   {[]http.HandlerFunc{serves(zonefile)}, "200", 0, 0},
		"served by the second":     {[]http.HandlerFunc{status(404), serves(zonefile)}, "404 200", 0, 0},
		"not offered by the first": {[]http.HandlerFunc{status(501), serves(zonefile)}, "501 200", 0, 0},
		"the first fails":          {[]http.HandlerFunc{status(500), serves(zonefile)}, "500 200", 0, 0},
		"the first lies":           {[]http.HandlerFunc{serves("another"), serves(zonefile)}, "200 200", 0, 0},
		"never served":             {[]http.HandlerFunc{status(404), status(501)}, "404 501", fetch.ReasonNotServed, fetch.Absent},
		"another hash":             {[]http.HandlerFunc{serves("another"), status(404)}, "200 404", fetch.ReasonOtherHash, fetch.Absent},
		"away":                     {[]http.HandlerFunc{cut}, "connection", fetch.ReasonNodeAway, fetch.Waiting},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			log := openLog(t, databases.New(t))
			var urls []string
			var nodes []*fakeNode
			for _, handler := range tc.nodes {
				nodes = append(nodes, newNode(t, handler))
				urls = append(urls, nodes[len(nodes)-1].URL)
			}
			want := fetch.AttachmentWant(names.ZonefileHash([]byte(zonefile)))
			raise(t, log.Pool(), "names_v1", row{want: want})
			c := config(log, urls...)
			registry := prometheus.NewRegistry()
			c.Registry = registry
			report := run(t, c).awaitReport(t)
			var asked []string
			for _, e := range report.Exchanges {
				if asked = append(asked, fmt.Sprint(e.Status)); e.Failure != "" {
					asked[len(asked)-1] = string(e.Failure)
				}
			}
			if got := strings.Join(asked, " "); got != tc.asked {
				t.Errorf("got answers %s, want %s", got, tc.asked)
			}
			if got, path := nodes[0].requests()[0], "/v2/attachments/"+want.Hash; got.method != http.MethodGet || got.uri != path {
				t.Errorf("the node got %+v, want GET %s", got, path)
			}
			content, exchange, problem := report.AttachmentContent()
			switch {
			case tc.reason == 0 && (problem != nil || string(content) != zonefile || exchange != len(report.Exchanges)-1):
				t.Errorf("got %q in exchange %d, problem %+v", content, exchange, problem)
			case tc.reason != 0 && (problem == nil || problem.Reason != tc.reason || problem.Severity != tc.severe):
				t.Errorf("got problem %+v, want reason %d and severity %d", problem, tc.reason, tc.severe)
			}
			if report.Want.Hash != want.Hash || report.Tip != nil {
				t.Errorf("got a report on %+v at %+v", report.Want, report.Tip)
			}
			expected := `
# HELP strata_metadata_missing_attachments Attachments such as zonefiles of which the chain has the hash and that have not come, counted once a minute.
# TYPE strata_metadata_missing_attachments gauge
strata_metadata_missing_attachments{schema="names_v1"} 1
`
			if err := testutil.GatherAndCompare(registry, strings.NewReader(expected), "strata_metadata_missing_attachments"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNodeWithoutAttachments gives a node that offers no attachments its other requests as before.
func TestNodeWithoutAttachments(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v2/attachments/") {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		_, _ = io.WriteString(w, `{"okay":true,"result":"0x0703"}`)
	})
	for i := range 3 {
		raise(t, log.Pool(), "names_v1", row{want: fetch.AttachmentWant(names.ZonefileHash([]byte{byte(i)}))})
	}
	r := run(t, config(log, node.URL))
	r.awaitReports(t, 3)
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	r.awaitReports(t, 4)
	for _, report := range reports(t, log) {
		if last, ok := report.Last(); !ok || last.Status != map[bool]int{true: 501, false: 200}[report.Want.Kind == fetch.Attachment] {
			t.Errorf("%s: got %+v", report.Want.Key(), report.Exchanges)
		}
	}
}
