// Package version decides which versions of read tables there are, and which of them readers see. It folds nothing
// itself: it registers versions, which package follow builds in whatever process has their code, and waits for them.
//
// Code has a number, that of its rules. A version of the tables has a number of its own: any number of versions stand
// side by side, built by the same rules or by others. Readers see the active one. Rebuild registers a further one;
// Verify and Diff look at it; Activate and Rollback switch; Drop deletes it.
package version
