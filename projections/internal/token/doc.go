// Package token is what the projections ft, sft and nft have in common: which contracts follow the standard of a kind,
// which tokens they have, and what is known about each.
//
// # Where rows come from
//
// Blocks say which contracts and tokens there are: deploys, mints, and the prints of SIP-013 and SIP-019. What a token is
// called and looks like is not on any block: it is a [fetch.Want], which stands in table want until a [fetch.Report] in
// the log answers it. So a fold makes no request, has no clock, and gives the same rows each time.
//
//	deploy ─▶ want interface ─▶ contract ─▶ want last-token-id ─▶ tokens
//	mint ──────────────────────────────────▶ token ─▶ want contract read ─▶ uri ─▶ want document ─▶ want image
//	                                                                              └▶ want documents of other locales
//
// # Reports
//
// A report counts when its want still stands. One of a contract is of the block at which the node was asked: when that
// block is not canonical where the report stands among the steps, or is below what the want asks for, the want goes on.
// So a report that comes late brings nothing back that was read anew since. A failure leaves what is known as it is, and
// moves the want into the future: see fetch.Problem.Delay.
//
// # Reorganisations
//
// With a block goes what it brought: contracts, tokens, notifications. What was read from a contract at that block stays
// until it is read again, for which a want is raised: no data for some seconds would serve nobody.
//
// # Documents
//
// What is under a URI is kept once, however many tokens refer to it (table reference), and goes with the last reference.
package token
