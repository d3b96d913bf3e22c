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

var conditionCodeNames = [...]string{
	SentEqual:          "sent_equal_to",
	SentGreater:        "sent_greater_than",
	SentGreaterOrEqual: "sent_greater_than_or_equal_to",
	SentLess:           "sent_less_than",
	SentLessOrEqual:    "sent_less_than_or_equal_to",
	Sent:               "sent",
	NotSent:            "not_sent",
	MaybeSent:          "maybe_sent",
	NotPerformed:       "not_performed",
	MaybePerformed:     "maybe_performed",
	Performed:          "performed",
}

// String returns the name that existing APIs show, or "unknown".
func (c ConditionCode) String() string { return nameIn(conditionCodeNames[:], uint8(c)) }

// nameIn returns the name that has a number in a table, or "unknown".
func nameIn(names []string, number uint8) string {
	if int(number) < len(names) && names[number] != "" {
		return names[number]
	}
	return "unknown"
}
