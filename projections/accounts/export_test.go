package accounts

// Limit bounds what is kept in memory between folds.
func (p *Accounts) Limit(accounts int) { p.limit = accounts }
