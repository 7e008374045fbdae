package app

import (
	"path/filepath"

	"warp/internal/turnstile"
)

// StopAfterFile asks the night of a repository to begin no further issue. It is a file and
// no signal: a signal ends the issue that is under way, too.
func StopAfterFile(d *turnstile.Drive) string {
	return filepath.Join(d.Project.Home().Dir(), "state", "night.stop")
}
