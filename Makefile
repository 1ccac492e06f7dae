# One profile (release) everywhere, so that the dependencies are compiled once.
CARGO ?= cargo
LOG ?= traces/lublin-256-10k.swf.gz
MACHINE ?= 16x16
TRACES ?= ../shared/traces

.PHONY: replay test test-python check bench doc

# Replays the bundled log under EASY with every allocator and prints the table.
replay:
	$(CARGO) run --release --quiet -- replay $(LOG) --machine $(MACHINE) --scheduler easy --allocator all hilbert+bf

# Runs every test; those that need logs or results that are not bundled say what they skip.
test:
	$(CARGO) test --release

# Reads results with Polars, pandas and evalys, which it installs into target/; says what it skips.
test-python:
	$(CARGO) build --release
	tests/python/run.sh

# Formatting, lints and documentation, warnings being errors.
check:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps

# Times parsing, allocator calls and whole replays.
bench:
	$(CARGO) bench

# Builds the library's documentation and opens it.
doc:
	$(CARGO) doc --release --no-deps --open
