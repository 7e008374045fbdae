package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// pool shares copies within the process: a file that is unchanged since another guard copied it is
// linked to that copy. Otherwise 200 sessions of one project would each copy all documents.
type pool struct {
	mu   sync.Mutex
	last map[string]pooled
}

type pooled struct {
	rel, at string // the file's name in its folder; the copy's path
	was     stamp
	made    fs.FileInfo
	sum     string
	kept    *file
}

var copied = pool{last: map[string]pooled{}}

// link links a file's copy to one that another guard made; false if there is none, or it was
// changed.
func (p *pool) link(c *copies, rel string, now stamp) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, found := p.last[c.live(rel)]
	to := c.at(rel)
	if !found || known.rel != rel || known.was != now || now.inode == (inode{}) || known.at == to {
		return false
	}
	if now, err := os.Lstat(known.at); err != nil || !os.SameFile(known.made, now) || now.Size() != known.made.Size() || !now.ModTime().Equal(known.made.ModTime()) {
		return false
	}
	if os.MkdirAll(filepath.Dir(to), 0o700) != nil || os.RemoveAll(to) != nil || os.Link(known.at, to) != nil {
		return false
	}
	rel = known.rel // one string for all guards
	delete(c.made, rel)
	delete(c.kept, rel)
	c.stamps[rel], c.sums[rel] = now, known.sum
	if known.kept != nil {
		c.kept[rel] = *known.kept
	}
	return true
}

// add offers a copy to other guards.
func (p *pool) add(c *copies, rel string) {
	if c.stamps[rel].inode == (inode{}) || c.made[rel] == nil || !c.made[rel].Mode().IsRegular() {
		return
	}
	known := pooled{rel: rel, at: c.at(rel), was: c.stamps[rel], made: c.made[rel], sum: c.sums[rel]}
	if f, kept := c.kept[rel]; kept {
		known.kept = &f
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[c.live(rel)] = known
}

// withdraw stops offering a copy, and reports whether it may be written in place: no other guard
// has linked it.
func (p *pool) withdraw(c *copies, rel string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := c.at(rel)
	if p.last[c.live(rel)].at == at {
		delete(p.last, c.live(rel))
	}
	info, err := os.Lstat(at)
	return err == nil && isSingle(info)
}

// stamp is what a file looks like without reading it.
type stamp struct {
	size  int64
	mod   time.Time
	mode  fs.FileMode
	inode inode
}

// inode distinguishes an unchanged file from one that only looks like it: cp -p can set the
// modification time back, but not the change time.
type inode struct {
	number  uint64
	changed int64 // nanoseconds
}

// clockStep is how long a file may be rewritten within the same timestamp: file system clocks
// advance in steps.
const clockStep = 20 * time.Millisecond

// stampOf returns a file's stamp. Right after a change the inode proves nothing, and is left out.
func stampOf(info fs.FileInfo, now time.Time) stamp {
	s := stamp{info.Size(), info.ModTime(), info.Mode(), inodeOf(info)}
	if now.Sub(time.Unix(0, s.inode.changed)) < clockStep {
		s.inode = inode{}
	}
	return s
}
