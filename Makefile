# The commands of a developer. `make help` lists the targets.

# A machine with only Swift has no cc, but Swift includes clang.
CC := $(shell command -v cc 2>/dev/null || command -v clang)
CFLAGS := -O2 -Wall -Wextra -Werror
FUZZ_SECONDS ?= 60
FLOOR := Benchmarks/floor
# Prints the paths of all Swift files, each followed by NUL; folders of builds begin with a dot.
SWIFT_FILES := find . -name '.?*' -prune -o -name '*.swift' -print0

# A pipeline fails if any of its commands fails.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

.DEFAULT_GOAL := help
.PHONY: help setup demo test check check-long coverage cli load bench fuzz soak crash lint format docs size clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

setup: ## Install missing Debian packages (does nothing when all are installed)
	@scripts/setup

# The demo is not optimized: an optimized build takes more than three times as long.
demo: setup ## Run the demo: real requests to a server on loopback (the first build takes about a minute)
	@echo "demo: the first build takes about a minute on two cores"
	scripts/swiftpm build --package-path Examples --product Demo --scratch-path .build \
		--disable-build-manifest-caching -debug-info-format none
	.build/debug/Demo

test: setup ## Run the tests: library, README, command-line client, examples
	@scripts/test

check: ## Run the slower checks: sanitizers, traits, real servers, fuzz smoke, counts
	@scripts/setup --interop
	@scripts/test --check

check-long: ## Run what takes hours: a million requests, 10 000 simulations, fuzzing
	@scripts/setup --interop
	@scripts/test --long

coverage: setup ## Measure the test coverage of Wire, and show the lines that no test runs
	@scripts/check-sanitizers coverage

cli: setup ## Build the command-line client as CLI/.build/release/fetch
	scripts/swiftpm build -c release --package-path CLI --product fetch

load: setup ## Build the load generator as .build/release/http-load
	scripts/swiftpm build -c release --package-path Benchmarks/http-load --product http-load

bench: setup ## Measure this client beside others, and write tables and plots (QUICK=1: in half an hour)
	@scripts/setup --bench || echo "bench: clients that need what is missing are left out"
	@Benchmarks/bench.py

fuzz: setup ## Fuzz every target for FUZZ_SECONDS (60) each, with the address sanitizer
	@scripts/fuzz $(FUZZ_SECONDS)

soak: setup ## Send 1 000 000 requests (or for SOAK_SECONDS) to a faulty server, and check every result
	@scripts/soak

crash: setup ## Kill 200 downloads with segments and 200 without, and check that each is continued
	@scripts/crash

lint: setup ## Check the format of every Swift file
	@$(SWIFT_FILES) | xargs -0 swift format lint --strict --parallel

format: ## Format every Swift file in place
	@$(SWIFT_FILES) | xargs -0 swift format format --in-place --parallel

docs: setup ## Build the documentation into .build-docs/html
	@scripts/api --docs

size: setup ## Print the sizes of the README's program, with and without Foundation
	@scripts/check-consumer

clean: ## Delete everything that was built
	rm -rf .build .build-* CLI/.build* Examples/.build* Benchmarks/.build* Benchmarks/http-load/.build* \
	    Tests/Integrations/.build* Tests/Interop/.build* Tests/Interop/SwiftServers/.build* $(FLOOR)/floor $(FLOOR)/countmalloc.so

$(FLOOR)/floor: $(FLOOR)/floor.c
	$(CC) $(CFLAGS) -o $@ $< -lssl -lcrypto

$(FLOOR)/countmalloc.so: $(FLOOR)/countmalloc.c
	$(CC) $(CFLAGS) -shared -fPIC -o $@ $< -ldl
