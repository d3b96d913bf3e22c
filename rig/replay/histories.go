package replay

import (
	"flag"
	"strconv"
)

// Histories sets the number of histories that rapid generates for each property, unless the command line does. It is
// for TestMain of packages whose checks are slow.
func Histories(checks int) {
	flag.Parse()
	isSet := false
	flag.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == "rapid.checks" })
	if isSet {
		return
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
		panic(err)
	}
}
