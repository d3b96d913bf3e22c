package canonical_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"strata/domain/canonical"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/eventstore/archive"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"
)

// layer collects the canonical bodies of what is posted, by what they are about.
type layer struct {
	t      *testing.T
	blocks map[hash.Hash32]*nodeevent.Block
	burn   map[uint64]*nodeevent.BurnBlock // the last announced of each height
	bodies map[string]string
}

func newLayer(t *testing.T) *layer {
	return &layer{t: t, blocks: map[hash.Hash32]*nodeevent.Block{}, burn: map[uint64]*nodeevent.BurnBlock{}, bodies: map[string]string{}}
}

// take adds the body of a post, and checks that its canonical form is that of itself.
func (l *layer) take(path string, body []byte) {
	l.t.Helper()
	switch p := must.Get(nodeevent.Decode(path, body))(l.t).(type) {
	case *nodeevent.Block:
		l.blocks[p.IndexBlockHash] = p
		parent := l.blocks[p.ParentIndexBlockHash]
		form := canonical.AppendBlock(nil, p, parent)
		if len(p.Transactions) > 0 || p.Height > 0 { // a node posts genesis without content when it starts
			l.bodies[p.IndexBlockHash.String()] = string(form)
		}
		again := must.Get(nodeevent.Decode(path, form))(l.t).(*nodeevent.Block)
		l.same(form, canonical.AppendBlock(nil, again, parent))
		if got, want := again.CountEffectiveEvents(), p.CountEffectiveEvents(); got != want || len(again.Transactions) != len(p.Transactions) {
			l.t.Errorf("block %s: %d events and %d transactions, want %d and %d", p.IndexBlockHash, got, len(again.Transactions), want, len(p.Transactions))
		}
	case *nodeevent.BurnBlock:
		l.burn[p.Height] = p
		below := l.burn[p.Height-1]
		form := canonical.AppendBurnBlock(nil, p, below)
		l.bodies[p.Hash.String()] = string(form)
		l.same(form, canonical.AppendBurnBlock(nil, must.Get(nodeevent.Decode(path, form))(l.t).(*nodeevent.BurnBlock), below))
	case *nodeevent.Attachments:
		for i := range p.List {
			form := canonical.AppendAttachment(nil, &p.List[i])
			l.bodies[p.List[i].TxID.String()+string(p.List[i].Content)] = string(form)
			again := must.Get(nodeevent.Decode(path, form))(l.t).(*nodeevent.Attachments)
			l.same(form, canonical.AppendAttachment(nil, &again.List[0]))
		}
	}
}

func (l *layer) same(form, again []byte) {
	l.t.Helper()
	if !bytes.Equal(form, again) {
		l.t.Errorf("the canonical form of\n%s is\n%s", form, again)
	}
}

// Nodes of all releases that know the epochs of a chain lead to the same bytes.
func TestReleases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		content synthchain.Generation
		writers []synthchain.Generation
	}{
		{synthchain.V205, synthchain.Generations()},
		{synthchain.V25, []synthchain.Generation{synthchain.V25, synthchain.V30, synthchain.V3109, synthchain.V34, synthchain.V40}},
		{synthchain.V3109, []synthchain.Generation{synthchain.V30, synthchain.V3109, synthchain.V34, synthchain.V40}},
	} {
		t.Run(tc.content.String(), func(t *testing.T) {
			t.Parallel()
			var first *layer
			for _, writer := range tc.writers {
				config := synthchain.Everything(3, tc.content)
				config.WrittenBy, config.MergedGenesis, config.SigningSample = writer, false, 1000
				l, chain, different := newLayer(t), synthchain.New(config), 0
				for range 400 {
					post := chain.Next()
					l.take(post.Path, post.Body)
				}
				if first == nil {
					first = l
				}
				for id, body := range l.bodies {
					if want := first.bodies[id]; want != body && different < 3 {
						different++
						at := 0
						for at < min(len(want), len(body)) && want[at] == body[at] {
							at++
						}
						from := max(0, at-200)
						t.Errorf("%s at byte %d: release %s leads to\n…%.300s\nand %s to\n…%.300s", id, at, writer, body[min(from, len(body)):], tc.writers[0], want[min(from, len(want)):])
					}
				}
				if len(l.bodies) != len(first.bodies) || len(l.bodies) < 100 {
					t.Errorf("release %s: %d bodies, want %d", writer, len(l.bodies), len(first.bodies))
				}
			}
		})
	}
}

// A chain through all epochs, with everything that may be in a block.
func TestEpochs(t *testing.T) {
	t.Parallel()
	config := synthchain.AllEpochs(5)
	config.SigningSample = 1000
	l, chain := newLayer(t), synthchain.New(config)
	for range 600 {
		post := chain.Next()
		l.take(post.Path, post.Body)
	}
}

// Recordings of real nodes have canonical forms, which are read as they were written.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, posts := range recordings(t) {
		l := newLayer(t)
		for _, p := range posts {
			l.take(p.Path, p.Payload)
		}
		t.Logf("%s: %d bodies", name, len(l.bodies))
	}
}

// recordings reads the archives of real nodes.
func recordings(t *testing.T) map[string][]archive.Record {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(vector.Shared(t), "data", "events", "*.tsv.gz")))(t)
	all := map[string][]archive.Record{}
	for _, file := range files {
		f := must.Get(os.Open(file))(t)
		in := archive.NewReader(f, archive.Options{AnyPayload: true, Dialect: archive.Raw})
		for {
			rec, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			all[filepath.Base(file)] = append(all[filepath.Base(file)], must.Get(rec, err)(t).Clone())
		}
		must.Do(t, f.Close())
	}
	return all
}

// A body that can be read has a canonical form that is read as it was written.
func FuzzBlock(f *testing.F) {
	config := synthchain.Everything(4, synthchain.V40)
	config.SigningSample = 1000
	chain := synthchain.New(config)
	for range 30 {
		if post := chain.Next(); len(post.Body) < 8000 {
			f.Add(post.Path, post.Body)
		}
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		if _, err := nodeevent.Decode(path, body); err == nil {
			newLayer(t).take(path, body)
		}
	})
}
