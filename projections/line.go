package projections

// Line is a projection that folds the log into a list of steps, the leader, with those that fold these.
type Line struct {
	members []member // the leader first
}

// member is a projection of a line, whatever it folds.
type member struct {
	Definition
	// follow makes the follower of an instance; nil when the code can only be at its own number.
	follow func(e *engine, instance registered) following
}

// Chain is the line of chain, which decides what is canonical. Those that are Rebuildable can be rebuilt.
func Chain(chain Projection[LogItem], others ...Projection[Step]) Line {
	return newLine(chain, others,
		func(e *engine) *logSource { return &logSource{paths: ChainPaths, decode: e.decoder.Decode} },
		func(e *engine, spec Spec) stepList[Step] { return chainSteps(e.decoder, spec.Records) })
}

// Feed is the line of ordinals, which decides what of the ordinals feed counts. Those that are Rebuildable can be rebuilt.
func Feed(ordinals Projection[LogItem], others ...Projection[FeedStep]) Line {
	return newLine(ordinals, others,
		func(e *engine) *logSource { return &logSource{paths: FeedPaths, decode: e.decoder.DecodeFeed} },
		func(e *engine, _ Spec) stepList[FeedStep] { return feedSteps(e.decoder) })
}

func newLine[T Item](leader Projection[LogItem], others []Projection[T], log func(*engine) *logSource, list func(*engine, Spec) stepList[T]) Line {
	name := leader.Spec().Name
	line := Line{members: []member{{Definition: define(leader, ""), follow: func(e *engine, i registered) following {
		source := log(e)
		source.log, source.live, source.wake = e.log, e.readers, e.logWake
		return newFollower(e, i, leader, source)
	}}}}
	for _, projection := range others {
		line.members = append(line.members, member{Definition: define(projection, name), follow: func(e *engine, i registered) following {
			steps := stepSource[T]{pool: e.pool, live: e.readers, leader: i.input(), wake: e.stepWake(name), list: list(e, projection.Spec())}
			return newFollower(e, i, projection, &steps)
		}})
	}
	return line
}

// stepChannel is where live followers of steps in other processes are told that there are new ones.
func stepChannel(leader string) string { return "strata_step_" + leader }

// folder is what folds into the tables of an instance; nil when the code can't.
func folder[T Item](projection Projection[T], instance Instance) Projection[T] {
	spec := projection.Spec()
	if spec.Version == instance.Version {
		return projection
	}
	if p, ok := projection.(Rebuildable[T]); ok {
		return p.Instance(spec.at(instance.Version))
	}
	return nil
}
