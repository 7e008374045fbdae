package command

import (
	"strings"

	"warp/internal/core/text"
)

// plainPrograms are programs that change nothing that a guard looks at, whatever
// their arguments are; what they run themselves no parser sees.
var plainPrograms = text.WordSet{List: `ls cat head tail wc grep rg echo printf pwd true false test cut tr diff cmp jq stat file du df date which basename
 dirname realpath go gofmt cargo rustc make npm yarn pnpm tsc eslint prettier jest vitest pytest ruff mypy mvn gradle gcc clang cmake ctest`}

// ordinary tells whether a command line is nothing but plain programs with plain
// words: no expansion, no quotes, no redirection, nothing about git. Most are,
// and the parser need not be asked.
func ordinary(text string) bool {
	if len(text) > 4096 || guardedWord(text) || strings.ContainsFunc(text, isSpecial) {
		return false
	}
	for command := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("\n;|&", c) }) {
		for i, word := range strings.Fields(command) {
			// Text for an interpreter, and options that name a program.
			runs := word == "-c" || word == "-e" || word[0] == '-' && strings.Contains(word, "exec")
			if i == 0 && !plainPrograms.Has(word) || runs {
				return false
			}
		}
	}
	return true
}

// isSpecial tells a character that a shell may take for more than itself.
func isSpecial(c rune) bool {
	return c >= 0x80 || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) && !strings.ContainsRune("_-./:,@%+ \t\n;|&", c)
}

// guardedWord tells whether a text could be about git, or about what is guarded.
func guardedWord(text string) bool {
	return mentionsGit(text) || containsAny(text, "warp", "claude", "codex", "gemini", "refs", "hooks")
}
