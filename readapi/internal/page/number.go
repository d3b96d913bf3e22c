package page

// NumberColumn returns the scan destination of a row that holds one number only, such as a Bitcoin block height.
func NumberColumn(n *int64) []any { return []any{n} }
