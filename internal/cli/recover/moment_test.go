package recover_test

import (
	"path/filepath"
	"sync"
	"testing"

	"warp/internal/testkit/forgetest/hub"
)

// moment is a world that several tests start from. It is brought about once, and copied.
type moment struct {
	once sync.Once
	dir  string
	hub  *hub.Hub
}

var moments struct {
	sync.Mutex
	dir    string // of the copies
	byName map[string]*moment
}

// momentOf is the moment of a name, which is brought about in a world that make has made.
func momentOf(name string, bring func(*world), make func() *world) *moment {
	moments.Lock()
	if moments.byName == nil {
		moments.byName = map[string]*moment{}
	}
	m := moments.byName[name]
	if m == nil {
		m = &moment{dir: filepath.Join(moments.dir, name)}
		moments.byName[name] = m
	}
	moments.Unlock()
	m.once.Do(func() {
		w := make()
		bring(w)
		w.hub.Lock()
		defer w.hub.Unlock()
		m.hub = w.hub.Clone()
		w.sh("cp -a '" + w.dir + "' '" + m.dir + "'")
	})
	return m
}

// again is a world at that moment, with a tracker.
func (m *moment) again(t *testing.T, h *hub.Hub) *world {
	t.Helper()
	w := emptyWorld(t, h)
	w.sh("cp -a '" + m.dir + "/.' .")
	// A remote on GitHub whose other end is the folder beside.
	w.write("tools/ssh", "#!/bin/sh\ncd '"+w.dir+"' && eval \"$2\"\n")
	return w
}

// crashed is a world whose machine was killed at a point of its drive. The drive cannot go on
// there: the guard's record is of another folder.
func crashed(t *testing.T, point string) (w, a *world) {
	t.Helper()
	m := momentOf(point, func(w *world) { w.machine("a").crash(point, "warp drive 1") }, func() *world { return newWorld(t, seven) })
	w = m.again(t, m.hub.Clone())
	machine := *w
	machine.at = filepath.Join(w.dir, "a")
	return w, &machine
}
