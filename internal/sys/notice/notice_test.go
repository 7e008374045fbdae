package notice_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"warp/internal/sys/notice"
)

func TestAChangeIsNoticed(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	w := notice.New()
	defer w.Close()
	w.Set([]string{dir, filepath.Join(dir, "absent")})
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !w.Wait(t.Context()) {
		t.Error("it was not noticed")
	}
	w.Set([]string{other})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for w.Wait(ctx) { // what was noticed before
	}
}
