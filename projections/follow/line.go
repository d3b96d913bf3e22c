package follow

import (
	"context"
	"fmt"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/internal/register"
)

// kind is a projection of a line, whatever kind of items it folds.
type kind struct {
	projections.Definition
	// newFollower returns the follower of a version; nil when the code can't fold into the tables of that version.
	newFollower func(e *engine, version register.Entry) versionFollower
}

// line is a line of projections as followers see it: the leader first.
type line []kind

func (l line) leader() kind { return l[0] }

// newLines returns lines whose followers join the groups of their leaders, and whose leaders join that of the first line.
func newLines(lines projections.Lines) []line {
	all := make([]line, len(lines))
	var first firstGroup
	for i, l := range lines {
		own, group := newLine(l, first)
		if all[i] = own; i == 0 {
			first = group
		}
	}
	return all
}

// firstGroup returns the group of the first line, and the version that leads it; nil for the first line itself.
type firstGroup func() (*group, projections.Schema)

func newLine(l projections.Line, first firstGroup) (line, firstGroup) {
	switch followers := l.Followers.(type) {
	case projections.ChainFollowers:
		return newTypedLine(l, followers, first, logInput{decode.ChainPaths, (*decode.Decoder).Decode}, chainSteps)
	case projections.FeedFollowers:
		return newTypedLine(l, followers, first, logInput{decode.FeedPaths, (*decode.Decoder).DecodeFeed}, feedSteps)
	}
	panic(fmt.Sprintf("line of projection %s: there are no followers of type %T", l.Name(), l.Followers))
}

// logInput says how a leader reads the log.
type logInput struct {
	paths  []string // of the events whose bodies it reads
	decode func(*decode.Decoder, context.Context, []eventstore.Event) ([]projections.LogItem, error)
}

func newTypedLine[T projections.Item](
	l projections.Line, followers []projections.Projection[T], first firstGroup, input logInput, steps func(*decode.Decoder, []projections.RecordKind) stepList[T],
) (line, firstGroup) {
	leader := l.Name()
	groups := &groups{}
	members := line{{
		Definition: projections.Define(l.Leader, ""),
		newFollower: func(e *engine, version register.Entry) versionFollower {
			f := newFollower(e, version, l.Leader, &logSource{log: e.log, wake: e.logWake, decoder: e.decoder, input: input})
			if f == nil {
				return nil
			}
			if leading, ok := f.projection.(projections.Leading[T]); ok {
				f.wroteSteps = func() bool { return len(leading.Written()) > 0 }
				f.group = groups.ledBy(f)
				if first != nil {
					f.joins, f.first = first()
				}
			}
			return f
		},
	}}
	for _, p := range followers {
		members = append(members, kind{
			Definition: projections.Define(p, leader),
			newFollower: func(e *engine, version register.Entry) versionFollower {
				f := newFollower(e, version, p, &stepSource[T]{
					pool: e.pool, leader: version.Leader(), wake: e.stepWakes[leader], list: steps(e.decoder, p.Spec().Records),
				})
				if f == nil {
					return nil
				}
				f.joins, f.first = groups.of(version.Leader()), version.Leader()
				return f
			},
		})
	}
	return members, func() (*group, projections.Schema) {
		first := l.Leader.Spec().Schema
		return groups.of(first), first
	}
}

// inSchema returns a projection that folds into the tables of version; nil when the code can't.
func inSchema[T projections.Item](projection projections.Projection[T], version projections.Schema) projections.Projection[T] {
	spec := projection.Spec()
	if spec.Version == version.Version {
		return projection
	}
	if p, ok := projection.(projections.Rebuildable[T]); ok {
		return p.WithSpec(spec.At(version.Version))
	}
	return nil
}
