package session

import (
	"strings"
	"time"

	"warp/internal/core/learning"
	"warp/internal/core/sessionstate"
	"warp/internal/core/sessionstate/progressfile"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// leastPattern is the least number of bytes a pattern takes in the file, marker included.
const leastPattern = 40

// saveLessons saves an iteration's lessons for later stages, sessions and workflows, and returns
// those that the progress file may show: not what a person told it to forget. If they cannot be
// saved, the session continues: it is no worse off than one without lessons.
func saveLessons(r *run, u unit, number int, out Outcome) (lessons []string) {
	about := learning.Learning{
		Timestamp: r.Now().UTC().Format(time.RFC3339), Task: strings.TrimSuffix(r.Name+"/"+u.shown, "/"), Iteration: number, Type: learning.Insight,
		Context: text.Opening(r.Redact(r.Task)), Session: r.Name, Stage: u.shown, Began: r.doc.Now().StartedAt, Files: out.Files,
	}
	if out.Row.Gates == sessionstate.Pass {
		about.Type = learning.Pattern
	}
	list := learning.From(about, out.Learnings, r.Redact)
	kept, err := r.files.learned.Add(list)
	if err != nil {
		r.remark("saving the lessons of iteration %d for later sessions: %v", number, err)
		kept = list
	} else if len(kept) > 0 {
		r.Passed("learnings_written")
	}
	for _, l := range kept {
		lessons = append(lessons, l.Lesson)
	}
	return lessons
}

// unrecordedLessons returns a filter for lessons saved by the iteration in progress when its engine
// died.
func unrecordedLessons(r *run, i int) func(learning.Learning) bool {
	s, u := r.doc.Now(), r.files.units[i]
	number, again := s.Resumable(i)
	return func(l learning.Learning) bool {
		return again && l.Iteration == number && l.Session == r.Name && l.Began == s.StartedAt && l.Stage == u.shown
	}
}

// startProgress creates a unit's progress files before its first iteration, with the project's
// lessons so far and without forgotten ones. It leaves out the unsaid lessons of an iteration that
// died before its section was written: the section adds them itself, and skips what the file
// already has.
func (f *files) startProgress(u unit, unsaid func(learning.Learning) bool) error {
	for _, file := range []string{u.progress, sessionstate.ProgressFile(f.name)} {
		was, _ := durable.ReadPlain(f.path(file)) // created if missing
		if u.gathers != nil && file == u.progress || len(was) > 0 && f.withPatterns(string(was), unsaid) == string(was) {
			continue
		}
		if err := f.edit(file, func(was []byte) ([]byte, error) {
			return []byte(f.withPatterns(f.progressText(u, file, string(was)), unsaid)), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// progressText returns the text of a progress file, or a new one's.
func (f *files) progressText(u unit, file, was string) string {
	if was != "" {
		return was
	}
	title := f.name
	if file != sessionstate.ProgressFile(f.name) {
		title += " " + u.name
	}
	return progressfile.New(title, f.verify)
}

// withPatterns puts the project's best lessons into a progress file, except those that but matches;
// nil matches none. If the store cannot be read, the text is unchanged.
func (f *files) withPatterns(was string, but func(learning.Learning) bool) string {
	best, err := f.learned.Best(mostPatterns / leastPattern)
	if err != nil {
		return was
	}
	var list []progressfile.Pattern
	for _, l := range best {
		if but != nil && but(l) {
			continue
		}
		list = append(list, progressfile.Pattern{ID: l.ID(), Text: l.Text()})
	}
	return progressfile.SetPatterns(was, list, mostPatterns)
}
