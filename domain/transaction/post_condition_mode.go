package transaction

// PostConditionMode says what happens to asset movements that no post-condition speaks of.
type PostConditionMode uint8

// The post-condition modes. A later epoch may add others; they are kept as numbers.
const (
	PostConditionAllow      PostConditionMode = 1
	PostConditionDeny       PostConditionMode = 2
	PostConditionOriginator PostConditionMode = 3 // deny for the origin's assets, allow for others (since epoch 3.4)
)

// String is the name that the APIs show, and "unknown" for a mode without one.
func (m PostConditionMode) String() string {
	switch m {
	case PostConditionAllow:
		return "allow"
	case PostConditionDeny:
		return "deny"
	case PostConditionOriginator:
		return "originator"
	}
	return "unknown"
}
