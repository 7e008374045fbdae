package initcmd

import (
	"strings"

	"warp/internal/cli/initcmd/record"
)

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
