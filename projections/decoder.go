package projections

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"strata/domain/fetch"
	"strata/domain/nodeevent"
	"strata/domain/ordinals"
	"strata/domain/transaction"
	"strata/eventstore"
)

// ChainPaths are the events whose bodies chain reads, and FeedPaths those that ordinals reads; what others post comes also
// with the slash at the end that an observer may have been configured with. The bodies of all others are not fetched from
// the log: a node of a signer posts StackerDB chunks by the megabyte.
var (
	ChainPaths = append(withSlash(
		nodeevent.PathBlock, nodeevent.PathBurnBlock, nodeevent.PathMicroblocks,
		nodeevent.PathMempoolTx, nodeevent.PathDropMempoolTx, nodeevent.PathAttachments,
	), fetch.Paths...)
	FeedPaths = withSlash(ordinals.Paths...)
)

func withSlash(paths ...string) []string {
	both := slices.Clone(paths)
	for _, path := range paths {
		both = append(both, path+"/")
	}
	return both
}

// Decoder decodes events of the log, each once per process however many projections read it: the content of steps stays
// in a cache, bounded by the bytes of the bodies, long enough for the projections that follow.
type Decoder struct {
	log     *eventstore.Log
	blocks  *decodedCache[*Block]
	records *decodedCache[Record]
	feed    *decodedCache[*ordinals.Payload]
	decoded prometheus.Counter
}

// DecoderCacheBytesDefault bounds the bodies whose decoded content is kept, of blocks and of the ordinals feed each. A
// quarter of it is for records.
const DecoderCacheBytesDefault = 32 << 20

// NewDecoder reads what is not in its cache from log. decoded counts blocks and payloads of the ordinals feed.
func NewDecoder(log *eventstore.Log, cacheBytes int64, decoded prometheus.Counter) *Decoder {
	if cacheBytes <= 0 {
		cacheBytes = DecoderCacheBytesDefault
	}
	return &Decoder{
		log: log, decoded: decoded, blocks: newDecodedCache[*Block](cacheBytes), records: newDecodedCache[Record](cacheBytes / 4),
		feed: newDecodedCache[*ordinals.Payload](cacheBytes),
	}
}

// Decode decodes events for chain, on all cores; the result has the same order.
func (d *Decoder) Decode(ctx context.Context, events []eventstore.Event) ([]LogItem, error) {
	return onAllCores(ctx, events, func(event *eventstore.Event) (LogItem, error) {
		if b, ok := d.blocks.one(event.Seq); ok { // another version of chain was here before
			return LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size, Payload: b.Block, Block: b}, nil
		}
		item := decodeEvent(event)
		if b := item.Block; b != nil {
			d.decoded.Inc()
			d.blocks.put(b.Seq, b.BodySize, b)
		}
		if record := item.record(); record != nil {
			d.records.put(item.Seq, item.Size, record)
		}
		return item, nil
	})
}

// DecodeFeed decodes events for ordinals, on all cores; the result has the same order.
func (d *Decoder) DecodeFeed(ctx context.Context, events []eventstore.Event) ([]LogItem, error) {
	return onAllCores(ctx, events, func(event *eventstore.Event) (LogItem, error) {
		if payload, ok := d.feed.one(event.Seq); ok { // likewise
			return LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size, Feed: payload}, nil
		}
		item := decodeFeed(event)
		if item.Feed != nil {
			d.decoded.Inc()
			d.feed.put(item.Seq, item.Size, item.Feed)
		}
		return item, nil
	})
}

// Blocks returns the decoded /new_block events at the given positions; what is not in the cache is read from the
// log in one go.
func (d *Decoder) Blocks(ctx context.Context, seqs []int64) (map[int64]*Block, error) {
	return contents(ctx, d, d.blocks, seqs, decodeEvent, func(item *LogItem) (*Block, bool) { return item.Block, item.Block != nil })
}

// Payloads returns the decoded payloads of the ordinals feed at the given positions, likewise.
func (d *Decoder) Payloads(ctx context.Context, seqs []int64) (map[int64]*ordinals.Payload, error) {
	return contents(ctx, d, d.feed, seqs, decodeFeed, func(item *LogItem) (*ordinals.Payload, bool) { return item.Feed, item.Feed != nil })
}

// Records returns the records and Bitcoin blocks at the given positions.
func (d *Decoder) Records(ctx context.Context, seqs []int64) (map[int64]Record, error) {
	return contents(ctx, d, d.records, seqs, decodeEvent, func(item *LogItem) (Record, bool) { return item.record(), item.record() != nil })
}

// contents finds what some events hold, in a cache or the log.
func contents[T any](ctx context.Context, d *Decoder, cache *decodedCache[T], seqs []int64, decode func(*eventstore.Event) LogItem, content func(*LogItem) (T, bool)) (map[int64]T, error) {
	found, missing := cache.get(seqs)
	if len(missing) == 0 {
		return found, nil
	}
	events, err := d.log.GetMany(ctx, missing)
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
		if item.record() == nil {
			d.decoded.Inc()
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		cache.put(events[i].Seq, events[i].Size, value)
		found[events[i].Seq] = value
	}
	return found, nil
}

func onAllCores[T any](ctx context.Context, events []eventstore.Event, decode func(*eventstore.Event) (T, error)) ([]T, error) {
	decoded := make([]T, len(events))
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

func decodeFeed(event *eventstore.Event) LogItem {
	item := LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size}
	if !slices.Contains(FeedPaths, event.Path) {
		return item
	}
	item.Err = guarded(func() (err error) {
		item.Feed, err = ordinals.Decode(event.Body)
		return err
	})
	if item.Err != nil {
		item.Feed = nil
	}
	return item
}

func decodeEvent(event *eventstore.Event) LogItem {
	item := LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size}
	if slices.Contains(fetch.Paths, event.Path) {
		item.Record, item.Err = decodeRecord(event)
		return item
	}
	if !slices.Contains(ChainPaths, event.Path) {
		return item
	}
	item.Err = guarded(func() error {
		payload, err := nodeevent.Decode(event.Path, event.Body)
		if err != nil {
			return err
		}
		item.Payload = payload
		switch p := payload.(type) {
		case *nodeevent.MempoolTx:
			a, err := announcement(p, event.ReceivedAt)
			if err != nil {
				return err
			}
			item.Record = a
		case *nodeevent.DropMempoolTx:
			item.Record = p
		case *nodeevent.Block:
			decoded, err := decodeTransactions(p.Transactions)
			if err != nil {
				return err
			}
			item.Block = &Block{Block: p, Seq: event.Seq, BodySize: event.Size, Decoded: decoded}
		case *nodeevent.Microblocks:
			_, err = decodeTransactions(p.Transactions)
			return err
		}
		return nil
	})
	if item.Err != nil {
		item.Payload, item.Block, item.Record = nil, nil, nil
	}
	return item
}

// decodeTransactions refuses the payload when it can't tell who pays what: without that every balance after it
// would be wrong. A payload id that this program does not know is no reason: the fee is in the part before it.
func decodeTransactions(txs []nodeevent.Transaction) ([]*transaction.Transaction, error) {
	decoded := make([]*transaction.Transaction, len(txs))
	for i := range txs {
		if transaction.IsBurnchainOp(txs[i].RawTx) {
			continue
		}
		tx, err := transaction.Decode(txs[i].RawTx)
		if err != nil {
			return nil, &nodeevent.FieldError{Path: txs[i].Pointer() + "/raw_tx", Want: "a serialised transaction", Got: fmt.Sprintf("%d bytes", len(txs[i].RawTx)), Err: err}
		}
		decoded[i] = tx
	}
	return decoded, nil
}
