package faultfs

const noLimit = -1

// Limit bounds the bytes of all files together, as running programs see them;
// a write that does not fit writes what fits and returns ENOSPC. Entries take
// no space, a removed file takes it until it is closed, and a file may already
// lie above the limit. A negative limit lifts it. The limit belongs to the
// disk: it outlives a power cut.
func (f *FS) Limit(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = bytes
}

// room returns how many of n bytes may be written to node at an offset. Bytes
// that overwrite others cost nothing; a gap before them costs its length.
func (f *FS) room(node *inode, at, n int) int {
	if f.limit < 0 {
		return n
	}
	free := max(0, f.limit-f.used())
	end := int64(len(node.data)) + free
	return int(min(int64(n), max(0, end-int64(at))))
}

func (f *FS) used() int64 {
	seen := map[*inode]bool{}
	var sum int64
	var count func(n *inode)
	count = func(n *inode) {
		if seen[n] {
			return
		}
		seen[n] = true
		sum += int64(len(n.data))
		for _, child := range n.entries {
			count(child)
		}
	}
	count(f.root)
	for o := range f.opened {
		count(o.node)
	}
	return sum
}
