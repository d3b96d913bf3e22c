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
	"strata/domain/transaction"
	"strata/eventstore"
)

// Paths are the events whose bodies the projections read; those that a node posts also with the slash at their end that
// an observer may have been configured with. The bodies of others are not fetched from the log: a node of a signer posts StackerDB
// chunks by the megabyte.
var Paths = append(withSlash(
	nodeevent.PathBlock, nodeevent.PathBurnBlock, nodeevent.PathMicroblocks,
	nodeevent.PathMempoolTx, nodeevent.PathDropMempoolTx, nodeevent.PathAttachments,
), fetch.Paths...)

func withSlash(paths ...string) []string {
	both := slices.Clone(paths)
	for _, path := range paths {
		both = append(both, path+"/")
	}
	return both
}

// Decoder decodes events of the log, each once per process however many projections read it: blocks stay in a
// cache, bounded by the bytes of their bodies, long enough for the projections that follow the chain's steps.
type Decoder struct {
	log     *eventstore.Log
	blocks  *blockCache
	decoded prometheus.Counter
}

// DecoderCacheBytesDefault bounds the bodies whose decoded blocks are kept.
const DecoderCacheBytesDefault = 32 << 20

// NewDecoder reads blocks that are not in its cache from log. decoded counts them.
func NewDecoder(log *eventstore.Log, cacheBytes int64, decoded prometheus.Counter) *Decoder {
	if cacheBytes <= 0 {
		cacheBytes = DecoderCacheBytesDefault
	}
	return &Decoder{log: log, decoded: decoded, blocks: newBlockCache(cacheBytes)}
}

// Decode decodes events on all cores; the result has the same order.
func (d *Decoder) Decode(ctx context.Context, events []eventstore.Event) ([]LogItem, error) {
	items := make([]LogItem, len(events))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range events {
		group.Go(func() error {
			items[i] = decodeEvent(&events[i])
			if b := items[i].Block; b != nil {
				d.decoded.Inc()
				d.blocks.put(b)
			}
			return ctx.Err()
		})
	}
	return items, group.Wait()
}

// Blocks returns the decoded /new_block events at the given positions; what is not in the cache is read from the
// log in one go.
func (d *Decoder) Blocks(ctx context.Context, seqs []int64) (map[int64]*Block, error) {
	found, missing := d.blocks.get(seqs)
	if len(missing) == 0 {
		return found, nil
	}
	events, err := d.log.GetMany(ctx, missing)
	if err != nil {
		return nil, err
	}
	blocks := make([]*Block, len(events))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range events {
		group.Go(func() error {
			item := decodeEvent(&events[i])
			if item.Err != nil {
				return fmt.Errorf("event %d: %w", item.Seq, item.Err)
			}
			if item.Block == nil {
				return fmt.Errorf("event %d has path %s, not a block", item.Seq, item.Path)
			}
			d.decoded.Inc()
			blocks[i] = item.Block
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		d.blocks.put(b)
		found[b.Seq] = b
	}
	return found, nil
}

// Records returns the records at the given positions.
func (d *Decoder) Records(ctx context.Context, seqs []int64) (map[int64]Record, error) {
	found := make(map[int64]Record, len(seqs))
	if len(seqs) == 0 {
		return found, nil
	}
	events, err := d.log.GetMany(ctx, seqs)
	if err != nil {
		return nil, err
	}
	for i := range events {
		item := decodeEvent(&events[i])
		if item.Err != nil {
			return nil, fmt.Errorf("event %d: %w", item.Seq, item.Err)
		}
		if item.Record == nil {
			return nil, fmt.Errorf("event %d has path %s, not a record", item.Seq, item.Path)
		}
		found[item.Seq] = item.Record
	}
	return found, nil
}

func decodeEvent(event *eventstore.Event) LogItem {
	item := LogItem{Seq: event.Seq, Path: event.Path, Size: event.Size}
	if slices.Contains(fetch.Paths, event.Path) {
		item.Record, item.Err = decodeRecord(event)
		return item
	}
	if !slices.Contains(Paths, event.Path) {
		return item
	}
	item.Err = guarded(func() error {
		payload, err := nodeevent.Decode(event.Path, event.Body)
		if err != nil {
			return err
		}
		item.Payload = payload
		switch p := payload.(type) {
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
		item.Payload, item.Block = nil, nil
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
