package metadata_test

import (
	"encoding/hex"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"strata/domain/fetch"
	"strata/metadata"
)

const contract = "SP000000000000000000002Q6VF78.token"

func contractRead(functions ...string) fetch.Want {
	w := fetch.Want{Kind: fetch.ContractRead, Contract: contract}
	for _, f := range functions {
		w.Calls = append(w.Calls, fetch.Call{Function: f})
	}
	return w
}

func document(uri string) fetch.Want { return fetch.Want{Kind: fetch.Document, URI: uri} }
func image(uri string) fetch.Want    { return fetch.Want{Kind: fetch.Image, URI: uri} }

func TestContractRead(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	want := contractRead("get-name", "is-ok?")
	want.Calls[1].Arguments = []string{"0x0100000000000000000000000000000001"}
	raise(t, log.Pool(), "ft_v1", row{want: want, seq: 5, minHeight: 100, attempts: 2})
	registry := prometheus.NewRegistry()
	c := config(log, strings.Replace(node.URL, "http://", "http://me:secret@", 1)+"/")
	c.Registry = registry
	report := run(t, c).awaitReport(t)
	if !reflect.DeepEqual(report.Want, want) || report.Attempt != 3 || report.Tip == nil || *report.Tip != tip || report.Image != nil {
		t.Errorf("got %+v", report)
	}
	if report.StartedAt.IsZero() || report.FinishedAt.Before(report.StartedAt) {
		t.Errorf("the attempt lasted from %v to %v", report.StartedAt, report.FinishedAt)
	}
	path := "/v2/contracts/call-read/SP000000000000000000002Q6VF78/token/"
	query := "?tip=" + hex.EncodeToString(tip.IndexBlockHash[:])
	bodies := []string{
		`{"sender":"SP000000000000000000002Q6VF78","arguments":[]}`,
		`{"sender":"SP000000000000000000002Q6VF78","arguments":["0x0100000000000000000000000000000001"]}`,
	}
	paths := []string{path + "get-name" + query, path + "is-ok%3F" + query}
	got := node.requests()
	if len(got) != 2 || len(report.Exchanges) != 2 {
		t.Fatalf("got %d requests and %d exchanges, want 2", len(got), len(report.Exchanges))
	}
	for i, e := range report.Exchanges {
		basic := "Basic bWU6c2VjcmV0"
		if want := (receivedRequest{http.MethodPost, paths[i], bodies[i], basic}); got[i] != want {
			t.Errorf("the node got %+v, want %+v", got[i], want)
		}
		if e.Call != i || e.URL != node.URL+paths[i] || e.Gateway != node.URL || e.Request != bodies[i] || e.Method != http.MethodPost {
			t.Errorf("exchange %d: got %+v", i, e)
		}
		if e.Status != 200 || string(e.Body) != `{"okay":true,"result":"0x0703"}` || e.Failure != "" || e.Header["content-type"] != "application/json" {
			t.Errorf("exchange %d: got %+v", i, e)
		}
		if e.StartedAt.IsZero() || e.TookMicros <= 0 {
			t.Errorf("exchange %d: started %v, took %d µs", i, e.StartedAt, e.TookMicros)
		}
	}
	expected := `
# HELP strata_metadata_requests_total Requests by kind of want and outcome (ok, class of the status, or kind of failure).
# TYPE strata_metadata_requests_total counter
strata_metadata_requests_total{kind="contract_read",outcome="ok"} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(expected), "strata_metadata_requests_total"); err != nil {
		t.Error(err)
	}
}

func TestContractInterface(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	node := newNode(t, nil)
	raise(t, log.Pool(), "nft_v1", row{want: fetch.Want{Kind: fetch.ContractInterface, Contract: contract}})
	report := run(t, config(log, node.URL)).awaitReport(t)
	want := receivedRequest{method: http.MethodGet, uri: "/v2/contracts/interface/SP000000000000000000002Q6VF78/token?tip=" + hex.EncodeToString(tip.IndexBlockHash[:])}
	if got := node.requests(); len(got) != 1 || got[0] != want {
		t.Errorf("the node got %+v, want %+v", got, want)
	}
	if e, ok := report.Last(); !ok || e.Status != 200 || report.Attempt != 1 || report.Tip == nil || *report.Tip != tip {
		t.Errorf("got %+v", report)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	long := "data:image/png,PNG" + strings.Repeat("ä", 200)
	answer := func(body string) fetch.Exchange { return fetch.Exchange{Status: 200, Body: fetch.Body(body)} }
	pages := web{
		"https://two.test/ipfs/cid":  answer(`{"name":"x"}`),
		"https://one.test/ipfs/page": answer("<html>"),
		"https://two.test/ipfs/page": answer(`{"name":"y"}`),
		"https://one.test/ipfs/html": answer("<html>1</html>"),
		"https://two.test/ipfs/html": answer("<html>2</html>"),
		"https://one.test/ipfs/rest": answer("<html>"),
		"https://two.test/ipfs/rest": {Status: 429},
		"https://one.test/ipfs/img":  answer("<html>"),
		"https://two.test/ipfs/img":  answer("PNG"),
		"https://one.test/ipfs/down": answer("<html>"),
		"https://two.test/ipfs/down": {Status: 502},
		"https://one.test/ipfs/film": answer("FILM"),
		"https://x.test/film":        answer("FILM"),
		"https://x.test/large":       answer(strings.Repeat("x", 1001)),
		"https://x.test/image":       answer("PNG…"),
		"https://x.test/text":        answer("hello"),
		"https://x.test/bomb":        answer("BOMB"),
		"https://x.test/full":        answer("FULL"),
		"https://x.test/missing":     {Status: 404, Body: fetch.Body("PNG")},
		"https://x.test/large-image": answer("PNG" + strings.Repeat("x", 2000)),
	}
	facts := fetch.ImageFacts{SHA256: "00ff", ContentType: "image/png", Width: 3, Height: 4}
	for name, c := range map[string]struct {
		want  fetch.Want
		check func(r *fetch.Report, last fetch.Exchange) bool
	}{
		"document by the second gateway": {document("ipfs://cid"), func(r *fetch.Report, last fetch.Exchange) bool {
			return len(r.Exchanges) == 2 && r.Exchanges[0].Failure == fetch.FailureConnection && last.Gateway == "https://two.test" &&
				string(last.Body) == `{"name":"x"}` && last.Header["content-type"] == "asked for application/json, */*" && r.Tip == nil
		}},
		"document after a page of a gateway": {document("ipfs://page"), func(r *fetch.Report, last fetch.Exchange) bool {
			return len(r.Exchanges) == 2 && r.Exchanges[0].Status == 200 && r.Exchanges[0].Failure == "" && r.Exchanges[0].Error != "" &&
				string(last.Body) == `{"name":"y"}` && last.Error == ""
		}},
		"document that is a page everywhere": {document("ipfs://html"), func(r *fetch.Report, last fetch.Exchange) bool {
			body, problem := r.ResourceBody()
			return len(r.Exchanges) == 2 && problem == nil && string(body) == "<html>2</html>"
		}},
		"document after a page, of a busy gateway": {document("ipfs://rest"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return len(r.Exchanges) == 2 && problem != nil && problem.Severity == fetch.Troubled && problem.Reason == fetch.ReasonMetadataHTTP
		}},
		"image after a page of a gateway": {image("ipfs://img"), func(r *fetch.Report, last fetch.Exchange) bool {
			return len(r.Exchanges) == 2 && r.Exchanges[0].Failure == fetch.FailureImage && r.Image != nil && string(last.Body) == "PNG" && last.Failure == ""
		}},
		"image that is a page everywhere": {image("ipfs://html"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return len(r.Exchanges) == 2 && r.Image == nil && problem.Severity == fetch.Wrong && problem.Reason == fetch.ReasonImageUnparsable
		}},
		"image after a page, of a gateway that is down": {image("ipfs://down"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return r.Image == nil && last.Status == 502 && problem.Severity == fetch.Troubled && problem.Reason == fetch.ReasonImageHTTP
		}},
		"document too large": {document("https://x.test/large"), func(_ *fetch.Report, last fetch.Exchange) bool {
			return last.Failure == fetch.FailureTooLarge
		}},
		"document nowhere": {document("gopher://x"), func(_ *fetch.Report, last fetch.Exchange) bool {
			return last.Failure == fetch.FailureURI && last.Method == "GET" && last.URL == "gopher://x" && last.Error == "unknown scheme"
		}},
		"document in the URI": {document("DATA:application/json,{}"), func(_ *fetch.Report, last fetch.Exchange) bool {
			return last.Status == 200 && string(last.Body) == "{}" && last.Header["content-type"] == "application/json" && last.URL == "DATA:application/json,{}"
		}},
		"document in the URI, too large": {document("data:," + strings.Repeat("x", 1001)), func(_ *fetch.Report, last fetch.Exchange) bool {
			return last.Failure == fetch.FailureTooLarge && last.Body == nil
		}},
		"document in a bad URI": {document("data:nothing"), func(_ *fetch.Report, last fetch.Exchange) bool {
			return last.Failure == fetch.FailureURI && last.Error == "no comma" && last.Status == 0
		}},
		"image": {image("https://x.test/image"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image != nil && *r.Image == facts && last.Failure == "" && string(last.Body) == "PNG…" && last.Header["content-type"] == "asked for image/*"
		}},
		"image in the URI": {image(long), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image != nil && last.URL == string([]rune(long)[:100]) && r.Want.URI == long
		}},
		"image in the URI after a blank": {image(" data:image/png,PNG"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image != nil && last.Status == 200
		}},
		"invalid image in the URI": {image("data:text/plain,hello"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return last.Failure == fetch.FailureImage && problem.Severity == fetch.Final && problem.Reason == fetch.ReasonImageUnparsable
		}},
		"image in a bad URI": {image("data:nothing"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return last.Failure == fetch.FailureURI && problem.Severity == fetch.Final && problem.Reason == fetch.ReasonImageUnparsable
		}},
		"image in the URI, too large": {image("data:," + strings.Repeat("x", 2001)), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return last.Failure == fetch.FailureTooLarge && problem.Severity == fetch.Final && problem.Reason == fetch.ReasonImageTooLarge
		}},
		"film of a gateway": {image("ipfs://film"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return len(r.Exchanges) == 1 && last.Failure == fetch.FailureFormat && string(last.Body) == "FILM" && problem.Severity == fetch.Final &&
				problem.Reason == fetch.ReasonImageUnsupported
		}},
		"film": {image("https://x.test/film"), func(r *fetch.Report, last fetch.Exchange) bool {
			_, problem := r.ResourceBody()
			return problem.Severity == fetch.Absent && problem.Reason == fetch.ReasonImageUnsupported
		}},
		"invalid image": {image("https://x.test/text"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image == nil && last.Failure == fetch.FailureImage && last.Error == "unknown format"
		}},
		"image that breaks the decoder": {image("https://x.test/bomb"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image == nil && last.Failure == fetch.FailureImage && strings.Contains(last.Error, "index out of range")
		}},
		"image missing": {image("https://x.test/missing"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image == nil && last.Failure == "" && last.Status == 404
		}},
		"image too large": {image("https://x.test/large-image"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image == nil && last.Failure == fetch.FailureTooLarge
		}},
		"image without room at first": {image("https://x.test/full"), func(r *fetch.Report, last fetch.Exchange) bool {
			return r.Image != nil && *r.Image == facts && len(r.Exchanges) == 1 && last.Failure == ""
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := openLog(t, databases.New(t))
			raise(t, log.Pool(), "ft_v1", row{want: c.want})
			config := config(log)
			config.Web, config.DocumentLimit, config.ImageLimit = pages, 1000, 2000
			report := run(t, config).awaitReport(t)
			last, ok := report.Last()
			if !ok || !c.check(report, last) || report.Attempt != 1 {
				t.Errorf("got %+v", report)
			}
		})
	}
}

func TestWantsWithoutTheirMeansAreLeft(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	raise(t, log.Pool(), "ft_v1", row{want: image("https://x.test/image")})
	raise(t, log.Pool(), "ft_v1", row{want: contractRead("get-name")})
	raise(t, log.Pool(), "ft_v1", row{want: fetch.Want{Kind: fetch.ContractInterface, Contract: contract}})
	raise(t, log.Pool(), "ft_v1", row{want: document("https://x.test/document")})
	c := config(log)
	c.Images = nil
	if report := run(t, c).awaitReport(t); report.Want.Kind != fetch.Document {
		t.Errorf("got a report on %s, want the document only", report.Want.Kind)
	}
	wantLeases(t, log, 1)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	for name, spoil := range map[string]func(*metadata.Config){
		"no log":             func(c *metadata.Config) { c.Log = nil },
		"no web":             func(c *metadata.Config) { c.Web = nil },
		"no scheme":          func(c *metadata.Config) { c.Nodes = []string{"127.0.0.1:20443"} },
		"a query":            func(c *metadata.Config) { c.Nodes = []string{"http://127.0.0.1:20443/?x=1"} },
		"unreadable":         func(c *metadata.Config) { c.Nodes = []string{"http://me:hunter2@127.0.0.1:port"} },
		"lost while running": func(c *metadata.Config) { c.RescueAfter = time.Second },
	} {
		c := config(log)
		spoil(&c)
		if _, err := metadata.New(c); err == nil {
			t.Errorf("%s: got no error", name)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error reveals the password: %v", name, err)
		}
	}
}
