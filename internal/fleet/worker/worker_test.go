package worker

import (
	"os"
	"strings"
	"testing"
)

func TestAgentsDoNotGetWhatIsTheWorkersOwn(t *testing.T) {
	w := &Worker{Secrets: t.TempDir(), Environ: []string{"HOME=/h", "TEMPORAL_API_KEY=k", "TEMPORAL_TLS_CLIENT_KEY_DATA=k", "WARP_FLEET_HOME=/f", "WARP_FLEET_KEY=k"}}
	if err := os.WriteFile(AccountFile(w.Secrets, "max/1"), []byte("# mine\nTOKEN=a=b\n\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(AccountFile(w.Secrets, "broken"), 0o700); err != nil {
		t.Fatal(err)
	}
	for account, want := range map[string]string{"": "HOME=/h", "none": "HOME=/h", "max/1": "HOME=/h TOKEN=a=b", "max-1": "HOME=/h TOKEN=a=b"} {
		if got, err := w.accountEnv(account); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v", account, got, err)
		}
	}
	if got, err := w.accountEnv("broken"); err == nil {
		t.Errorf("the worker's own account pays: %q", got)
	}
	if len(w.Environ) != 5 {
		t.Errorf("the worker's own environment was changed: %q", w.Environ)
	}
}
