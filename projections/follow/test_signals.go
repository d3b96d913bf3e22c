package follow

import "strata/internal/testsignal"

// TestSignals let a test wait for what the followers of a Runner do. Their zero value does nothing.
type TestSignals struct {
	// Reconciled is sent when the keeper has started and stopped followers as the register asks for.
	Reconciled testsignal.Signal
	// StillFailed is sent when a follower of a failed version has found that nobody has resumed it yet.
	StillFailed testsignal.Signal
	// WaitingForSpace is sent while a follower that is far behind waits for space on the disk.
	WaitingForSpace testsignal.Signal
}

// Init makes the signals deliver. Call it before Run.
func (s *TestSignals) Init() {
	s.Reconciled.Init()
	s.StillFailed.Init()
	s.WaitingForSpace.Init()
}
