package person

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
)

const (
	// Variable holds the token of a user's script. No agent or test that warp runs gets it.
	Variable = "WARP_TOKEN"

	tokenName = "token"
	tokenSize = 24
)

// Token returns the user's token. It creates one at first use, or if another is wanted.
func Token(folder string, another bool) (string, error) {
	path := filepath.Join(folder, tokenName)
	if another {
		if err := durable.RemoveFile(path); err != nil {
			return "", fmt.Errorf("revoking the old token: %w", err)
		}
	}
	text, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if err := makeToken(folder, path); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return "", fmt.Errorf("making a token: %w", err)
	}
	return readToken(path)
}

// makeToken creates a token atomically.
func makeToken(folder, path string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	secret := make([]byte, tokenSize)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	return durable.CreateFile(path, []byte("wt_"+hex.EncodeToString(secret)+"\n"), 0o600)
}

// readToken reads a token that only its owner can read.
func readToken(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return "", fmt.Errorf("%s is not a token: move it away", path)
	case !closed(info.Mode()):
		return "", fmt.Errorf("other users can read or write %s (%04o): run warp token --new to make another", path, info.Mode().Perm())
	}
	text, err := durable.ReadPlain(path)
	if text := strings.TrimSpace(string(text)); err == nil && len(text) < 2*tokenSize {
		return "", fmt.Errorf("%s is too short for a token: warp token --new makes another", path)
	}
	return strings.TrimSpace(string(text)), err
}

// hasToken reports whether the asker has the user's token.
func (a Asker) hasToken() bool {
	given := a.Getenv(Variable)
	if given == "" || a.Folder == "" {
		return false
	}
	want, err := readToken(filepath.Join(a.Folder, tokenName))
	return err == nil && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}
