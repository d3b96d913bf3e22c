package transparency

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"strata/eventstore"
)

// EntryMax is the maximum length in bytes of a leaf record in a bundle of entries. The log refuses events with longer
// records, but an older log may contain some.
const EntryMax = eventstore.RecordMax

// Tile returns the first width hashes of a tile, concatenated: the hashes n·256 to n·256+width-1 of a level. The hashes
// of level 0 are leaf hashes; a hash of any other level covers 256 hashes of the level below. It returns a RefusalError if
// they are not within the newest checkpoint.
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

// check compares the hashes of a full tile with the stored subtree, so that rows that were changed after signing are not
// served. It overwrites hashes.
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

// Entries returns the leaf records of the first width leaves of a tile of level 0: the events n·256+1 to n·256+width. A
// two-byte big-endian length precedes each record. It returns a RefusalError if they are not within the newest
// checkpoint, or if a record is longer than EntryMax.
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

// covered returns a RefusalError unless the hashes of a tile are within the newest checkpoint.
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

// signedSize returns the size of the newest checkpoint.
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
