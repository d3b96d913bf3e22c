package serve

import "strata/readapi/status"

// notices returns what an operator of this process should know, although its answers are right.
func (c *Command) notices() (all []status.Notice) {
	if c.signing != nil {
		if message := c.signing.Notice(); message != "" {
			all = append(all, status.Notice{About: "signing", Message: message})
		}
	}
	if message := c.disk.Notice(); message != "" {
		all = append(all, status.Notice{About: "disk", Message: message})
	}
	if c.runner != nil {
		if reason := c.runner.Postponed(); reason != "" {
			all = append(all, status.Notice{About: "disk", Message: "New versions of read tables wait for space: " + reason + "."})
		}
	}
	if c.renewal != nil {
		if reason := c.renewal.Notice(); reason != "" {
			all = append(all, status.Notice{About: "projections", Message: reason})
		}
	}
	return all
}
