package live

import (
	"errors"
	"regexp"
	"strconv"

	"strata/domain/hash"
)

// Position identifies a state of the chain by the number of events that it reflects, and by its tip. That suffices to
// resume from there in any instance of the tables. The zero value is the state before the first event.
type Position struct {
	Log int64
	// Height and Block (an index block hash) are those of the tip. Block is zero if there is no tip, or none was given.
	Height int64
	Block  hash.Hash32
}

// ErrPosition is the error for a malformed position.
var ErrPosition = errors.New(`want a position such as "log=4711; height=1350; index_block_hash=0x00…"`)

// PositionPattern matches a position. It is not anchored.
const PositionPattern = `log=([0-9]{1,18})(; ?height=([0-9]{1,18}); ?index_block_hash=(0x[0-9a-fA-F]{64}))?`

var positionText = regexp.MustCompile(`^` + PositionPattern + `$`)

// ParsePosition parses a position in the form of the header Strata-Position. The error is ErrPosition.
func ParsePosition(text string) (p Position, err error) {
	match := positionText.FindStringSubmatch(text)
	if match == nil {
		return p, ErrPosition
	}
	if p.Log, err = strconv.ParseInt(match[1], 10, 64); err != nil {
		return p, ErrPosition
	}
	if match[3] == "" {
		return p, nil
	}
	if p.Height, err = strconv.ParseInt(match[3], 10, 64); err != nil {
		return p, ErrPosition
	}
	if p.Block, err = hash.Parse32(match[4]); err != nil {
		return p, ErrPosition
	}
	return p, nil
}

// String returns the position in the form that ParsePosition reads.
func (p Position) String() string {
	text := "log=" + strconv.FormatInt(p.Log, 10)
	if !p.Block.IsZero() {
		text += "; height=" + strconv.FormatInt(p.Height, 10) + "; index_block_hash=" + p.Block.String()
	}
	return text
}
