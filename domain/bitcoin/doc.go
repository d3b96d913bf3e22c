// Package bitcoin parses and formats Bitcoin addresses: base58check, bech32 (BIP-173) and bech32m (BIP-350). It
// converts them to and from the two forms that Stacks uses: c32 addresses, which hold the same 20 bytes, and the
// version and hash bytes of proof-of-transfer reward addresses.
package bitcoin
