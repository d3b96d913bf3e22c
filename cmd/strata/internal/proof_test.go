package internal_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"strata/cmd/strata/internal/proof"
	"strata/eventstore"
	"strata/internal/testkit/must"
)

// provenEvents returns the leaf records of a log, made without its code, with the hash reader of its tree.
func provenEvents(t *testing.T, n int64) (records [][]byte, hashes tlog.HashReaderFunc) {
	t.Helper()
	var stored []tlog.Hash
	hashes = func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	}
	for i := range n {
		record := eventstore.AppendLeafRecord(nil, &eventstore.Event{
			Seq: i + 1, ReceivedAt: time.UnixMicro(1_700_000_000_000_000), Size: 7, SHA256: sha256.Sum256([]byte{byte(i)}), Source: "test", Path: "/new_block",
		})
		more := must.Get(tlog.StoredHashes(i, record, hashes))(t)
		records, stored = append(records, record), append(stored, more...)
	}
	return records, hashes
}

// A file that another implementation of the tree and of notes made is accepted, and ours by theirs, as docs/auditing.md
// shows. Whatever is changed in it is refused.
func TestCheckProof(t *testing.T) {
	t.Parallel()
	const size, index = 11, 6
	secret, key, err := note.GenerateKey(rand.Reader, "example.org/stacks")
	if err != nil {
		t.Fatal(err)
	}
	signer := must.Get(note.NewSigner(secret))(t)
	records, hashes := provenEvents(t, size)
	root := must.Get(tlog.TreeHash(size, hashes))(t)
	path := must.Get(tlog.ProveRecord(size, index, hashes))(t)
	checkpoint := must.Get(note.Sign(&note.Note{Text: fmt.Sprintf("example.org/stacks\n%d\n%s\n", size, base64.StdEncoding.EncodeToString(root[:]))}, signer))(t)
	inclusion := proof.Inclusion{Index: index, Leaf: records[index], Checkpoint: string(checkpoint)}
	for _, hash := range path {
		inclusion.Hashes = append(inclusion.Hashes, hash[:])
	}
	file := must.Get(inclusion.Encode())(t)
	checked, err := proof.Check(file, key)
	if err != nil || checked.Event.Seq != index+1 || checked.Event.Path != "/new_block" || checked.Checkpoint.Size != size {
		t.Fatalf("got %+v, %v", checked, err)
	}
	if err := foreign(file, key); err != nil {
		t.Errorf("the foreign verifier: %v", err)
	}

	_, other, err := note.GenerateKey(rand.Reader, "example.org/stacks")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proof.Check(file, other); err == nil {
		t.Error("it is accepted with another key")
	}
	for i := range file {
		changed := []byte(string(file))
		changed[i] ^= 1
		if got, err := proof.Check(changed, key); err == nil && (got.Event.SHA256 != checked.Event.SHA256 || string(got.Checkpoint.Root) != string(root[:])) {
			t.Errorf("byte %d changed: got %+v", i, got)
		}
	}
	inclusion.Leaf = records[index+1]
	if file, err = inclusion.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := proof.Check(file, key); err == nil || !strings.Contains(err.Error(), "event 8") {
		t.Errorf("another event: got %v", err)
	}
}

// foreign is the recipe of docs/auditing.md.
func foreign(file []byte, key string) error {
	var p formats.TLogProof
	if err := p.Unmarshal(file); err != nil {
		return err
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	signed, err := note.Open(p.Checkpoint, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + signed.Text[strings.Index(signed.Text, "\n")+1:]))
	if err != nil {
		return err
	}
	path := make(tlog.RecordProof, len(p.Hashes))
	for i, hash := range p.Hashes {
		path[i] = hash
	}
	return tlog.CheckRecord(path, tree.N, tree.Hash, int64(p.Index), tlog.RecordHash(p.ExtraData))
}
