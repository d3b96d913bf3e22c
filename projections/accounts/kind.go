package accounts

import (
	"strata/domain/activity"
)

// typeTotals are the numbers of transactions of each type, in the order of activity.TxTypes.
type typeTotals [len(activity.TxTypes)]int64

// next counts one more transaction of a type and returns its number. It returns 0 for the unknown type, which has no
// list.
func (t *typeTotals) next(of activity.TxType) int64 {
	for i, known := range activity.TxTypes {
		if known == of {
			t[i]++
			return t[i]
		}
	}
	return 0
}
