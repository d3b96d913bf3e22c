package transaction

import (
	"strata/readapi/internal/view"
)

// EventKey returns the key of the event.
func (e eventV3) EventKey() view.EventKey {
	return view.EventKey{RowKey: e.row.RowKey, Number: e.row.Number}
}
