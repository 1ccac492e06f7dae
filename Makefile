# One profile (release), so that the dependencies are compiled once; only test-core and fuzz build with debug assertions.
CARGO ?= cargo
CRATES := meshreplay $(addprefix meshreplay-,$(notdir $(wildcard crates/*)))
# With CHECKED=1 all that is built finds overflows of integers in these crates and panics there, as .ci/run wants it.
CONFIG := $(if $(CHECKED),$(foreach crate,$(CRATES),--config profile.release.package.$(crate).overflow-checks=true))
override CARGO := $(CARGO) $(CONFIG)
unexport CARGO
LOG ?= traces/lublin-256-10k.swf.gz
MACHINE ?= 16x16
TRACES ?= ../shared/traces

.PHONY: book calibration sites faults kills latency fuzz fuzz-each replay test test-book test-core test-browser test-latex test-python wheel test-slurm check bench bench-growth dist release released doc man bless

# Replays the bundled log under EASY with every allocator, prints the table, and puts everything into one page. The first time it
# builds the program, with cargo's progress.
replay:
	@test -x target/release/meshreplay || echo "building meshreplay; the first time takes 5 to 8 minutes on 2 cores"
	$(CARGO) build --release
	@target/release/meshreplay replay $(LOG) --machine $(MACHINE) --scheduler easy --allocator all gilbert+bf \
		-o target/replay --placements --force
	@target/release/meshreplay report target/replay --show snug gilbert+bf frame-sliding random --quiet
	@echo "open file://$(CURDIR)/target/replay/report.html"

# Runs every test; those that need logs or results that are not bundled say what they skip. TEST_FLAGS=--no-run only builds them.
# Two tests per core, as tests also wait, for disks and for signals.
test: export RUST_TEST_THREADS ?= $(shell expr 2 '*' $$(getconf _NPROCESSORS_ONLN))
test:
	$(CARGO) test --release $(TEST_FLAGS)

# Rewrites golden files and the generated pages of docs/ as the program gives them now; read the change before you commit it.
bless:
	BLESS=1 $(CARGO) test --release -p meshreplay -p meshreplay-papers --lib -- registry::
	BLESS=1 $(CARGO) test --release --test it -- dependencies:: docs:: docs_pictures:: docs_registries:: mistakes_cli:: plot_cli:: wrong_inputs::

# Runs the unit tests, laws, twins and oracles of the allocators: quick after a change in one. TESTS=NAME runs those whose names
# hold NAME.
test-core:
	$(CARGO) test -p meshreplay-alloc -- $(TESTS)

# Opens the page that `make replay` made in headless Chromium, on desktop and phone, in light and dark, with axe-core; screenshots go
# to target/browser. Compares what its player computes with the results. Then measures pages of machines of 65,536 nodes, and one of ten
# replays of a large log, if that log is there.
test-browser: replay
	python3 tests/browser/report.py target/replay/report.html target/browser
	python3 tests/browser/player.py target/release/meshreplay target/browser
	@for machine in 256x256 40x40x41; do \
		target/release/meshreplay replay synthetic:jobs=600,rate=0.8,service=20 --machine $$machine --allocator hilbert+bf random \
			-o target/large-$$machine --placements --force --no-timing --quiet > target/large.txt \
		&& target/release/meshreplay report target/large-$$machine --quiet || exit 1; done
	python3 tests/browser/speed.py target/replay/report.html target/large-256x256/report.html target/large-40x40x41/report.html
	@if [ -f $(TRACES)/LANL-CM5-1994-4.1-cln.swf.gz ]; then \
		target/release/meshreplay replay $(TRACES)/LANL-CM5-1994-4.1-cln.swf.gz --machine 32x32 --allocator hilbert+bf hilbert+ff \
			mc1x1 mc gabl random snug mbs naive paging -o target/lanl --placements --force --quiet > target/lanl.txt \
		&& target/release/meshreplay report target/lanl --quiet && python3 tests/browser/speed.py target/lanl/report.html; \
	else echo "skipped: LANL-CM5-1994-4.1-cln.swf.gz is not in $(TRACES)"; fi

# Packs the program for others to install into target/artifacts, with man pages, completions and licence texts, and prints its size.
# Takes some ten minutes the first time, as everything is compiled again for size. Installs tools into target/.
dist:
	scripts/dist.sh

# Builds and checks what a release has for this machine: archive, wheel, source distribution, crates, checksums. Nothing is
# published; RELEASING.md has the other steps.
release:
	scripts/release/all.sh

# Records the interface of a release, which a test compares with that of later versions (docs/src/versions.md).
released:
	BLESS=1 $(CARGO) test --release --test it -- released::

# Writes the man pages to target/man.
man:
	$(CARGO) run --release --quiet -- man target/man

# Submits studies to a real Slurm, started here for that, and kills its nodes; then runs 200 jobs on one with accounting, and reads
# what it has written about them. Says that it is skipped where there is none. Run by root on Debian, it installs Slurm and MariaDB.
test-slurm:
	$(CARGO) build --release --quiet
	tests/slurm/run.sh
	tests/slurm/topology.sh
	tests/slurm/accounting.sh

# Typesets the LaTeX tables; pages go to target/latex. Run by root on Debian, it installs pdflatex; says what it skips.
test-latex:
	$(CARGO) build --release --quiet
	tests/latex/run.sh

# Builds the Python package into target/wheels, with the command in it; installs maturin into target/ where it is missing.
wheel:
	CONFIG="$(CONFIG)" python/scripts/wheel.sh

# Reads results with Polars, pandas and evalys, and renders Markdown; then tests the Python package with nothing but the wheel,
# and with the libraries of frames. Installs into target/; says what it skips.
test-python: wheel
	$(CARGO) build --release
	tests/python/run.sh
	python/tests/run.sh

# Formatting, lints and documentation, warnings being errors.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps

# Times parsing, allocator calls and whole replays.
bench:
	$(CARGO) bench

# Measures how times grow with nodes, processors, jobs and queues, and writes docs/experiments/growth.csv and the table and plot of
# docs/developers/growth.md, in about a quarter of an hour. GROWTH_BUDGET_S=SECONDS sets the time per cell. GROWTH_FAMILY='3D tori' measures
# calls on one family of machines, GROWTH_ALLOCATORS='mc snug' some rows; these print CSV and leave the files alone.
bench-growth:
ifeq ($(GROWTH_FAMILY)$(GROWTH_ALLOCATORS),)
	$(CARGO) bench -p meshreplay --bench growth > target/growth.csv
	mv target/growth.csv docs/experiments/growth.csv
	python3 scripts/growth.py
else
	$(CARGO) bench -p meshreplay --bench growth -- $(GROWTH_ALLOCATORS)
endif

# Builds the book of docs/ into target/book; says how to get mdbook where it is missing. The pages are readable as they are, too.
book:
	@command -v mdbook > /dev/null || { echo "make book needs mdbook: cargo install --locked mdbook" >&2; exit 1; }
	mdbook build docs
	@# The examples stand beside the pages, as the book has to be whole wherever it is copied.
	cp -R docs/examples target/book/
	sed -i.bak 's|href="\.\./examples/|href="examples/|g' target/book/own-algorithms.html && rm target/book/own-algorithms.html.bak
	@echo target/book/index.html

# Opens every page of the book in headless Chromium, on a desktop and on a phone; screenshots go to target/browser/book. Installs mdbook into
# target/tools where it is missing, which takes some minutes the first time.
test-book:
	@command -v mdbook > /dev/null || test -x target/tools/bin/mdbook \
		|| $(CARGO) install --quiet --locked mdbook --version 0.5.4 --no-default-features --features search --root target/tools
	PATH="$$PATH:$$PWD/target/tools/bin" $(MAKE) book
	python3 tests/browser/book.py target/book docs/src target/browser/book

# Builds the library's documentation and opens it.
doc:
	$(CARGO) doc --release --no-deps --open

# Throws random inputs at every reader, allocator and scheduler for MINUTES, with debug assertions and checks of overflow; see
# docs/developers/fuzzing.md. FUZZ=NAME tries the targets whose names hold NAME. Then a tenth of that at the readers of results.
MINUTES ?= 10
fuzz:
	$(CARGO) test --test fuzz -- --minutes $(MINUTES) $(FUZZ)
	$(CARGO) test --release --test fuzz -- --inputs $$((200000 * $(MINUTES))) result

# Throws random inputs at each target, also those of results, for FUZZ_SECONDS, eight targets at once, as they are built by `make test`.
# An input may take ten seconds, as other things run at the same time.
FUZZ_SECONDS ?= 20
fuzz-each:
	$(CARGO) test --release --test fuzz --no-run
	@$(foreach part,1 2 3 4 5 6 7 8,$(CARGO) test --release --test fuzz -- --seconds $(FUZZ_SECONDS) --part $(part)/8 --seed $(part) & tried="$$tried $$!";) \
		for one in $$tried; do wait $$one || status=1; done; exit $${status:-0}

# Lets every file operation of the commands that write results fail, or be the last one before a crash, at every position: by a
# double between the program and the file system, and then by strace every system call. EVERY=10 has strace try every tenth; it says
# that it is skipped where there is no strace.
EVERY ?= 1
faults:
	$(CARGO) build --release --quiet
	FAULTS= $(CARGO) test --release --test it -- faults --nocapture
	python3 tests/faults/run.py --every $(EVERY) target/release/meshreplay

# Kills the commands that write results by SIGKILL at RUNS random moments, and runs two sweeps in one directory a tenth as often.
RUNS ?= 1000
kills:
	$(CARGO) build --release --quiet
	python3 tests/faults/kill.py --runs $(RUNS) --pairs $$(($(RUNS) / 10)) target/release/meshreplay

# Tries the closing lines on thousands of logs whose truth is known, and writes how often they are right into docs/src/numbers.md, in some
# ten minutes. A part of it is in `make test`.
calibration:
	CALIBRATION= $(CARGO) test --release --test it -- calibration --nocapture

# Runs 400 sites whose schedulers and troubles are known, and prints what the closing lines say of them, in some two minutes. A part of it is
# in `make test`.
sites:
	SITES=20 $(CARGO) test --release --test sites -- --nocapture

# Sends SIGTERM to every command of the help at random moments, and prints how long they take to end.
SIGNALS ?= 10
latency:
	$(CARGO) build --release --quiet
	python3 tests/faults/latency.py --signals $(SIGNALS) target/release/meshreplay
