package chain

// SetPiece sets how many blocks a transaction changes at most for one event.
func (c *Chain) SetPiece(blocks int) { c.piece = blocks }
