package engine

// MetadataPath is the prefix of all paths of the token metadata family, which are also served under MetadataPath/v1.
const MetadataPath = "/metadata"

// OrdinalsPath is the prefix of all paths of the ordinals family.
const OrdinalsPath = "/ordinals"
