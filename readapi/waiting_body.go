package readapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
)

// waitingBody is a transaction that is not mined in versions 1 and 2 of the API.
type waitingBody struct {
	TransactionBase
	TxStatus       string          `json:"tx_status" enum:"pending,dropped_replace_by_fee,dropped_replace_across_fork,dropped_too_expensive,dropped_stale_garbage_collect,dropped_problematic"`
	ReplacedByTxID *hash.Hash32    `json:"replaced_by_tx_id" nullable:"true" doc:"The transaction that takes its place; null where there is none, or nobody said which."`
	ReceiptTime    int64           `json:"receipt_time" doc:"When its announcement was received, in Unix seconds."`
	ReceiptTimeISO timeTextOrEmpty `json:"receipt_time_iso"`
	TransactionPayload

	row *waitingRow
}

// renderWaiting shows a transaction that complete has seen.
func renderWaiting(r *waitingRow, how rendering) waitingBody {
	return waitingBody{
		TransactionBase: renderBase(&r.transactionRow), TransactionPayload: renderPayload(r.tx, how.interfaces.of(&r.transactionRow), how.withoutArguments),
		TxStatus: r.status, ReplacedByTxID: r.replacedBy, ReceiptTime: r.receiptTime, ReceiptTimeISO: unixTimeOrEmpty(r.receiptTime), row: r,
	}
}

// shownTransaction is a transaction, mined or not.
type shownTransaction struct {
	mined   *transactionBody
	waiting *waitingBody
}

// Schema implements huma.SchemaProvider.
func (shownTransaction) Schema(r huma.Registry) *huma.Schema {
	return anyOf(r, reflect.TypeFor[transactionBody](), reflect.TypeFor[waitingBody]())
}

// MarshalJSON implements json.Marshaler.
func (t shownTransaction) MarshalJSON() ([]byte, error) {
	if t.waiting != nil {
		return encode(t.waiting)
	}
	return encode(t.mined)
}

func anyOf(r huma.Registry, types ...reflect.Type) *huma.Schema {
	s := &huma.Schema{}
	for _, t := range types {
		s.AnyOf = append(s.AnyOf, r.Schema(t, true, ""))
	}
	return s
}

// WaitingBase is what transactions that are not mined have in version 3 of the API, in lists and alone.
type WaitingBase struct {
	TxID          hash.Hash32 `json:"tx_id"`
	Sender        signer      `json:"sender"`
	Sponsor       *signer     `json:"sponsor" doc:"Who pays the fee; null when that is the sender."`
	FeeRate       amount      `json:"fee_rate" doc:"The whole fee in µSTX, whatever the name says."`
	ReceiptTime   int64       `json:"receipt_time" doc:"When its announcement was received, in Unix seconds."`
	ReceiptHeight int64       `json:"receipt_block_height" doc:"The newest block then; -1 when there was none."`
	Status        string      `json:"status" enum:"pending,dropped_replace_by_fee,dropped_replace_across_fork,dropped_too_expensive,dropped_stale_garbage_collect,dropped_problematic"`
	Type          string      `json:"type" enum:"token_transfer,smart_contract,contract_call,poison_microblock,coinbase,tenure_change,undecoded" doc:"Names the member that says more. There is none for poison_microblock and undecoded."`

	TokenTransfer *transferSummary `json:"token_transfer,omitempty"`
}

// waitingSummary is a transaction in lists of the mempool in version 3 of the API.
type waitingSummary struct {
	WaitingBase
	SummaryPayload

	row *waitingRow
}

// TransformSchema implements huma.SchemaTransformer.
func (*waitingSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNull(s, "sponsor")
}

// waitingV3 is a transaction that is not mined in version 3 of the API.
type waitingV3 struct {
	WaitingBase
	ReplacedByTxID *hash.Hash32     `json:"replaced_by_tx_id" nullable:"true" doc:"The transaction that takes its place; null where there is none, or nobody said which."`
	PostConditions *[]conditionBody `json:"post_conditions,omitempty" nullable:"false" doc:"With include=post_conditions."`
	PayloadV3
}

// TransformSchema implements huma.SchemaTransformer.
func (*waitingV3) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return orNull(s, "sponsor")
}

func newWaitingBase(r *waitingRow) WaitingBase {
	return WaitingBase{
		TxID: r.id, Sender: signer{r.from(), r.tx.Nonce()}, Sponsor: sponsorOf(r.tx), FeeRate: unsignedAmount(r.tx.Fee()),
		ReceiptTime: r.receiptTime, ReceiptHeight: r.receiptHeight, Status: r.status, Type: r.tx.Payload.TxType(), TokenTransfer: transferOf(r.tx),
	}
}

func renderWaitingV3(r *waitingRow, include included) *waitingV3 {
	b := &waitingV3{WaitingBase: newWaitingBase(r), ReplacedByTxID: r.replacedBy, PayloadV3: renderPayloadV3(r.tx, include)}
	if include.has(includeConditions) {
		conditions := showConditions(r.tx.PostConditions)
		b.PostConditions = &conditions
	}
	return b
}

// shownV3 is a transaction, mined or not, in version 3 of the API.
type shownV3 struct {
	mined   *transactionV3
	waiting *waitingV3
	row     *waitingRow
}

// Schema implements huma.SchemaProvider.
func (shownV3) Schema(r huma.Registry) *huma.Schema {
	return anyOf(r, reflect.TypeFor[transactionV3](), reflect.TypeFor[waitingV3]())
}

// MarshalJSON implements json.Marshaler.
func (t shownV3) MarshalJSON() ([]byte, error) {
	if t.waiting != nil {
		return encode(t.waiting)
	}
	return encode(t.mined)
}
