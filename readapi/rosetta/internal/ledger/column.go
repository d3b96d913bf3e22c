package ledger

import (
	"bytes"
	"cmp"
	"strconv"

	"strata/domain/nodeevent"
)

// text is a column of text; empty for NULL.
type text string

// ScanBytes implements pgtype.BytesScanner.
func (t *text) ScanBytes(b []byte) error {
	*t = text(b)
	return nil
}

// term is a column of text that mostly has one of a few values; empty for NULL.
type term string

// terms are what columns of terms mostly hold.
var terms = func() map[string]term {
	known := map[string]term{}
	for _, name := range []string{
		assetSTX, causeFee, causeReward, topicPrint,
		nodeevent.TypeSTXTransfer, nodeevent.TypeSTXMint, nodeevent.TypeSTXBurn, nodeevent.TypeSTXLock, nodeevent.TypeContract,
		nodeevent.TypeFTTransfer, nodeevent.TypeFTMint, nodeevent.TypeFTBurn,
		nodeevent.TypeNFTTransfer, nodeevent.TypeNFTMint, nodeevent.TypeNFTBurn,
	} {
		known[name] = term(name)
	}
	return known
}()

// ScanBytes implements pgtype.BytesScanner.
func (t *term) ScanBytes(b []byte) error {
	known, ok := terms[string(b)]
	if !ok {
		known = term(b)
	}
	*t = known
	return nil
}

// source is what in the body of a block's event changed something.
type source struct {
	list  list
	index int32
}

// list is an array of a block's event.
type list uint8

// Lists.
const (
	ofTransactions list = iota + 1
	ofEvents
	ofRewards
)

var lists = map[string]list{"transactions": ofTransactions, "events": ofEvents, "matured_miner_rewards": ofRewards}

// ScanBytes implements pgtype.BytesScanner. It reads a JSON pointer, such as /events/3; any other text is a source that
// nothing else has.
func (s *source) ScanBytes(b []byte) error {
	name, digits, _ := bytes.Cut(bytes.TrimPrefix(b, []byte("/")), []byte("/"))
	index, err := strconv.ParseInt(string(digits), 10, 32)
	if *s = (source{lists[string(name)], int32(index)}); err != nil {
		*s = source{}
	}
	return nil
}

// compare orders sources.
func (s source) compare(other source) int {
	return cmp.Or(cmp.Compare(s.list, other.list), cmp.Compare(s.index, other.index))
}
