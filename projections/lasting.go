package projections

// Lasting are the steps of a batch without the blocks that it applies and takes off again, and without records: for a
// projection whose rows say nothing but what the canonical chain is in the end, they come to the same. Most forks are over
// within the batch that they begin in, far from the head, and then nothing has to be taken back.
func Lasting(steps []Step) []Step {
	lasting := make([]Step, 0, len(steps))
	for _, step := range steps {
		switch newest := len(lasting) - 1; {
		case step.Kind == TakeRecord:
		case step.Kind == Revert && newest >= 0 && lasting[newest].Kind == Apply && lasting[newest].IndexBlockHash == step.IndexBlockHash:
			lasting = lasting[:newest]
		default:
			lasting = append(lasting, step)
		}
	}
	return lasting
}
