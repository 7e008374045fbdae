package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/coverage"
	"warp/internal/core/issuefile"
	"warp/internal/core/telemetry"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// measureStanding returns how many issues and queue items the project has closed, and its last
// measured test coverage. It runs nothing: a hook has no time for that.
func measureStanding(drive *turnstile.Drive) *telemetry.Standing {
	s := &telemetry.Standing{IssuesClosed: countClosedIssues(drive.Project.Home())}
	if v, err := drive.Project.Queue().Read(); err == nil {
		s.QueueDone = v.Doc.Closed
	}
	if m, ok := readCoverage(drive); ok {
		s.Coverage, s.CoverageAt = &m.Percent, m.At
	}
	return s
}

// mostIssues limits the issues that are read; a tracker in a folder has fewer.
const mostIssues = 2000

// countClosedIssues counts the closed issues of a tracker inside the project. It does not ask
// remote trackers: the journal holds what drives have merged.
func countClosedIssues(home *durable.Store) (n int) {
	names, err := home.List(".claude/issues")
	if err != nil {
		return 0
	}
	for _, name := range names[:min(len(names), mostIssues)] {
		if filepath.Ext(name) != ".md" {
			continue
		}
		text, err := home.ReadFile(".claude/issues/" + name)
		if err != nil {
			continue
		}
		parts, err := issuefile.Split(string(text))
		if err == nil && slices.ContainsFunc(strings.Split(parts.Front, "\n"), isClosed) {
			n++
		}
	}
	return n
}

func isClosed(line string) bool {
	key, value, _ := strings.Cut(line, ":")
	return strings.TrimSpace(key) == "state" && strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"'`), "closed")
}

// readCoverage returns the newest coverage: warp test --coverage records its own, and test runners
// leave reports.
func readCoverage(drive *turnstile.Drive) (m coverage.Measured, ok bool) {
	if text, err := drive.Store().ReadFile(coverage.File); err == nil && len(text) > 0 {
		m, ok = coverage.ReadMeasured(text)
	}
	for _, name := range coverage.Reports {
		path := filepath.Join(drive.Root(), filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil || info.Size() > coverage.MaxReport {
			continue
		}
		at := telemetry.Stamp(info.ModTime())
		if ok && at <= m.At {
			continue
		}
		text, err := durable.ReadPlain(path)
		if err != nil {
			continue
		}
		if percent, told := coverage.Read(name, text); told {
			m, ok = coverage.Measured{Percent: percent, At: at, By: name}, true
		}
	}
	return m, ok
}
