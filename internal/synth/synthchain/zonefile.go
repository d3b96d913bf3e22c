package synthchain

import "strata/internal/synth/synthchain/internal/nodejson"

// queueZonefiles queues the posts of the zonefiles that a block announced. One in five never comes, as a node may not
// find it. The block itself may become an orphan.
func (c *Chain) queueZonefiles(b *block) {
	for _, a := range b.attached {
		if c.random.IntN(5) == 0 {
			continue
		}
		post := nodejson.Attachment{
			Index: a.Index, Height: b.height, IndexBlock: b.index, Txid: a.Txid, Content: c.rules.Zonefiles[a.Hash],
			Contract: c.roll.Text(c.rules.Names()), Metadata: a.Metadata,
		}
		c.deliver(delivery{post: Post{Path: "/attachments/new", Body: post.Encode()}}, nil)
	}
}
