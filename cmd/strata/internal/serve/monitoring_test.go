package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/redistest"
	"strata/internal/testkit/short"
)

// deploy is the folder of what operators are given.
const deploy = "../../../../deploy"

// TestMonitoring lets a real Prometheus read a server, with the alert rules. Each query of the dashboard returns data, each rule
// can be evaluated over metrics that there are, and each alert has its entry in the runbook.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus: scripts/tools.sh promtool installs it")
	}
	short.Skip(t, "it runs a Prometheus and a Postgres")
	beyond := httptest.NewServer(&outside.World{})
	defer beyond.Close()
	s := serveHere(t, "--data-dir", pgtest.DataDir(t), "--roles", "observer,projector,metadata,api,compare", "--nodes", beyond.URL,
		"--redis-url", redistest.New(t).URL(), "--public-internals")
	chain, feed := synthchain.New(synthchain.Everything(7, synthchain.V40)), synthordinals.New(synthordinals.Config{Seed: 7})
	post := func(path string, body []byte) {
		t.Helper()
		if got := s.post(path, body); got.Status != http.StatusOK {
			t.Fatalf("%s: got %d %s", path, got.Status, got.Body)
		}
	}
	load := func() {
		for range 5 {
			event, payload := chain.Next(), feed.Next()
			post(event.Path, event.Body)
			post(payload.Path, payload.Body)
		}
		for _, path := range []string{"/extended/v2/blocks", "/extended/v2/blocks", "/extended/v1/status", "/v2/info", "/nothing"} {
			s.get(path)
		}
	}
	load()
	for known := true; known; { // a block has a field that nobody knows
		event := chain.Next()
		if known = event.Path != "/new_block"; !known {
			event.Body = append([]byte(`{"made_up_field":1,`), event.Body[1:]...)
		}
		post(event.Path, event.Body)
	}
	stream := must.Get(http.Get(s.api + "/stream/v1/blocks"))(t)
	defer func() { _ = stream.Body.Close() }()
	p := startPrometheus(t, program, s.api)
	load()

	text := must.Get(os.ReadFile(filepath.Join(deploy, "monitoring", "dashboard.json")))(t)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query struct{ Query string } }
		}
	}
	must.Do(t, json.Unmarshal(text, &dashboard))
	queries := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries++
			query := strings.NewReplacer("$instance", ".*", "$__rate_interval", "30s").Replace(target.Expr)
			eventually.Holds(t, fmt.Sprintf("panel %q has data: %s", panel.Title, query), func() bool { return p.query(query) > 0 })
		}
	}
	for _, variable := range dashboard.Templating.List {
		series := strings.TrimPrefix(variable.Query.Query, "label_values(")
		series = series[:strings.LastIndex(series, ",")]
		if p.query(series) == 0 {
			t.Errorf("the variable has no values: %s", variable.Query.Query)
		}
	}
	if queries < 25 {
		t.Errorf("the dashboard has %d queries, fewer than when this test was written", queries)
	}
	checkRules(t, p)
}

// checkRules checks the alert rules that a Prometheus has.
func checkRules(t *testing.T, p *prometheus) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(deploy, "monitoring", "alerts.yaml")))(t)
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	must.Do(t, yaml.Unmarshal(text, &file))
	runbook := must.Get(os.ReadFile("../../../../docs/runbook.md"))(t)
	metric := regexp.MustCompile(`\bstrata_\w+`)
	var alerts []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			alerts = append(alerts, rule.Alert)
			if !strings.Contains(string(runbook), "\n## "+rule.Alert+"\n") {
				t.Errorf("the runbook has no entry %s", rule.Alert)
			}
			for _, name := range metric.FindAllString(rule.Expr, -1) {
				if name == "strata_projection_activation_blocked" {
					continue // there is one for each version that waits, and none waits
				}
				eventually.Holds(t, fmt.Sprintf("%s is about a metric that there is, %s", rule.Alert, name), func() bool { return p.query(name) > 0 })
			}
		}
	}
	var loaded struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	eventually.Holds(t, "all rules were evaluated", func() bool {
		p.read("/api/v1/rules", &loaded)
		var well []string
		for _, group := range loaded.Groups {
			for _, rule := range group.Rules {
				if rule.LastError != "" {
					t.Fatalf("%s: %s", rule.Name, rule.LastError)
				}
				if rule.Health == "ok" {
					well = append(well, rule.Name)
				}
			}
		}
		return slices.Equal(well, alerts)
	})
}

// prometheus is a server of its own.
type prometheus struct {
	t   *testing.T
	url string
}

// startPrometheus starts one that reads a server four times a second, with the alert rules. It ends with the test.
func startPrometheus(t *testing.T, program, api string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	rules := must.Get(filepath.Abs(filepath.Join(deploy, "monitoring", "alerts.yaml")))(t)
	config := fmt.Sprintf(`
global: { scrape_interval: 250ms, evaluation_interval: 250ms }
rule_files: [%q]
scrape_configs: [{ job_name: strata, static_configs: [{ targets: [%q] }] }]
`, rules, strings.TrimPrefix(api, "http://"))
	file := filepath.Join(dir, "prometheus.yml")
	must.Do(t, os.WriteFile(file, []byte(config), 0o600))
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	_ = listener.Close()
	cmd := exec.CommandContext(context.Background(), program, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--log.level=error")
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	must.Do(t, cmd.Start())
	pgtest.AtEnd(t, sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}))
	p := &prometheus{t, "http://" + address}
	eventually.Holds(t, "Prometheus is ready", func() bool {
		response, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return p
}

// read reads the data of an answer.
func (p *prometheus) read(path string, into any) {
	p.t.Helper()
	response := must.Get(http.Get(p.url + path))(p.t)
	defer func() { _ = response.Body.Close() }()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Status != "success" {
		p.t.Fatalf("%s: got %s %s, %v", path, answer.Status, answer.Error, err)
	}
}

// query returns how many series a query has now.
func (p *prometheus) query(query string) int {
	p.t.Helper()
	var data struct{ Result []json.RawMessage }
	p.read("/api/v1/query?query="+url.QueryEscape(query), &data)
	return len(data.Result)
}
