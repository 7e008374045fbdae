package feed

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/livestate"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/notice"
)

// attachLive adds the current activity of running engines. It ignores what killed engines or
// other programs wrote.
func (g readPass) attachLive() {
	for n := range g.feed.Items {
		i := &g.feed.Items[n]
		if i.PID == 0 || i.Root == "" || i.State.Over() {
			continue
		}
		name := i.Name
		switch i.Kind {
		case Drive, Guided:
			name = drivestate.Lease
		case Workflow:
			name = workflowstate.Lease
		}
		i.Live = readLive(filepath.Join(g.tree(i.Root).drive.Store().Dir(), filepath.FromSlash(livestate.File(name))), i.PID)
		// A session or workflow is waiting unless other agents may be working; a drive's document
		// says so itself.
		if l := i.Live; i.State == Running && l != nil && l.Wait != nil && len(l.Agents) <= 1 && l.Wait.Until.After(g.now) {
			i.State, i.Why, i.Until = Waiting, l.Wait.Why, l.Wait.Until
		}
	}
}

// LiveOf returns the activity of one process's engines. It ignores what an earlier process with
// the same PID wrote.
func LiveOf(store *durable.Store, p durable.Process) (list []livestate.State) {
	dir := filepath.Join(store.Dir(), filepath.FromSlash(livestate.Folder))
	files, _ := os.ReadDir(dir) // on error nothing is shown
	for _, file := range files {
		if s := readLive(filepath.Join(dir, file.Name()), p.PID); s != nil && s.Stamp == p.Stamp {
			list = append(list, *s)
		}
	}
	return list
}

// readLive returns the activity in file; nil if another process wrote it or it cannot be read.
func readLive(file string, pid int) *livestate.State {
	text, err := durable.ReadSmall(file, livestate.MaxSize)
	if err != nil {
		return nil
	}
	if s, err := livestate.Parse(text); err == nil && s.PID == pid {
		return s
	}
	return nil
}

// LogNow returns the log of the agent now working on an item, or "". If its process runs several
// agents, it is the one with the closest start time.
func LogNow(i Item) (file string) {
	if i.PID == 0 || i.Root == "" || i.Live == nil || len(i.Live.Agents) == 0 {
		return ""
	}
	store := durable.New(durable.Config{Dir: filepath.Join(i.Root, ".claude"), Now: time.Now})
	running, _ := agent.Running(store) // unreadable ones are not shown
	since, least := i.Live.Agents[len(i.Live.Agents)-1].Since, time.Duration(0)
	for _, r := range running {
		if off := ParseTime(r.Started).Sub(since).Abs(); r.Parent == i.PID && (file == "" || off < least) {
			file, least = filepath.Join(store.Dir(), "state", "runs", filepath.Base(r.ID), "output.log"), off
		}
	}
	return file
}

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
