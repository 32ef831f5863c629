# The short way: each target installs what is missing, configures, builds and runs.
# The build itself is CMake's; see CMakePresets.json.

BUILD := build
CMAKE := cmake

.DEFAULT_GOAL := build
PARTS := check-fast check-unit check-compiler check-runtime check-tools
.PHONY: setup setup-tests configure configure-tests build build-tests check $(PARTS) coverage tidy demo bench bench-document \
	realworld package install clean

setup:
	@scripts/setup.sh --build

setup-tests:
	@scripts/setup.sh --test

# The product alone. A build folder that has the tests keeps them.
configure: setup
	@test -f $(BUILD)/build.ninja || \
	  $(CMAKE) --preset default -DTP_BUILD_TESTS=OFF -DTP_BUILD_BENCH=OFF -DTP_BUILD_EXAMPLES=OFF

build: configure
	@$(CMAKE) --build $(BUILD)

configure-tests: setup-tests
	@test -f $(BUILD)/build.ninja && grep -q '^TP_BUILD_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt || $(CMAKE) --preset default

build-tests: configure-tests
	@$(CMAKE) --build $(BUILD)

# TP_STRESS_SECONDS=N makes the threaded tests run for N seconds each. The last
# lines count the tests, after those that could not be run here. With TP_SYSTEM=1, AArch64
# tests also run in the emulated machine (docs/dev/machine.md), which adds some minutes;
# TP_SYSTEM=all runs all of them there.
check: build-tests
	@test -z '$(TP_SYSTEM)' || scripts/machine.sh --build $(BUILD) aarch64 fetch || true
	@scripts/check.sh $(BUILD)

# The tests of one part (scripts/check-part.sh says which). check-fast takes a minute or two.
$(PARTS): build-tests
	@scripts/check-part.sh $(@:check-%=%) $(BUILD)

# Which code of the runtime its unit tests and threaded tests execute.
coverage: build-tests
	@ctest --test-dir $(BUILD) --verbose -R '^sanitize\.coverage$$'

# FILES='FILE...' names other files than those that differ from the last commit.
FILES ?= $(shell git diff --name-only --diff-filter=d HEAD -- '*.cpp')
tidy: build
	@test -n '$(FILES)' || { echo "tidy: no C++ file differs from the last commit; FILES='FILE...' names others"; }
	@command -v clang-tidy-22 >/dev/null || { echo "tidy: no clang-tidy-22; 'apt-get install clang-tidy-22' installs it" >&2; exit 1; }
	@test -z '$(FILES)' || clang-tidy-22 -p $(BUILD) $(FILES)

# Builds what the demo shows: the plugin of one clang, the driver, libtprt and tpctl.
demo: configure
	@$(CMAKE) --build $(BUILD) --target tp_demo
	@scripts/demo.sh $(BUILD)

# TP_REALWORLD='--only NAME' runs one program (see the script); --all takes hours.
realworld: setup-tests build
	@scripts/realworld.sh $(BUILD) $(TP_REALWORLD)

# If the sources of Lua or SQLite cannot be fetched, their figures are left out.
bench: build-tests
	@scripts/setup.sh --bench
	@if scripts/fetch-source.sh lua5.4 $(BUILD)/sources; then \
	  $(CMAKE) -DTP_LUA_SRC=$(CURDIR)/$(BUILD)/sources/lua5.4/src $(BUILD) >/dev/null; fi
	@if scripts/fetch-source.sh sqlite3 $(BUILD)/sources && \
	  scripts/amalgamate-sqlite.sh $(BUILD)/sources/sqlite3 $(BUILD)/sources/sqlite3-amalgamation; then \
	  $(CMAKE) -DTP_SQLITE_C=$(CURDIR)/$(BUILD)/sources/sqlite3-amalgamation/sqlite3.c $(BUILD) >/dev/null; fi
	@$(CMAKE) --build $(BUILD) --target tp_bench_run

# Writes the tables of docs/performance.md from what `make bench` has measured.
bench-document:
	@bench/document.py $(BUILD)/bench/results.json docs/performance.md

# Packages of the product, in $(BUILD)/packages.
package: build
	@scripts/package.sh $(BUILD)

# DEBUG_FILES=1 also installs debug information, in a folder .debug beside each file, where
# gdb finds it.
PREFIX ?= /usr/local
install: build
	@$(CMAKE) -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX)) -DCMAKE_INSTALL_DO_STRIP=ON -DTP_DEBUG_FILES=$(DEBUG_FILES) \
	  -P $(BUILD)/cmake_install.cmake

clean:
	@rm -rf $(BUILD)
