package pox

// Limit makes parts of lists smaller, so that little worlds have some.
func (p *Pox) Limit(most int64) { p.lists.Limit(most) }
