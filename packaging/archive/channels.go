package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// unset is the line of install.sh with the address of the releases: only a release knows it.
const unset = "releases=''\n"

// writeInstaller writes install.sh with the address of the releases.
func (r *release) writeInstaller() error {
	text, err := os.ReadFile(filepath.Join(r.root, "install.sh"))
	if err != nil {
		return err
	}
	if strings.Count(string(text), unset) != 1 {
		return fmt.Errorf("install.sh has no line %q", unset)
	}
	if strings.ContainsAny(r.Releases, "'\n") {
		return fmt.Errorf("the address of the releases, %q, cannot be quoted", r.Releases)
	}
	filled := strings.Replace(string(text), unset, "releases='"+r.Releases+"'\n", 1)
	return os.WriteFile(filepath.Join(r.dist, "install.sh"), []byte(filled), 0o755)
}

// writeFormula writes the Homebrew formula, which needs the address of the archives.
func (r *release) writeFormula() error {
	if r.Releases == "" {
		fmt.Println("no Homebrew formula: it names where archives are published; set RELEASES=https://HOST/OWNER/REPO/releases")
		return nil
	}
	t, err := template.ParseFiles(filepath.Join(r.root, "packaging", "homebrew", "warp.rb.tmpl"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dist, "warp.rb"), b.Bytes(), 0o644)
}

// Home returns the project's page.
func (r *release) Home() string { return strings.TrimSuffix(r.Releases, "/releases") }

// Number returns the version as Homebrew writes it.
func (r *release) Number() string { return strings.TrimPrefix(r.Version, "v") }

// For returns the archives of an operating system.
func (r *release) For(system string) (list []archive) {
	for _, a := range r.Archives {
		if a.OS == system {
			list = append(list, a)
		}
	}
	return list
}

// Brewed returns Homebrew's name of the processor.
func (a archive) Brewed() string {
	return map[string]string{"amd64": "intel", "arm64": "arm"}[a.Arch]
}
