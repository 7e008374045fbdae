// Archive packs the output of make dist: an archive per platform, their checksums, the installer
// and the Homebrew formula. The same input gives the same bytes: names are sorted, times are the
// commit's, and no user is named.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// release describes what is packed.
type release struct {
	Version  string
	Releases string // the address of all releases; "" if unknown
	Archives []archive

	root, dist string
	date       time.Time
}

// archive is the archive of one platform.
type archive struct{ OS, Arch, Name, Sum string }

func main() {
	var r release
	var epoch int64
	flag.StringVar(&r.Version, "version", "", "the release")
	flag.StringVar(&r.Releases, "releases", "", "the address below which releases are published")
	flag.Int64Var(&epoch, "epoch", 0, "the time of every file, in seconds since 1970")
	flag.StringVar(&r.root, "root", ".", "the sources")
	flag.Parse()
	if r.Version == "" || strings.ContainsAny(r.Version, "/ ") || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: archive -version V [-releases URL] [-epoch SECONDS] FOLDER")
		os.Exit(2)
	}
	r.dist, r.date = flag.Arg(0), time.Unix(epoch, 0).UTC()
	if err := r.pack(); err != nil {
		fmt.Fprintln(os.Stderr, "packing:", err)
		os.Exit(1)
	}
}

// tree is where make dist leaves its output: bin/OS/ARCH/ and share/.
const tree = ".tree"

func (r *release) pack() error {
	builds, err := filepath.Glob(filepath.Join(r.dist, tree, "bin", "*", "*"))
	if err != nil || len(builds) == 0 {
		return fmt.Errorf("there are no programs in %s (%v); run make dist", filepath.Join(r.dist, tree), err)
	}
	slices.Sort(builds)
	for _, dir := range builds {
		a, err := r.packPlatform(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		r.Archives = append(r.Archives, a)
	}
	var sums strings.Builder
	for _, a := range r.Archives {
		fmt.Fprintf(&sums, "%s  %s\n", a.Sum, a.Name)
	}
	if err := os.WriteFile(filepath.Join(r.dist, "checksums.txt"), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	if err := r.writeInstaller(); err != nil {
		return err
	}
	return r.writeFormula()
}

// packPlatform packs the programs of a folder OS/ARCH with their shared files.
func (r *release) packPlatform(dir string) (archive, error) {
	a := archive{OS: filepath.Base(filepath.Dir(dir)), Arch: filepath.Base(dir)}
	stem := fmt.Sprintf("warp-%s-%s-%s", r.Version, a.OS, a.Arch)
	var files []file
	for _, from := range []struct{ at, path string }{
		{"bin", dir},
		{"share", filepath.Join(r.dist, tree, "share")},
		{"", filepath.Join(r.root, "LICENSE")},
		{"", filepath.Join(r.root, "README.md")},
	} {
		list, err := readFiles(from.path, path.Join(stem, from.at))
		if err != nil {
			return a, err
		}
		files = append(files, list...)
	}
	slices.SortFunc(files, func(x, y file) int { return strings.Compare(x.name, y.name) })
	write, ending := writeTar, ".tar.gz"
	if a.OS == "windows" {
		write, ending = writeZip, ".zip"
	}
	var b bytes.Buffer
	if err := write(&b, files, r.date); err != nil {
		return a, err
	}
	a.Name, a.Sum = stem+ending, fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
	return a, os.WriteFile(filepath.Join(r.dist, a.Name), b.Bytes(), 0o644)
}
