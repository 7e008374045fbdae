package claim

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// everything is the glob of all paths.
const everything = "**"

// Overlap reports whether two lists of paths and globs may name a common file. It errs on the safe
// side: an empty list is everything, a path without a file's extension includes everything below
// it, case is ignored, and classes and alternatives match whatever they may.
func Overlap(a, b []string) bool {
	_, overlap := shared(a, b)
	return overlap
}

// Covers reports whether a path is within a claim, read as narrowly as Overlap reads it widely:
// case matters.
func Covers(claimed []string, file string) bool {
	if len(claimed) == 0 {
		return true
	}
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	return slices.ContainsFunc(claimed, func(glob string) bool {
		segments, all := split(glob)
		return all || meets(segments, strings.Split(file, "/"), false)
	})
}

// shared returns the first glob of a list that overlaps with another list.
func shared(a, b []string) (glob string, overlap bool) {
	if len(a) == 0 || len(b) == 0 {
		return "", true
	}
	for _, x := range a {
		for _, y := range b {
			if overlaps(x, y) {
				return x, true
			}
		}
	}
	return "", false
}

func overlaps(a, b string) bool {
	x, all := split(strings.ToLower(a))
	y, too := split(strings.ToLower(b))
	return all || too || meets(x, y, true)
}

// split returns the segments of a glob. One that leads out of the project, or names its root, is
// everything.
func split(glob string) (segments []string, all bool) {
	glob = path.Clean(strings.ReplaceAll(strings.TrimSpace(glob), `\`, "/"))
	if glob == "." || glob == ".." || strings.HasPrefix(glob, "../") || strings.HasPrefix(glob, "/") {
		return nil, true
	}
	segments = strings.Split(glob, "/")
	for i, s := range segments {
		if strings.Contains(s, "**") && s != everything {
			segments[i] = everything // some tools let it cross folders there too
		}
		if open := strings.IndexAny(s, "{}"); open >= 0 {
			return append(segments[:i], everything), false // alternatives may contain slashes
		}
	}
	return segments, false
}

// endings are file extensions that no folder has: nothing is below them.
var endings = text.WordSet{List: `go mod sum js jsx ts tsx mjs cjs mts cts py pyi rs java kt kts rb cs php swift sh bash c cc cpp cxx h hpp m mm scala
 groovy ex exs erl hs lua pl dart fs vb jl zig ml vue svelte sql css scss less html htm xml json jsonl yaml yml toml ini cfg lock md rst txt csv
 proto graphql gradle properties tf svg png`}

func isFile(segments []string) bool {
	last := segments[len(segments)-1]
	dot := strings.LastIndexByte(last, '.')
	return dot > 0 && endings.Has(strings.ToLower(last[dot+1:]))
}

// meets reports whether two sequences of segments can name one path, or one a path below the other.
// A path below the second only counts if both are globs: a file in a claim does not contain the
// claim.
func meets(a, b []string, both bool) bool {
	belowA, belowB := !isFile(a), both && !isFile(b)
	// can[i][j]: a from i and b from j meet.
	can := make([][]bool, len(a)+1)
	for i := len(a); i >= 0; i-- {
		can[i] = make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				can[i][j] = true
			case i == len(a):
				can[i][j] = belowA || b[j] == everything && can[i][j+1]
			case j == len(b):
				can[i][j] = belowB || a[i] == everything && can[i+1][j]
			case a[i] == everything || b[j] == everything:
				can[i][j] = can[i+1][j] || can[i][j+1]
			default:
				can[i][j] = can[i+1][j+1] && alike(loosen(a[i]), name(b[j], both))
			}
		}
	}
	return can[0][0]
}

// name returns the second of two segments: a glob among globs, else a literal file name.
func name(segment string, glob bool) []rune {
	if glob {
		return loosen(segment)
	}
	return []rune(segment)
}

// alike reports whether two segments can match one name.
func alike(x, y []rune) bool {
	next := make([]bool, len(y)+1)
	for i := len(x); i >= 0; i-- {
		row := make([]bool, len(y)+1)
		for j := len(y); j >= 0; j-- {
			switch {
			case i == len(x) && j == len(y):
				row[j] = true
			case i < len(x) && x[i] == '*':
				row[j] = next[j] || j < len(y) && row[j+1]
			case j < len(y) && y[j] == '*':
				row[j] = row[j+1] || i < len(x) && next[j]
			case i < len(x) && j < len(y):
				row[j] = next[j+1] && (x[i] == y[j] || x[i] == '?' || y[j] == '?')
			}
		}
		next = row
	}
	return next[0]
}

// loosen returns a segment with its classes replaced by stars.
func loosen(s string) []rune {
	var out []rune
	for rest := s; rest != ""; {
		before, after, class := strings.Cut(rest, "[")
		out = append(out, []rune(before)...)
		if !class {
			break
		}
		out = append(out, '*')
		end := strings.LastIndexByte(after, ']')
		if end < 0 {
			break // one that never ends may match anything
		}
		rest = after[end+1:]
	}
	return out
}
