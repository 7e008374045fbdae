package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyWhatAPersonCanReadIsRead(t *testing.T) {
	root := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(root, ".claude"), 0o755), os.WriteFile(filepath.Join(root, "dev.json"), []byte("{}"), 0o644),
		os.WriteFile(filepath.Join(root, "large"), make([]byte, maxSize+1), 0o644)); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(filepath.Join(root, "dev.json")); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(filepath.Join(root, "large")); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	for _, name := range []string{"none", ".claude"} {
		if _, err := Read(filepath.Join(root, name)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if list := Files(root); len(list) != 1 || list[0] != filepath.Join(root, "dev.json") {
		t.Error(list)
	}
}
