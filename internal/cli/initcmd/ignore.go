package initcmd

import (
	"fmt"

	"warp/internal/core/gitignore"
)

const ignoreFile = ".gitignore"

// ignore plans .gitignore; want is false when the block is taken away.
func (p *plan) ignore(want bool) error {
	return p.edit(ignoreFile, func(text []byte) ([]byte, error) {
		var lines []string
		if want {
			lines = gitignore.Lines
		}
		out, err := gitignore.Put(ignoreFile, string(text), lines)
		if err != nil {
			return nil, err
		}
		if line := gitignore.IgnoresAll(string(text)); want && line > 0 {
			p.once(fmt.Sprintf("%s: line %d ignores all of .claude, so settings.json, commands and skills do not reach your team", ignoreFile, line))
		}
		result := []byte(out)
		switch {
		case out == string(text):
			result = text // nil where there is no file
		case out == "":
			result = nil // nothing but the block was in it
		}
		return p.account(ignoreFile, text, result, !want, func(text []byte) []byte {
			bare, err := gitignore.Put(ignoreFile, string(text), nil)
			if err != nil {
				return text
			}
			return []byte(bare)
		}), nil
	})
}
