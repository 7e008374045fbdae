package redact

import (
	"strings"
	"testing"
)

func TestSecretsOfTheEnvironment(t *testing.T) {
	for name, hidden := range map[string]bool{
		"GITHUB_TOKEN": true, "ANTHROPIC_AUTH_TOKEN": true, "ANTHROPIC_API_KEY": true, "AWS_SECRET_ACCESS_KEY": true, "AWS_ACCESS_KEY_ID": true,
		"CLIENT_SECRET": true, "SECRET_BASE": true, "PGPASSWORD": true, "DB_PASSWORD_2": true, "npm_config__authToken": true, "OPENAI_APIKEY": true,
		"DB_PASS": true, "SMTP_PWD": true, "SENTRY_DSN": true, "SIGNING_KEY": true, "LDAP_PW": true, "GPG_PASSPHRASE": true, "CI_JWT": true, "API_KEY_2": true, "GITHUB_TOKEN2": true,
		"SLACK_WEBHOOK": true, "AZURE_CREDS": true, "TOKEN_GITHUB": true, "SESSION_COOKIE": true, "AZURE_STORAGE_CONNECTION_STRING": true, "db.password": true,
		"PWD": false, "OLDPWD": false, "GIT_ASKPASS": false, "SSH_AUTH_SOCK": false, "MAX_TOKENS": false, "COMPASS": false, "AUTH_TYPE": false, "TOKEN_URL": false, "KEY": false,
		"PATH": false, "HOME": false, "KEYBOARD": false, "TOKENIZER": false, "MONKEY": false, "PASSWORD_STORE_DIR": false, "GITHUB_TOKEN_FILE": false, "EDITOR": false,
	} {
		r := New([]string{"A=b", name + "=v4lue-of-it", "EMPTY_TOKEN=", "broken"})
		got := r.String("before v4lue-of-it, after v4lue-of-it.")
		if want := "before " + Mark + ", after " + Mark + "."; hidden != (got == want) || !hidden && got != "before v4lue-of-it, after v4lue-of-it." {
			t.Errorf("%s: %s", name, got)
		}
		if b := string(r.Bytes([]byte("before v4lue-of-it, after v4lue-of-it."))); b != got {
			t.Errorf("%s: as bytes %s", name, b)
		}
	}
}

func TestWhatIsShortIsNoSecret(t *testing.T) {
	r := New([]string{"A_TOKEN=true", "B_TOKEN=1234567", "C_TOKEN=12345678"})
	if got := r.String("true 1234567 12345678"); got != "true 1234567 "+Mark {
		t.Error(got)
	}
}

func TestHoweverItIsSpelled(t *testing.T) {
	r := New([]string{"A_TOKEN=" + `a"b\c<d>&e` + "\t1", "B_KEY=-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n",
		"DATABASE_URL=postgres://user:p4ss:w@rd9@db.example/x?y=1", "HTTP_PROXY=http://proxy.example:8080/a-path@b",
		"MY=app:p4ss-of-mysql@tcp(db:3306)/x", "PG=host=db user=app password='p4ss-of-pg' sslmode=off", "MS=Server=db;User Id=sa;Password=p4ss-of-ms;"})
	for text, want := range map[string]string{
		`x a"b\c<d>&e` + "\t1 y":                                   "x " + Mark + " y",
		`{"t":"a\"b\\c<d>&e\t1"}`:                                  `{"t":"` + Mark + `"}`,
		`{"t":"a\"b\\c\u003cd\u003e\u0026e\t1"}`:                   `{"t":"` + Mark + `"}`,
		"MIIEvQIBADANBg":                                           Mark,
		`"-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----"`: `"` + Mark + `"`,
		"p4ss-of-mysql, p4ss-of-pg, p4ss-of-ms":                    Mark + ", " + Mark + ", " + Mark,
		"with p4ss:w@rd9 in it":                                    "with " + Mark + " in it",
		"http://proxy.example:8080/a-path@b db.example":            "http://proxy.example:8080/a-path@b db.example",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// One secret within another is not left half.
func TestTheLongestFirst(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefgh", "B_TOKEN=abcdefgh-ijkl"})
	if got := r.String("abcdefgh-ijkl abcdefgh"); got != Mark+" "+Mark {
		t.Error(got)
	}
}

func TestADetectorAddsToWhatIsKnown(t *testing.T) {
	r := New(nil)
	r.Find = func(s string) []string {
		if strings.Contains(s, "sk-1") {
			return []string{"sk-1", ""}
		}
		return nil
	}
	if got := r.String("a sk-1 b"); got != "a "+Mark+" b" {
		t.Error(got)
	}
	if got := string(r.Bytes([]byte("a sk-1 b"))); got != "a "+Mark+" b" {
		t.Error(got)
	}
}

func TestNobodyHidesNothing(t *testing.T) {
	var r *Redactor
	if got := r.String("x") + string(r.Bytes([]byte("y"))); got != "xy" {
		t.Error(got)
	}
}

// A line without secrets costs no memory, however long the stream is.
func TestALineWithoutSecretsIsNotCopied(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefgh", "B_TOKEN=ijklmnop"})
	line := []byte(strings.Repeat("nothing to hide ", 100))
	text := string(line)
	if n := testing.AllocsPerRun(100, func() { r.Bytes(line); _ = r.String(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
