package transparency

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"strata/eventstore"
)

// EntryMax is the length of the longest leaf record that a bundle of entries can hold. The log takes no event with a longer one;
// one that was written before it was so may have.
const EntryMax = eventstore.RecordMax

// Tile is the first width hashes of a tile, one after the other: hashes n·256 to n·256+width-1 of a level, in which each
// stands for 256 of the level below; those of level 0 are of leaves. It is a RefusalError when they are not within the newest
// checkpoint.
func (l *Log) Tile(ctx context.Context, level int, n int64, width int) ([]byte, error) {
	if err := l.covered(ctx, level, n, width); err != nil {
		return nil, err
	}
	from := n * tileWidth
	hashes, err := hashesAt(ctx, l.config.Reads, level, from, from+int64(width))
	if err != nil {
		return nil, err
	}
	tile := bytes.Join(hashes, nil)
	return tile, l.check(ctx, level, n, hashes)
}

// check compares the hashes of a full tile with the stored subtree, so that what was changed after it was signed does not
// go out as if it were the log. It uses the slice.
func (l *Log) check(ctx context.Context, level int, n int64, hashes [][]byte) error {
	if len(hashes) < tileWidth || level+1 == levelsMax {
		return nil
	}
	stored, err := hashesAt(ctx, l.config.Reads, level+1, n, n+1)
	if err == nil && !bytes.Equal(perfectRoot(hashes), stored[0]) {
		err = fmt.Errorf("%w: tile %d of level %d", ErrMismatch, n, level)
	}
	return err
}

// Entries are the leaf records of the first width leaves of a tile of level 0, the events n·256+1 to n·256+width, each
// after its length in two bytes, big-endian. It is a RefusalError when they are not within the newest checkpoint, and when one
// is longer than EntryMax.
func (l *Log) Entries(ctx context.Context, n int64, width int) ([]byte, error) {
	if err := l.covered(ctx, 0, n, width); err != nil {
		return nil, err
	}
	after := n * tileWidth
	events, err := readLeaves(ctx, l.config.Reads, after, after+int64(width))
	if err != nil {
		return nil, err
	}
	var bundle, record []byte
	hashes := make([][]byte, 0, len(events))
	for i := range events {
		record = eventstore.AppendLeafRecord(record[:0], &events[i])
		if len(record) > EntryMax {
			return nil, missing("the record of event %d has %d bytes, more than the %d that a bundle can hold; its hash is in the tile, and it can be proven",
				events[i].Seq, len(record), EntryMax)
		}
		bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(record)))
		bundle = append(bundle, record...)
		hashes = append(hashes, hasher.HashLeaf(record))
	}
	return bundle, l.check(ctx, 0, n, hashes)
}

// covered says whether hashes of a tile are within the newest checkpoint.
func (l *Log) covered(ctx context.Context, level int, n int64, width int) error {
	if width < 1 || width > tileWidth || n < 0 || level < 0 {
		return refused("no tile has level %d, number %d and width %d", level, n, width)
	}
	size, err := l.signedSize(ctx)
	if err != nil {
		return err
	}
	if level >= levelsMax || n >= math.MaxInt64/tileWidth || n*tileWidth+int64(width) > size>>(tileHeight*level) {
		return missing("not within the newest checkpoint, which has %d events", size)
	}
	return nil
}

// signedSize is the size of the newest checkpoint.
func (l *Log) signedSize(ctx context.Context) (int64, error) {
	c, err := newest(ctx, l.config.Reads)
	if err == nil && c == nil {
		err = errNoCheckpoint
	}
	if err != nil {
		return 0, err
	}
	return c.Size, nil
}
