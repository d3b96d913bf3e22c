package readapi

import "time"

// Tip is the newest block of the canonical chain that the log has; ok is false while there is none, or while the
// database can't be read. It asks nobody: Run keeps it up to date.
func (a *API) Tip() (height int64, indexBlockHash [32]byte, ok bool) {
	state := a.watch.State(time.Now())
	if state == nil {
		return 0, indexBlockHash, false
	}
	chain := state.Active("chain")
	if chain == nil || chain.Height == nil || chain.IndexBlock == nil {
		return 0, indexBlockHash, false
	}
	return *chain.Height, *chain.IndexBlock, true
}
