package synthordinals

// curse is the reason why an inscription is cursed, in the feed's word for it; empty for none.
type curse string

// The curses of the feed.
const (
	curseDuplicateField  curse = "DuplicateField"
	curseIncompleteField curse = "IncompleteField"
	curseUnevenField     curse = "UnrecognizedEvenField"
	cursePushnum         curse = "Pushnum"
	curseStutter         curse = "Stutter"
	curseNotInFirstInput curse = "NotInFirstInput"
	curseNotAtOffsetZero curse = "NotAtOffsetZero"
	cursePointer         curse = "Pointer"
	curseReinscription   curse = "Reinscription"
	genericCurse               = `"Generic"`
)

// flaws are the curses that depend only on the envelope.
var flaws = []curse{curseDuplicateField, curseIncompleteField, curseUnevenField, cursePushnum, curseStutter}

// wording has the forms of a curse: what readers see, the JSON of old feeds, and what readers of those see.
type wording struct{ display, old, oldDisplay string }

var wordings = map[curse]wording{
	curseDuplicateField:  {"duplicate_field", `"tag"`, "tag"},
	curseIncompleteField: {"incomplete_field", `{"tag":66}`, `{"tag":66}`},
	curseUnevenField:     {"unrecognized_field", `88`, "88"},
	cursePushnum:         {"pushnum", `"p2wsh"`, "p2wsh"},
	curseStutter:         {"stutter", `{"stutter": [ true ]}`, `{"stutter":[true]}`},
	curseNotInFirstInput: {"not_in_first_input", `"batch"`, "batch"},
	curseNotAtOffsetZero: {"not_at_offset_zero", `"batch"`, "batch"},
	cursePointer:         {"pointer", `-1`, "-1"},
	curseReinscription:   {"reinscription", `"reinscription"`, "reinscription"},
}

// encoding returns the JSON of curse_type.
func (c curse) encoding(s Shape) string {
	switch {
	case c == "":
		return "null"
	case s.Curses == CurseGeneric:
		return genericCurse
	case s.Curses == CurseOld:
		return wordings[c].old
	}
	return `"` + string(c) + `"`
}

// display returns the curse as readers see it; nil for none.
func (c curse) display(s Shape) *string {
	w := wordings[c]
	switch {
	case c == "":
		return nil
	case s.Curses == CurseGeneric:
		w.display = "generic"
	case s.Curses == CurseOld:
		w.display = w.oldDisplay
	}
	return &w.display
}

// firstCurse returns the first reason for a curse, in the order in which the protocol checks them. index is the number
// of envelopes of the same input that come before.
func firstCurse(e *envelope, index int, reinscribed bool) curse {
	switch {
	case e.flaw != "" && e.flaw != cursePushnum && e.flaw != curseStutter:
		return e.flaw
	case e.input > 0:
		return curseNotInFirstInput
	case index > 0:
		return curseNotAtOffsetZero
	case e.pointer != nil:
		return cursePointer
	case e.flaw != "":
		return e.flaw
	case reinscribed:
		return curseReinscription
	}
	return ""
}
