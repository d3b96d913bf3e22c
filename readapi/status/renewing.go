package status

import (
	"strata/readapi/internal/engine"
	"strata/readapi/internal/register"
)

// renewing returns the version that is being built in place of the active one because this program has newer rules of the
// projection, or of the one whose steps it folds. ok is false if there is none, or if this program can't read the active one.
// Nobody may follow the active version meanwhile, as no program need be running that has its rules.
func renewing(s *engine.Snapshot, name string) (building *register.Version, ok bool) {
	active, rules := s.State.Active(name), s.Engine.Config.Rules[name]
	if active == nil || s.Foreign(name) != nil {
		return nil, false
	}
	input := active.Input
	if leader := s.State.Leader(active); leader != nil {
		if next, ok := renewing(s, leader.Name); ok {
			input = next.String()
		}
	}
	if active.Rules >= rules && input == active.Input {
		return nil, false
	}
	for _, v := range s.State.Versions {
		if v.Name == name && v.Rules == rules && v.Input == input && v.State != "failed" {
			building = v
		}
	}
	return building, building != nil
}
