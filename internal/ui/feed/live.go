package feed

import (
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/livestate"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// attachLive adds what running engines say that they do. What a killed one left, or
// something other than an engine wrote, is not shown.
func (g gathering) attachLive() {
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
		g.noteWait(i)
	}
}

// noteWait says that a session or workflow waits for a time, as the document of a drive does.
// Beside an agent that waits others may work.
func (g gathering) noteWait(i *Item) {
	if i.State != Running || i.Live == nil || i.Live.Wait == nil || len(i.Live.Agents) > 1 || !i.Live.Wait.Until.After(g.now) {
		return
	}
	i.State, i.Why, i.Until = Waiting, i.Live.Wait.Why, i.Live.Wait.Until
}

// LiveOf is what the engines of one process say that they do, by their names. What one with
// the same number said before it was killed is not shown.
func LiveOf(store *durable.Store, p durable.Process) (list []livestate.State) {
	dir := filepath.Join(store.Dir(), filepath.FromSlash(livestate.Folder))
	files, _ := os.ReadDir(dir) // none: nothing is shown
	for _, file := range files {
		if s := readLive(filepath.Join(dir, file.Name()), p.PID); s != nil && s.Stamp == p.Stamp {
			list = append(list, *s)
		}
	}
	return list
}

// readLive is what an engine of a process says; nil: it is another's, or nothing.
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

// LogNow is the file that the agent writes to that works on an item at this moment; "": none
// works on it. Where one process runs several, the one that began when the item says.
func LogNow(i Item) (file string) {
	if i.PID == 0 || i.Root == "" || i.Live == nil || len(i.Live.Agents) == 0 {
		return ""
	}
	store := durable.New(durable.Config{Dir: filepath.Join(i.Root, ".claude"), Now: time.Now})
	running, _ := agent.Running(store) // what cannot be read is not shown
	since, least := i.Live.Agents[len(i.Live.Agents)-1].Since, time.Duration(0)
	for _, r := range running {
		if off := moment(r.Started).Sub(since).Abs(); r.Parent == i.PID && (file == "" || off < least) {
			file, least = filepath.Join(store.Dir(), "state", "runs", filepath.Base(r.ID), "output.log"), off
		}
	}
	return file
}
