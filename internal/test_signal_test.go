package internal_test

import (
	"testing"

	"strata/internal/testsignal"
)

func TestSignalZeroValueDoesNothing(t *testing.T) {
	var s testsignal.Signal
	s.Send()
	s.Discard()
	if s.C() != nil {
		t.Error("a signal without Init has a channel")
	}
	if got := testing.AllocsPerRun(100, s.Send); got != 0 {
		t.Errorf("Send allocates %v times, want none", got)
	}
}

func TestSignalSendDelivers(t *testing.T) {
	t.Parallel()
	var s testsignal.Signal
	s.Init()
	go s.Send()
	<-s.C()
}

// A signal waits for its receiver, and merges with those after it.
func TestSignalSendNeverBlocks(t *testing.T) {
	t.Parallel()
	var s testsignal.Signal
	s.Init()
	for range 3 {
		s.Send()
	}
	<-s.C()
	select {
	case <-s.C():
		t.Error("signals that nobody received were not merged")
	default:
	}
}

func TestSignalDiscard(t *testing.T) {
	t.Parallel()
	var s testsignal.Signal
	s.Init()
	s.Discard() // without a signal
	s.Send()
	s.Discard()
	select {
	case <-s.C():
		t.Error("the signal was not discarded")
	default:
	}
	s.Send()
	<-s.C()
}
