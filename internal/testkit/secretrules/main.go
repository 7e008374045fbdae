// Command secretrules writes rules.json: the rules of one version of gitleaks, made ready for
// plain text, and ours of rules.toml. It reads gitleaks' configuration as a file, so
// that no build of warp depends on gitleaks, which brings 60 modules along for its
// archives, its commands and its reports. Run by make rules.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// configuration is gitleaks' file, as far as a text without a path needs it. An
// unknown key fails: it could be a condition that the matcher does not have.
type configuration struct {
	Title       string           `toml:"title"`
	MinVersion  string           `toml:"minVersion"`
	AllowList   *allowList       `toml:"allowlist"`
	AllowLists  []allowList      `toml:"allowlists"`
	Rules       []configuredRule `toml:"rules"`
	Description string           `toml:"description"`
}

type configuredRule struct {
	ID          string      `toml:"id"`
	Description string      `toml:"description"`
	Regex       string      `toml:"regex"`
	Path        string      `toml:"path"`
	SecretGroup int         `toml:"secretGroup"`
	Entropy     float64     `toml:"entropy"`
	Keywords    []string    `toml:"keywords"`
	Tags        []string    `toml:"tags"`
	AllowLists  []allowList `toml:"allowlists"`
}

type allowList struct {
	Description string   `toml:"description"`
	Condition   string   `toml:"condition"`
	Paths       []string `toml:"paths"`
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
}

// output is rules.json, which package secrets reads.
type output struct {
	Source string      `json:"source"`
	Allow  []exception `json:"allow"`
	Rules  []rule      `json:"rules"`
}

type rule struct {
	ID       string      `json:"id"`
	Regex    string      `json:"regex"`
	Group    int         `json:"group,omitempty"`
	Entropy  float64     `json:"entropy,omitempty"`
	Keywords []string    `json:"keywords"`
	Allow    []exception `json:"allow,omitempty"`
}

type exception struct {
	Whole bool     `json:"whole,omitempty"`
	Regex string   `json:"regex,omitempty"`
	Words []string `json:"words,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run takes the folder of the package and that of a downloaded gitleaks module.
func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: gen FOLDER GITLEAKS: the folder of package secrets, and of a gitleaks module")
	}
	folder, gitleaks := args[0], args[1]
	theirs, err := read(filepath.Join(gitleaks, "config", "gitleaks.toml"))
	if err != nil {
		return err
	}
	ours, err := read(filepath.Join(folder, "rules.toml"))
	if err != nil {
		return err
	}
	for i := range theirs.Rules {
		theirs.Rules[i].Regex = endAnywhere(theirs.Rules[i].Regex)
	}
	_, version, _ := strings.Cut(filepath.Base(gitleaks), "@")
	out, err := convert(append(theirs.Rules, ours.Rules...), append(theirs.AllowLists, *theirs.AllowList))
	if err != nil {
		return err
	}
	out.Source = "gitleaks " + version + ", MIT License, Copyright (c) 2019 Zachary Rice"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "rules.json"), b.Bytes(), 0o644)
}

func read(file string) (configuration, error) {
	var c configuration
	f, err := os.Open(file)
	if err != nil {
		return c, err
	}
	defer f.Close()
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(&c); err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func convert(rules []configuredRule, everywhere []allowList) (out output, err error) {
	if out.Allow, err = exceptions(everywhere); err != nil {
		return out, err
	}
	for _, r := range rules {
		// gitleaks takes prose between two marks for a key; privateKeys does not.
		// What needs a path never matches a text.
		if r.ID == "private-key" || r.Path != "" {
			continue
		}
		if len(r.Keywords) == 0 {
			return out, fmt.Errorf("rule %s has no keywords: it would be tried on every text", r.ID)
		}
		allow, err := exceptions(r.AllowLists)
		if err != nil {
			return out, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		out.Rules = append(out.Rules, rule{r.ID, anyLength(r.Regex), r.SecretGroup, r.Entropy, lower(r.Keywords), allow})
	}
	return out, nil
}

func exceptions(lists []allowList) (out []exception, err error) {
	for _, a := range lists {
		switch {
		// Exceptions for a whole line are for imports and for builds of images; on a
		// long line with many secrets they take minutes.
		case a.RegexTarget == "line":
			continue
		case a.Condition != "" && !strings.EqualFold(a.Condition, "or"):
			return nil, fmt.Errorf("an exception has the condition %q, which is not known", a.Condition)
		case len(a.Regexes)+len(a.StopWords) == 0:
			continue // paths alone
		}
		e := exception{Whole: a.RegexTarget == "match", Words: lower(a.StopWords)}
		if len(a.Regexes) > 0 {
			// As gitleaks joins them: a flag of one holds for those behind it.
			e.Regex = anyLength("(?:" + strings.Join(a.Regexes, "|") + ")")
		}
		out = append(out, e)
	}
	return out, nil
}

// lower returns words in lower case, each once.
func lower(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, strings.ToLower(w))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// anyLength lets names of values be of any length: to count to 50 at each letter of a
// text takes half of the time.
func anyLength(regex string) string { return strings.ReplaceAll(regex, `[\w.-]{0,50}?`, `[\w.-]*?`) }

// endAnywhere lets a token that is known by its own beginning end at any sign. gitleaks
// wants a quote or a space behind it, as in sources; in what people and agents write
// there is a full stop, a bracket or an escaped quote.
func endAnywhere(regex string) string {
	const inSource, anywhere = `(?:[\x60'"\s;]|\\[nr]|$)`, `(?:[^\w-]|$)`
	if body, ok := strings.CutSuffix(regex, inSource); ok && strings.HasPrefix(strings.TrimPrefix(regex, "(?i)"), `\b(`) {
		return body + anywhere
	}
	return regex
}
