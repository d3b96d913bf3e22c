// Package contract reads the interface of a contract, the JSON object that a node delivers with a deploy
// (contract_interface, formerly contract_abi): its functions, variables, maps and tokens, and their types as Clarity
// text. It also decides which contracts implement a trait.
package contract
