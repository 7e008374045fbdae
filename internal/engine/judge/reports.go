package judge

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"warp/internal/core/criteria"
	"warp/internal/core/testoutput"
	"warp/internal/durable"
)

// maxReports is how many reports of one run are read.
const maxReports = 10_000

// findReports lists the reports that Maven and Gradle leave in a room unasked.
func findReports(place *Place, patterns []string) (files []string) {
	if place.room == nil || len(patterns) == 0 {
		return nil
	}
	root := place.folder()
	_ = filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		name, outside := filepath.Rel(root, file)
		switch {
		case err != nil || outside != nil:
			return nil // an unreadable folder has no report
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.Type().IsRegular() && criteria.MatchesAny(patterns, filepath.ToSlash(name)) && len(files) < maxReports:
			files = append(files, file)
		}
		return nil
	})
	return files
}

// removeReports removes reports of an earlier run, and those in the work itself: they would look
// like this run's.
func removeReports(files []string) error {
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// readReports merges all reports of a run; nil if they name no tests.
func readReports(files []string) testoutput.Run {
	all := testoutput.Run{}
	for _, file := range files {
		text, err := durable.ReadPlain(file)
		if err != nil {
			return nil
		}
		run, err := readJUnit(text)
		if err != nil {
			return nil
		}
		maps.Copy(all, run)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
