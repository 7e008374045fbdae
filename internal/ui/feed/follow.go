package feed

import (
	"context"
	"path/filepath"
	"time"

	"warp/internal/core/livestate"
	"warp/internal/sys/notice"
)

// minReadInterval is the least time between two reads, so that a burst of changes is read once.
const minReadInterval = 250 * time.Millisecond

// Follow reads the feed whenever something has changed, until ctx is done. It calls show with
// every reading, from one goroutine.
func (r *Reader) Follow(ctx context.Context, show func(*Feed, error)) {
	w := notice.New()
	defer w.Close()
	for {
		w.Set(r.folders())
		show(r.Read())
		if !w.Wait(ctx) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(minReadInterval):
		}
	}
}

// folders returns where running engines write. Every change of a document is in the journal too.
func (r *Reader) folders() (list []string) {
	for _, root := range r.roots() {
		dir := r.tree(root).drive.Store().Dir()
		live := filepath.Join(dir, filepath.FromSlash(livestate.Folder))
		list = append(list, dir, filepath.Dir(live), live, filepath.Join(dir, "locks"))
	}
	return list
}
