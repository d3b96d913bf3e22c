package projections

import (
	"errors"
	"fmt"
	"slices"
)

// ErrUnknown is returned for a projection that this program has no code for.
var ErrUnknown = errors.New("this program has no such projection")

// Definition describes the code of a projection, whatever kind of items it folds. The version in Spec is the number of
// its rules.
type Definition struct {
	Spec Spec
	// Leader is the projection whose steps it folds; empty when it folds the log.
	Leader string
	// Checks are what its rows are checked for before they become active.
	Checks []Check
	// BuildDependent are the tables that a comparison of versions leaves out.
	BuildDependent []string
	// Readable are earlier rules whose tables the reads of this program understand, too.
	Readable []int
	// Rebuildable says that it can fold into the tables of any version, not only of its own number.
	Rebuildable bool
}

// Define describes a projection that folds the steps of leader, or the log when leader is empty.
func Define[T Item](projection Projection[T], leader string) Definition {
	d := Definition{Spec: projection.Spec(), Leader: leader}
	_, d.Rebuildable = projection.(Rebuildable[T])
	if p, ok := projection.(Checked); ok {
		d.Checks = p.Checks()
	}
	if p, ok := projection.(BuildDependent); ok {
		d.BuildDependent = p.BuildDependent()
	}
	if p, ok := projection.(Readable); ok {
		d.Readable = p.Readable()
	}
	return d
}

// Lines are all projections of a program.
type Lines []Line

// Definitions returns those of all projections, each leader before the projections that fold its steps.
func (ls Lines) Definitions() (all []Definition) {
	for _, line := range ls {
		all = append(all, line.Definitions()...)
	}
	return all
}

// Definition returns that of a projection; ErrUnknown when there is none of this name.
func (ls Lines) Definition(name string) (Definition, error) {
	for _, d := range ls.Definitions() {
		if d.Spec.Name == name {
			return d, nil
		}
	}
	return Definition{}, fmt.Errorf("projection %q: %w", name, ErrUnknown)
}

// Only returns the lines with nothing but the projections of these names, and those whose steps they fold; all of them if there
// are no names.
func (ls Lines) Only(names []string) (Lines, error) {
	if len(names) == 0 {
		return ls, nil
	}
	for _, name := range names {
		if _, err := ls.Definition(name); err != nil {
			return nil, err
		}
	}
	var only Lines
	for _, line := range ls {
		followers, some := line.Followers.only(names)
		if some || slices.Contains(names, line.Name()) {
			only = append(only, Line{Leader: line.Leader, Followers: followers})
		}
	}
	return only, nil
}

// Rules returns the number of the rules of each projection, by name.
func (ls Lines) Rules() map[string]int {
	rules := map[string]int{}
	for _, d := range ls.Definitions() {
		rules[d.Spec.Name] = d.Spec.Version
	}
	return rules
}

// Readable returns, by the name of the projection, the earlier rules whose tables the reads of this program understand.
func (ls Lines) Readable() map[string][]int {
	readable := map[string][]int{}
	for _, d := range ls.Definitions() {
		if len(d.Readable) > 0 {
			readable[d.Spec.Name] = d.Readable
		}
	}
	return readable
}

// Of returns the line that a projection belongs to; ErrUnknown when there is no projection of this name.
func (ls Lines) Of(name string) (Line, error) {
	for _, line := range ls {
		for _, d := range line.Definitions() {
			if d.Spec.Name == name {
				return line, nil
			}
		}
	}
	return Line{}, fmt.Errorf("projection %q: %w", name, ErrUnknown)
}
