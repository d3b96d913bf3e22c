package contract

import "strata/domain/clarity"

// CallArgument is an argument of a contract call as APIs show it.
type CallArgument struct {
	Hex  string `json:"hex"`
	Repr string `json:"repr"`
	Name string `json:"name"` // "" when the interface does not tell
	Type string `json:"type"`
}

// Call returns how a call of a function is shown: its signature and the arguments, named and typed by their position.
// Where the interface does not have the function, which happens when the interface is not known or the call failed, the
// signature and the names are empty and the types are derived from the values. The same holds for arguments past the
// function's own.
func (i *Interface) Call(function string, args []clarity.Value) (signature string, shown []CallArgument) {
	f, known := i.Function(function)
	if known {
		signature = f.Signature()
	}
	shown = make([]CallArgument, len(args))
	for at, arg := range args {
		shown[at] = CallArgument{Hex: arg.Hex(), Repr: arg.Repr()}
		if at < len(f.Args) {
			shown[at].Name = f.Args[at].Name
			shown[at].Type = f.Args[at].Type.String()
		} else {
			shown[at].Type = arg.TypeText()
		}
	}
	return signature, shown
}
