package contracts

import (
	"fmt"

	"strata/internal/synth/synthchain/internal/node"
)

// BootSource returns the source of a boot contract, whose only function tells its name.
func BootSource(name string) []byte {
	return fmt.Appendf(nil, ";; boot contract %s\n(define-read-only (whoami) (ok \"%s\"))\n", name, name)
}

// BootInterface returns the interface of a boot contract as nodes of a generation write it.
func BootInterface(g node.Generation, e node.Epoch) string {
	return interfaceAt(newInterface([]string{"read_only whoami = text"}, "", ""), g, e, 1)
}
