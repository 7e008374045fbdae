package initcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/cli/settings"
	"warp/internal/durable"
)

// readOwnFile reads a file of warp's. It fails if the path is a link or folder, or leads through a
// link: warp writes none of these.
func readOwnFile(root, path string) (text []byte, there bool, err error) {
	at, parts := root, strings.Split(path, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		if last := i == len(parts)-1; last && !info.Mode().IsRegular() || !last && !info.IsDir() {
			return nil, true, fmt.Errorf("%s is %s", at, describeMode(info.Mode()))
		}
	}
	text, err = durable.ReadPlain(at)
	return text, true, err
}

func describeMode(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	}
	return "no file"
}

// stampWord begins the last line of every file that warp writes whole; the line holds the
// checksum of the text before it. It shows whether warp wrote a file and whether it was changed
// since, even in another clone or with another version.
const stampWord = "warp-drive "

// Comment delimiters that hide the stamp line.
var (
	markdown = [2]string{"<!-- ", " -->"}
	shell    = [2]string{"# ", ""}
)

func stamp(body string, comment [2]string) []byte {
	body = strings.TrimSuffix(body, "\n") + "\n"
	return []byte(body + comment[0] + stampWord + shortSum(body) + comment[1] + "\n")
}

// checkStamp reports whether warp wrote a file, and whether it is unchanged. It ignores line
// endings, which git may convert.
func checkStamp(text []byte, comment [2]string) (ours, intact bool) {
	s := strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	at := strings.LastIndexByte(s, '\n') + 1
	line := s[at:]
	if !strings.HasPrefix(line, comment[0]+stampWord) || !strings.HasSuffix(line, comment[1]) {
		return false, false
	}
	hash := line[len(comment[0]+stampWord) : len(line)-len(comment[1])]
	return true, hash == shortSum(s[:at])
}

func shortSum(body string) string { return settings.Checksum([]byte(body))[:16] }
