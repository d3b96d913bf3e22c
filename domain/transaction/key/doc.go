// Package key implements secp256k1 keys and recoverable signatures in the forms of Stacks transactions and block
// headers (SIP-005): a signature is the recovery id followed by r and s, and a public key is hashed in either its
// compressed or its uncompressed SEC 1 form.
//
// Stacks verifies by recovery. A signature does not name its key: the verifier recovers the key from the signature,
// hashes it, and compares the hash with the signer hash that the transaction states.
package key
