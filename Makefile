# make demo   the main job, on an embedded default
# make test   installs what the tests need, then make check
.DEFAULT_GOAL := build
SHELL := /bin/bash -o pipefail

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X warp/internal/cli/version.Number=$(VERSION)
GOBUILD := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'
NOT_RUN := $(CURDIR)/bin/not-run.txt
TESTED := $(CURDIR)/bin/tested.txt

.PHONY: build demo test test-gitea check lint race cover bench sweep crash trial fuzz install dist docs clean

build: ## the binaries into bin/
	@scripts/modules
	$(GOBUILD) -o bin/ ./cmd/warp ./cmd/warp-net ./cmd/warp-hook

demo: build ## drive a requirement from issue to merged, in a throw-away repository
	@bin/warp demo

test: ## install what the tests need, then check
	@scripts/setup
	@$(MAKE) --no-print-directory check

check: lint race cover ## what CI runs

lint: ## format, vet, staticcheck, generated files, other systems
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	  if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	go run ./docs/gen -check
	@for os in darwin windows; do GOOS=$$os go build ./cmd/... || { echo "it does not build for $$os"; exit 1; }; done

race: ## every test, with the race detector, in random order
	@mkdir -p bin && : > $(NOT_RUN)
	WARP_NOT_RUN=$(NOT_RUN) go test -race -cover -shuffle=on ./... | tee $(TESTED)
	@if [ -s $(NOT_RUN) ]; then echo "NOT RUN here: $$(wc -l < $(NOT_RUN))"; sort $(NOT_RUN) | sed 's/^/  /'; else echo "NOT RUN here: 0"; fi

cover: ## coverage by package, as the last race found it: core and durable at least 90%, engines and turnstile 75%
	@scripts/cover 90 75 $(TESTED)

bench: build ## the figures, as ratios within one run
	go run ./bench

test-gitea: ## the trackers' suite against a real Gitea, built once (minutes)
	@scripts/gitea

sweep: build ## every crash, error, power and concurrency point; prints the table of docs/durability.md
	WARP_SWEEP=1 go test -count=1 -timeout 60m -p 1 -v ./sweep ./internal/durable | scripts/table

crash: ## kill -9 after every point of whole drives; prints the matrix (minutes)
	WARP_SWEEP=1 go test -count=1 -timeout 180m -v ./crash | scripts/matrix

trial: ## every misdeed of an agent in every way to run one; prints the table of docs/trial.md (minutes)
	WARP_MATRIX=1 go test -count=1 -timeout 60m -parallel 5 -run TestMatrix -v ./trial | scripts/trial-table

fuzz: ## every fuzz target for FUZZTIME each
	@scripts/fuzz $${FUZZTIME:-30s}

install: ## into $(go env GOPATH)/bin, or GOBIN
	CGO_ENABLED=0 go install -trimpath -ldflags '$(LDFLAGS)' ./cmd/warp ./cmd/warp-net ./cmd/warp-hook

dist: ## static binaries for six platforms into dist/
	@set -e; for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "$$os/$$arch"; ext=; [ $$os = windows ] && ext=.exe; \
	  GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 go vet ./cmd/... ./internal/...; \
	  for b in warp warp-net warp-hook; do \
	    GOOS=$$os GOARCH=$$arch $(GOBUILD) -o dist/$$b-$$os-$$arch$$ext ./cmd/$$b; done; done; done
	@ls -l dist

docs: ## write the generated files anew
	go run ./docs/gen

clean:
	rm -rf bin dist
