package projections

import "strata/eventstore"

// Line is a projection that folds the log into a list of steps, the leader, with those that fold these.
type Line struct {
	specs  []Spec // the leader's first
	attach func(r *Runner)
}

// Chain is the line of chain, which decides what is canonical.
func Chain(chain Projection[LogItem], others ...Projection[Step]) Line {
	return Line{specs: specsOf(chain, others), attach: func(r *Runner) {
		source := &logSource{paths: ChainPaths, decode: r.decoder.Decode}
		attach(r, chain, source, others, func(spec Spec) stepList[Step] { return chainSteps(r.decoder, spec.Records) })
	}}
}

// Feed is the line of ordinals, which decides what of the ordinals feed counts.
func Feed(ordinals Projection[LogItem], others ...Projection[FeedStep]) Line {
	return Line{specs: specsOf(ordinals, others), attach: func(r *Runner) {
		source := &logSource{paths: FeedPaths, decode: r.decoder.DecodeFeed}
		attach(r, ordinals, source, others, func(Spec) stepList[FeedStep] { return feedSteps(r.decoder) })
	}}
}

func specsOf[T Item](leader Projection[LogItem], others []Projection[T]) []Spec {
	specs := []Spec{leader.Spec()}
	for _, projection := range others {
		specs = append(specs, projection.Spec())
	}
	return specs
}

// stepChannel is where live followers of steps in other processes are told that there are new ones.
func stepChannel(leader Spec) string { return "strata_step_" + leader.Name }

// attach gives a runner a follower for each projection of a line.
func attach[T Item](r *Runner, leader Projection[LogItem], source *logSource, others []Projection[T], list func(Spec) stepList[T]) {
	source.log, source.wake = r.config.Log, r.logWake
	pool := r.config.Log.Pool()
	wake := eventstore.NewWake(pool, stepChannel(leader.Spec()), r.config.Interval, r.config.Logger)
	stepped := newNotifier(pool, stepChannel(leader.Spec()))
	r.wakes, r.notifiers = append(r.wakes, wake), append(r.notifiers, stepped)
	steps := stepSource[T]{pool: pool, leader: leader.Spec(), wake: wake}
	pace := &pace{steps: steps.head}
	run(r, leader, source, pace, func() {
		wake.Signal()
		stepped.notify()
		r.committed()
	})
	for _, projection := range others {
		source := steps
		source.list = list(projection.Spec())
		progress := run[T](r, projection, &source, nil, r.committed)
		pace.followers = append(pace.followers, progress)
	}
}

// run adds a follower to a runner.
func run[T Item](r *Runner, projection Projection[T], source source[T], pace *pace, committed func()) *progress {
	f := &follower[T]{
		pool: r.config.Log.Pool(), source: source, projection: projection, spec: projection.Spec(),
		logger: r.config.Logger, metrics: r.metrics, committed: committed, pace: pace,
	}
	r.runs = append(r.runs, f.run)
	return &f.progress
}
