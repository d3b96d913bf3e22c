package contract

import "strata/domain/clarity"

// CallArgument is an argument of a contract call as APIs show it.
type CallArgument struct {
	Hex  string `json:"hex"`
	Repr string `json:"repr"`
	Name string `json:"name"` // empty if the interface does not tell
	Type string `json:"type"`
}

// Call returns what APIs show of a call: the signature of the function, and the arguments with the names and types of
// its parameters. If the interface is unknown or has no such function (a failed call may name any), the signature and
// the names are empty, and the types are derived from the values. So are those of arguments beyond the parameters.
func (i *Interface) Call(function string, args []clarity.Value) (signature string, arguments []CallArgument) {
	f, known := i.Function(function)
	if known {
		signature = f.Signature()
	}
	arguments = make([]CallArgument, len(args))
	for n, arg := range args {
		arguments[n] = CallArgument{Hex: arg.Hex(), Repr: arg.Repr()}
		if n < len(f.Args) {
			arguments[n].Name = f.Args[n].Name
			arguments[n].Type = f.Args[n].Type.String()
		} else {
			arguments[n].Type = arg.TypeText()
		}
	}
	return signature, arguments
}
