package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/ui/feed"
)

// logData is a log page: a transcript, or the output of tests.
type logData struct {
	Title, Back, BackTitle string
	Lines                  []logLine // the transcript
	Text                   longText
	Cut                    bool // the log is longer than shown
}

func (d logData) pageTitle() string { return d.Title }

// logLine is one thing an agent did or said.
type logLine struct{ Kind, Text string }

// Limits of a shown log: bytes read and lines.
const (
	maxLogFile = 1 << 20
	maxLines   = 2000
)

func runPage(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	for _, e := range slices.Concat(f.Book.Runs, f.Book.Others) {
		if logID(e.Row.Log) == r.PathValue("run") && e.Row.Issue == strings.TrimPrefix(r.PathValue("issue"), "-") {
			log, cut, err := readLog(f, e.Row.Log)
			d := logData{Title: "Transcript: " + text.JoinNonEmpty(", ", e.Row.Role, e.Row.Agent), Back: s.Base + "/issue/" + e.Row.Issue, BackTitle: feed.IssueLabel(e.Row.Issue), Cut: cut}
			if e.Row.Issue == "" {
				d.Back, d.BackTitle = s.Base+"/history", "History"
			}
			d.Lines = parseTranscript(log)
			return d, err
		}
	}
	return nil, &notFound{"there is no such run"}
}

func testPage(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	issue := r.PathValue("issue")
	i := slices.IndexFunc(f.Book.Tests, func(e evidence.Entry[evidence.Tested]) bool {
		return logID(e.Row.Log) == r.PathValue("test") && e.Row.Issue == issue
	})
	if i < 0 {
		return nil, &notFound{"there are no such tests"}
	}
	t := f.Book.Tests[i].Row
	text, cut, err := readLog(f, t.Log)
	return logData{Title: "Tests: " + t.Stage + ", " + t.Said(), Back: s.Base + "/issue/" + issue, BackTitle: feed.IssueLabel(issue), Text: longText(text), Cut: cut}, err
}

// readLog reads the beginning of a log. Evidence rows may name any file, so the log must be a
// regular file in the state folder of one of the project's work trees.
func readLog(f *feed.Feed, path string) (text string, cut bool, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Root, path)
	}
	real, err := filepath.EvalSymlinks(agent.FindLog(path))
	if err != nil {
		return "", false, &notFound{"the log is gone: it was cleaned up"}
	}
	if !slices.ContainsFunc(workTreeRoots(f), func(root string) bool { return isBelow(filepath.Join(root, ".claude", "state"), real) }) {
		return "", false, &notFound{"the log is outside the project"}
	}
	info, err := os.Lstat(real)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, errors.Join(&notFound{"the log is not a file"}, err)
	}
	file, err := os.Open(real)
	if err != nil {
		return "", false, fmt.Errorf("opening the log: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxLogFile))
	if err != nil {
		return "", false, fmt.Errorf("reading the log: %w", err)
	}
	return string(data), info.Size() > maxLogFile, nil
}

// workTreeRoots returns the real paths of the project's work trees.
func workTreeRoots(f *feed.Feed) (list []string) {
	list = append(list, f.Root)
	for _, i := range f.Items {
		if i.Root != "" && !slices.Contains(list, i.Root) {
			list = append(list, i.Root)
		}
	}
	for n, root := range list {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			list[n] = real
		}
	}
	return list
}

func isBelow(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// parseTranscript turns an agent's output into readable lines. It keeps lines of unknown form as
// they are.
func parseTranscript(text string) (list []logLine) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		list = append(list, parseTranscriptLine(line)...)
		if len(list) > maxLines {
			return append(list[:maxLines], logLine{"", fmt.Sprintf("… only the first %d lines are shown", maxLines)})
		}
	}
	return list
}

// spokenLine holds the members in which agents report what they do.
type spokenLine struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Result  json.RawMessage `json:"result"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

type contentPart struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func parseTranscriptLine(line string) []logLine {
	var l spokenLine
	if json.Unmarshal([]byte(line), &l) != nil || l.Type == "" {
		return []logLine{{"", line}}
	}
	if l.Type == "usage" {
		return nil
	}
	var parts []contentPart
	if json.Unmarshal(l.Message.Content, &parts) == nil && len(parts) > 0 {
		var list []logLine
		for _, p := range parts {
			list = append(list, logLine{text.JoinNonEmpty(" ", p.Type, p.Name), text.JoinNonEmpty(" ", p.Text, plainJSON(p.Input))})
		}
		return list
	}
	return []logLine{{l.Type, cmp.Or(text.JoinNonEmpty(" ", l.Text, l.Tool, plainJSON(l.Input)), line)}}
}

// plainJSON returns a JSON value, without quotes if it is a string.
func plainJSON(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

func (s *Server) checkpoints(r *http.Request, root string) (list []checkpoint) {
	said := s.Warp(r.Context(), root, "checkpoint", "list", "--json")
	_ = json.Unmarshal(said.Out, &list) // empty once the workflow is gone
	slices.Reverse(list)
	return list
}
