package ordinals

// Paths that indexers post the feed to.
var Paths = []string{"/payload", "/ordhook/payload"}
