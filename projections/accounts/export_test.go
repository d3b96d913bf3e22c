package accounts

// Limit sets the maximum number of accounts and of topics kept in memory between folds.
func (p *Accounts) Limit(accounts int) { p.limit = accounts }
