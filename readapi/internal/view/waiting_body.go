package view

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// WaitingBody is a transaction that is not mined, in versions 1 and 2 of the API.
type WaitingBody struct {
	TransactionBase
	TxStatus       string          `json:"tx_status" enum:"pending,dropped_replace_by_fee,dropped_replace_across_fork,dropped_too_expensive,dropped_stale_garbage_collect,dropped_problematic,dropped"`
	DroppedReason  *string         `json:"dropped_reason,omitempty" doc:"Present if tx_status is dropped: the node's reason, as it came, which has no status of its own."`
	ReplacedByTxID *hash.Hash32    `json:"replaced_by_tx_id" nullable:"true" doc:"The transaction that replaces it; null when there is none or it is not known."`
	ReceiptTime    int64           `json:"receipt_time" doc:"When its announcement was received, in Unix seconds."`
	ReceiptTimeISO timeTextOrEmpty `json:"receipt_time_iso"`
	TransactionPayload
}

// RenderWaiting returns the body of a transaction that went through Complete.
func RenderWaiting(r *WaitingRow, how Rendering) WaitingBody {
	return WaitingBody{
		TransactionBase: renderBase(&r.TransactionRow), TransactionPayload: renderPayload(r.Tx, how.Interfaces.ofWaiting(r), how.WithoutArguments),
		TxStatus: r.Status, DroppedReason: r.droppedReason, ReplacedByTxID: r.replacedBy, ReceiptTime: r.ReceiptTime, ReceiptTimeISO: unixTimeOrEmpty(r.ReceiptTime),
	}
}

// ShownTransaction is a transaction in versions 1 and 2 of the API, mined or not. Exactly one member is set.
type ShownTransaction struct {
	Mined   *TransactionBody
	Waiting *WaitingBody
}

// Schema implements huma.SchemaProvider.
func (ShownTransaction) Schema(r huma.Registry) *huma.Schema {
	return OneOf(r, "AnyTransaction", "tx_status", reflect.TypeFor[TransactionBody](), reflect.TypeFor[WaitingBody]())
}

// MarshalJSON implements json.Marshaler.
func (t ShownTransaction) MarshalJSON() ([]byte, error) {
	if t.Waiting != nil {
		return engine.Encode(t.Waiting)
	}
	return engine.Encode(t.Mined)
}

// OneOf returns the schema of a body that has one of the types. The words that a member may have in each say which.
func OneOf(r huma.Registry, name, member string, types ...reflect.Type) *huma.Schema {
	s := &huma.Schema{Title: name, Discriminator: &huma.Discriminator{PropertyName: member, Mapping: map[string]string{}}}
	for _, t := range types {
		alternative := r.Schema(t, true, "")
		s.OneOf = append(s.OneOf, alternative)
		for _, word := range r.SchemaFromRef(alternative.Ref).Properties[member].Enum {
			s.Discriminator.Mapping[word.(string)] = alternative.Ref
		}
	}
	return s
}

// WaitingBase holds the fields of a transaction that is not mined in version 3 of the API, both in lists and alone.
type WaitingBase struct {
	TxID          hash.Hash32   `json:"tx_id"`
	Sender        signer        `json:"sender"`
	Sponsor       *signer       `json:"sponsor" doc:"Who pays the fee; null when that is the sender."`
	FeeRate       schema.Amount `json:"fee_rate" doc:"The total fee in µSTX, despite its name."`
	ReceiptTime   int64         `json:"receipt_time" doc:"When its announcement was received, in Unix seconds."`
	ReceiptHeight int64         `json:"receipt_block_height" doc:"The height of the newest block at that time; -1 when there was none."`
	Status        string        `json:"status" enum:"pending,dropped_replace_by_fee,dropped_replace_across_fork,dropped_too_expensive,dropped_stale_garbage_collect,dropped_problematic,dropped"`
	DroppedReason *string       `json:"dropped_reason,omitempty" doc:"Present if status is dropped: the node's reason, as it came, which has no status of its own."`
	Type          string        `json:"type" enum:"token_transfer,smart_contract,contract_call,poison_microblock,coinbase,tenure_change,undecoded" doc:"Names the member with the details. poison_microblock and undecoded have none."`

	TokenTransfer *transferSummary `json:"token_transfer,omitempty"`
}

// WaitingSummary is a transaction in lists of the mempool in version 3 of the API.
type WaitingSummary struct {
	WaitingBase
	SummaryPayload
}

// TransformSchema implements huma.SchemaTransformer.
func (*WaitingSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return OrNull(s, "sponsor")
}

// WaitingV3 is a transaction that is not mined, in version 3 of the API.
type WaitingV3 struct {
	WaitingBase
	ReplacedByTxID *hash.Hash32     `json:"replaced_by_tx_id" nullable:"true" doc:"The transaction that replaces it; null when there is none or it is not known."`
	PostConditions *[]conditionBody `json:"post_conditions,omitempty" nullable:"false" doc:"With include=post_conditions."`
	PayloadV3
}

// TransformSchema implements huma.SchemaTransformer.
func (*WaitingV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return OrNull(s, "sponsor")
}

// NewWaitingBase returns the fields that lists and single answers share.
func NewWaitingBase(r *WaitingRow) WaitingBase {
	return WaitingBase{
		TxID: r.ID, Sender: signer{r.from(), r.Tx.Nonce()}, Sponsor: sponsorOf(r.Tx), FeeRate: unsignedAmount(r.Tx.Fee()),
		ReceiptTime: r.ReceiptTime, ReceiptHeight: r.receiptHeight, Status: r.Status, DroppedReason: r.droppedReason, Type: transaction.TxType(r.Tx.Payload), TokenTransfer: transferOf(r.Tx),
	}
}

// RenderWaitingV3 returns the body of a transaction that went through Complete, with the included parts.
func RenderWaitingV3(r *WaitingRow, include Included) *WaitingV3 {
	b := &WaitingV3{WaitingBase: NewWaitingBase(r), ReplacedByTxID: r.replacedBy, PayloadV3: renderPayloadV3(r.Tx, include)}
	if include.has(includeConditions) {
		conditions := showConditions(r.Tx.PostConditions)
		b.PostConditions = &conditions
	}
	return b
}

// ShownV3 is a transaction in version 3 of the API, mined or not. Either Mined is set, or both Waiting and its row.
type ShownV3 struct {
	Mined   *TransactionV3
	Waiting *WaitingV3
}

// Schema implements huma.SchemaProvider.
func (ShownV3) Schema(r huma.Registry) *huma.Schema {
	return OneOf(r, "AnyTransactionV3", "status", reflect.TypeFor[TransactionV3](), reflect.TypeFor[WaitingV3]())
}

// MarshalJSON implements json.Marshaler.
func (t ShownV3) MarshalJSON() ([]byte, error) {
	if t.Waiting != nil {
		return engine.Encode(t.Waiting)
	}
	return engine.Encode(t.Mined)
}
