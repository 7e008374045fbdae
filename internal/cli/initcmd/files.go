package initcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/cli/initcmd/record"
	"warp/internal/durable"
)

// look reads a file of ours, or one that bears its name. A link or a folder of
// that name, or a link on the way to it, is not warp's.
func look(root, path string) (text []byte, there bool, err error) {
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
			return nil, true, fmt.Errorf("%s is %s", at, kind(info.Mode()))
		}
	}
	text, err = durable.ReadPlain(at)
	return text, true, err
}

func kind(m fs.FileMode) string {
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

// A file that warp writes whole ends in a line with the checksum of what stands
// before it. So warp knows whether a file is its own, and whether it was
// changed it since, also in another clone and by another version.
const stampWord = "warp-drive "

// comments are how the line is hidden from readers of the file.
var (
	markdown = [2]string{"<!-- ", " -->"}
	shell    = [2]string{"# ", ""}
)

func stamp(body string, comment [2]string) []byte {
	body = strings.TrimSuffix(body, "\n") + "\n"
	return []byte(body + comment[0] + stampWord + sum(body) + comment[1] + "\n")
}

// judge reports whether warp wrote a file, and whether it is as warp wrote it.
// Line ends do not count: git may have changed them.
func judge(text []byte, comment [2]string) (ours, intact bool) {
	s := strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	at := strings.LastIndexByte(s, '\n') + 1
	line := s[at:]
	if !strings.HasPrefix(line, comment[0]+stampWord) || !strings.HasSuffix(line, comment[1]) {
		return false, false
	}
	hash := line[len(comment[0]+stampWord) : len(line)-len(comment[1])]
	return true, hash == sum(s[:at])
}

func sum(body string) string { return record.Sum([]byte(body))[:16] }
