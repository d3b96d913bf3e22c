package inscriptions

// Limit sets a smaller size for the parts of lists.
func (p *Inscriptions) Limit(most int64) { p.lists.Limit(most) }
