package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A block has thousands of transactions and operations, which encoding/json takes long to write. These functions append
// the same bytes as it would, without escapes for HTML.

// Appender is a value that appends itself as JSON.
type Appender interface {
	AppendJSON(b []byte) ([]byte, error)
}

// AppendJSON appends the answer, whose block has n transactions: Transactions is empty, and transaction returns them one
// by one. Each is only needed until the next one.
func (a *BlockAnswer) AppendJSON(b []byte, n int, transaction func(i int) *Transaction) ([]byte, error) {
	b = append(b, `{"block":{"block_identifier":`...)
	b = appendBlockIdentifier(b, a.Block.BlockIdentifier)
	b = append(b, `,"parent_block_identifier":`...)
	b = appendBlockIdentifier(b, a.Block.ParentBlockIdentifier)
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, a.Block.Timestamp, 10)
	b = append(b, `,"transactions":[`...)
	var err error
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = transaction(i).AppendJSON(b); err != nil {
			return nil, err
		}
		if i == sampled {
			b = slices.Grow(b, min(len(b)/sampled*(n-sampled), growthMax))
		}
	}
	b = append(b, ']')
	if len(a.Block.Metadata) > 0 {
		if b, err = appendMember(b, `,"metadata":`, a.Block.Metadata); err != nil {
			return nil, err
		}
	}
	b = append(b, '}')
	if len(a.Others) > 0 {
		if b, err = appendMember(b, `,"other_transactions":`, a.Others); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

const (
	// sampled is the number of transactions after which the length of the whole answer is estimated.
	sampled = 50
	// growthMax is the maximum number of bytes for which there is room then.
	growthMax = 16 << 20
)

// AppendJSON implements Appender.
func (t *Transaction) AppendJSON(b []byte) (_ []byte, err error) {
	b = append(b, `{"transaction_identifier":{"hash":`...)
	b = AppendText(b, t.TransactionIdentifier.Hash)
	b = append(b, `},"operations":`...)
	if t.Operations == nil {
		b = append(b, `null`...)
	} else {
		b = append(b, '[')
		for i := range t.Operations {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = t.Operations[i].AppendJSON(b); err != nil {
				return nil, err
			}
		}
		b = append(b, ']')
	}
	if t.Metadata != nil {
		if b, err = appendMember(b, `,"metadata":`, t.Metadata); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// AppendJSON implements Appender.
func (o *Operation) AppendJSON(b []byte) (_ []byte, err error) {
	b = append(b, `{"operation_identifier":`...)
	b = appendOperationIdentifier(b, o.OperationIdentifier)
	for i, related := range o.RelatedOperations {
		if i == 0 {
			b = append(b, `,"related_operations":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendOperationIdentifier(b, related)
		if i == len(o.RelatedOperations)-1 {
			b = append(b, ']')
		}
	}
	b = append(b, `,"type":`...)
	b = AppendText(b, o.Type)
	if o.Status != nil {
		b = append(b, `,"status":`...)
		b = AppendText(b, *o.Status)
	}
	if o.Account != nil {
		if b, err = o.Account.append(append(b, `,"account":`...)); err != nil {
			return nil, err
		}
	}
	if o.Amount != nil {
		if b, err = o.Amount.append(append(b, `,"amount":`...)); err != nil {
			return nil, err
		}
	}
	if o.CoinChange != nil {
		b = append(b, `,"coin_change":{"coin_identifier":{"identifier":`...)
		b = AppendText(b, o.CoinChange.CoinIdentifier.Identifier)
		b = append(b, `},"coin_action":`...)
		b = AppendText(b, o.CoinChange.CoinAction)
		b = append(b, '}')
	}
	if len(o.Metadata) > 0 {
		if b, err = appendMember(b, `,"metadata":`, o.Metadata); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendBlockIdentifier(b []byte, id BlockIdentifier) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, id.Index, 10)
	b = append(b, `,"hash":`...)
	return append(AppendText(b, id.Hash), '}')
}

func appendOperationIdentifier(b []byte, id OperationIdentifier) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, id.Index, 10)
	if id.NetworkIndex != nil {
		b = append(b, `,"network_index":`...)
		b = strconv.AppendInt(b, *id.NetworkIndex, 10)
	}
	return append(b, '}')
}

func (a *AccountIdentifier) append(b []byte) (_ []byte, err error) {
	if a.SubAccount != nil || len(a.Metadata) > 0 {
		return AppendAny(b, a)
	}
	b = append(b, `{"address":`...)
	return append(AppendText(b, a.Address), '}'), nil
}

func (a *Amount) append(b []byte) (_ []byte, err error) {
	b = append(b, `{"value":`...)
	b = AppendText(b, a.Value)
	b = append(b, `,"currency":{"symbol":`...)
	b = AppendText(b, a.Currency.Symbol)
	b = append(b, `,"decimals":`...)
	b = strconv.AppendInt(b, int64(a.Currency.Decimals), 10)
	if of := a.Currency.Metadata; of != nil {
		b = append(b, `,"metadata":{`...)
		first := len(b)
		for _, member := range []struct{ name, value string }{
			{`"token_type":`, of.TokenType}, {`"asset_identifier":`, of.AssetIdentifier}, {`"value":`, of.Value},
		} {
			if member.value == "" {
				continue
			}
			if len(b) > first {
				b = append(b, ',')
			}
			b = AppendText(append(b, member.name...), member.value)
		}
		b = append(b, '}')
	}
	b = append(b, '}')
	if len(a.Metadata) > 0 {
		if b, err = appendMember(b, `,"metadata":`, a.Metadata); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendMember appends what comes before a member's value, and the value.
func appendMember(b []byte, before string, value any) ([]byte, error) {
	return AppendAny(append(b, before...), value)
}

// AppendAny appends a value, which may be of any type that encoding/json can write.
func AppendAny(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(b, `null`...), nil
	case string:
		return AppendText(b, v), nil
	case *string:
		if v == nil {
			return append(b, `null`...), nil
		}
		return AppendText(b, *v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case map[string]any:
		return appendMap(b, v)
	case Appender:
		return v.AppendJSON(b)
	}
	return appendReflected(b, value)
}

// appendMap appends an object with its members in the order of their names.
func appendMap(b []byte, members map[string]any) (_ []byte, err error) {
	if members == nil {
		return append(b, `null`...), nil
	}
	var room [8]string
	names := room[:0]
	for name := range members {
		if !utf8.ValidString(name) { // it is written as another name
			return appendReflected(b, members)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendText(b, name), ':')
		if b, err = AppendAny(b, members[name]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// AppendText appends a JSON string.
func AppendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			escaped, err := appendReflected(b, text)
			if err != nil {
				panic(err) // any string can be written
			}
			return escaped
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// text is text to which encoding/json writes.
type text []byte

func (t *text) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	return len(b), nil
}

// appendReflected appends a value as encoding/json writes it.
func appendReflected(b []byte, value any) ([]byte, error) {
	target := (*text)(&b)
	encoder := json.NewEncoder(target)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(*target, []byte("\n")), nil
}
