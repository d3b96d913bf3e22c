package page

const (
	ListLimit = 20
	// listCursors is said of lists of version 1.
	ListCursors = " `next_cursor` leads to newer rows and `prev_cursor` to older ones; these, `cursor`, `from_block` and `to_block` are ours."
)

// ListPage says which page of a list of transactions is asked for.
type ListPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	NumberCursor
}

func (p *ListPage) Request() *Request {
	return &Request{Number: p.Number(), Offset: p.Offset, Limit: LimitOr(p.Limit, ListLimit)}
}

// PageInput says which page of the transactions of a block is asked for.
type PageInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

// KeysetInput says which page of a list of version 3 of the API is asked for.
type KeysetInput struct {
	Limit  int            `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor PositionCursor `query:"cursor" pattern:"^[0-9]{1,18}:[0-9]{1,10}:[0-9]{1,10}$" doc:"Where the page begins: height, microblock sequence (2147483647 for none) and index in the block's list. H:0:0 is the end of block H."`
}

func (in KeysetInput) Request() *Request {
	p := &Request{Limit: in.Limit}
	if in.Cursor != "" {
		height, sequence, index := in.Cursor.Position()
		p.Place = &ChainPlace{height, sequence, index}
	}
	return p
}
