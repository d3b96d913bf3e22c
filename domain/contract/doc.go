// Package contract parses the interface of a contract: the JSON object that a node delivers with a deployment
// (contract_interface, formerly contract_abi). It holds the functions, variables, maps and tokens of the contract, and
// their types, which the package renders as Clarity text. The package also makes the keys of functions, by which the
// contracts that implement a trait are found, and finds the topic of a printed value.
package contract
