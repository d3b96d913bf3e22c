package inscriptions

// Limit makes the parts of lists smaller.
func (p *Inscriptions) Limit(most int64) { p.lists.Limit(most) }
