// Package answer is a finished HTTP answer: the bytes in each encoding a client may ask for, their entity tags, and
// every header field that doesn't depend on the moment. An Answer is made once, kept in a cache, and served to any
// number of clients at the same time; but for the first time in an encoding, serving costs no decoding, no reflection and
// no allocation of its own.
//
//   - [New] makes an answer.
//   - [Answer.Serve] sends it: it picks the encoding (RFC 9110 section 12.5.3), answers conditional requests (section
//     13.1.2) and HEAD.
//   - [Answer.AppendBinary] and [Parse] store it as bytes, for a cache that other processes share.
//
// # Entity tags
//
// A [Tag] stands for the content, whatever the encoding: it is a digest of the body, unless [Config] has another. The
// encodings are different bytes, so each has a strong entity tag of its own (RFC 9110 section 8.8.3.3): "<tag>" as is,
// "<tag>-gzip" and "<tag>-zstd". If-None-Match is about the content, so there any of the three is as good as another.
//
// # Encodings
//
// A form is made when a client asks for it, and stays: most answers are asked for once, or by nobody who wants them
// compressed. Which entity tag an answer has must be known without that work, so whether a text is offered compressed
// follows from how often it has each byte; such a form is then sent however small the gain. [Answer.WhenHeavier] tells the
// cache of what it costs.
package answer
