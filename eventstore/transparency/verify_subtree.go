package transparency

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// subtrees is the part of a verification that compares the stored subtrees with those of the rows. It holds a page of
// each level in memory.
type subtrees struct {
	count  int64 // number of subtrees of level 1 that must be stored
	levels [levelsMax]subtreeLevel
}

// subtreeLevel is the state of one level.
type subtreeLevel struct {
	next   int64    // number of the next subtree
	below  [][]byte // hashes so far of the next subtree of the level above
	clean  bool     // all of below agree with the stored hashes
	stored map[int64][]byte
	until  int64 // stored holds the current page, which ends before this number
}

// subtreePage is the number of stored subtrees that are read at a time.
const subtreePage = 4096

// expected returns the number of subtrees of a level that must be stored.
func (s *subtrees) expected(level int) int64 { return s.count >> (tileHeight * (level - 1)) }

// add compares the next subtree of a level, computed from the rows, with the stored one. below tells whether all subtrees
// that it consists of agree with the stored ones: a fault is reported once, as near to the leaves as possible.
func (s *subtrees) add(ctx context.Context, v *verification, level int, hash []byte, below bool) error {
	l := &s.levels[level]
	n := l.next
	l.next++
	same := true
	if n < s.expected(level) {
		stored, err := s.at(ctx, v.db, level, n)
		if err != nil {
			return err
		}
		v.result.Subtrees++
		same = bytes.Equal(stored, hash)
		if !same && below {
			width := int64(1) << (tileHeight * level)
			detail := "the stored hash of these events differs from theirs"
			if stored == nil {
				detail = "the stored hash of these events is missing"
			}
			v.find(CheckSubtree, n*width+1, (n+1)*width, "level %d, number %d: %s", level, n, detail)
		}
	}
	if level+1 == levelsMax {
		return nil
	}
	if len(l.below) == 0 {
		l.clean = true
	}
	l.below, l.clean = append(l.below, hash), l.clean && same && below
	if len(l.below) < tileWidth {
		return nil
	}
	above, clean := perfectRoot(l.below), l.clean
	l.below = l.below[:0]
	return s.add(ctx, v, level+1, above, clean)
}

// at returns a stored subtree; nil if it is missing. Numbers must not decrease between calls.
func (s *subtrees) at(ctx context.Context, db database, level int, n int64) ([]byte, error) {
	l := &s.levels[level]
	if n >= l.until {
		l.stored, l.until = map[int64][]byte{}, n+subtreePage
		rows, _ := db.Query(ctx, `SELECT n, hash FROM log.subtree WHERE level = $1 AND n >= $2 AND n < $3`, level, n, l.until)
		var at int64
		var hash []byte
		_, err := pgx.ForEachRow(rows, []any{&at, &hash}, func() error {
			l.stored[at] = bytes.Clone(hash)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read subtrees of level %d: %w", level, err)
		}
	}
	return l.stored[n], nil
}

// end reports stored subtrees beyond those that log.tree counts.
func (s *subtrees) end(ctx context.Context, v *verification) error {
	rows, _ := v.db.Query(ctx, `
		SELECT level, n FROM log.subtree WHERE n >= (SELECT subtrees FROM log.tree) >> (8 * (level - 1)) ORDER BY level, n LIMIT $1`, unknownMax)
	var level int
	var n int64
	_, err := pgx.ForEachRow(rows, []any{&level, &n}, func() error {
		v.find(CheckSubtree, 0, 0, "level %d, number %d: it is beyond those that log.tree counts", level, n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for subtrees without events: %w", err)
	}
	return nil
}
