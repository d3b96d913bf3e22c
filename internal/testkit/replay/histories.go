package replay

import (
	"flag"
	"strconv"
)

// Histories sets how many histories rapid makes up for each property of a package whose checks take a while, unless the
// command line says otherwise. It is for TestMain.
func Histories(checks int) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if asked {
		return
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
		panic(err)
	}
}
