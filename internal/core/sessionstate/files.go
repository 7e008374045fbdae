package sessionstate

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"warp/internal/core/text"
)

// Version is that of the document: it has none.
const Version = 0

// Folder is where all sessions are, under the store's folder.
const Folder = "pipeline-runs"

// Name is a session's document, in the journal.
func Name(session string) string { return Folder + "/" + session }

// Dir is a session's folder. It and the paths below are under the store's.
func Dir(session string) string { return Folder + "/" + session }

// File is a session's document.
func File(session string) string { return Dir(session) + "/state.json" }

// ProgressFile is what each fresh agent reads.
func ProgressFile(session string) string { return Dir(session) + "/progress-" + session + ".md" }

// PipelineFile is the copy of a pipeline's definition.
func PipelineFile(session string) string { return Dir(session) + "/pipeline.yaml" }

// StageDir is the folder of a stage of a pipeline, with its progress.md and output.md.
func StageDir(session string, stage int, called string) string {
	return Dir(session) + "/stage-" + strconv.Itoa(stage) + "-" + called
}

// CheckName says why a session, or a stage, cannot be called so, or nil.
func CheckName(s string) error {
	if !text.ValidName(s) {
		return fmt.Errorf("%q is not a valid name: a name has %s", s, text.NameRule)
	}
	if s == landing {
		return fmt.Errorf("%q is reserved for the lock of landing branches: choose another name", s)
	}
	return nil
}

// landing is a name that no session has: it would wait for itself when it lands.
const landing = "warp-merge"

// maxSlug is how long a name made of a title may be: it is typed again.
const maxSlug = 40

// Slug makes a session's name of its task. A task that no name can be made of
// has one by its text, always the same.
func Slug(task string) string {
	if s := text.Slug(task, maxSlug); s != "" {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(task)) // never fails
	return fmt.Sprintf("task-%08x", h.Sum32())
}
