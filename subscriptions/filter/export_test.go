package filter

// Text is text, empty for a field that a block does not have.
func (t *Thing) Text(field string) string {
	if t.Tx < 0 && field != "index_block_hash" {
		return ""
	}
	return t.text(field)
}
