package app

import (
	"fmt"
	"os"
	"path/filepath"
)

// explainNoProject says why there is no project: a bare repository is one without files,
// and must not be initialised again.
func explainNoProject(dir string) error {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return ErrNoProject
		}
	}
	return fmt.Errorf("this is a bare repository, without files to work on: run git clone %s, and cd into the clone (%w)", dir, ErrBare)
}

// ErrBare is an ErrNoProject that git init does not help: it would hide the repository
// that is there from all who fetch and push.
var ErrBare error = bare{}

type bare struct{}

func (bare) Error() string        { return "no project here" }
func (bare) Is(target error) bool { return target == ErrNoProject }
