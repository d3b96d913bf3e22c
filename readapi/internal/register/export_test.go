package register

import "strata/domain/commit"

// After is after.
func (s *State) After(moves []commit.Move) (*State, bool) { return s.after(moves) }
