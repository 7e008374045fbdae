# make demo   the main job, on an embedded default
# make test   installs what the tests need, then make check
.DEFAULT_GOAL := build
SHELL := /bin/bash -o pipefail

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X warp/internal/cli/app.Version=$(VERSION)
GOBUILD := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'
PROGRAMS := ./cmd/warp ./cmd/warp-net ./cmd/warp-ui ./cmd/warp-fleet ./cmd/warp-hook
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
DIST ?= dist
# Where releases are published, as far as the clone knows: https://HOST/OWNER/REPO/releases.
RELEASES ?= $(shell scripts/releases)
# The time of what is packed: the same commit gives the same bytes.
EPOCH = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)
ifeq ($(origin PREFIX),undefined)
PREFIX = $(firstword $(subst :, ,$(shell go env GOPATH)))
BINDIR ?= $(or $(shell go env GOBIN),$(PREFIX)/bin)
endif
BINDIR ?= $(PREFIX)/bin
NOT_RUN := $(CURDIR)/bin/not-run.txt
TESTED := $(CURDIR)/bin/tested.txt
# What runs programs and real agents takes longest. How much of them that covers is not asked.
# WAITING waits for agents that start slowly, and for one that hangs, more than it computes.
WAITING = $(addprefix warp/,internal/adapter/agent/claude e2e) \
  $(addprefix warp/internal/,adapter/agent/gemini adapter/agent/codex testkit/gemini testkit/codex)
LONG = $(addprefix warp/,internal/cli trial crash internal/cli/recover fleets redteam browser sweep internal/cli/democmd internal/cli/initcmd)
# The longest of the others.
FIRST = $(addprefix warp/internal/engine/policy/,workflow drive)
PROGRAMS_OF_TESTS := $(CURDIR)/bin/tests
# Without paths in it, clones and targets share what was compiled.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)
# lint has vetted the code already; temporary files in memory halve the time. The heaps of the
# tests are small, and collected again and again: a tenth of their time, less with GOGC. Where
# NODE_EXTRA_CA_CERTS is set, Node.js reads all certificates at each of its starts, which makes
# them four times as dear; no test talks to another machine. A python3 of pyenv starts eight
# shells before it starts Python.
PYTHON = $(shell python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null)
TEST = PATH="$(addsuffix :,$(PYTHON))$$PATH" GOGC=400 NODE_EXTRA_CA_CERTS= WARP_NOT_RUN=$(NOT_RUN) WARP_TEST_PROGRAMS=$(PROGRAMS_OF_TESTS) scripts/in-memory go test -timeout 45m -vet=off -ldflags '-s -w' -shuffle=on
# What runs goroutines side by side, beside the stages of sessions and those who wait for a
# lock; make race has the race detector look at all the others as well. The rest is pure
# (core), starts programs, or dies at each of a thousand points, one after the other (durable).
# SIDE names those of sessions, which are run with the race detector alone.
SIDE := AtOnce|Branch|Claim
SESSIONS := warp/internal/engine/policy/session
RACED = $(shell go list ./internal/... | grep -E '^warp/internal/(sys/proc|sys/gateway|engine/(agent|mind|notify|step)|ui/live)$$')

.PHONY: fleet fleets fleet-cluster fleet-howto random build demo test test-gitea check lint run run-waiting run-long run-short run-raced race cover bench sweep crash trial agents redteam fuzz install dist vet-platforms docs picture screenshots rules clean

build: ## the binaries into bin/
	@scripts/modules
	$(GOBUILD) -o bin/ $(PROGRAMS)

demo: build ## drive a requirement from issue to merged, in a throw-away repository
	@bin/warp demo

test: ## install what the tests need, then check
	@scripts/setup
	@$(MAKE) --no-print-directory check

check: run cover ## what CI runs

lint: ## format, vet, staticcheck, generated files, other systems
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	  if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi
	go vet -tags nosqlite ./...
	go tool staticcheck -tags nosqlite ./...
	go run ./docs/gen -check
	go run ./internal/testkit/exports
	go run ./internal/testkit/deadcode
	go run ./internal/testkit/platforms darwin windows

run: ## lint, and every test, in random order; with the race detector where goroutines are
	@mkdir -p bin && : > $(NOT_RUN) && : > $(TESTED)
	CGO_ENABLED=0 go build -ldflags '-s -w' -o $(PROGRAMS_OF_TESTS)/ ./cmd/warp ./cmd/warp-hook ./cmd/warp-fleet ./cmd/warp-ui ./internal/testkit/standin/warp-net
	@$(MAKE) --no-print-directory -j5 run-waiting run-long lint run-short run-raced
	@if [ -s $(NOT_RUN) ]; then echo "NOT RUN here: $$(wc -l < $(NOT_RUN))"; sort $(NOT_RUN) | sed 's/^/  /'; else echo "NOT RUN here: 0"; fi

# Beside each other, so that no processor waits for the last of a kind: the longest begin first.
# Without cgo the tests share what was compiled for the programs.
run-waiting run-long run-short lint: export CGO_ENABLED := 0
lint: export GOGC := 400
run-waiting:
	$(TEST) -p 2 -parallel 4 $(WAITING)

run-long:
	$(TEST) -p 2 -parallel 2 $(LONG)

run-short:
	$(TEST) -p 2 -cover $(FIRST) $(filter-out $(RACED) $(WAITING) $(LONG) $(SESSIONS) $(FIRST),$(shell go list ./...)) | tee -a $(TESTED)

run-raced:
	$(TEST) -p 1 -race -cover $(RACED) | tee -a $(TESTED)
	$(TEST) -race -run '$(SIDE)' $(SESSIONS)
	CGO_ENABLED=0 $(TEST) -cover -skip '$(SIDE)' $(SESSIONS) | tee -a $(TESTED)
	$(TEST) -race -run 'AtOnce|Creates|Keep|Lock|Others|Readers|Wait' ./internal/durable

race: ## the race detector on everything that has goroutines (minutes)
	go test -race -shuffle=on $$(go list ./internal/... | grep -E '^warp/internal/(durable|sys|adapter|engine|hook|turnstile|ui)(/|$$)')

cover: ## coverage by package, as the last run found it: core and durable at least 90%, engines and turnstile 75%
	@scripts/cover 90 75 $(TESTED)

bench: build ## the figures, as ratios within one run
	go run ./bench

FLEET ?= -slots 100 -requirements 1000
fleet: build ## what a fleet costs beside its drives, how it scales, whether its simulation is true (20 minutes; FLEET='-slots 10 -workers 2 -requirements 50' for less)
	go run ./bench fleet $(FLEET)

test-gitea: ## the trackers' suite and a night of a fleet against a real Gitea, built once (minutes)
	@scripts/gitea

# The production server, which is built once (minutes) and kept in the user's cache.
TEMPORAL := 1.32.1
fleets: ## nights of 30 requirements at both levels, with workers, server and cables that die at random (half an hour)
	WARP_SWEEP=1 go test -count=1 -timeout 60m -run TestAStormyNight -v ./fleets

fleet-cluster: ## a night of 200 on Temporal's production server: two nodes on PostgreSQL, one killed (minutes)
	@nice -n 15 scripts/program temporal-server $(TEMPORAL) go.temporal.io/server go.temporal.io/server/cmd/server 0
	@nice -n 15 scripts/program temporal-sql-tool $(TEMPORAL) go.temporal.io/server go.temporal.io/server/cmd/tools/sql 0
	WARP_CLUSTER=1 go test -count=1 -timeout 40m -run TestANightOnACluster -v ./fleets

sweep: build ## every crash, error, power and concurrency point; prints the table of docs/explanation/durability.md
	WARP_SWEEP=1 go test -count=1 -timeout 60m -p 1 -v ./sweep ./internal/durable | scripts/table
	WARP_SWEEP=1 go test -count=1 -timeout 60m -run TestNothingHangsOnOddFiles ./internal/cli

crash: ## every point at which an engine can die, and kill -9 after every point of whole drives; prints the matrix (minutes)
	WARP_SWEEP=1 go test -count=1 -timeout 60m -run 'Dies|Killed|Crash|TestACompleteSessionLands|TestManyIterations' ./internal/engine/policy/...
	WARP_SWEEP=1 go test -count=1 -timeout 180m -v ./crash | scripts/matrix
	WARP_SWEEP=1 go test -count=1 -timeout 60m ./internal/cli/recover

random: ## random workflows of up to 60 tasks, with agents that break, lie, edit and crash (minutes)
	WARP_SWEEP=1 go test -count=1 -timeout 120m -run 'TestRandomWorkflows|TestRandomGraphs|TestRePlansAreBounded|TestACrashIsNoAntipattern|TestTheMergeTargetIsLost|TestSmallGraphs|TestConflicts|TestSecretsWithoutASupervisor|TestUnreadable|TestAgentsThatMisbehave|TestAResetOfTheStateFolder' -v ./internal/engine/policy/workflow | grep -E '^ *(---|ok|FAIL)'

trial: ## every misdeed of an agent in every way to run one, and every row of the other trials; prints the table of docs/explanation/trial.md (minutes)
	WARP_MATRIX=1 go test -count=1 -timeout 60m -parallel 5 -v ./trial | scripts/trial-table

agents: ## all that make test has a sample of: each real agent's behaviours and sandboxes, each example, each screen (minutes)
	WARP_MATRIX=1 go test -count=1 -timeout 60m -p 1 -run 'TestConformance|TestAnHourOf529|TestRealAgents|TestARequirementIsDriven|TestAMisbehavingModel|TestWhatTheParserCannotSee|TestASecondSession|TestACloneWithoutWarp|TestClaudeCodeWorksThroughAWorkflow|TestALimitOfAWorkflow|TestAQuestion|TestLoopAndWorkflow|TestExamples|TestANight|TestManagersOfHooks|TestADriveIsGuarded|Gemini|TestWhatStopsACommand|TestWhereHooksAreFound|TestClaudeCodeObeysTheRules' -v ./internal/adapter/agent/... ./internal/testkit/codex ./internal/testkit/gemini ./internal/cli/initcmd ./e2e ./browser | grep -E '^ *(---|ok|FAIL)|_test.go'

redteam: ## every trick of a hostile agent, contained and not; writes and prints the tables of docs/explanation/security.md (under an hour)
	@WARP_REDTEAM=1 go test -count=1 -timeout 60m -parallel 5 ./redteam; failed=$$?; \
	  sed -n '/^<!-- Generated by make redteam/,/^<!-- The end/p' docs/explanation/security.md; exit $$failed

fleet-howto: ## follow docs/how-to/fleet.md in network namespaces (Linux, root; minutes)
	WARP_HOWTO=1 go test -count=1 -timeout 10m -v -run TestTheHowTo ./fleets

fuzz: ## every fuzz target for FUZZTIME each
	@scripts/fuzz $${FUZZTIME:-30s}

install: ## programs, man pages and completions below PREFIX: $(go env GOPATH), or GOBIN for the programs
	$(GOBUILD) -o $(BINDIR)/ $(PROGRAMS)
	@go run ./packaging/share -version '$(VERSION)' -epoch $(EPOCH) $(PREFIX)/share || \
	  echo "warp itself is installed in $(BINDIR); 'warp completion --help' says how to load completions"

dist: vet-platforms ## archives for six platforms, checksums, installer and Homebrew formula into dist/
	@rm -rf $(DIST)/.tree $(DIST)/warp-*
	@go run ./packaging/share -version '$(VERSION)' -epoch $(EPOCH) $(DIST)/.tree/share
	@set -e; for platform in $(PLATFORMS); do echo "$$platform"; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GOBUILD) -o $(DIST)/.tree/bin/$$platform/ $(PROGRAMS); done
	@go run ./packaging/archive -version '$(VERSION)' -releases '$(RELEASES)' -epoch $(EPOCH) $(DIST)
	@rm -rf $(DIST)/.tree
	@cat $(DIST)/checksums.txt

vet-platforms:
	@set -e; for platform in $(PLATFORMS); do \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 go vet ./cmd/... ./internal/...; done

docs: ## write the generated files
	go run ./docs/gen

picture: build ## draw docs/media/night.svg from a night of the demo agent (needs tmux)
	@scripts/picture

screenshots: ## take the pictures of docs/media/web-*.png from a night in Chromium
	@WARP_SCREENSHOTS=$(CURDIR)/docs/media go test -count=1 -run TestANightInTheBrowser ./browser

# Its rules are a part of warp, its code is not: see internal/testkit/secretrules.
GITLEAKS := github.com/zricethezav/gitleaks/v8@v8.30.1
rules: ## write the rules for secrets, from this version of gitleaks
	go run ./internal/testkit/secretrules internal/adapter/secrets "$$(go mod download -json $(GITLEAKS) | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')"

clean:
	rm -rf bin dist
