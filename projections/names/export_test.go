package names

// Limit makes the parts of lists smaller, so that small tests have several.
func (p *Names) Limit(most int64) { p.lists.Limit(most) }
