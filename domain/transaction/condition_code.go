package transaction

// ConditionCode is the requirement of a post-condition.
type ConditionCode uint8

// Codes for amounts of STX, fungible tokens and staked STX.
const (
	SentEqual          ConditionCode = 0x01
	SentGreater        ConditionCode = 0x02
	SentGreaterOrEqual ConditionCode = 0x03
	SentLess           ConditionCode = 0x04
	SentLessOrEqual    ConditionCode = 0x05
)

// Codes for non-fungible tokens.
const (
	Sent      ConditionCode = 0x10
	NotSent   ConditionCode = 0x11
	MaybeSent ConditionCode = 0x12 // since epoch 3.4
)

// Codes for stacking (PoX) calls, since epoch 4.0.
const (
	NotPerformed   ConditionCode = 0x30
	MaybePerformed ConditionCode = 0x31
	Performed      ConditionCode = 0x32
)

// String returns the name that existing APIs show, or "unknown".
func (c ConditionCode) String() string {
	switch c {
	case SentEqual:
		return "sent_equal_to"
	case SentGreater:
		return "sent_greater_than"
	case SentGreaterOrEqual:
		return "sent_greater_than_or_equal_to"
	case SentLess:
		return "sent_less_than"
	case SentLessOrEqual:
		return "sent_less_than_or_equal_to"
	case Sent:
		return "sent"
	case NotSent:
		return "not_sent"
	case MaybeSent:
		return "maybe_sent"
	case NotPerformed:
		return "not_performed"
	case MaybePerformed:
		return "maybe_performed"
	case Performed:
		return "performed"
	}
	return "unknown"
}
