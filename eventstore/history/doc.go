// Package history keeps a log as files that anybody can publish, check and begin from.
//
// A folder, or a server of its files, has
//
//	head                     a signed note (https://c2sp.org/signed-note) that names the newest manifest
//	manifests/<sha256>.json  what there is: see Manifest
//	log/…                    the log itself, event by event, as it was received
//	chain/…                  the canonical chain, in a form that does not depend on the log
//
// Files never change, and their names have their hash; head alone is replaced. docs/history.md describes each of them.
//
// Whoever reads trusts nothing but the key that signed head: a manifest is used if head names its hash, and a file if the manifest
// names that of the file. All that is read is bounded by what the manifest says, and that by MaxManifest.
package history
