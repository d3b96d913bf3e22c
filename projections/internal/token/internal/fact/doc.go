// Package fact finds in a block what may concern tokens: deploys of contracts, mints, changes of supplies, and
// notifications. It reads the block alone. Which of the contracts follow the standard of a kind, package token knows from
// its tables.
package fact
