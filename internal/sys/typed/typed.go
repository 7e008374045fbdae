// Package typed keeps the commands that a person typed in an agent's session: each lets the agent
// run that one command, once. They are files in the user's state folder, which an agent in a
// sandbox neither sees nor writes; without a sandbox an agent could write one, as it could read the
// token. The hooks decide who may type.
package typed

import (
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
)

const (
	// valid is how long a typed command counts; the next prompt ends it earlier.
	valid = 15 * time.Minute
	most  = 8 << 10 // bytes of what a person types that are looked at
)

// order is a command line that a person typed, without the program's name.
type order struct {
	Words   []string `json:"words"`
	Session string   `json:"session"`
	At      string   `json:"at"` // RFC 3339
}

// Book keeps the orders of one project.
type Book struct{ dir string }

// open returns the book of a project in the user's state folder. It reads nothing yet.
func open(folder, project string) Book {
	h := fnv.New128a()
	_, _ = h.Write([]byte(project)) // never fails
	return Book{filepath.Join(folder, "spoken", hex.EncodeToString(h.Sum(nil)))}
}

// Folder returns the user's state folder from an environment, or false if it is unknown.
func Folder(getenv func(string) string) (string, bool) {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "warp"), true
	}
	home := getenv("HOME")
	return filepath.Join(home, ".local", "state", "warp"), filepath.IsAbs(home)
}

// Here returns the user's book of a project, or false if the state folder is unknown.
func Here(getenv func(string) string, project string) (Book, bool) {
	folder, ok := Folder(getenv)
	return open(folder, project), ok
}

// Hear records the orders in a prompt that a person typed. It ends those of the session's earlier
// prompts.
func (b Book) Hear(session, text string, now time.Time) error {
	b.each(func(path string, o order) {
		if o.Session == session {
			_ = durable.RemoveFile(path) // it expires soon anyway
		}
	})
	return b.Add(session, text, now)
}

// Add records further orders in what a person typed or chose.
func (b Book) Add(session, text string, now time.Time) error {
	for i, words := range orders(text) {
		content := lossless.AppendCompact(nil, lossless.Encode(order{words, session, now.Format(time.RFC3339Nano)}, nil))
		err := os.MkdirAll(b.dir, 0o700)
		if err == nil {
			err = durable.WriteNote(filepath.Join(b.dir, strconv.FormatInt(now.UnixNano(), 36)+"-"+strconv.Itoa(i)), content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether a person typed a command line in a session, or in any session for "".
func (b Book) Has(session string, args []string, now time.Time) bool {
	_, ok := b.find(session, args, now)
	return ok
}

// Take is Has, but uses up the order: of many concurrent callers, one gets true.
func (b Book) Take(session string, args []string, now time.Time) bool {
	path, ok := b.find(session, args, now)
	return ok && durable.TakeFile(path)
}

func (b Book) find(session string, args []string, now time.Time) (path string, ok bool) {
	b.each(func(file string, o order) {
		at, err := time.Parse(time.RFC3339Nano, o.At)
		age := now.Sub(at)
		if err == nil && age >= 0 && age < valid && (session == "" || session == o.Session) && slices.Equal(args, o.Words) {
			path, ok = file, true
		}
	})
	return path, ok
}

func (b Book) each(fn func(path string, o order)) {
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, e := range entries {
		path := filepath.Join(b.dir, e.Name())
		if info, err := e.Info(); err != nil || strings.HasSuffix(e.Name(), ".tmp") || !info.Mode().IsRegular() || info.Size() > 2*most {
			continue
		}
		var o order
		text, err := durable.ReadPlain(path)
		if err != nil {
			continue
		}
		if v, err := lossless.Parse(text); err == nil && lossless.Decode(v, &o) == nil {
			fn(path, o)
		}
	}
}

// orders returns the warp command lines in a text: the words after warp, up to the end of the line,
// a closing back quote, or a word that continues the sentence. They must match whole: warp trust
// with a file is not warp trust. A question, or a line that says not to, gives none.
func orders(text string) (all [][]string) {
	if len(text) > most {
		return nil // a task, or a pasted file
	}
	for line := range strings.Lines(text) {
		words := fields(line)
		for i, w := range words {
			if w == "warp" && len(upTo(words[i+1:])) > 0 && !slices.ContainsFunc(words[:i], denies) && !strings.Contains(line, "?") {
				all = append(all, upTo(words[i+1:]))
			}
		}
	}
	return all
}

func upTo(words []string) []string {
	end := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains([]string{stop, "and", "then", "please", "now", "so", "but", "again", "first"}, w)
	})
	if end < 0 {
		return words
	}
	return words[:end]
}

func denies(word string) bool {
	return slices.Contains([]string{"not", "don't", "dont", "never", "without", "instead", "why", "how", "what", "when", "if"}, strings.ToLower(strings.Trim(word, ".,:;!")))
}

// stop marks the end of a command between words.
const stop = "\x00"

// fields splits a line as a shell does, but only quotes are special, and a sentence's comma and
// full stop belong to no word. A comma and a back quote end a command.
func fields(line string) (words []string) {
	var word strings.Builder
	var quote rune
	quoted := false
	end := func() {
		text := word.String()
		if !quoted {
			text = strings.TrimRight(text, ".,:;!")
		}
		if text != "" || quoted {
			words = append(words, text)
		}
		if !quoted && text != word.String() {
			words = append(words, stop)
		}
		word.Reset()
		quoted = false
	}
	line = strings.ReplaceAll(line, "’", "'")
	for i, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'' && word.Len() == 0 && strings.Contains(line[i+1:], "'"):
			quote, quoted = c, true
		case c == '`':
			end()
			words = append(words, stop)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		default:
			word.WriteRune(c)
		}
	}
	end()
	return words
}
