// Package bitcoin reads and writes Bitcoin addresses (base58check; bech32 of BIP-173 and bech32m of BIP-350) and
// converts between them and the two forms in which Stacks knows them: c32 addresses, which share their 20 bytes, and
// the version and hash bytes of proof-of-transfer reward addresses.
package bitcoin
