package pool

// State is what a node is good for.
type State int32

// States, the better the lower.
const (
	Serving State = iota
	Lagging       // behind the pool, by more than is allowed
	Syncing       // says that it is not fully synced
	Ahead         // far ahead of all others, and nobody vouches for it
	Ejected       // requests failed on it
	Down          // doesn't answer when it is asked
	Unasked       // not asked yet
	Foreign       // on another chain
	States        // how many there are
)

func (s State) String() string {
	return [...]string{
		Serving: "serving", Lagging: "lagging", Syncing: "syncing", Ahead: "ahead", Ejected: "ejected", Down: "down",
		Unasked: "unasked", Foreign: "foreign",
	}[s]
}
