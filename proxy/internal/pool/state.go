package pool

// State says what a node can be used for.
type State int32

// States of a node, the best first.
const (
	Serving State = iota
	Lagging       // behind the pool by more than the limit
	Syncing       // reports that it is not fully synced
	Ahead         // far ahead of all others, and nobody vouches for it
	Ejected       // requests failed on it
	Down          // does not answer probes
	Unasked       // not probed yet
	Foreign       // on another chain
	States        // number of states
)

func (s State) String() string {
	return [...]string{
		Serving: "serving", Lagging: "lagging", Syncing: "syncing", Ahead: "ahead", Ejected: "ejected", Down: "down",
		Unasked: "unasked", Foreign: "foreign",
	}[s]
}
