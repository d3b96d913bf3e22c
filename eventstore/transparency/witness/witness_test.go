package witness_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/eventstore/transparency/witness"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

const origin = "example.org/stacks"

// world is a log that is signed.
type world struct {
	*testing.T
	events *eventstore.Log
	log    *transparency.Log
	key    *transparency.Key
	size   int
}

func newWorld(t *testing.T, witnesses ...string) *world {
	t.Helper()
	w := &world{T: t, events: eventstore.Open(migrated.New(t), eventstore.Config{})}
	t.Cleanup(w.events.Close)
	var err error
	if w.key, err = transparency.OpenKey(filepath.Join(t.TempDir(), "log.key"), origin); err != nil {
		t.Fatal(err)
	}
	w.open(witnesses...)
	return w
}

func (w *world) open(witnesses ...string) {
	w.Helper()
	var err error
	if w.log, err = transparency.New(transparency.Config{Pool: w.events.Pool(), Key: w.key, Witnesses: witnesses}); err != nil {
		w.Fatal(err)
	}
}

// grow appends events until there are size, and signs.
func (w *world) grow(size int) {
	w.Helper()
	for ; w.size < size; w.size++ {
		must.Get(w.events.Append(w.Context(), eventstore.Incoming{
			ReceivedAt: time.Now(), Source: "test", Path: "/new_block", Body: eventstore.NewBody(fmt.Appendf(nil, "%d", w.size)),
		}))(w)
	}
	if signed, err := w.log.Sign(w.Context()); err != nil || !signed {
		w.Fatalf("sign: got %v (%v)", signed, err)
	}
}

func (w *world) asker(logged io.Writer, urls ...string) *witness.Asker {
	w.Helper()
	return must.Get(witness.New(witness.Config{Log: w.log, URLs: urls, Logger: slog.New(slog.NewTextHandler(logged, nil))}))(w)
}

// checkSigned checks that the newest checkpoint has signatures of the log and of a witness.
func (w *world) checkSigned(witness string) {
	w.Helper()
	text := must.Get(w.log.Checkpoint(w.Context(), 0))(w)
	own := must.Get(note.NewVerifier(w.key.VerifierKey()))(w)
	other := must.Get(formats.NewVerifierForCosignatureV1(witness))(w)
	signed, err := note.Open(text, note.VerifierList(own, other))
	if err != nil || len(signed.Sigs) != 2 || len(signed.UnverifiedSigs) != 0 || !strings.Contains(signed.Text, fmt.Sprintf("\n%d\n", w.size)) {
		w.Errorf("got %+v (%v) in\n%s\nwant the signatures of the log and of its witness on %d events", signed, err, text, w.size)
	}
}

// model is a witness of one log, written after the specification alone, with the tree of golang.org/x/mod.
type model struct {
	mu       sync.Mutex
	log      note.Verifier
	signer   note.Signer
	size     int64
	root     tlog.Hash
	requests []string
	status   int // to answer whatever is asked; 0 for none
}

func newModel(t *testing.T, w *world) (m *model, verifier string) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, "example.org/witness")
	if err != nil {
		t.Fatal(err)
	}
	signer := must.Get(formats.NewSignerForCosignatureV1(private))(t)
	log := must.Get(note.NewVerifier(w.key.VerifierKey()))(t)
	return &model{log: log, signer: signer}, public
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	m.requests = append(m.requests, r.Method+" "+r.URL.Path)
	if m.status != 0 {
		http.Error(w, "the witness rests", m.status)
		return
	}
	head, text, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	signed, err := note.Open([]byte(text), note.VerifierList(m.log))
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	parts := strings.Split(signed.Text, "\n")
	size, _ := strconv.ParseInt(parts[1], 10, 64)
	root, _ := tlog.ParseHash(parts[2])
	if old, _ := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64); old != m.size {
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(w, "%d\n", m.size)
		return
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		proof = append(proof, hash)
	}
	if m.size > 0 && size > m.size {
		err = tlog.CheckTree(proof, size, root, m.size, m.root)
	} else if m.size == size && m.root != root {
		err = errors.New("another tree of the same size")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	m.size, m.root = size, root
	cosigned, err := note.Sign(&note.Note{Text: signed.Text}, m.signer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(cosigned[bytes.Index(cosigned, []byte("\n\n"))+2:])
}

// A witness signs each new checkpoint, whatever it has seen before, and what it does not sign is said once.
func TestAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, verifier := newModel(t, w)
	server := httptest.NewServer(m)
	defer server.Close()
	w.open(verifier)
	var logged bytes.Buffer
	a := w.asker(&logged, server.URL+"/prefix/")
	if n := a.Ask(t.Context()); n != 0 || len(m.requests) != 0 {
		t.Errorf("without a checkpoint: got %d signatures, and the requests %v", n, m.requests)
	}
	for _, size := range []int{1, 2, 300, 301} {
		w.grow(size)
		if n := a.Ask(t.Context()); n != 1 {
			t.Fatalf("%d events: got %d signatures; %s", size, n, &logged)
		}
		w.checkSigned(verifier)
	}
	if n := a.Ask(t.Context()); n != 1 || len(m.requests) != 4 || m.requests[0] != "POST /prefix/add-checkpoint" {
		t.Errorf("nothing new: got %d signatures, and the requests %v", n, m.requests)
	}
	// Another process knows nothing of what this witness has seen, and learns it.
	w.grow(400)
	if n := w.asker(&logged, server.URL+"/").Ask(t.Context()); n != 1 {
		t.Fatalf("a new process: got %d signatures; %s", n, &logged)
	}
	w.checkSigned(verifier)
	if logged.Len() > 0 {
		t.Errorf("got %s", &logged)
	}

	w.grow(401)
	m.status = http.StatusServiceUnavailable
	for range 3 {
		if n := a.Ask(t.Context()); n != 0 {
			t.Errorf("the witness is away: got %d signatures", n)
		}
	}
	m.status = 0
	if n := a.Ask(t.Context()); n != 1 {
		t.Errorf("the witness is back: got %d signatures", n)
	}
	if got := logged.String(); strings.Count(got, "did not sign") != 1 || !strings.Contains(got, "the witness rests") || strings.Count(got, "signs again") != 1 {
		t.Errorf("got the lines %s", got)
	}
	w.checkSigned(verifier)

	// A witness that has seen more than this log has, or another log, does not sign.
	for name, change := range map[string]func(){
		"it has seen a checkpoint of 999 events": func() { m.size = 999 },
		"status 422":                             func() { m.size, m.root = 300, tlog.Hash{1} },
	} {
		w.grow(w.size + 1)
		change()
		logged.Reset()
		if n := w.asker(&logged, server.URL).Ask(t.Context()); n != 0 || !strings.Contains(logged.String(), name) {
			t.Errorf("got %d signatures and %s, want %q", n, &logged, name)
		}
	}
	// The signature of somebody else is not kept.
	w.open(verifierOfStranger(t))
	m.size, m.root = 0, tlog.Hash{}
	logged.Reset()
	if n := w.asker(&logged, server.URL).Ask(t.Context()); n != 0 || !strings.Contains(logged.String(), "no signature is of a witness that is known here") {
		t.Errorf("an unknown witness: got %d signatures and %s", n, &logged)
	}
	if _, err := witness.New(witness.Config{Log: w.log, URLs: []string{"example.org"}}); err == nil {
		t.Error("an address without a scheme is accepted")
	}
}

func verifierOfStranger(t *testing.T) string {
	t.Helper()
	_, public, err := note.GenerateKey(rand.Reader, "example.org/stranger")
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// litewitness, of filippo.io/torchwood, signs what this log sends it. `make outside TEST=witness` builds it.
func TestLitewitness(t *testing.T) {
	t.Parallel()
	path := os.Getenv("STRATA_LITEWITNESS")
	if path == "" {
		t.Skip("STRATA_LITEWITNESS does not name the program litewitness: `make outside TEST=witness` builds it")
	}
	w := newWorld(t)
	dir := t.TempDir()
	db := filepath.Join(dir, "witness.db")
	// It signs with a key of an SSH agent.
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := agent.NewKeyring()
	must.Do(t, keys.Add(agent.AddedKey{PrivateKey: private}))
	sshKey := must.Get(ssh.NewPublicKey(public))(t)
	socket := filepath.Join(dir, "agent")
	listener := must.Get(net.Listen("unix", socket))(t)
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(keys, conn) }()
		}
	}()
	free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := free.Addr().String()
	_ = free.Close()
	var said bytes.Buffer
	program := exec.CommandContext(t.Context(), path, "-db", db, "-name", "example.org/litewitness",
		"-key", ssh.FingerprintSHA256(sshKey), "-ssh-agent", socket, "-listen", address)
	program.Stdout, program.Stderr = &said, &said
	must.Do(t, program.Start())
	defer func() { _ = program.Process.Kill(); _ = program.Wait() }()
	eventually.Holds(t, "litewitness listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	// Its own tool for the list of logs has dependencies that can not be had everywhere.
	const insert = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); " +
		"db.execute('INSERT INTO log VALUES (?, 0, ?)', (sys.argv[2], sys.argv[4])); db.execute('INSERT INTO key VALUES (?, ?)', (sys.argv[2], sys.argv[3])); db.commit()"
	empty := tlog.Hash(sha256.Sum256(nil)).String()
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", insert, db, origin, w.key.VerifierKey(), empty).CombinedOutput(); err != nil {
		t.Fatalf("tell litewitness of the log: %v\n%s", err, out)
	}
	verifier := must.Get(note.NewEd25519VerifierKey("example.org/litewitness", public))(t)
	w.open(verifier)
	var logged bytes.Buffer
	a := w.asker(&logged, "http://"+address)
	for _, size := range []int{3, 4, 300} {
		w.grow(size)
		if n := a.Ask(t.Context()); n != 1 {
			t.Fatalf("%d events: got %d signatures; %s", size, n, &logged)
		}
		w.checkSigned(verifier)
	}
	w.grow(301)
	if n := w.asker(&logged, "http://"+address).Ask(t.Context()); n != 1 {
		t.Fatalf("a new process: got %d signatures; %s", n, &logged)
	}
	w.checkSigned(verifier)
}
