package trust

import (
	"errors"
	"fmt"
	"io"
	"os"

	"warp/internal/durable"
)

// maxSize bounds what can be trusted: no person reviews more (a dev.json of 3 GB once used up all
// memory).
const maxSize = 1 << 20

// ErrTooLarge reports that a file is too large to be reviewed, and so to be trusted.
var ErrTooLarge = fmt.Errorf("it is larger than %d KB, more than a person reviews: it is neither trusted nor run", maxSize>>10)

// Read reads a file that is to be trusted. It does not block on anything but a regular file, such
// as a pipe or a device.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path) // first: opening a pipe would block forever
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", path, errors.New("it is not a file"))
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s: %w", path, ErrTooLarge)
	}
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s: %w", path, ErrTooLarge)
	}
	return text, err
}
