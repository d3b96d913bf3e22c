// Package token implements what the projections ft, sft and nft share. It records which contracts follow the standard
// of a kind of token, which tokens they have, and what is known about each token.
//
// # Where rows come from
//
// Blocks tell which contracts and tokens exist, through deploys, mints, and the prints of SIP-013 and SIP-019. No block
// tells what a token is called or looks like. The fold asks for that with a [fetch.Want]: a row of table want, which
// stays until a [fetch.Report] in the log answers it. So a fold sends no request, reads no clock, and always produces
// the same rows from the same log.
//
//	deploy ─▶ want interface ─▶ contract ─▶ want last-token-id ─▶ tokens
//	mint ──────────────────────────────────▶ token ─▶ want contract read ─▶ uri ─▶ want document ─▶ want image
//	                                                                              └▶ want documents of other locales
//
// # Reports
//
// A report counts only while its want is still open. The report of a contract read names the block at which the node
// was asked. The want stays open if that block is not canonical at the report's position among the steps, or is lower
// than the want requires. So a late report never overwrites what was read more recently. A failure leaves what is known
// unchanged and postpones the want (see fetch.Problem.Delay).
//
// # Reorganisations
//
// A revert step removes what its block brought: contracts, tokens and notifications. It keeps what was read from a
// contract at that block and raises a want to read it again, because having no data for some seconds would serve
// nobody.
//
// # Documents
//
// The content under a URI is stored once, however many tokens refer to it (table reference). It is deleted with the
// last reference.
//
// # Rooms
//
// Package internal/fact reads from a block what may concern tokens. All SQL on the tables is here. The tests of the fold
// are in package tokentest.
package token
