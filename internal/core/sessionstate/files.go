package sessionstate

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/text"
)

// Version is 0: the document has no version.
const Version = 0

// Folder holds all sessions, under the store's folder.
const Folder = "pipeline-runs"

// Name returns the name of a session's document in the journal.
func Name(session string) string { return Folder + "/" + session }

// Dir returns a session's folder. It and the paths below are relative to the store's.
func Dir(session string) string { return Folder + "/" + session }

// File returns a session's document.
func File(session string) string { return Dir(session) + "/state.json" }

// ProgressFile returns the file that each fresh agent reads.
func ProgressFile(session string) string { return Dir(session) + "/progress-" + session + ".md" }

// ArchiveEnding replaces .md in the name of the file that has what a progress file has no room for.
const ArchiveEnding = ".full.md"

// PipelineFile returns the copy of a pipeline's definition.
func PipelineFile(session string) string { return Dir(session) + "/pipeline.yaml" }

// StageDir returns the folder of a pipeline's stage, with its progress.md and output.md.
func StageDir(session string, stage int, called string) string {
	return Dir(session) + "/stage-" + strconv.Itoa(stage) + "-" + called
}

// CheckName returns why a session or stage cannot have this name, or nil.
func CheckName(s string) error {
	if !text.ValidName(s) {
		return fmt.Errorf("%q is not a valid name: a name has %s", s, text.NameRule)
	}
	if s == landing {
		return fmt.Errorf("%q is reserved for the lock of landing branches: choose another name", s)
	}
	return nil
}

// landing is not a valid session name: the session would wait for its own lock when it lands.
const landing = "warp-merge"

// maxSlug limits a name derived from a title: people type it.
const maxSlug = 40

// Slug derives a session's name from its task. A task without usable characters gets a hash of its
// text.
func Slug(task string) string {
	if s := text.Slug(task, maxSlug); s != "" {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(task)) // never fails
	return fmt.Sprintf("task-%08x", h.Sum32())
}

// Holder identifies a session in the claims of a shared queue: a session with the same name in
// another clone is a different one.
type Holder struct {
	Session string
	// Place is the session's work tree: PROJECT, or PROJECT.TREE for a linked one. Both parts are
	// opaque.
	Place string
}

const holderPrefix = "warp/"

// String returns the name used in claims.
func (h Holder) String() string { return holderPrefix + h.Session + "@" + h.Place }

// ParseHolder reads what String prints; false if the claim is another program's.
func ParseHolder(s string) (h Holder, ok bool) {
	s, ours := strings.CutPrefix(s, holderPrefix)
	at := strings.LastIndexByte(s, '@')
	if !ours || at < 0 {
		return h, false
	}
	h = Holder{Session: s[:at], Place: s[at+1:]}
	return h, CheckName(h.Session) == nil && h.Place != ""
}

// Project returns the part of the place that all work trees of a project share.
func (h Holder) Project() string {
	p, _, _ := strings.Cut(h.Place, ".")
	return p
}

// labelOf returns the tracker label that reserves an item for one session.
func labelOf(session string) string { return labelPrefix + session }

const labelPrefix = "pipeline/"

// MeantFor reports whether the labels reserve an item for this session, and whether for another.
func MeantFor(labels []string, session string) (own, others bool) {
	own = slices.Contains(labels, labelOf(session))
	return own, !own && slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, labelPrefix) })
}
