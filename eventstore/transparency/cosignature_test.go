package transparency_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	formats "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/formats/note"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/must"
)

// cosigned is the newest checkpoint with a witness's cosignature.
func (w *world) cosigned(l *transparency.Log, private string) []byte {
	w.Helper()
	text := must.Get(l.Checkpoint(w.Context(), 0))(w)
	signer := must.Get(note.NewSignerForCosignatureV1(private))(w)
	body, _, _ := strings.Cut(string(text), "\n\n")
	return must.Get(sumdb.Sign(&sumdb.Note{Text: body + "\n"}, signer))(w)
}

func (w *world) cosign(l *transparency.Log, private string) {
	w.Helper()
	if _, _, err := l.Cosign(w.Context(), w.cosigned(l, private)); err != nil {
		w.Fatal(err)
	}
}

func TestCosignatures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := newKey(t)
	private, public := witness(t, "example.org/witness")
	private2, public2 := witness(t, "example.org/second")
	stranger, _ := witness(t, "example.org/stranger")
	impostor, _ := witness(t, "example.org/witness")
	l := w.open(transparency.Config{Key: key, Witnesses: []string{public, public2}})
	w.grow("x", 300)
	w.sign(l, true)
	size, names, err := l.Cosign(t.Context(), w.cosigned(l, private))
	if err != nil || size != 300 || len(names) != 1 || names[0] != "example.org/witness" {
		t.Errorf("got %d, %v (%v), want 300 and the witness", size, names, err)
	}
	w.cosign(l, private)
	w.cosign(l, private2)

	verifier := must.Get(sumdb.NewVerifier(key.VerifierKey()))(t)
	var others []sumdb.Verifier
	for _, key := range []string{public, public2} {
		v := must.Get(note.NewVerifierForCosignatureV1(key))(t)
		others = append(others, v)
	}
	text := must.Get(l.Checkpoint(t.Context(), 300))(t)
	checkpoint, _, signed, err := formats.ParseCheckpoint(text, origin, verifier, others...)
	if err != nil || checkpoint.Size != 300 || len(signed.Sigs) != 3 || len(signed.UnverifiedSigs) != 0 {
		t.Errorf("got %+v (%v) in\n%s\nwant three signatures that verify", signed, err, text)
	}

	all := w.checkpoints(l)
	good := string(w.cosigned(l, private))
	last := good[strings.LastIndex(good, " ")+1:]
	forged := strings.Replace(good, last, last[:len(last)-12]+"AAAAAAAAAA==\n", 1)
	var elsewhere string
	t.Run("another log", func(t *testing.T) {
		other := newWorld(t)
		other.grow("y", 300)
		l := other.open(transparency.Config{Key: key})
		other.sign(l, true)
		elsewhere = string(other.cosigned(l, private))
	})
	for name, tc := range map[string]struct {
		text    string
		missing bool
	}{
		"a stranger":           {string(w.cosigned(l, stranger)), false},
		"an impostor":          {string(w.cosigned(l, impostor)), false},
		"a forged signature":   {forged, false},
		"no note":              {"nonsense", false},
		"nothing":              {"", false},
		"the log's own":        {all[0].Note, false},
		"another log's":        {elsewhere, true},
		"more after the root":  {string(sign(t, private, origin+"\n300\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nmore\n")), false},
		"a size that was not":  {string(sign(t, private, origin+"\n299\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")), true},
		"a size beyond 63 bit": {string(sign(t, private, origin+"\n18446744073709551615\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")), false},
	} {
		var refusal *transparency.RefusalError
		if _, _, err := l.Cosign(t.Context(), []byte(tc.text)); !errors.As(err, &refusal) || refusal.Missing() != tc.missing {
			t.Errorf("%s: got %v, want it refused (missing: %v)", name, err, tc.missing)
		}
	}
	if again, err := l.Checkpoint(t.Context(), 300); err != nil || strings.Count(string(again), "— ") != 3 {
		t.Errorf("got\n%s (%v)\nwant three signatures", again, err)
	}
	if _, err := transparency.New(transparency.Config{Witnesses: []string{"nonsense"}}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("got %v, want an error that names the key", err)
	}
}

func sign(t *testing.T, private, text string) []byte {
	t.Helper()
	signer := must.Get(note.NewSignerForCosignatureV1(private))(t)
	signed, err := sumdb.Sign(&sumdb.Note{Text: text}, signer)
	if err != nil {
		// The signer refuses what is no checkpoint: nobody can sign it.
		return []byte(text + "\n— example.org/witness AAAAAAAAAA==\n")
	}
	return signed
}

// A record that is too long for a bundle, which was written before the log refused it, keeps the others of its bundle from being
// read there; everything else is as with any event.
func TestLongEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.open(transparency.Config{Key: newKey(t)})
	w.grow("x", 520)
	w.tamper(`UPDATE log.event SET path = '/' || repeat('p', 65535) WHERE seq = 257`)
	w.tree = newNaive()
	w.note(1)
	frontier := eventstore.NewFrontier()
	for _, leaf := range w.tree.leaves {
		must.Do(t, frontier.Append(leaf))
	}
	w.tamper(fmt.Sprintf(`UPDATE log.head SET frontier = '\x%x'`, frontier.Encode()))
	w.sign(l, true)
	w.checkpoints(l)
	if _, err := l.Entries(t.Context(), 1, 256); !isMissing(err) || !strings.Contains(err.Error(), "event 257") {
		t.Errorf("got %v, want event 257 to be named", err)
	}
	for _, n := range []int{0, 2} {
		checkTile(t, l, w.tree, 0, n, 8)
	}
	in, err := l.ProveInclusion(t.Context(), 257, 520)
	if err != nil || !equal(in.Hashes, w.tree.path(256, 0, 520)) {
		t.Errorf("got %v, want a proof", err)
	}
	if tile, err := l.Tile(t.Context(), 0, 1, 256); err != nil || len(tile) != 256*32 {
		t.Errorf("got a tile of %d bytes (%v)", len(tile), err)
	}
}
