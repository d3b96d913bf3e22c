package projections

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrUnknown is returned for a projection that this program has no code of.
var ErrUnknown = errors.New("this program has no such projection")

// Rebuildable is a projection that can fold into other tables than those of its own number, beside these.
type Rebuildable[T Item] interface {
	Projection[T]
	// Instance is one with the same rules for the tables that spec names, which shares nothing with the first but its
	// settings and metrics.
	Instance(spec Spec) Projection[T]
}

// Check is a property that the rows of a projection always have.
type Check struct {
	// Name says what holds, as in "a balance is the sum of its changes".
	Name string
	// SQL selects the keys of rows for which it does not, with {schema} for the schema.
	SQL string
}

// Checked is a projection that knows what holds of its rows.
type Checked interface {
	Checks() []Check
}

// BuildDependent is a projection with tables whose rows also depend on how many items were folded at once. No answer shows
// such rows, and Diff leaves these tables out.
type BuildDependent interface {
	BuildDependent() []string
}

// Definition is what the code of a projection says of itself, whatever it folds. The version of Spec is the number of its
// rules.
type Definition struct {
	Spec Spec
	// Leader is the projection whose steps it folds; empty when it folds the log.
	Leader string
	// Checks are what its rows are checked for before they become active.
	Checks []Check
	// BuildDependent are the tables that Diff leaves out.
	BuildDependent []string

	rebuildable bool
}

func define[T Item](projection Projection[T], leader string) Definition {
	d := Definition{Spec: projection.Spec(), Leader: leader}
	_, d.rebuildable = projection.(Rebuildable[T])
	if p, ok := projection.(Checked); ok {
		d.Checks = p.Checks()
	}
	if p, ok := projection.(BuildDependent); ok {
		d.BuildDependent = p.BuildDependent()
	}
	return d
}

// at is the spec of the tables of another number.
func (s Spec) at(number int) Spec {
	s.Version = number
	return s
}

// Instance names the tables that some code has built. Several of one projection may stand side by side, of the same rules or
// of others.
type Instance struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// String is the schema of its tables, such as "ft_v2".
func (i Instance) String() string { return fmt.Sprintf("%s_v%d", i.Name, i.Version) }

// table quotes the name of one of its tables.
func (i Instance) table(name string) string { return pgx.Identifier{i.String(), name}.Sanitize() }

// Lines are all projections of a program.
type Lines []Line

// Definitions are those of all projections, each leader before those that fold its steps.
func (ls Lines) Definitions() (all []Definition) {
	for _, line := range ls {
		for _, m := range line.members {
			all = append(all, m.Definition)
		}
	}
	return all
}

// Definition is that of a projection; ErrUnknown when there is none of this name.
func (ls Lines) Definition(name string) (Definition, error) {
	for _, d := range ls.Definitions() {
		if d.Spec.Name == name {
			return d, nil
		}
	}
	return Definition{}, fmt.Errorf("projection %q: %w", name, ErrUnknown)
}

// Rules are the numbers of the rules of all projections.
func (ls Lines) Rules() map[string]int {
	rules := map[string]int{}
	for _, d := range ls.Definitions() {
		rules[d.Spec.Name] = d.Spec.Version
	}
	return rules
}

// of is the line that a projection belongs to.
func (ls Lines) of(name string) (Line, error) {
	for _, line := range ls {
		for _, m := range line.members {
			if m.Spec.Name == name {
				return line, nil
			}
		}
	}
	return Line{}, fmt.Errorf("projection %q: %w", name, ErrUnknown)
}
