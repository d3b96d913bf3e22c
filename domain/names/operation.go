package names

// Operation is what was done with a name. Tables hold its number.
type Operation int16

// Operations. The contract prints all of them; it prints a renewal only if it comes with a zonefile hash.
const (
	Register Operation = 1
	Import   Operation = 2
	Update   Operation = 3
	Transfer Operation = 4
	Renewal  Operation = 5
	Revoke   Operation = 6
)

var operationTexts = map[Operation]string{
	Register: "name-register", Import: "name-import", Update: "name-update", Transfer: "name-transfer", Renewal: "name-renewal", Revoke: "name-revoke",
}

var operationsByText = func() map[string]Operation {
	all := map[string]Operation{}
	for o, text := range operationTexts {
		all[text] = o
	}
	return all
}()

// String returns the operation as the contract prints it, which is the name of the function that does it.
func (o Operation) String() string { return operationTexts[o] }

// ParseOperation is the inverse of String.
func ParseOperation(text string) (Operation, bool) {
	o, ok := operationsByText[text]
	return o, ok
}

// MovesToken reports whether the operation may give the name to somebody else than before.
func (o Operation) MovesToken() bool { return o == Register || o == Import || o == Transfer }
