package page

import "strata/readapi/internal/param"

// PoxEventsInput holds the page parameters of events of a stacking contract.
type PoxEventsInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"200" default:"96" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	NumberCursor
}

// PoxStackerEventsInput names a stacker, and holds the page parameters of its events.
type PoxStackerEventsInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	Limit     int                      `query:"limit" minimum:"0" maximum:"1000" default:"1000" doc:"Rows of a page; 0 means the default."`
	Offset    int64                    `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest."`
	NumberCursor
}

// PoxTransactionInput names a transaction.
type PoxTransactionInput struct {
	ID param.HashParameter `path:"tx_id" doc:"The id of a transaction."`
}
