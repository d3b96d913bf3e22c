package readapi

import (
	"strata/readapi/audit"
	"strata/readapi/internal/engine"
	"strata/readapi/node"
)

// What configures an API and stands with the code that uses it.
type (
	// Version of the program.
	Version = engine.Version
	// NodeStatus is how a node is to which requests are forwarded.
	NodeStatus = node.NodeStatus
	// ExecutionCost is what executing transactions costs, in the dimensions in which blocks are bounded.
	ExecutionCost = node.ExecutionCost
	// TransparencyLog is the log as others can check it.
	TransparencyLog = audit.TransparencyLog
	// LogInclusion proves that an event is in the log.
	LogInclusion = audit.LogInclusion
	// LogConsistency proves that one state of the log begins with another.
	LogConsistency = audit.LogConsistency
)

// Prepare sets up connections for reading, before the pool is made; see engine.Prepare.
var Prepare = engine.Prepare
