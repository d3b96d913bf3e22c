package register

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Errors of State.Choose.
var (
	// ErrNoProjection means that no projection of this name has any version.
	ErrNoProjection = errors.New("there is no projection of this name")
	// ErrNoVersion means that the projection has no version with this number.
	ErrNoVersion = errors.New("there is no such version")
	// ErrApart means that the versions fold different lists of steps, so that one answer can't be built from both.
	ErrApart = errors.New("they don't fold the same list of steps")
)

// Choose returns a copy of the state in which the given versions (projection name → number) are active. As in a switch of
// versions, choosing a version also chooses the leader whose steps it folds. Choosing a leader also chooses the newest
// versions that fold its steps, unless numbers names others.
func (s *State) Choose(numbers map[string]int) (*State, error) {
	chosen := map[string]*Version{}
	for name, number := range numbers {
		v, err := s.version(name, number)
		if err != nil {
			return nil, err
		}
		chosen[name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if err := s.bringLeader(chosen, chosen[name]); err != nil {
			return nil, err
		}
	}
	if err := s.bringFollowers(chosen); err != nil {
		return nil, err
	}
	return s.with(chosen), nil
}

func (s *State) version(name string, number int) (*Version, error) {
	known := false
	for _, v := range s.Versions {
		if v.Name == name && v.Number == number {
			return v, nil
		}
		known = known || v.Name == name
	}
	if !known {
		return nil, fmt.Errorf("%q: %w", name, ErrNoProjection)
	}
	return nil, fmt.Errorf("%s=%d: %w", name, number, ErrNoVersion)
}

// bringLeader chooses the version whose steps v folds.
func (s *State) bringLeader(chosen map[string]*Version, v *Version) error {
	if v.Input == "log" {
		return nil
	}
	i := slices.IndexFunc(s.Versions, func(w *Version) bool { return w.String() == v.Input })
	if i < 0 {
		return fmt.Errorf("%s folds the steps of %s, which is gone: %w", v.String(), v.Input, ErrApart)
	}
	leader := s.Versions[i]
	if other := chosen[leader.Name]; other != nil && other != leader {
		return fmt.Errorf("%s folds the steps of %s, and not of %s: %w", v.String(), leader.String(), other.String(), ErrApart)
	}
	chosen[leader.Name] = leader
	return nil
}

// bringFollowers chooses versions that fold the steps of the chosen leaders, to replace active versions that don't.
func (s *State) bringFollowers(chosen map[string]*Version) error {
	for _, active := range s.Versions {
		if !active.Active || active.Input == "log" || chosen[active.Name] != nil {
			continue
		}
		for _, leader := range chosen {
			before := s.active[leader.Name]
			if leader == before || before == nil || active.Input != before.String() {
				continue
			}
			newest := (*Version)(nil) // versions are sorted by number
			for _, v := range s.Versions {
				if v.Name == active.Name && v.Input == leader.String() {
					newest = v
				}
			}
			if newest == nil {
				return fmt.Errorf("no version of %s folds the steps of %s: %w", active.Name, leader.String(), ErrApart)
			}
			chosen[active.Name] = newest
			break
		}
	}
	return nil
}

// with returns a copy of the state in which the chosen versions are the active ones of their projections.
func (s *State) with(chosen map[string]*Version) *State {
	next := &State{
		Archive: s.Archive, LogSize: s.LogSize, Digest: s.Digest, logHeader: s.logHeader, active: make(map[string]*Version, len(s.active)),
	}
	for _, v := range s.Versions {
		if own := chosen[v.Name]; own != nil && v.Active != (own == v) {
			changed := *v
			changed.Active = own == v
			v = &changed
		}
		next.Versions = append(next.Versions, v)
		if v.Active {
			next.active[v.Name] = v
			next.schemas += v.Schema()
		}
	}
	return next
}
