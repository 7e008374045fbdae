package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// file is a file in an archive.
type file struct {
	name string
	text []byte
	mode fs.FileMode
}

// readFiles reads a file, or all files of a folder, for a folder in the archive. Only programs are
// executable, whatever the machine's umask did.
func readFiles(from, at string) (list []file, err error) {
	err = filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f := file{mode: 0o644}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if rel == "." { // from is a file
			rel = filepath.Base(name)
		}
		f.name = path.Join(at, filepath.ToSlash(rel))
		if path.Base(at) == "bin" {
			f.mode = 0o755
		}
		f.text, err = os.ReadFile(name)
		list = append(list, f)
		return err
	})
	return list, err
}

func writeTar(to io.Writer, files []file, date time.Time) error {
	zipped := gzip.NewWriter(to) // without a name or a time
	w := tar.NewWriter(zipped)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Format: tar.FormatUSTAR, Name: f.name, Size: int64(len(f.text)), Mode: int64(f.mode), ModTime: date}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func writeZip(to io.Writer, files []file, date time.Time) error {
	w := zip.NewWriter(to)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		entry, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.text); err != nil {
			return err
		}
	}
	return w.Close()
}
