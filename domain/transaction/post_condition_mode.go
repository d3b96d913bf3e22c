package transaction

// PostConditionMode tells what happens to asset movements that no post-condition covers.
type PostConditionMode uint8

// The post-condition modes. Decoding keeps other modes, which a later epoch may add, as numbers.
const (
	PostConditionAllow      PostConditionMode = 1
	PostConditionDeny       PostConditionMode = 2
	PostConditionOriginator PostConditionMode = 3 // deny for the origin's assets, allow for others (since epoch 3.4)
)

var postConditionModeNames = [...]string{
	PostConditionAllow:      "allow",
	PostConditionDeny:       "deny",
	PostConditionOriginator: "originator",
}

// String returns the name that existing APIs show, or "unknown".
func (m PostConditionMode) String() string { return nameIn(postConditionModeNames[:], uint8(m)) }
