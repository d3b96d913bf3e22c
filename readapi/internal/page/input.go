package page

const (
	// ListLimit is the default number of rows on a page of a list of transactions.
	ListLimit = 20
	// ListCursors is the part of an operation's description that explains the cursors of version 1 lists.
	ListCursors = " `next_cursor` leads to newer rows and `prev_cursor` to older ones. These, `cursor`, `from_block` and `to_block` are extensions of Strata."
)

// ListPage holds the page parameters of a list of transactions.
type ListPage struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page, counted from the cursor, or from the newest row."`
	NumberCursor
}

// Request returns the page request, without a range of blocks.
func (p *ListPage) Request() *Request {
	return &Request{Number: p.Number(), Offset: p.Offset, Limit: LimitOr(p.Limit, ListLimit)}
}

// PageInput holds the page parameters of the transactions of a block.
type PageInput struct {
	Limit  int   `query:"limit" minimum:"0" maximum:"50" default:"20" doc:"Rows of a page; 0 means the default."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

// KeysetInput holds the page parameters of a list of version 3 of the API.
type KeysetInput struct {
	Limit  int            `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor PositionCursor `query:"cursor" pattern:"^[0-9]+:[0-9]+:[0-9]+$" doc:"Where the page begins: height, microblock sequence (2147483647 for none) and index in the block's list of transactions, separated by colons. H:0:0 is the end of block H."`
}

// Request returns the page request, without a range of blocks.
func (in KeysetInput) Request() (*Request, error) {
	p := &Request{Limit: in.Limit}
	if err := in.Cursor.Check(); err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		height, sequence, index := in.Cursor.Position()
		p.Place = &ChainPlace{height, sequence, index}
	}
	return p, nil
}
