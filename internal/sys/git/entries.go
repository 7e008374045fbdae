package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/durable"
)

// IndexEntry is one entry of an index. A path in conflict has several.
type IndexEntry struct {
	Path      string
	Assumed   bool // marked "assume unchanged"
	Skipped   bool // marked "skip worktree"
	Submodule bool
}

// IndexEntries lists the entries of the work tree's index. env is for git, if it is needed.
func (o Root) IndexEntries(ctx context.Context, env ...string) ([]IndexEntry, error) {
	return o.entriesOf(ctx, o.indexFile(), env)
}

// entriesOf parses an index file directly: it is read several times around every run of an agent,
// and a process costs ten times as much. Git is asked if the file is not as expected.
func (o Root) entriesOf(ctx context.Context, file string, env []string) ([]IndexEntry, error) {
	text, err := durable.ReadPlain(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if list, ok := parseIndex(text, len(o.Zero)/2); err == nil && ok {
		return list, nil
	}
	return askEntries(ctx, o.Top, env)
}

func askEntries(ctx context.Context, top string, env []string) (list []IndexEntry, err error) {
	out, err := Repo{Dir: top}.Must(ctx, Call{Args: []string{"ls-files", "-z", "-v", "--stage"}, Env: env})
	if err != nil {
		return nil, err
	}
	for _, line := range Split(out) { // TAG MODE HASH STAGE, a tab, PATH
		meta, name, ok := strings.Cut(line, "\t")
		if !ok || len(meta) < 3 {
			return nil, errTorn
		}
		mode, _ := strconv.ParseUint(strings.Fields(meta[2:])[0], 8, 32)
		if !isMode(uint32(mode)) { // git fails on some of these, or takes them for a submodule
			return nil, &Failure{Args: []string{"ls-files", "--stage"}, Dir: top, Stderr: fmt.Sprintf("the index has %s with the mode %o", name, mode)}
		}
		tag := meta[0]
		list = append(list, IndexEntry{name, tag >= 'a' && tag <= 'z', tag == 'S' || tag == 's', mode == modeOfLink})
	}
	return list, nil
}

// modeOfLink is the mode of a submodule.
const modeOfLink = 0o160000

// isMode reports whether git uses a mode for entries.
func isMode(mode uint32) bool {
	return mode == 0o100644 || mode == 0o100755 || mode == 0o120000 || mode == modeOfLink
}

// Flags of an entry in an index file.
const (
	flagAssumed  = 0x8000
	flagExtended = 0x4000
	flagSkipped  = 0x4000 // an extended flag
	flagIntended = 0x2000
	maskStage    = 0x3000
	maskLength   = 0x0fff
)

// submodules returns the entries that are submodules with a folder in the work tree.
func submodules(top string, list []IndexEntry) (links []string) {
	for _, e := range list {
		if !e.Submodule {
			continue
		}
		if info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(e.Path))); err == nil && info.IsDir() {
			links = append(links, e.Path)
		}
	}
	return links
}

// parseIndex parses an index file of versions 2 to 4. It is at least as strict as git: ok is false
// if git would refuse the file or read entries from elsewhere.
func parseIndex(text []byte, hashSize int) (list []IndexEntry, ok bool) {
	ok = eachEntry(text, hashSize, func(e IndexEntry, _ stored) { list = append(list, e) })
	return list, ok
}

// stored is the content that an index records for a file.
type stored struct {
	mode  uint32
	hash  []byte
	whole bool // neither in conflict nor only intended
}

func eachEntry(text []byte, hashSize int, add func(IndexEntry, stored)) bool {
	const header, stat = 12, 40
	if len(text) < header+hashSize || string(text[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	rest := text[header : len(text)-hashSize] // the file ends with its checksum
	name, stage := "", uint16(0)
	for range count {
		size := stat + hashSize + 2
		if len(rest) < size+2 {
			return false
		}
		mode, flags, extended := binary.BigEndian.Uint32(rest[24:]), binary.BigEndian.Uint16(rest[size-2:]), uint16(0)
		if flags&flagExtended != 0 {
			extended = binary.BigEndian.Uint16(rest[size:])
			size += 2
		}
		was, before := name, stage
		prefix := ""
		if version == 4 {
			cut, n := offset(rest[size:])
			if n == 0 || cut > len(was) {
				return false
			}
			prefix, size = was[:len(was)-cut], size+n
		}
		end := bytes.IndexByte(rest[size:], 0)
		if end < 0 {
			return false
		}
		name, stage = prefix+string(rest[size:size+end]), flags&maskStage
		size += end + 1
		if version < 4 {
			size = (size + 7) &^ 7
		}
		inOrder := was < name || was == name && before != 0 && before <= stage
		if version < 2 || version > 4 || version == 2 && flags&flagExtended != 0 || extended&^(flagSkipped|flagIntended) != 0 ||
			int(flags&maskLength) != min(len(name), maskLength) || !isMode(mode) || !inOrder || len(rest) < size {
			return false
		}
		add(IndexEntry{name, flags&flagAssumed != 0, extended&flagSkipped != 0 && stage == 0, mode == modeOfLink},
			stored{mode, rest[stat : stat+hashSize], stage == 0 && extended&flagIntended == 0})
		rest = rest[size:]
	}
	// With other extensions git reads entries from elsewhere, or one entry stands for many.
	for len(rest) >= 8 && (string(rest[:4]) == "TREE" || string(rest[:4]) == "REUC" || string(rest[:4]) == "UNTR") {
		size := binary.BigEndian.Uint32(rest[4:])
		if uint64(size) > uint64(len(rest)-8) {
			return false
		}
		rest = rest[8+size:]
	}
	return len(rest) == 0
}

// offset decodes one of git's variable-length numbers; n is its length, 0 if it does not end.
func offset(text []byte) (value, n int) {
	for n < min(len(text), 4) {
		c := text[n]
		value, n = value<<7+int(c&0x7f), n+1
		if c < 0x80 {
			return value, n
		}
		value++
	}
	return 0, 0
}
