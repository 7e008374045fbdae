package docs

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// checkGo accepts a file, declarations, statements, the members of a literal, a
// type or an interface, signatures, and any of these one after the other.
func checkGo(text string) error {
	err := checkFragment(text)
	if err == nil || goPlaceholder(text) {
		return nil
	}
	for _, piece := range goPieces(text) {
		if checkFragment(piece) != nil && signatures(piece) != nil {
			return err
		}
	}
	return nil
}

// goPlaceholder tells whether something stands in <brackets>.
func goPlaceholder(text string) bool {
	_, rest, ok := strings.Cut(text, "<")
	inside, _, closed := strings.Cut(rest, ">")
	return ok && closed && inside != "" && !strings.ContainsAny(inside, "\n-=;&|")
}

// goPieces cuts code where a statement or declaration ends.
func goPieces(text string) []string {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var all []string
	depth, from := 0, 0
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.SEMICOLON:
			if at := min(file.Offset(pos), len(text)); depth == 0 && lit == "\n" {
				all = append(all, text[from:at])
				from = at
			}
		case token.EOF:
			return append(all, strings.TrimLeft(text[from:], ";"))
		}
	}
}

func checkFragment(text string) error {
	wraps := [][2]string{{"package p\nfunc _() {\n", "\n}"}, {"package p\nvar _ = T{\n", "\n}"}, {"package p\nvar _ = T{\n", ",\n}"}, {"package p\ntype _ struct {\n", "\n}"}, {"package p\ntype _ interface {\n", "\n}"}, {"package p\n", ""}, {"", ""}}
	body := strings.TrimSpace(text)
	for _, word := range []string{"func ", "type ", "var ", "const ", "import "} {
		if strings.HasPrefix(body, word) {
			wraps[0], wraps[5] = wraps[5], wraps[0] // its error tells more
		}
	}
	if strings.HasPrefix(body, "package ") {
		wraps[0], wraps[6] = wraps[6], wraps[0]
	}
	var first error
	for _, around := range wraps {
		_, err := parser.ParseFile(token.NewFileSet(), "", around[0]+strings.TrimLeft(text, ";")+around[1], parser.SkipObjectResolution)
		if err == nil {
			return nil
		}
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
			err = &lineError{list[0].Pos.Line - strings.Count(around[0], "\n"), list[0].Msg}
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// signatures accepts lines such as cmd.SetHelp(f func(string)), as references
// write them.
func signatures(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		name, rest, ok := strings.Cut(line, "(")
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc "+name[strings.LastIndexByte(name, '.')+1:]+"("+rest, parser.SkipObjectResolution); !ok || err != nil {
			return errors.New("it is no signature")
		}
	}
	return nil
}
