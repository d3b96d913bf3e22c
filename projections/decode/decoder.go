// Package decode turns events of the log into what projections fold, each event once per process.
package decode

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/domain/fetch"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
	"strata/eventstore"
	"strata/projections"
)

// Events whose bodies chain and ordinals read. Nodes and indexers may be configured to post to a path with a slash at
// its end, so both forms are listed. The bodies of all other events are not fetched from the log: a signer's node posts
// StackerDB chunks by the megabyte.
var (
	ChainPaths = append(withSlash(
		nodeevent.PathBlock, nodeevent.PathBurnBlock, nodeevent.PathMicroblocks,
		nodeevent.PathMempoolTx, nodeevent.PathDropMempoolTx, nodeevent.PathAttachments,
	), recordedPaths...)
	FeedPaths = withSlash(ordinals.Paths...)
)

// recordedPaths are the paths of the events that this program puts into the log itself.
var recordedPaths = append(slices.Clone(fetch.Paths), names.PathExport)

func withSlash(paths ...string) []string {
	both := slices.Clone(paths)
	for _, path := range paths {
		both = append(both, path+"/")
	}
	return both
}

// Decoder decodes events of the log, each once per process however many projections read it: the content of steps stays
// in a cache, bounded by the bytes of the bodies, long enough for the followers of the steps.
type Decoder struct {
	log     *eventstore.Log
	blocks  *cache[*projections.Block]
	records *cache[projections.Record]
	feed    *cache[*ordinals.Payload]
	ahead   ahead
	decoded prometheus.Counter
}

// CacheBytesDefault bounds the bodies whose decoded content is cached, of blocks and of the ordinals feed each.
// Records have a quarter of it.
const CacheBytesDefault = 32 << 20

// New makes a Decoder that reads from log what is not in its cache. decoded counts blocks and payloads of the
// ordinals feed.
func New(log *eventstore.Log, cacheBytes int64, decoded prometheus.Counter) *Decoder {
	if cacheBytes <= 0 {
		cacheBytes = CacheBytesDefault
	}
	return &Decoder{
		log: log, decoded: decoded, blocks: newCache[*projections.Block](cacheBytes),
		records: newCache[projections.Record](cacheBytes / 4), feed: newCache[*ordinals.Payload](cacheBytes),
	}
}

// Decode decodes events for chain, on all cores. The result has the order of the events.
func (d *Decoder) Decode(ctx context.Context, events []eventstore.Event) ([]projections.LogItem, error) {
	return onAllCores(ctx, events, func(event *eventstore.Event) (projections.LogItem, error) {
		if b, ok := d.blocks.get(event.Seq); ok { // decoded for another version of chain
			return projections.LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size, Payload: b.Block, Block: b, Unknown: b.Unknown}, nil
		}
		item, ok := d.ahead.take(event)
		if !ok {
			item = decodeEvent(event)
		}
		if b := item.Block; b != nil {
			d.decoded.Inc()
			d.blocks.put(b.Seq, b.BodySize, b)
		}
		if record := recordOf(&item); record != nil {
			d.records.put(item.Seq, item.Size, record)
		}
		return item, nil
	})
}

// DecodeFeed decodes events for ordinals, on all cores. The result has the order of the events.
func (d *Decoder) DecodeFeed(ctx context.Context, events []eventstore.Event) ([]projections.LogItem, error) {
	return onAllCores(ctx, events, func(event *eventstore.Event) (projections.LogItem, error) {
		if payload, ok := d.feed.get(event.Seq); ok { // decoded for another version of ordinals
			return projections.LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size, Feed: payload}, nil
		}
		item := decodeFeed(event)
		if item.Feed != nil {
			d.decoded.Inc()
			d.feed.put(item.Seq, item.Size, item.Feed)
		}
		return item, nil
	})
}

// Blocks returns the decoded /new_block events at these positions. What is not in the cache is read from the log at
// once.
func (d *Decoder) Blocks(ctx context.Context, seqs []int64) (map[int64]*projections.Block, error) {
	return contents(ctx, d, d.blocks, seqs, decodeEvent, func(item *projections.LogItem) (*projections.Block, bool) {
		return item.Block, item.Block != nil
	})
}

// Payloads returns the decoded payloads of the ordinals feed at these positions. What is not in the cache is read from
// the log at once.
func (d *Decoder) Payloads(ctx context.Context, seqs []int64) (map[int64]*ordinals.Payload, error) {
	return contents(ctx, d, d.feed, seqs, decodeFeed, func(item *projections.LogItem) (*ordinals.Payload, bool) {
		return item.Feed, item.Feed != nil
	})
}

// Records returns the records and Bitcoin blocks at these positions. What is not in the cache is read from the log at
// once.
func (d *Decoder) Records(ctx context.Context, seqs []int64) (map[int64]projections.Record, error) {
	return contents(ctx, d, d.records, seqs, decodeEvent, func(item *projections.LogItem) (projections.Record, bool) {
		return recordOf(item), recordOf(item) != nil
	})
}

// contents returns the content of events, from a cache or the log. What somebody else reads already is waited for.
func contents[T any](
	ctx context.Context, d *Decoder, cache *cache[T], seqs []int64,
	decode func(*eventstore.Event) projections.LogItem, content func(*projections.LogItem) (T, bool),
) (map[int64]T, error) {
	all := make(map[int64]T, len(seqs))
	for {
		found, mine, theirs := cache.claim(seqs)
		maps.Copy(all, found)
		if len(mine) > 0 {
			read, err := readContents(ctx, d, cache, mine, decode, content)
			if err != nil {
				return nil, err
			}
			maps.Copy(all, read)
		}
		if len(theirs) == 0 {
			return all, nil
		}
		for _, flight := range theirs {
			select {
			case <-flight:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		seqs = slices.DeleteFunc(slices.Clone(seqs), func(seq int64) bool { _, ok := all[seq]; return ok })
	}
}

// readContents reads the content of events from the log, and puts it into a cache for those that wait for it, too.
func readContents[T any](
	ctx context.Context, d *Decoder, cache *cache[T], seqs []int64,
	decode func(*eventstore.Event) projections.LogItem, content func(*projections.LogItem) (T, bool),
) (map[int64]T, error) {
	defer cache.release(seqs)
	events, err := d.log.GetMany(ctx, seqs)
	if err != nil {
		return nil, err
	}
	values, err := onAllCores(ctx, events, func(event *eventstore.Event) (value T, err error) {
		item := decode(event)
		if item.Err != nil {
			return value, fmt.Errorf("event %d: %w", item.Seq, item.Err)
		}
		value, ok := content(&item)
		if !ok {
			return value, fmt.Errorf("event %d has path %s, which does not hold a %T", item.Seq, item.Path, value)
		}
		if recordOf(&item) == nil {
			d.decoded.Inc()
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]T, len(values))
	for i, value := range values {
		cache.put(events[i].Seq, events[i].Size, value)
		found[events[i].Seq] = value
	}
	return found, nil
}

// onAllCores decodes events in parallel. The result has the order of the events. A single one, as at the tip, is decoded
// right here: to hand it to another goroutine takes longer than to decode it.
func onAllCores[T any](ctx context.Context, events []eventstore.Event, decode func(*eventstore.Event) (T, error)) ([]T, error) {
	decoded := make([]T, len(events))
	if len(events) == 1 {
		value, err := decode(&events[0])
		decoded[0] = value
		return decoded, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range events {
		group.Go(func() (err error) {
			if decoded[i], err = decode(&events[i]); err != nil {
				return err
			}
			return ctx.Err()
		})
	}
	return decoded, group.Wait()
}
