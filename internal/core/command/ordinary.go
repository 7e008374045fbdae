package command

import "strings"

// plainPrograms are programs that change nothing that a guard looks at, whatever
// their arguments are; what they run themselves no parser sees.
const plainPrograms = " ls cat head tail wc grep rg echo printf pwd true false test cut tr diff cmp jq stat file du df date which basename dirname realpath" +
	" go gofmt cargo rustc make npm yarn pnpm tsc eslint prettier jest vitest pytest ruff mypy mvn gradle gcc clang cmake ctest "

// ordinary tells whether a command line is nothing but plain programs with plain
// words: no expansion, no quotes, no redirection, nothing about git. Most are,
// and the parser need not be asked.
func ordinary(text string) bool {
	if len(text) > 4096 || guardedWord(text) {
		return false
	}
	first := true
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '\n' || c == ';' || c == '|' || c == '&':
			first = true
			i++
		case !plainByte(c):
			return false
		default:
			from := i
			for i < len(text) && plainByte(text[i]) {
				i++
			}
			word := text[from:i]
			if first && (word[0] == '-' || !strings.Contains(plainPrograms, " "+word+" ")) {
				return false
			}
			// Text for an interpreter, and options that name a program.
			if !first && word[0] == '-' && (word == "-c" || word == "-e" || strings.Contains(word, "exec")) {
				return false
			}
			first = false
		}
	}
	return true
}

// plainByte tells a byte that a shell takes as it is, wherever it stands.
func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./:,@%+", c) >= 0
}

// guardedWord tells whether a text could be about git, or about what is guarded.
func guardedWord(text string) bool {
	return mentionsGit(text) || containsAny(text, "warp", "claude", "codex", "gemini", "refs", "hooks")
}
