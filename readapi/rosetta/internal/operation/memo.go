package operation

import (
	"bytes"
	"slices"

	"strata/domain/activity"
	"strata/domain/clarity"
	"strata/domain/lossy"
	"strata/domain/memo"
	"strata/domain/transaction"
)

// Memo returns the text of a memo; nil for none.
func Memo(b []byte) *string {
	text, ok := memo.Rosetta(b)
	if !ok {
		return nil
	}
	return &text
}

// SentMemos returns the memos of the transfers that a call of send-many-memo makes, in their order; ok is false for any
// other transaction, and for arguments that the contract would not accept. A transfer without a memo has an empty one.
func SentMemos(tx *transaction.Transaction) (memos func(n int) string, ok bool) {
	call, ok := tx.Payload.(*transaction.ContractCall)
	if !ok || !slices.Contains(activity.SendMany, call.Contract.String()) {
		return nil, false
	}
	arguments := call.Arguments.List()
	switch {
	case call.Function == "send-many" && len(arguments) > 0:
		paid := arguments[0].Elements()
		return func(n int) string {
			if n >= len(paid) {
				return ""
			}
			text, _ := paid[n].Field("memo")
			return bufferText(text)
		}, true
	case call.Function == "send-stx-with-memo" && len(arguments) > 2:
		return func(int) string { return bufferText(arguments[2]) }, true
	}
	return nil, false
}

func bufferText(v clarity.Value) string {
	b, _ := v.Buffer()
	return lossy.String(bytes.TrimRight(b, "\x00"))
}
