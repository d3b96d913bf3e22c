// Package contract parses the interface of a contract: the JSON object that a node delivers with a deployment
// (contract_interface, formerly contract_abi). It holds the functions, variables, maps and tokens of the contract, and
// their types, which the package renders as Clarity text. The package also decides which contracts implement a trait,
// and finds the topic of a printed value.
package contract
