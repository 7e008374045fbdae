package initcmd

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
)

const hookProgram = "warp-hook"

// program is the program that hooks run.
type program struct {
	command string // in shell syntax
	path    string // absolute path
	note    string
}

// findProgram looks for warp-hook in PATH, then in the folder of the running warp.
func findProgram(look func(string) (string, error), self func() (string, error)) (program, error) {
	if path, err := look(hookProgram); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return program{command: hookProgram, path: path}, nil
		}
	}
	warp, err := self()
	if err != nil {
		return program{}, fmt.Errorf("looking for %s: %w", hookProgram, err)
	}
	path := filepath.Join(filepath.Dir(warp), hookProgram+strings.ToLower(filepath.Ext(warp)))
	if found, err := exec.LookPath(path); err == nil {
		return program{quoteWord(filepath.ToSlash(found)), found,
			fmt.Sprintf("%s is not in PATH: the hooks use its absolute path, which works on this machine only; add %s to PATH and run warp init again", hookProgram, filepath.Dir(found))}, nil
	}
	return program{}, errors.New("there is no " + hookProgram + ", neither in PATH nor beside warp: install both programs (make install), then run warp init again")
}

func quoteWord(s string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-"
	if s != "" && strings.Trim(s, safe) == "" && !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(safe, r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// runsOurs reports whether a command line runs our hook program and nothing else: bare, by path,
// quoted, as warp hook, or with the test for its existence.
func runsOurs(command string) bool {
	if program, ok := askedProgram(command); ok {
		command = program
	}
	words, simple := text.ShellWords(command)
	if !simple || len(words) == 0 {
		return false
	}
	switch programName(words[0]) {
	case hookProgram:
		return true
	case "warp":
		return len(words) > 1 && words[1] == "hook"
	}
	return false
}

func programName(path string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(path), ".exe")
}
