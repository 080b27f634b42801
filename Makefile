# `make run` builds the page and serves it; `make test` runs everything that CI demands. Both install what they need.
# A machine needs rustup, node (20 or newer) and make. On Debian as root Chromium is installed too; elsewhere name one:
# `make test CHROME=/path/to/chromium CHROMEDRIVER=/path/to/chromedriver FIREFOX=/path/to/firefox`. `make help` lists the parts.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
# One part at a time, but where `make test` asks for two beside each other.
ifndef BESIDE
.NOTPARALLEL:
endif
.DEFAULT_GOAL := help

# Pinned tools. The wasm-bindgen tool must equal the crate, so its version is read from the lock file; Trunk.toml repeats
# it, and Trunk stops when the two differ. Versions from npm are in package.json, the compiler in rust-toolchain.toml.
TRUNK_VERSION := 0.21.14
DENY_VERSION := 0.20.2
MDBOOK_VERSION := 0.5.4
FUZZ_VERSION := 0.13.2
# For `make fuzz` and `make miri` alone: both need flags that a stable compiler does not have.
NIGHTLY := nightly-2026-06-15
BINDGEN_VERSION := $(shell sed -n '/^name = "wasm-bindgen"$$/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)

PORT ?= 8080
# Seconds that `make fuzz` gives each target.
FUZZ_SECONDS ?= 25

# Built tools are kept outside the clone, one folder a version, so another clone finds them and another pin rebuilds.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/discreet/tools
TRUNK := $(CACHE)/trunk-$(TRUNK_VERSION)
DENY := $(CACHE)/cargo-deny-$(DENY_VERSION)
FUZZ := $(CACHE)/cargo-fuzz-$(FUZZ_VERSION)
MDBOOK := $(CACHE)/mdbook-$(MDBOOK_VERSION)
BINDGEN := $(CACHE)/wasm-bindgen-cli-$(BINDGEN_VERSION)
PEERS := $(CACHE)/peers-2
export PATH := $(CURDIR)/node_modules/.bin:$(BINDGEN)/bin:$(TRUNK)/bin:$(DENY)/bin:$(FUZZ)/bin:$(MDBOOK)/bin:$(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

# Looked up when a recipe runs, so that a Chromium installed a moment ago is found.
find_first = $(firstword $(foreach name,$(1),$(shell command -v $(name))))
chrome = $(or $(CHROME),$(call find_first,chromium chromium-browser google-chrome-stable google-chrome))
chromedriver = $(or $(CHROMEDRIVER),$(call find_first,chromedriver))

WASM := --locked --target wasm32-unknown-unknown
# Our own code as it is written, for tests that compute little: a quarter of the time to build. Libraries stay as they are.
PLAIN := --config profile.dev.package.discreet.opt-level=0
CARGO_DIR := $(or $(CARGO_HOME),$(HOME)/.cargo)
# The same commit gives the same bytes wherever it is built. Only the page's release build carries these flags: no other
# target compiles for wasm in release, so nothing else is compiled twice because of them.
# The second build is made inside of the first one's folder, with its flags.
ROOT ?= $(CURDIR)
REMAP := --remap-path-prefix=$(ROOT)=/discreet --remap-path-prefix=$(CARGO_DIR)=/cargo
# Instructions on 128 bits, which every browser has had since 2023: sums and searches take two to sixteen numbers at a time.
SIMD := -C target-feature=+simd128
# Leptos keeps the types of a view out of its neighbours' types: a tenth smaller.
ERASE := --cfg erase_components
# Functions are joined only where that makes the module smaller: 4 % fewer bytes travel, and no pass over a table is slower.
INLINE := -C llvm-args=-inline-threshold=5
PAGE := CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$(REMAP) $(SIMD) $(ERASE) $(INLINE)"

say = @printf '\n== %s\n' "$(1)"

.PHONY: help page sources run dist single install verify reproducible docs test check lint lint-page native web journeys journeys-firefox journeys-single screenshots bench bench-long audit audit-native fuzz miri reproduce-sheffet reproduce-primo reproduce-pmt compare-accuracy toolchain chromium firefox r

help:
	@echo 'make run          build the page and serve it on this machine (PORT=$(PORT))'
	@echo 'make test         the checks, the native tests, the page and its tests: what CI demands'
	@echo 'make check        format, lints for both targets, documentation, licences and sources of dependencies'
	@echo 'make native       native tests'
	@echo 'make web          tests inside headless Chromium'
	@echo 'make dist         the release page with its documentation, in dist/'
	@echo 'make single       the page as one file that opens from a disk: dist/discreet.html (needs xz)'
	@echo 'make verify FILE=...  compares a page of one file, or a folder, with one that is built from this source'
	@echo 'make reproducible compares the page with a second build of the same files, at another path'
	@echo 'make install      the command line, with the page in it for `discreet page`'
	@echo 'make docs         the documentation alone, in dist/docs/'
	@echo 'make journeys     whole journeys through the release page'
	@echo 'make journeys-firefox  those of them that Firefox can be driven through (FIREFOX=/path/to/firefox)'
	@echo 'make journeys-single  those of them that need no server, through the page of one file'
	@echo 'make screenshots  pictures of every step, in test-results/'
	@echo 'make bench        times beside pandas, polars and others on the same table: writes docs/performance.md'
	@echo 'make bench-long   longer and wider tables, other methods and steps of a fit, for the same page of the documentation'
	@echo 'make audit        a second build of the page, the audits of the privacy claim and the mutants that they have to catch, then:'
	@echo 'make fuzz         hostile input by cargo-fuzz, $(FUZZ_SECONDS) seconds a target (FUZZ_SECONDS=...)'
	@echo 'make miri         tests of the trusted core under Miri, which sees undefined behaviour'
	@echo 'make reproduce-sheffet  the tables of a paper once more: writes docs/evidence/reproduce-sheffet.md (FULL=1: longer tables)'
	@echo 'make reproduce-primo    the same of another paper: writes docs/evidence/reproduce-primo.md (FULL=1: more known outcomes)'
	@echo 'make reproduce-pmt      and of a third: writes docs/evidence/reproduce-pmt.md (REAL=DIR: and its real tables, from that folder)'
	@echo 'make compare-accuracy   every method on many tables: writes docs/evidence/accuracy.md (FULL=1: four times as many runs)'

run: dist
	$(call say,Serving the page. Ctrl-C stops it.)
	@node tests/browser/server.mjs dist --port $(PORT)

# The page is linked on one core, so the native part is built and run beside what is of the browser; each part prints what it did when it is done. What is
# installed comes before, one thing after the other.
test: toolchain chromium firefox r $(DENY)/done $(MDBOOK)/done $(TRUNK)/done $(BINDGEN)/done node_modules/done
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target BESIDE=1 page sources
	@$(MAKE) --no-print-directory journeys

page:
	@$(MAKE) --no-print-directory BESIDE= dist
	@$(MAKE) --no-print-directory BESIDE= journeys-firefox IN_FIREFOX="journeys single"
	@$(MAKE) --no-print-directory BESIDE= web

sources:
	@$(MAKE) --no-print-directory BESIDE= lint native lint-page

check: lint lint-page

lint: toolchain $(DENY)/done
	$(call say,Format)
	cargo fmt --check
	cargo fmt --check --manifest-path tests/fuzz/Cargo.toml
	cargo metadata --locked --format-version 1 --manifest-path tests/fuzz/Cargo.toml >/dev/null
	$(call say,Lints: native)
	cargo clippy --locked --all-targets --features audit-mutants$(,)reproduce -- -D warnings
	$(call say,Documentation)
	RUSTDOCFLAGS=-Dwarnings cargo doc --locked --no-deps --lib
	$(call say,Licences and sources of dependencies)
	cargo deny --locked --all-features check licenses bans sources

# As the page is built, so that both take the same macros: in `make test` they are there when this begins.
lint-page: toolchain
	$(call say,Lints: browser)
	$(PAGE) cargo clippy $(WASM) --profile page --features app --lib --bin app --test web -- -D warnings

# All is built with the mutants, of which none is active unless a test says so. A test of its own builds the program as it is handed out.
native: toolchain
	$(call say,Native tests$(,) with the mutants$(,) each of which a test has to catch)
	cargo test --locked $(PLAIN) --features audit-mutants --lib
	cargo test --locked --features audit-mutants --test native
	cargo test --locked --features audit-mutants --doc
	$(call say,The program as it is handed out)
	cargo test --locked $(PLAIN) --test shipped

web: toolchain chromium $(BINDGEN)/done
	$(call say,Tests inside Chromium)
	CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER="bash $(CURDIR)/.ci/wasm-runner" CHROME="$(chrome)" \
		CHROMEDRIVER="$(chromedriver)" WASM_BINDGEN_TEST_TIMEOUT=300 cargo test $(WASM) $(PLAIN) --features audit-mutants --test web

# Trunk builds offline, so the crates are fetched before. It reads NO_COLOR as a boolean and stops at the usual `NO_COLOR=1`.
dist: toolchain $(BINDGEN)/done $(TRUNK)/done node_modules/done
	$(call say,Release build of the page: about 3 minutes on two cores)
	cargo fetch --locked
	env -u NO_COLOR $(PAGE) trunk build --release
	node .ci/order.mjs dist
	@$(MAKE) --no-print-directory docs
	node .ci/materials.mjs dist
	node .ci/offline.mjs dist
	! grep -rlF -e "$(CURDIR)" -e "$(CARGO_DIR)" --exclude-dir=.stage dist

# Trunk empties dist/ before it writes the page, so what is made of other files comes after it.
docs: $(MDBOOK)/done node_modules/done
	$(call say,Documentation: a second)
	mdbook build site --dest-dir $(CURDIR)/dist/docs
	node site/finish.mjs dist/docs
	@test ! -f dist/sw.js || node .ci/offline.mjs dist

# The same page in one file, from dist/ as it stands.
single:
	@test -f dist/index.html || { echo 'dist/ holds no page: run make dist first.' >&2; exit 1; }
	node .ci/single.mjs dist dist/discreet.html

# A page that came from elsewhere, file by file against one that is built here. Two builds of one commit have the same bytes.
verify: dist
	@test -e "$(FILE)" || { echo 'Name what to compare: make verify FILE=discreet.html, or the folder of a hosted page.' >&2; exit 2; }
	@if test -d "$(FILE)"; then diff -rq --exclude=.stage --exclude=discreet.html "$(FILE)" dist; else node .ci/single.mjs dist dist/discreet.html && cmp "$(FILE)" dist/discreet.html; fi
	@echo 'It is the page of this source.'

# A second build of the same files, at another path, has to have the same bytes. The crates of others are taken from the first: what is
# compiled once more is ours, because its files are newer (`tar -m`). Minutes, and so part of `make audit` and not of `make test`.
reproducible: dist
	$(call say,The same page built once more$(,) elsewhere)
	rm -rf target/second
	mkdir -p target/second
	git ls-files -z --cached --others --exclude-standard --deduplicate | tar --null --ignore-failed-read -cf - -T - | tar -xmf - -C target/second
	CARGO_TARGET_DIR=$(CURDIR)/target $(MAKE) --no-print-directory -C target/second BESIDE= ROOT=$(CURDIR) dist
	diff -r --exclude=.stage --exclude=discreet.html dist target/second/dist
	rm -rf target/second
	@echo 'Both builds have the same bytes.'

# `discreet page` serves the page that is built here.
install: dist
	DISCREET_PAGE=$(CURDIR)/dist cargo install --locked --path . --bin discreet

# Uses dist/ as it stands: `make dist journeys` after an edit. `make journeys LATE=300` holds every frame and every word of a
# worker back by so many milliseconds, which shows a test that looks before the page is done.
journeys: chromium node_modules/done
	@test -f dist/index.html || { echo 'dist/ holds no page: run make dist first.' >&2; exit 1; }
	$(call say,Journeys through the release page)
	node --test --test-concurrency=3 --test-timeout=900000 tests/browser/*.test.mjs

# The protocol by which Firefox is driven cannot do all that these journeys do, so those of faults and of the disk stay with Chromium.
# `make test` takes the main ones, for their time.
IN_FIREFOX ?= adaptive budget check files imports journeys mistakes people seal single tables
journeys-firefox: firefox node_modules/done
	@test -f dist/index.html || { echo 'dist/ holds no page: run make dist first.' >&2; exit 1; }
	$(call say,Journeys through the release page in Firefox)
	BROWSER=firefox FIREFOX="$(or $(FIREFOX),$(call find_first,firefox-esr firefox))" node --test --test-concurrency=1 --test-timeout=180000 \
		$(addprefix tests/browser/,$(addsuffix .test.mjs,$(IN_FIREFOX)))

# The same journeys with the page of one file, opened from the disk, but for those that need a server.
journeys-single: chromium node_modules/done
	@$(MAKE) --no-print-directory single
	$(call say,Journeys through the page of one file)
	PAGE_FILE=$(CURDIR)/dist/discreet.html node --test --test-concurrency=2 --test-timeout=900000 \
		$(addprefix tests/browser/,$(addsuffix .test.mjs,adaptive budget check files imports messy mistakes nothing-kept people tables))

screenshots: chromium node_modules/done
	@test -f dist/index.html || { echo 'dist/ holds no page: run make dist first.' >&2; exit 1; }
	node tests/browser/screenshots.mjs

# Not part of `make test`: times depend on the machine and on what else runs there. Others than ours are timed where a registry has them.
BENCH = BENCH_PYTHON="$(PEERS)/bin/python" BENCH_PACKAGES="$(PEERS)/node_modules" node benches/compare
bench: dist chromium $(PEERS)/done
	$(call say,Times of the same regression by several programs$(,) memory of the tab$(,) and Lighthouse: about 12 minutes)
	cargo build --locked --release --bin discreet
	$(BENCH)/main.mjs --write docs/performance.md
	$(BENCH)/memory.mjs --write docs/performance.md
	@test ! -d $(PEERS)/node_modules/lighthouse || $(BENCH)/lighthouse.mjs --write docs/performance.md

# Its tables take 3 GB in target/bench; they are made once, in two minutes.
bench-long: dist chromium $(PEERS)/done
	$(call say,Longer and wider tables and other methods: about 10 minutes)
	cargo build --locked --release --bin discreet
	$(BENCH)/long.mjs --write docs/performance.md

# Each part is a target of its own. The last two are skipped aloud where the nightly compiler cannot be had.
audit: reproducible audit-native fuzz miri

audit-native: toolchain
	$(call say,The audits$(,) on the build as it is and with each bug planted: half a minute after the build)
	cargo test --locked --profile audit --features audit-mutants --test audit
	$(call say,The coverage of the intervals of each mechanism$(,) ten times as many runs as in make test)
	COVERAGE=long cargo test --locked --profile audit --features audit-mutants --test native -- intervals::

fuzz: toolchain
	@FUZZ="$(FUZZ)" bash .ci/nightly fuzz $(NIGHTLY) $(FUZZ_VERSION) $(FUZZ_SECONDS)

miri: toolchain
	@bash .ci/nightly miri $(NIGHTLY)

# Not part of `make test`, whose native tests run a short form of both.
reproduce-sheffet: toolchain
	$(call say,Sheffet once more$(,) with two threads: about 2 minutes after the build)
	nice -n 10 cargo test --locked --profile audit --features reproduce --test reproduce -- docs/evidence/reproduce-sheffet.md

reproduce-primo: toolchain
	$(call say,PRIMO once more$(,) with two threads: about 5 minutes after the build)
	nice -n 10 cargo test --locked --profile audit --features reproduce --test reproduce -- docs/evidence/reproduce-primo.md

reproduce-pmt: toolchain
	$(call say,Public moments once more$(,) with two threads: about 5 minutes after the build)
	nice -n 10 cargo test --locked --profile audit --features reproduce --test reproduce -- docs/evidence/reproduce-pmt.md

compare-accuracy: toolchain
	$(call say,Every method on many tables$(,) with two threads: about 15 minutes after the build)
	nice -n 10 cargo test --locked --profile audit --features reproduce --test reproduce -- docs/evidence/accuracy.md

toolchain:
	@bash .ci/packages linker
	@command -v rustup >/dev/null || { echo 'rustup is missing: install it from https://rustup.rs and run make again.' >&2; exit 1; }
	@RUSTUP_AUTO_INSTALL=0 rustup which rustc >/dev/null 2>&1 || printf '\n== The Rust compiler of rust-toolchain.toml: about 1 minute, once\n'
	@rustup --quiet toolchain install

chromium:
	@CHROME="$(CHROME)" CHROMEDRIVER="$(CHROMEDRIVER)" bash .ci/packages browser

# A recipe looks a program up before its first line runs, so what installs one is a target of its own.
firefox:
	@FIREFOX="$(FIREFOX)" bash .ci/packages firefox

r:
	@bash .ci/packages r

node_modules/done: package.json package-lock.json
	$(call say,Tools from npm: a few seconds)
	@command -v npm >/dev/null || { echo 'node with npm is missing: install node 20 or newer and run make again.' >&2; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

# A registry that lacks what is not needed by the others does not stop the bench. Lighthouse 12 is the last that Node 20 runs, and diffprivlib does
# not run with a newer scikit-learn.
$(PEERS)/done:
	$(call say,What the bench compares with$(,) from PyPI and npm: 2 minutes$(,) once)
	python3 -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet numpy pandas polars duckdb
	$(PEERS)/bin/pip install --quiet diffprivlib==0.6.6 scikit-learn==1.5.2 opendp==0.16.0 || echo 'The bench runs without diffprivlib and OpenDP.' >&2
	npm install --prefix $(PEERS) --no-audit --no-fund --no-save lighthouse@12.8.2 @duckdb/duckdb-wasm@1.32.0 papaparse@5.7.1 \
		|| echo 'The bench runs without Lighthouse, DuckDB in WebAssembly and PapaParse.' >&2
	@touch $@

# A tool is built outside the project's flags and target folder. `done` is written last, so a broken install is repeated.
cargo_install = env -u RUSTFLAGS -u CARGO_BUILD_TARGET -u CARGO_TARGET_DIR CARGO_PROFILE_DEV_DEBUG=0 cargo install --force --quiet

# Not --locked: the lock file shipped with this tool names a release that the registry no longer has.
$(BINDGEN)/done: | toolchain
	$(call say,Building wasm-bindgen-cli $(BINDGEN_VERSION): about 3 minutes$(,) once)
	$(cargo_install) wasm-bindgen-cli --version $(BINDGEN_VERSION) --root $(BINDGEN)
	@touch $@

$(TRUNK)/done: | toolchain
	$(call say,Building Trunk $(TRUNK_VERSION): about 3 minutes$(,) once)
	$(cargo_install) trunk --version $(TRUNK_VERSION) --locked --debug --no-default-features --features rustls --root $(TRUNK)
	@touch $@

$(DENY)/done: | toolchain
	$(call say,Building cargo-deny $(DENY_VERSION): about 1 minute$(,) once)
	$(cargo_install) cargo-deny --version $(DENY_VERSION) --locked --debug --root $(DENY)
	@touch $@

$(MDBOOK)/done: | toolchain
	$(call say,Building mdbook $(MDBOOK_VERSION): about 1 minute$(,) once)
	$(cargo_install) mdbook --version $(MDBOOK_VERSION) --locked --debug --no-default-features --root $(MDBOOK)
	@touch $@

# A comma inside a function's argument.
, := ,
