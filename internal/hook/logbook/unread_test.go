package logbook_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/hook/logbook"
)

// meanwhile is the operating system's files; it does something once, while one of them is
// read.
type meanwhile struct {
	durable.OS
	name string
	do   func()
}

func (m *meanwhile) Open(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := m.OS.Open(name, flag, perm)
	m.happen(name)
	return f, err
}

func (m *meanwhile) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := m.OS.ReadDir(name)
	m.happen(name)
	return list, err
}

func (m *meanwhile) happen(name string) {
	if do := m.do; do != nil && strings.HasSuffix(filepath.ToSlash(name), m.name) {
		m.do = nil
		do()
	}
}

// What another subagent found at that moment was never offered.
func TestFindingsStayUnreadThatComeWhileOthersAreTaken(t *testing.T) {
	for _, session := range []string{"a", "b"} {
		for _, name := range []string{logbook.AgentsFolder + "/unread", logbook.ResultsFolder} {
			t.Run(session+" "+filepath.Base(name), func(t *testing.T) {
				d := newDesk(t)
				d.begin("a", "")
				d.begin("b", "")
				d.agent("a", "one", "first")
				files := &meanwhile{name: name, do: func() { d.agent(session, "two", "second") }}
				clock := func() time.Time { return d.now }
				own := logbook.Open(durable.New(durable.Config{Dir: d.store.Dir(), FS: files, Now: clock, PID: 2}), clock)
				taken, err := own.Subagents.TakeFindings("a")
				if d.ok(err); len(taken) < 2 && !d.Subagents.HasUnread(session) {
					t.Errorf("%d were offered, and none waits", len(taken))
				}
			})
		}
	}
}
