package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// trackEdit journals an edit. If a file was edited too often in this phase, it tells the agent
// that more of the same will not help.
func trackEdit(c *call) error {
	files := c.listFiles()
	if files == nil || !c.drive.Store().Exists() {
		return nil
	}
	rows := make([]any, len(files))
	for i, file := range files {
		files[i] = c.files.name(file)
		rows[i] = lossless.Record("session", c.Session, "file", files[i])
	}
	if err := c.drive.Store().Append(event.Edit, rows...); err != nil {
		return err
	}
	v, err := c.sight.viewOwned()
	if err != nil || v == nil {
		return err
	}
	for _, file := range files {
		if err := c.warnOfDoomLoop(v.State, file); err != nil {
			return err
		}
	}
	return nil
}

// foldObservations writes journalled observations into the state document once there are many,
// and at the end of each turn, so that people who read the file with jq see them too.
func foldObservations(c *call) error {
	if c.Event != "Stop" {
		v, err := c.sight.viewOwned()
		if err != nil || v == nil || v.Pending < manyPending || v.Foreign || c.who.isRunByEngine(v.State) { // an engine writes its own document
			return err
		}
		return c.drive.FoldObservations()
	}
	v, err := c.sight.view()
	switch {
	case err != nil || v == nil || v.Foreign || drivestate.EngineAt(v.State):
		return err // never overwrite what something else wrote
	case c.who.owns(v.State) && v.Pending > 0, !v.State.Phase.Active() && v.Pending >= manyPending:
		return c.drive.FoldObservations()
	}
	return nil
}

// manyPending limits the rows that every reader must fold in: more would slow each call further.
const manyPending = 64

func (c *call) warnOfDoomLoop(s *drivestate.State, file string) error {
	count := s.EditCounts[file]
	if count <= 1 {
		return nil // every limit is higher
	}
	most, err := c.drive.Project.EditsPerFile()
	if err != nil {
		return err
	}
	if over := count - most; over > 0 && (over-1)%most == 0 {
		c.answer.tell(fmt.Sprintf("doom loop: %s was edited %d times in phase %s (max_edits_per_file is %d). This approach is not working: step back, read the failure again, try another way, or say what blocks you.",
			file, count, s.Phase, most))
	}
	return nil
}

// documents lists the file extensions of documentation.
var documents = []string{".md", ".rst", ".adoc", ".txt"}

// detectDocs moves the drive on from updating_docs once the criteria are checked off, after a
// document was edited or criteria were ticked.
func detectDocs(c *call) error {
	if !c.editsDocuments() {
		return nil
	}
	v, err := c.sight.viewOwned()
	if err != nil || v == nil {
		return err
	}
	s := v.State
	if s.Phase != drivestate.UpdatingDocs || s.Paused != nil || s.Frozen != nil || s.CriteriaGap() != "" || len(s.Chunk.ToConfirm(drivestate.DocsUpdated)) == 0 {
		return nil
	}
	cfg, err := c.drive.Project.Settings()
	if err != nil {
		return err
	}
	return c.fireEvent(cfg, drivestate.DocsUpdated, "the criteria are checked off")
}

// editsDocuments reports whether the call edited documentation or ticked criteria.
func (c *call) editsDocuments() bool {
	if files := c.listFiles(); files != nil {
		return slices.ContainsFunc(files, func(file string) bool {
			name := c.files.name(file)
			return strings.HasPrefix(name, "docs/") || slices.Contains(documents, strings.ToLower(filepath.Ext(name)))
		})
	}
	if c.Tool != "Bash" || !strings.Contains(c.input("command"), "issue") {
		return false
	}
	return slices.ContainsFunc(c.readActs(), func(a command.Act) bool {
		words := listWords(a.Args)
		return len(words) > 1 && words[0] == "issue" && words[1] == "check"
	})
}
