package version

import "context"

// Look lets a Renewal look once.
func (r *Renewal) Look(ctx context.Context) { r.renew(ctx) }
