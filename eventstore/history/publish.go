package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/durable"
)

// Publisher writes the history of a log into a folder.
type Publisher struct {
	Log          *eventstore.Log
	Transparency *transparency.Log // of Log, which signs with Key
	Key          *transparency.Key
	Dir          *Dir
	Network      string
	ChainID      uint32
	// WithoutLog leaves out the events as they were received.
	WithoutLog bool
	// Chain writes the files of the canonical chain that follow those of before, and returns all that belong to it now.
	Chain func(ctx context.Context, dir *Dir, before Layer) (Layer, error)
	// Tables, if set, writes the read tables as they are now.
	Tables func(ctx context.Context, dir *Dir) ([]TableSet, error)
	// Heights returns the lowest and the highest height of the Stacks blocks among the events from first to last; nothing for none.
	Heights func(ctx context.Context, first, last int64) ([]int64, error)
	// Logger is for operators.
	Logger *slog.Logger

	perFile int64 // replaces eventsPerFile; 0 means that
}

// eventsPerFile is the number of events in a file of the log: a few hundred megabytes of what a node posts.
const eventsPerFile = 1 << 16

// Publish writes what is new, and then a manifest. A reader of the manifest before has its files until the next call.
func (p *Publisher) Publish(ctx context.Context) (*Manifest, error) {
	before, digest, err := p.newest(ctx)
	if err != nil {
		return nil, err
	}
	tables := before.Tables
	if p.Tables != nil { // before the checkpoint, so that the log has what they were folded from
		if tables, err = p.Tables(ctx, p.Dir); err != nil {
			return nil, err
		}
	}
	if _, err := p.Transparency.Sign(ctx); err != nil { // a server may have done it
		return nil, err
	}
	note, err := p.Transparency.Checkpoint(ctx, 0)
	if err != nil {
		return nil, err
	}
	checkpoint, err := transparency.ParseCheckpoint(note, p.Key.VerifierKey())
	if err != nil {
		return nil, fmt.Errorf("the newest checkpoint: %w; publish with the key that signs it (--log-key)", err)
	}
	next := &Manifest{
		Format: Format, Network: p.Network, ChainID: p.ChainID, PublishedAt: time.Now().UTC().Truncate(time.Second), Previous: digest,
		Checkpoint: string(note), Log: Layer{First: 1}, Chain: before.Chain, Tables: tables,
	}
	layers, layersCtx := errgroup.WithContext(ctx)
	if !p.WithoutLog {
		layers.Go(func() (err error) {
			next.Log, err = p.publishLog(layersCtx, before.Log, checkpoint.Size)
			return err
		})
	}
	layers.Go(func() (err error) {
		next.Chain, err = p.Chain(layersCtx, p.Dir, before.Chain)
		return err
	})
	if err := layers.Wait(); err != nil {
		return nil, err
	}
	for _, layer := range []*Layer{&next.Log, &next.Chain} {
		if layer.Files == nil {
			layer.Files = []File{} // not null
		}
	}
	if digest != "" && p.Tables == nil && next.Log.Last == before.Log.Last && slices.EqualFunc(next.Chain.Files, before.Chain.Files, func(a, b File) bool { return a.Path == b.Path }) {
		return before, nil
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	if _, err := parseManifest(text); err != nil {
		return nil, fmt.Errorf("what would be published is wrong: %w", err)
	}
	head, err := signHead(p.Key, Digest(text))
	if err != nil {
		return nil, err
	}
	manifest := filepath.Join(p.Dir.path, filepath.FromSlash(ManifestPath(Digest(text))))
	if err := os.MkdirAll(filepath.Dir(manifest), 0o755); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(manifest, text, 0o644); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(filepath.Join(p.Dir.path, headName), head, 0o644); err != nil {
		return nil, err
	}
	return next, p.removeOthers(next, before)
}

// newest returns the manifest that was published last, and its hash; an empty one if there is none.
func (p *Publisher) newest(ctx context.Context) (*Manifest, string, error) {
	o, err := Open(ctx, p.Dir, Trust{Key: p.Key.VerifierKey()})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Manifest{Log: Layer{First: 1}}, "", nil
	case errors.Is(err, ErrUntrusted):
		return nil, "", fmt.Errorf("%s has the history of another log, or of another key: name another folder (%w)", p.Dir, err)
	case err != nil:
		return nil, "", err
	}
	return o.Manifest, o.Digest, nil
}

// publishLog writes the files of the events up to last that are not there yet. One that is not full is replaced.
func (p *Publisher) publishLog(ctx context.Context, before Layer, last int64) (Layer, error) {
	layer := Layer{First: 1, Last: last, Files: slices.Clone(before.Files)}
	perFile := cmp.Or(p.perFile, eventsPerFile)
	if n := len(layer.Files); n > 0 && layer.Files[n-1].Last < last && layer.Files[n-1].Last%perFile != 0 {
		layer.Files = layer.Files[:n-1]
	}
	next := int64(1)
	if n := len(layer.Files); n > 0 {
		next = layer.Files[n-1].Last + 1
	}
	if next-1 > last {
		return layer, fmt.Errorf("%d events were published, and the log has %d: it was restored from a backup, or is another one", next-1, last)
	}
	for next <= last {
		end := min(next-(next-1)%perFile+perFile-1, last)
		root, err := p.Transparency.Root(ctx, end)
		if err != nil {
			return layer, err
		}
		f, err := p.writeEvents(ctx, next, end, fmt.Sprintf("%x", root))
		if err != nil {
			return layer, fmt.Errorf("publish the events %d to %d: %w", next, end, err)
		}
		layer.Files = append(layer.Files, f)
		p.Logger.LogAttrs(ctx, slog.LevelInfo, "published events", slog.Int64("first", next), slog.Int64("last", end), slog.Int64("of", last))
		next = end + 1
	}
	return layer, nil
}

func (p *Publisher) writeEvents(ctx context.Context, first, last int64, root string) (_ File, err error) {
	w, err := p.Dir.CreateFile("log", first)
	if err != nil {
		return File{}, err
	}
	var before []byte
	for after := first - 1; after < last; {
		page, err := p.Log.Read(ctx, eventstore.Range{After: after, Events: int(min(2000, last-after)), Bytes: 8 << 20})
		if err == nil && (len(page) == 0 || page[0].Seq != after+1) {
			err = fmt.Errorf("event %d is missing", after+1)
		}
		for i := 0; i < len(page) && err == nil; i++ {
			e := &page[i]
			if body := eventstore.NewBody(e.Body); body.SHA256() != e.SHA256 || body.Size() != e.Size {
				err = fmt.Errorf("event %d is damaged: strata verify says how", e.Seq)
				break
			}
			before = appendRecord(before[:0], e)
			_, err = w.Write(before)
			if err == nil {
				_, err = w.Write(e.Body)
			}
			after = e.Seq
		}
		if err != nil {
			w.Discard()
			return File{}, err
		}
	}
	w.Records = last - first + 1
	f, err := w.Finish(last, root, "events")
	if err == nil {
		f.Heights, err = p.Heights(ctx, first, last)
	}
	return f, err
}

// removeOthers removes files that neither of two manifests names: half-written ones, and those that were replaced the last time.
func (p *Publisher) removeOthers(manifests ...*Manifest) error {
	named := map[string]bool{}
	for _, m := range manifests {
		for _, f := range m.files() {
			named[f.Path] = true
		}
	}
	for _, layer := range []string{"log", "chain", "tables"} {
		entries, err := os.ReadDir(filepath.Join(p.Dir.path, layer))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, entry := range entries {
			name := entry.Name()
			if ours := strings.HasPrefix(name, unfinished) || strings.HasSuffix(name, ".zst"); !ours || named[layer+"/"+name] {
				continue
			}
			if err := os.Remove(filepath.Join(p.Dir.path, layer, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
