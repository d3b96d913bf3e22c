// Package key holds secp256k1 keys and recoverable signatures in the forms that Stacks transactions and block
// headers carry (SIP-005): a signature is the recovery id followed by r and s, and a public key is hashed either in
// its compressed or in its uncompressed SEC 1 form.
//
// Verification in Stacks is recovery: a signature names no key; the key that it recovers to is hashed and compared
// with the signer hash that the transaction states.
package key
