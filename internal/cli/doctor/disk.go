package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
)

// What is free on a disk that is nearly full, and on one that a night will probably fill.
const (
	fullBelow = 100 << 20
	lowBelow  = 1 << 30
)

// disk wants space where a night writes: in the project, in the user's state folder, and
// where clean rooms and tests have their temporary files.
func disk(x exam) (out []Finding) {
	places := [][2]string{{"project", x.drive.Root()}, {"temporary files", os.TempDir()}}
	if state, err := trust.Folder(x.app.Getenv); err == nil {
		places = append(places, [2]string{"state", state})
	}
	least, where := int64(-1), ""
	for _, p := range places {
		free, known := proc.FreeSpace(existing(p[1]))
		switch {
		case !known:
		case free < fullBelow:
			out = append(out, problem("disk", fmt.Sprintf("%s free in %s (%s)", bytesOf(free), p[1], p[0]), "make room there"))
		case free < lowBelow:
			out = append(out, warning("disk", fmt.Sprintf("%s free in %s (%s)", bytesOf(free), p[1], p[0]), "make room there"))
		case least < 0 || free < least:
			least, where = free, p[0]
		}
	}
	if out == nil && least >= 0 {
		out = append(out, ok("disk", fmt.Sprintf("at least %s free (%s)", bytesOf(least), where)))
	}
	return out
}

// existing is the nearest folder above a path that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func bytesOf(n int64) string {
	if n < lowBelow {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}
