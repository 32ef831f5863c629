# The short way: each target installs what is missing, configures, builds and runs.
# The build itself is CMake's; see CMakePresets.json.

BUILD := build
CMAKE := cmake

.DEFAULT_GOAL := build
.PHONY: setup configure build check demo bench realworld install clean

setup:
	@scripts/setup.sh

configure: setup
	@test -f $(BUILD)/build.ninja || $(CMAKE) --preset default

build: configure
	@$(CMAKE) --build $(BUILD)

# TP_STRESS_SECONDS=N makes the threaded tests run for N seconds each. The last
# lines count the tests, after those that could not be run here.
check: build
	@scripts/check.sh $(BUILD)

demo: build
	@scripts/demo.sh $(BUILD)

# TP_REALWORLD='--only NAME' runs one program (see the script); --all takes hours.
realworld: build
	@scripts/realworld.sh $(BUILD) $(TP_REALWORLD)

# If the sources of Lua or SQLite cannot be fetched, their figures are left out.
bench: build
	@if scripts/fetch-source.sh lua5.4 $(BUILD)/sources; then \
	  $(CMAKE) -DTP_LUA_SRC=$(CURDIR)/$(BUILD)/sources/lua5.4/src $(BUILD) >/dev/null; fi
	@if scripts/fetch-source.sh sqlite3 $(BUILD)/sources && \
	  scripts/amalgamate-sqlite.sh $(BUILD)/sources/sqlite3 $(BUILD)/sources/sqlite3-amalgamation; then \
	  $(CMAKE) -DTP_SQLITE_C=$(CURDIR)/$(BUILD)/sources/sqlite3-amalgamation/sqlite3.c $(BUILD) >/dev/null; fi
	@$(CMAKE) --build $(BUILD) --target tp_bench_run

PREFIX ?= /usr/local
install: build
	@$(CMAKE) --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD)
