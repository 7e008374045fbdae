package testintegrity

import (
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// countChecks counts the commands of a shell script that can make it fail. Commands that always
// succeed are none, nor is one whose failure is ignored, nor what follows an exit.
func (f *file) countChecks() (n int) {
	s := shellReader{f: f}
	for at := 0; at < len(f.code) && !s.ended; {
		end := lineEnd(f.code, at)
		if s.readLine(at, end) {
			n++
		}
		at = end + 1
	}
	return n
}

// shellReader reads a script line by line.
type shellReader struct {
	f     *file
	until string // the word that ends a here-document
	depth int    // of blocks
	ended bool   // the script exits before what follows
}

var (
	hereDocument = lazy.Pattern{Text: `<<-?\s*["'\\]?(\w+)`}
	separators   = lazy.Pattern{Text: `\|\||&&|[;|&]`}
	ignoring     = lazy.Pattern{Text: `\|\|\s*(?:true|:|exit\s+0)\s*(?:$|[;)}])`}
	opening      = text.WordSet{List: "if while until { ( function"}
	closingWord  = text.WordSet{List: "fi done esac } )"}
	keyword      = text.WordSet{List: "then else elif do ! time"}
	harmless     = text.WordSet{List: `true : echo printf set cd exit return export local readonly unset shift trap umask sleep wait pwd
 shopt declare typeset alias read skip mkdir rm touch`}
	comparing = text.WordSet{List: "test [ [["}
	atFiles   = lazy.Pattern{Text: `\$|\x60|(?:^|\s)-[a-hkprstuwxLNOSG]\s`}
)

// readLine reports whether a line has a command that can fail the script.
func (s *shellReader) readLine(from, to int) (checks bool) {
	line := strings.TrimSpace(s.f.src[from:to])
	if s.until != "" {
		if line == s.until {
			s.until = ""
		}
		return false
	}
	if m := hereDocument.Get().FindStringSubmatch(s.f.src[from:to]); m != nil {
		s.until = m[1]
	}
	code := s.f.code[from:to]
	ignored := ignoring.Get().MatchString(code)
	for _, part := range splitAt(code, separators.Get().FindAllStringIndex(code, -1)) {
		if s.readCommand(code[part[0]:part[1]], s.f.src[from+part[0]:from+part[1]]) && !ignored {
			checks = true
		}
		if s.ended {
			break
		}
	}
	return checks
}

// splitAt returns what lies between separators.
func splitAt(code string, separators [][]int) (parts [][2]int) {
	from := 0
	for _, s := range separators {
		parts = append(parts, [2]int{from, s[0]})
		from = s[1]
	}
	return append(parts, [2]int{from, len(code)})
}

// readCommand reports whether a simple command can fail, and follows blocks and exits. Source is the
// command with its strings.
func (s *shellReader) readCommand(code, source string) bool {
	words := strings.Fields(code)
	if source = strings.TrimSpace(source); len(words) == 0 || strings.HasPrefix(source, `"$`) {
		return strings.HasPrefix(source, `"$`)
	}
	for len(words) > 0 {
		switch w := words[0]; {
		case w == "for" || w == "case":
			s.depth++
			return w == "case" && strings.Contains(source, "$")
		case strings.HasPrefix(w, "@"): // of bats
			for len(words) > 1 && words[0] != "{" {
				words = words[1:]
			}
			s.depth++
		case strings.HasSuffix(w, ")") && !strings.Contains(w, "("): // a pattern of case
		case opening.Has(w):
			s.depth++
		case closingWord.Has(w):
			s.depth--
		case keyword.Has(w):
		default:
			return s.canFail(words, source)
		}
		words = words[1:]
	}
	return false
}

func (s *shellReader) canFail(words []string, source string) bool {
	first := words[0]
	switch {
	case first == "exit" && s.depth <= 0:
		s.ended = true
		return false
	case comparing.Has(first):
		return atFiles.Get().MatchString(source)
	case harmless.Has(first):
		return false
	case strings.HasSuffix(first, "()"): // a function begins
		s.depth++
		return false
	case strings.Contains(first, "="):
		return strings.Contains(source, "$(") || strings.Contains(source, "`") || len(words) > 1
	}
	return true
}
