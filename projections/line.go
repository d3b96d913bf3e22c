package projections

import "slices"

// Line is a projection that folds the log into a list of steps, the leader, with the projections that fold these steps.
type Line struct {
	Leader    Projection[LogItem]
	Followers Followers
}

// Followers are the projections that fold the steps of one leader. They are ChainFollowers or FeedFollowers; the type
// also says which events of the log the leader reads.
type Followers interface {
	definitions(leader string) []Definition
	// only returns those of certain names, and whether there are some.
	only(names []string) (Followers, bool)
}

// ChainFollowers fold the steps of chain.
type ChainFollowers []Projection[Step]

// FeedFollowers fold the steps of ordinals.
type FeedFollowers []Projection[FeedStep]

// Chain returns the line of chain, which decides which blocks are canonical.
func Chain(chain Projection[LogItem], followers ...Projection[Step]) Line {
	return Line{Leader: chain, Followers: ChainFollowers(followers)}
}

// Feed returns the line of ordinals, which decides which blocks of the ordinals feed count.
func Feed(ordinals Projection[LogItem], followers ...Projection[FeedStep]) Line {
	return Line{Leader: ordinals, Followers: FeedFollowers(followers)}
}

// Name returns the name of the leader.
func (l Line) Name() string { return l.Leader.Spec().Name }

// Definitions returns that of the leader, then those of the followers.
func (l Line) Definitions() []Definition {
	return append([]Definition{Define(l.Leader, "")}, l.Followers.definitions(l.Name())...)
}

func (f ChainFollowers) definitions(leader string) []Definition { return defineAll(f, leader) }

func (f FeedFollowers) definitions(leader string) []Definition { return defineAll(f, leader) }

func (f ChainFollowers) only(names []string) (Followers, bool) {
	some := filter(f, names)
	return ChainFollowers(some), len(some) > 0
}

func (f FeedFollowers) only(names []string) (Followers, bool) {
	some := filter(f, names)
	return FeedFollowers(some), len(some) > 0
}

func filter[T Item](all []Projection[T], names []string) (some []Projection[T]) {
	for _, p := range all {
		if slices.Contains(names, p.Spec().Name) {
			some = append(some, p)
		}
	}
	return some
}

func defineAll[T Item](projections []Projection[T], leader string) []Definition {
	all := make([]Definition, len(projections))
	for i, p := range projections {
		all[i] = Define(p, leader)
	}
	return all
}
