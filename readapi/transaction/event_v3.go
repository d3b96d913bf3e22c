package transaction

import (
	"strata/readapi/internal/view"
)

func (e eventV3) EventKey() view.EventKey {
	return view.EventKey{RowKey: e.row.RowKey, Number: e.row.Number}
}
