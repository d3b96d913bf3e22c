package subscriptions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/step"
	"strata/projections"
	"strata/subscriptions/filter"
)

// Message is what a subscription gets about a block. Its bytes follow from the log, the filter and the number: they are the same at each
// attempt.
type Message struct {
	Type      string `json:"type" enum:"stacks.block.apply,stacks.block.rollback" doc:"Whether the block joins the canonical chain, or leaves it. A rollback undoes the message that had applied the block: the newest block comes first."`
	Timestamp string `json:"timestamp" format:"date-time" doc:"When the block was made: its own time, before Nakamoto that of its Bitcoin block."`
	Data      Data   `json:"data"`
}

// Data is the content of a message.
type Data struct {
	Subscription string       `json:"subscription" format:"uuid"`
	Sequence     int64        `json:"sequence" doc:"Number of the message, from 1 without gaps."`
	PreviousID   string       `json:"previous_id" doc:"Id of the message before; empty for the first one."`
	Position     string       `json:"position" doc:"Position after the message, as in the header Strata-Position of the API."`
	Block        MessageBlock `json:"block"`
	Matches      []Match      `json:"matches" doc:"What of the block matches, in the order of execution."`
}

// MessageBlock is the block of a message.
type MessageBlock struct {
	Height               uint64      `json:"height"`
	IndexBlockHash       hash.Hash32 `json:"index_block_hash"`
	ParentIndexBlockHash hash.Hash32 `json:"parent_index_block_hash"`
	BlockHash            hash.Hash32 `json:"block_hash"`
	BurnBlockHeight      uint64      `json:"burn_block_height" doc:"Height of its Bitcoin block."`
	BurnBlockHash        hash.Hash32 `json:"burn_block_hash"`
}

// Match is a thing that matches. Members that a kind does not have are missing. Amounts are whole numbers as text.
type Match struct {
	Kind       string         `json:"kind" doc:"The most specific one, such as call or ft_transfer."`
	TxID       *hash.Hash32   `json:"txid,omitempty"`
	TxIndex    *uint32        `json:"tx_index,omitempty" doc:"Index in the block."`
	EventIndex *int           `json:"event_index,omitempty" doc:"Number of the event among those of its transaction that count, from 0."`
	Pointer    string         `json:"pointer,omitempty" doc:"JSON pointer into the body of the event that brought the block (source)."`
	Source     string         `json:"source" doc:"Path of that event at the API."`
	Status     string         `json:"status,omitempty" doc:"Of a transaction: success, abort_by_response, …"`
	Sender     string         `json:"sender,omitempty"`
	TxSender   string         `json:"tx_sender,omitempty" doc:"Of an event: who signed its transaction."`
	Sponsor    string         `json:"sponsor,omitempty"`
	Recipient  string         `json:"recipient,omitempty"`
	Fee        string         `json:"fee,omitempty" doc:"µSTX"`
	Nonce      string         `json:"nonce,omitempty"`
	Contract   string         `json:"contract,omitempty"`
	Function   string         `json:"function,omitempty"`
	Arguments  []ClarityValue `json:"arguments,omitempty"`
	Result     *ClarityValue  `json:"result,omitempty" doc:"Of a transaction."`
	Asset      string         `json:"asset,omitempty"`
	Amount     string         `json:"amount,omitempty" doc:"µSTX, or base units of the token."`
	Topic      string         `json:"topic,omitempty"`
	Value      *ClarityValue  `json:"value,omitempty" doc:"What was printed, or which non-fungible token it is."`
}

// ClarityValue is a Clarity value.
type ClarityValue struct {
	Hex  string `json:"hex" doc:"Its serialisation, 0x first."`
	Repr string `json:"repr" doc:"As Clarity writes it."`
}

func valueOf(v clarity.Value) *ClarityValue {
	if v.IsZero() {
		return nil
	}
	return &ClarityValue{v.Hex(), v.Repr()}
}

// messageID returns the id of a message, which has no dot: https://www.standardwebhooks.com.
func messageID(subscription uuid.UUID, sequence int64) string {
	if sequence == 0 {
		return ""
	}
	return fmt.Sprintf("msg_%s_%d", strings.ReplaceAll(subscription.String(), "-", ""), sequence)
}

// messageRow is a row of a message.
type messageRow struct {
	sequence         int64
	kind             step.Kind
	blockSeq, logSeq int64
}

// messages returns rows after a number.
func (r *Role) messages(ctx context.Context, id uuid.UUID, after int64, limit int) ([]messageRow, error) {
	rows, err := r.pool.Query(ctx, `
		SELECT sequence, kind, block_seq, log_seq FROM log.subscription_message WHERE subscription = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, id, after, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m messageRow, err error) {
		return m, row.Scan(&m.sequence, &m.kind, &m.blockSeq, &m.logSeq)
	})
}

// body returns the bytes of a message.
func body(id uuid.UUID, f *filter.Filter, m messageRow, b *projections.Block) ([]byte, error) {
	seconds := b.BurnBlockTime
	if b.Time != nil {
		seconds = *b.Time
	}
	message := Message{
		Type: "stacks.block.apply", Timestamp: time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339),
		Data: Data{
			Subscription: id.String(), Sequence: m.sequence, PreviousID: messageID(id, m.sequence-1),
			Position: position(m.logSeq, int64(b.Height), b.IndexBlockHash),
			Block: MessageBlock{
				Height: b.Height, IndexBlockHash: b.IndexBlockHash, ParentIndexBlockHash: b.ParentIndexBlockHash, BlockHash: b.BlockHash,
				BurnBlockHeight: b.BurnBlockHeight, BurnBlockHash: b.BurnBlockHash,
			},
			Matches: matches(f, b),
		},
	}
	if m.kind == step.Revert {
		message.Type = "stacks.block.rollback"
		message.Data.Position = position(m.logSeq, int64(b.Height)-1, b.ParentIndexBlockHash)
	}
	return encode(message)
}

// encode returns JSON in which < and > stand for themselves.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// matches returns what of a block matches.
func matches(f *filter.Filter, b *projections.Block) []Match {
	all := []Match{}
	for t := range filter.Things(b) {
		if f.Match(t) {
			all = append(all, matchOf(t))
		}
	}
	return all
}

func matchOf(t *filter.Thing) Match {
	m := Match{
		Kind: t.Kind(), Source: fmt.Sprintf("/audit/v1/events/%d", t.Block.Seq), Sender: t.Sender(), Recipient: t.Recipient(), Contract: t.Contract(),
		Function: t.Function(), Asset: t.Asset(), Topic: t.Topic(), Value: valueOf(t.Value()),
	}
	tx := t.Transaction()
	if tx == nil {
		return m
	}
	m.TxID, m.TxIndex, m.Pointer = &tx.TxID, &tx.TxIndex, tx.Pointer()
	if t.Event != nil {
		m.EventIndex, m.Pointer, m.TxSender = &t.Number, t.Event.Pointer(), t.TxSender()
		if amount := t.Amount(); amount != nil {
			m.Amount = amount.String()
		}
		return m
	}
	m.Status, m.Sponsor = string(tx.Status), t.Sponsor()
	if decoded := t.Decoded(); decoded != nil {
		m.Fee, m.Nonce = fmt.Sprint(decoded.Fee()), fmt.Sprint(decoded.Nonce())
	}
	if result, err := clarity.DecodeAll(tx.RawResult); err == nil {
		m.Result = valueOf(result)
	}
	for _, argument := range t.Arguments() {
		m.Arguments = append(m.Arguments, *valueOf(argument))
	}
	return m
}
