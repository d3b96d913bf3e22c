package transparency

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// subtrees compares the stored ones with those that the rows make, as these grow. Memory is a page of each level.
type subtrees struct {
	count  int64 // of level 1 that have to be stored
	levels [levelsMax]subtreeLevel
}

// subtreeLevel is one level on the way.
type subtreeLevel struct {
	next   int64    // number of the next one
	below  [][]byte // of those that become the next one of the level above
	clean  bool     // they were as stored
	stored map[int64][]byte
	until  int64 // stored was read up to here
}

// subtreePage is how many stored ones are read at a time.
const subtreePage = 4096

// expected is how many of a level have to be stored.
func (s *subtrees) expected(level int) int64 { return s.count >> (tileHeight * (level - 1)) }

// add takes the next subtree of a level, as the rows make it. below says that those which it consists of are as stored: what is wrong is
// named once, as near to the leaves as it can be.
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
			detail := "the stored hash of these events is another one than theirs"
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

// at is a stored subtree; nil when it is missing. They are asked for in order.
func (s *subtrees) at(ctx context.Context, db database, level int, n int64) ([]byte, error) {
	l := &s.levels[level]
	if n >= l.until {
		l.stored, l.until = map[int64][]byte{}, n+subtreePage
		rows, err := db.Query(ctx, `SELECT n, hash FROM log.subtree WHERE level = $1 AND n >= $2 AND n < $3`, level, n, l.until)
		if err != nil {
			return nil, fmt.Errorf("read subtrees of level %d: %w", level, err)
		}
		var at int64
		var hash []byte
		_, err = pgx.ForEachRow(rows, []any{&at, &hash}, func() error {
			l.stored[at] = bytes.Clone(hash)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read subtrees of level %d: %w", level, err)
		}
	}
	return l.stored[n], nil
}

// end looks for stored subtrees that nobody expects.
func (s *subtrees) end(ctx context.Context, v *verification) error {
	rows, err := v.db.Query(ctx, `
		SELECT level, n FROM log.subtree WHERE n >= (SELECT subtrees FROM log.tree) >> (8 * (level - 1)) ORDER BY level, n LIMIT $1`, unknownMax)
	if err != nil {
		return fmt.Errorf("look for subtrees of no events: %w", err)
	}
	var level int
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&level, &n}, func() error {
		v.find(CheckSubtree, 0, 0, "level %d, number %d: it is beyond those that log.tree counts", level, n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for subtrees of no events: %w", err)
	}
	return nil
}
