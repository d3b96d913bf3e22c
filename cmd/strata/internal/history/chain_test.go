package history

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"strata/domain/nodeevent"
	"strata/eventstore"
	"strata/eventstore/archive"
	"strata/eventstore/history"
	"strata/eventstore/transparency"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/chain"
	"strata/rig/replay"
)

// server is a log that is folded and published.
type server struct {
	testing.TB
	log       *eventstore.Log
	chain     *chainPublisher
	publisher *history.Publisher
	trust     history.Trust
	dir       string
}

func newServer(t testing.TB) *server {
	t.Helper()
	s := &server{TB: t, log: replay.NewLogApart(t), dir: t.TempDir()}
	key := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), "example.org/stacks"))(t)
	logger := slog.New(slog.DiscardHandler)
	s.chain = &chainPublisher{log: s.log, confirmations: 2, perFile: 50, logger: logger}
	s.trust.Key = key.VerifierKey()
	s.publisher = &history.Publisher{
		Log: s.log, Key: key, Dir: history.NewDir(s.dir), Network: "mainnet", ChainID: 1, Logger: logger, Chain: s.chain.publish, Heights: s.chain.heights,
		Transparency: must.Get(transparency.New(transparency.Config{Pool: s.log.Pool(), Key: key}))(t),
	}
	return s
}

// take appends posts, folds them, and publishes.
func (s *server) take(posts ...replay.Post) *history.Opened {
	s.Helper()
	replay.Append(s, s.log, posts...)
	s.fold()
	must.Get(s.publisher.Publish(s.Context()))(s)
	opened := must.Get(history.Open(s.Context(), history.NewDir(s.dir), s.trust))(s)
	must.Do(s, opened.VerifyChain(s.Context(), history.VerifyOptions{}))
	must.Do(s, opened.VerifyLog(s.Context(), history.VerifyOptions{}))
	return opened
}

func (s *server) fold() {
	s.Helper()
	replay.Run(s, s.log, must.Get(chain.New(chain.Recommended, nil))(s))
}

func made(writer synthchain.Generation, n int) (source *synthchain.Chain, posts []replay.Post) {
	return madeFrom(9, writer, n)
}

func madeFrom(seed uint64, writer synthchain.Generation, n int) (source *synthchain.Chain, posts []replay.Post) {
	config := synthchain.Everything(seed, synthchain.V3109)
	config.WrittenBy, config.Network, config.SigningSample, config.Accounts, config.Maturity = writer, synthchain.Mainnet, 1000, 12, 6
	source = synthchain.New(config)
	return source, replay.Take(n, source.Next)
}

// Servers that got a chain from nodes of different releases, in another order, with other forks or none, publish the same chain, byte for
// byte; so does one that got what was published.
func TestSameChain(t *testing.T) {
	t.Parallel()
	const posts = 700
	source, all := made(synthchain.V40, posts)
	first := newServer(t)
	want := first.take(all...)
	if want.Chain.Last < 100 || len(want.Chain.Files) < 3 {
		t.Fatalf("got %+v: too little to show anything", want.Chain)
	}
	_, older := made(synthchain.V30, posts)
	mixed := slices.Clone(all)
	random := rand.New(rand.NewPCG(1, 2))
	for at := 10; at+4 < len(mixed); at += 4 {
		random.Shuffle(4, func(i, j int) { mixed[at+i], mixed[at+j] = mixed[at+j], mixed[at+i] })
	}
	var published []replay.Post
	must.Do(t, want.EachLine(t.Context(), want.Chain.Files, history.VerifyOptions{}, func(_ history.File, rec archive.Record) error {
		published = append(published, replay.Post{Path: rec.Path, Body: slices.Clone(rec.Payload)})
		return nil
	}))
	for name, other := range map[string][]replay.Post{
		"an older release": older, "both, one after the other": slices.Concat(older, all), "another order": mixed,
		"without forks": slices.Concat(source.CanonicalPosts(), attachments(all)), "what was published": published,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			got := s.take(other...)
			if last, err := s.chain.compare(t.Context(), want, t.TempDir()); err != nil || last < want.Chain.Last-20 {
				t.Errorf("compared with the log: the same up to height %d of %d: %v", last, want.Chain.Last, err)
			}
			last, err := history.CompareChains(t.Context(), want, got, history.VerifyOptions{})
			if err != nil || last < want.Chain.Last-20 {
				t.Errorf("the same up to height %d of %d: %v", last, want.Chain.Last, err)
			}
			if !same(got.Chain.Files[:2], want.Chain.Files[:2]) {
				t.Errorf("got the files %+v, want %+v", got.Chain.Files, want.Chain.Files)
			}
		})
	}
}

// A log is made of the canonical chain where a history has nothing else, also when that takes several calls and the history grows meanwhile.
func TestBringChain(t *testing.T) {
	t.Parallel()
	_, all := made(synthchain.V40, 700)
	source, s := newServer(t), newServer(t)
	source.publisher.WithoutLog = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := source.take(all[:400]...)
	bring := func(ctx context.Context, from *history.Opened, progress func(done, total int64)) error {
		return history.Restore(ctx, s.log, from, history.RestoreOptions{Download: t.TempDir(), Progress: progress})
	}
	if err := bring(ctx, begun, func(done, total int64) {
		if done > total*9/10 {
			cancel()
		}
	}); err == nil {
		t.Fatal("it was not interrupted")
	}
	if size := must.Get(s.log.Size(t.Context()))(t); size == 0 {
		t.Fatal("nothing was brought before the interruption")
	}
	if err := history.CheckWhole(t.Context(), s.log); err == nil {
		t.Error("a part of a history passes for all of it")
	}

	_, others := madeFrom(10, synthchain.V40, 400)
	forked := newServer(t)
	forked.publisher.WithoutLog, forked.publisher.Key, forked.trust = true, source.publisher.Key, source.trust
	forked.publisher.Transparency = must.Get(transparency.New(transparency.Config{Pool: forked.log.Pool(), Key: source.publisher.Key}))(t)
	if err := bring(t.Context(), forked.take(others...), nil); !errors.Is(err, history.ErrReorganised) {
		t.Errorf("another chain of the same publisher: %v", err)
	}

	want := source.take(all[400:]...)
	for range 2 { // the second time there is nothing to do
		must.Do(t, bring(t.Context(), want, nil))
	}
	must.Do(t, history.CheckWhole(t.Context(), s.log))
	s.fold()
	got := s.take()
	if last, err := history.CompareChains(t.Context(), want, got, history.VerifyOptions{}); err != nil || last < want.Chain.Last-20 {
		t.Errorf("the same up to height %d of %d: %v", last, want.Chain.Last, err)
	}
}

// same reports whether two lists name the same files, whose names have their hashes.
func same(a, b []history.File) bool {
	return slices.EqualFunc(a, b, func(a, b history.File) bool { return a.Path == b.Path && a.SHA256 == b.SHA256 })
}

// attachments returns the posts of attachments, which a canonical chain has, too.
func attachments(posts []replay.Post) []replay.Post {
	return slices.DeleteFunc(slices.Clone(posts), func(p replay.Post) bool { return p.Path != nodeevent.PathAttachments })
}

// A block with other content is found, and named.
func TestOtherChain(t *testing.T) {
	t.Parallel()
	source, all := made(synthchain.V40, 300)
	want := newServer(t).take(all...)
	posts := slices.Concat(source.CanonicalPosts(), attachments(all))
	changed := uint64(0)
	for i := 100; changed == 0; i++ {
		block, isBlock := must.Get(nodeevent.Decode(posts[i].Path, posts[i].Body))(t).(*nodeevent.Block)
		if isBlock && len(block.Transactions) > 0 {
			changed = block.Height
			posts[i].Body = bytes.ReplaceAll(posts[i].Body, []byte(`"runtime":`), []byte(`"runtime":1`))
		}
	}
	got := newServer(t).take(posts...)
	_, err := history.CompareChains(t.Context(), want, got, history.VerifyOptions{})
	var difference *history.DifferenceError
	if !errors.As(err, &difference) {
		t.Fatalf("got %v", err)
	}
	server := newServer(t)
	server.take(posts...)
	var again *history.DifferenceError
	if last, err := server.chain.compare(t.Context(), want, t.TempDir()); !errors.As(err, &again) || again.Line != difference.Line || again.File != difference.File {
		t.Errorf("compared with the log: %v after height %d, want %v", err, last, difference)
	}
	named := uint64(0)
	must.Do(t, want.EachLine(t.Context(), want.Chain.Files, history.VerifyOptions{}, func(f history.File, rec archive.Record) error {
		if block, ok := must.Get(nodeevent.Decode(rec.Path, rec.Payload))(t).(*nodeevent.Block); ok && f.Path == difference.File && rec.Line == difference.Line {
			named = block.Height
		}
		return nil
	}))
	if named != changed || difference.One == difference.Other {
		t.Errorf("the block at height %d was changed, and %d is named: %v", changed, named, difference)
	}
}

// What is published bit by bit, while the chain is reorganised below it, is what is published in one go.
func TestPublishAgain(t *testing.T) {
	t.Parallel()
	_, all := made(synthchain.V40, 700)
	s, reorganised := newServer(t), 0
	s.chain.confirmations = 0
	var before *history.Opened
	for some := range slices.Chunk(all, 50) {
		opened := s.take(some...)
		if before != nil && len(opened.Chain.Files) > 0 && len(before.Chain.Files) > 0 && !slices.ContainsFunc(opened.Chain.Files, func(f history.File) bool { return f.Path == before.Chain.Files[len(before.Chain.Files)-1].Path }) {
			reorganised++
		}
		before = opened
	}
	if again := s.take(); again.Digest != before.Digest {
		t.Error("without anything new there is another manifest")
	}
	other := newServer(t)
	other.chain.confirmations = 0
	if got := other.take(all...); !same(got.Chain.Files, before.Chain.Files) || len(got.Chain.Files) < 3 || reorganised < 5 {
		t.Errorf("in one go got %+v, bit by bit %+v, with %d files replaced", got.Chain.Files, before.Chain.Files, reorganised)
	}
}
