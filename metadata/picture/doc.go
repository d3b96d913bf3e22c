// Package picture checks images from strangers, makes thumbnails of them, stores both, and serves them.
//
// The role that fetches images calls [Keep]; the API serves them with [Handler]. A store may lose images: the log has
// the bytes of each, so a store is a cache that needs no backup.
//
// The package does not trust an image. Its kind follows from its bytes, not from what a server calls it. Its header
// must promise a size that fits the memory reserved for decoding before a decoder sees it, because a file of a few
// dozen bytes can claim gigabytes. An SVG is a program for a browser, so it is accepted only if it runs nothing and
// loads nothing from elsewhere.
package picture
