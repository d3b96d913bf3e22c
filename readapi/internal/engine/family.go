package engine

// metadataPath begins all resources of tokens. They are under metadataPath/v1, too.
const MetadataPath = "/metadata"

// ordinalsPath is what all paths of the ordinals family begin with.
const OrdinalsPath = "/ordinals"
