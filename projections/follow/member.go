package follow

import (
	"context"
	"fmt"

	"strata/eventstore"
	"strata/projections"
	"strata/projections/decode"
	"strata/projections/internal/register"
)

// member is a projection of a line, whatever kind of items it folds.
type member struct {
	projections.Definition
	// newFollower returns the follower of a version; nil when the code can't fold into the tables of that version.
	newFollower func(e *engine, version register.Entry) versionFollower
}

// line is a line of projections as followers see it: the leader first.
type line []member

func (l line) leader() member { return l[0] }

// newLines returns lines whose followers ride with their leaders, and whose leaders ride with that of the first line.
func newLines(lines projections.Lines) []line {
	all := make([]line, len(lines))
	var first towing
	for i, l := range lines {
		own, tow := newLine(l, first)
		if all[i] = own; i == 0 {
			first = tow
		}
	}
	return all
}

// towing returns the convoy that the leader of another line, with its own convoy, rides with, and who drives that.
type towing func(own train) (carrier[projections.LogItem], projections.Schema)

func newLine(l projections.Line, first towing) (line, towing) {
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
	l projections.Line, followers []projections.Projection[T], first towing, input logInput, steps func(*decode.Decoder, []projections.RecordKind) stepList[T],
) (line, towing) {
	leader := l.Name()
	convoys := newConvoys[T]()
	members := line{{
		Definition: projections.Define(l.Leader, ""),
		newFollower: func(e *engine, version register.Entry) versionFollower {
			f := newFollower(e, version, l.Leader, &logSource{log: e.log, wake: e.logWake, decoder: e.decoder, input: input})
			if f == nil {
				return nil
			}
			if _, ok := f.projection.(projections.Leading[T]); ok {
				own := convoys.of(version.Schema)
				f.driver = own
				if first != nil {
					f.carrier, f.first = first(own)
				}
			}
			return f
		},
	}}
	for _, p := range followers {
		members = append(members, member{
			Definition: projections.Define(p, leader),
			newFollower: func(e *engine, version register.Entry) versionFollower {
				f := newFollower(e, version, p, &stepSource[T]{
					pool: e.pool, leader: version.Leader(), wake: e.stepWakes[leader], list: steps(e.decoder, p.Spec().Records),
				})
				if f == nil {
					return nil
				}
				f.carrier, f.first = convoys.of(version.Leader()), version.Leader()
				return f
			},
		})
	}
	return members, func(own train) (carrier[projections.LogItem], projections.Schema) {
		driver := l.Leader.Spec().Schema
		return tower[T]{convoys.of(driver), own}, driver
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
