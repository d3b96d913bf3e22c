package synthstaking

import (
	"bytes"
	"fmt"
	"math/big"

	"strata/domain/clarity"
)

// Contract ids of pox-5.
const (
	Mainnet = "SP000000000000000000002Q6VF78.pox-5"
	Testnet = "ST000000000000000000002AMW42H.pox-5"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Principal is the text of a principal.
type Principal string

// Key returns a signing key.
func Key(n byte) []byte { return append([]byte{2}, bytes.Repeat([]byte{n}, 32)...) }

// Number returns a uint.
func Number(n int64) clarity.Value { return clarity.NewUint64(uint64(n)) }

func clarityUint(n *big.Int) clarity.Value {
	v, err := clarity.NewUint(n)
	must(err)
	return v
}

// Tuple returns a tuple of alternating names and values. A number becomes a uint, text a string-ascii, bytes a buffer,
// and nil none.
func Tuple(pairs ...any) clarity.Value {
	var fields []clarity.Field
	for i := 0; i < len(pairs); i += 2 {
		f := clarity.Field{Name: pairs[i].(string)}
		var err error
		switch v := pairs[i+1].(type) {
		case nil:
			f.Value = clarity.NewNone()
		case int64:
			f.Value = Number(v)
		case bool:
			f.Value = clarity.NewBool(v)
		case []byte:
			f.Value, err = clarity.NewBuffer(v)
		case string:
			f.Value, err = clarity.NewASCII(v)
		case Principal:
			var p clarity.Principal
			p, err = clarity.ParsePrincipal(string(v))
			must(err)
			f.Value, err = clarity.NewPrincipal(p)
		case clarity.Value:
			f.Value = v
		default:
			panic(fmt.Sprintf("no Clarity value for a %T", v))
		}
		must(err)
		fields = append(fields, f)
	}
	v, err := clarity.NewTuple(fields...)
	must(err)
	return v
}
