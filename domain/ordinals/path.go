package ordinals

// Paths are the paths to which indexers post the feed.
var Paths = []string{"/payload", "/ordhook/payload"}
