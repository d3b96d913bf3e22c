package follow

import (
	"strata/projections/internal/register"
)

// TryLead makes a connection the leader of a version, unless another connection is.
var TryLead = register.TryLead
