package bns

// Limit makes the parts of lists smaller, so that small tables have several.
func (p *BNS) Limit(most int64) { p.lists.Limit(most) }
