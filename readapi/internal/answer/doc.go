// Package answer is a finished HTTP answer: the bytes in each encoding a client may ask for, their entity tags, and
// every header field that doesn't depend on the moment. An Answer is made once, kept in a cache, and served to any
// number of clients at the same time; serving costs no decoding, no reflection and no allocation of its own.
//
//   - [New] makes an answer, and compresses it if it is going to be kept.
//   - [Answer.Serve] sends it: it picks the encoding (RFC 9110 section 12.5.3), answers conditional requests (section
//     13.1.2) and HEAD.
//   - [Answer.AppendBinary] and [Parse] store it as bytes, for a cache that other processes share.
//
// # Entity tags
//
// A [Tag] stands for the content, whatever the encoding. The encodings are different bytes, so each has a strong entity
// tag of its own (RFC 9110 section 8.8.3.3): "<tag>" as is, "<tag>-gzip" and "<tag>-zstd". If-None-Match is about the
// content, so there any of the three is as good as another.
//
// # Encodings
//
// An answer that is going to be kept is compressed at once, in every encoding, and only the forms that are worth it
// stay. Any other answer is sent once, most likely, so a form of it is made when a client asks for it. Which entity tag
// an answer has must be known without that work; that is why such a form is sent however small the gain.
package answer
