package page

// numberColumn is the number of a Bitcoin block.
func NumberColumn(n *int64) []any { return []any{n} }
