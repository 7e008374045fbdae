package worker

import (
	"os"
	"slices"
	"testing"
)

func TestAgentsDoNotGetWhatIsTheWorkersOwn(t *testing.T) {
	w := &Worker{Secrets: t.TempDir(), Environ: []string{"HOME=/h", "TEMPORAL_API_KEY=k", "TEMPORAL_TLS_CLIENT_KEY_DATA=k", "WARP_FLEET_HOME=/f"}}
	if err := os.WriteFile(AccountFile(w.Secrets, "max"), []byte("# mine\nTOKEN=a=b\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.accountEnv(""); !slices.Equal(got, []string{"HOME=/h"}) {
		t.Errorf("%q", got)
	}
	if got := w.accountEnv("max"); !slices.Equal(got, []string{"HOME=/h", "TOKEN=a=b"}) {
		t.Errorf("%q", got)
	}
	if len(w.Environ) != 4 {
		t.Errorf("the worker's own environment was changed: %q", w.Environ)
	}
}
