// Package nodejson turns facts about a chain into the bodies of posts, byte for byte as nodes of a generation write
// them: which fields there are, what they are called, in which order they come. It knows nothing of how a chain comes
// about.
package nodejson
