package fetch

// Reason says why a token has no metadata, or outdated metadata. The numbers below 200 are those of token-metadata-api.
type Reason int16

// Reasons.
const (
	ReasonNone               Reason = 0
	ReasonUnknown            Reason = 100
	ReasonMetadataTooLarge   Reason = 101
	ReasonImageTooLarge      Reason = 102
	ReasonMetadataTimeout    Reason = 103
	ReasonImageTimeout       Reason = 104
	ReasonMetadataUnparsable Reason = 105
	ReasonImageUnparsable    Reason = 106
	ReasonMetadataHTTP       Reason = 107
	ReasonImageHTTP          Reason = 108
	ReasonClarity            Reason = 109
	ReasonRefused            Reason = 110

	ReasonNotServed Reason = 200
	ReasonOtherHash Reason = 201
	ReasonNodeAway  Reason = 202

	ReasonImageUnsupported Reason = 203
)

var messages = map[Reason]string{
	ReasonMetadataTooLarge:   "Metadata size is too large to process",
	ReasonImageTooLarge:      "Image size is too large to process",
	ReasonMetadataTimeout:    "Metadata could not be processed because it took too long to respond",
	ReasonImageTimeout:       "Image could not be processed because it took too long to respond",
	ReasonMetadataUnparsable: "Metadata could not be parsed or it does not conform to SIP-016",
	ReasonImageUnparsable:    "Image processing failed because it could not be parsed",
	ReasonMetadataHTTP:       "Metadata could not be processed because the server responded with an error",
	ReasonImageHTTP:          "Image could not be processed because the server responded with an error",
	ReasonClarity:            "The token contract produced a Clarity error when trying to fetch metadata",
	ReasonRefused:            "Metadata could not be processed because its address is not public",
	ReasonImageUnsupported:   "Image is of a format that is not supported",
	ReasonNotServed:          "No node serves it",
	ReasonOtherHash:          "A node answered content that has another hash",
	ReasonNodeAway:           "No node answered",
}

// Message returns the text that clients see.
func (r Reason) Message() string {
	if m, ok := messages[r]; ok {
		return m
	}
	return "Unknown error"
}

// MessageOf returns the text that clients see about a want of this kind: an image is not called metadata.
func (r Reason) MessageOf(kind Kind) string {
	if kind == Image && r == ReasonRefused {
		return "Image could not be processed because its address is not public"
	}
	return r.Message()
}
