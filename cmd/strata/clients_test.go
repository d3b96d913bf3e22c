package main

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/logbuffer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
)

// broadcastNode is a node that tells the observer of a transaction that is broadcast, as nodes do. What else is asked of it,
// a stacksNode answers.
type broadcastNode struct {
	*stacksNode
	url      string
	announce atomic.Pointer[func(raw []byte)]
}

func newBroadcastNode(t testing.TB) *broadcastNode {
	t.Helper()
	n := &broadcastNode{stacksNode: newStacksNode(t)}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

// ServeHTTP implements http.Handler.
func (n *broadcastNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	announce := n.announce.Load()
	if r.URL.Path != "/v2/transactions" || announce == nil {
		n.stacksNode.ServeHTTP(w, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	id := sha512.Sum512_256(raw)
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `"%x"`, id)
	go (*announce)(raw)
}

// TestClients runs the tests of the clients in three languages on one server, with made-up data.
func TestClients(t *testing.T) {
	short.Skip(t, "runs the tests of the clients in three languages")
	t.Parallel()
	node := newBroadcastNode(t)
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t), "--nodes", node.url)
	config := (&simulate.Command{Seed: 5, Calm: true}).Config()
	config.MempoolProbability = 0.3
	chain := synthchain.New(config)
	node.height.Store(s.grow(chain, 20))
	var transactions []string // that nobody knows yet
	var later []synthchain.Post
	for posts := 0; len(transactions) < 3 && posts < 10_000; posts++ {
		var waiting []string
		post := chain.Next()
		if post.Path == "/new_mempool_tx" && json.Unmarshal(post.Body, &waiting) == nil && len(waiting) > 0 {
			transactions = append(transactions, strings.TrimPrefix(waiting[0], "0x"))
		}
		later = append(later, post)
	}
	if len(transactions) < 3 {
		t.Fatal("the made-up chain announces too few transactions")
	}
	announce := func(raw []byte) {
		answer, err := http.Post(s.observer+"/new_mempool_tx", "application/json", strings.NewReader(`["0x`+hex.EncodeToString(raw)+`"]`))
		if err == nil {
			_ = answer.Body.Close()
		}
	}
	node.announce.Store(&announce)
	eventually.Holds(t, "the log is signed", func() bool {
		return s.get("/audit/v1/log/proofs/inclusion?seq=7").Status == http.StatusOK
	})
	eventually.Holds(t, "the node serves", func() bool { return bytes.Contains(s.get("/proxy/v1/nodes").Body, []byte(`"serving"`)) })
	environment := append(os.Environ(),
		"STRATA_URL="+s.api, "STRATA_LOG_KEY="+strings.TrimSpace(string(s.get("/audit/v1/log/key").Body)),
		"STRATA_TRANSACTION_GO="+transactions[0], "STRATA_TRANSACTION_TYPESCRIPT="+transactions[1], "STRATA_TRANSACTION_PYTHON="+transactions[2])

	clients := filepath.Join(repository(t), "clients")
	python := filepath.Join(repository(t), "bin", "client-python", "bin", "python")
	environment = append(environment, "PYTHONPATH="+filepath.Join(clients, "python", "src"))
	compile := "npx --no-install tsc --strict --skipLibCheck --module NodeNext --target ES2022 --lib ES2023,DOM,DOM.Iterable --types node "
	suites := []struct {
		language, folder, installed string
		command                     []string
		fence, first, run           string // the language and the file of the README's first program, and what runs it
	}{
		{"Go", "go", filepath.Join(clients, "go", "go.mod"), []string{"go", "test", "-count=1", "./..."}, "go", filepath.Join(t.TempDir(), "main.go"), "exec go run "},
		{
			"TypeScript", "typescript", filepath.Join(clients, "typescript", "node_modules", ".package-lock.json"), []string{"npm", "test", "--silent"},
			"ts", "dist/first.ts", compile + "dist/first.ts && exec node dist/first.js # ", // in the folder of the package, whose name it imports
		},
		{"Python", "python", python, []string{python, "-m", "unittest", "discover", "-s", "tests"}, "python", filepath.Join(t.TempDir(), "main.py"), "exec " + python + " -u "},
	}
	need := func(t *testing.T, installed string) {
		t.Helper()
		if _, err := os.Stat(installed); err != nil {
			t.Skipf("the tools of the client are not installed: make clients installs them where there is a package manager (%v)", err)
		}
	}
	for _, suite := range suites {
		t.Run(suite.language, func(t *testing.T) {
			need(t, suite.installed)
			cmd := exec.CommandContext(t.Context(), suite.command[0], suite.command[1:]...)
			cmd.Dir, cmd.Env = filepath.Join(clients, suite.folder), environment
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", suite.command, err, said)
			}
		})
	}
	for _, post := range later {
		s.mustPost(post.Path, post.Body)
	}
	for _, suite := range suites {
		t.Run(suite.language+" README", func(t *testing.T) {
			need(t, suite.installed)
			first := exec.CommandContext(t.Context(), "sh", "-c", suite.run+suite.first)
			first.Dir, first.Env = filepath.Join(clients, suite.folder), environment
			s.runFirst(t, first, suite.fence, suite.first, chain)
		})
	}
}

// runFirst runs the first program of a client's README, until it has printed a block of the list, and one that came after that.
func (s *server) runFirst(t *testing.T, cmd *exec.Cmd, fence, file string, chain *synthchain.Chain) {
	t.Helper()
	readme := must.Get(os.ReadFile(filepath.Join(cmd.Dir, "README.md")))(t)
	_, program, _ := strings.Cut(string(readme), "```"+fence+"\n")
	program, _, found := strings.Cut(program, "```")
	if !found || !strings.Contains(program, "http://127.0.0.1:3999") {
		t.Fatalf("the README has no first program in %s", fence)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(cmd.Dir, file)
	}
	must.Do(t, os.WriteFile(file, []byte(strings.ReplaceAll(program, "http://127.0.0.1:3999", s.api)), 0o600))
	printed := &logbuffer.Buffer{}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = printed, printed, &syscall.SysProcAttr{Setpgid: true}
	must.Do(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}()
	listed := regexp.MustCompile(`(?m)^\d+ 0x[0-9a-f]{64}$`)
	eventually.Holds(t, "the first program prints a block and a new one", func() bool {
		select {
		case <-ended:
			t.Fatalf("the first program ended:\n%s", printed)
		default:
		}
		if !listed.MatchString(printed.String()) {
			return false
		}
		s.grow(chain, s.status().ChainTip.BlockHeight)
		return printed.HasLine("log=", "height=")
	})
}
