# The front door. `make demo` and `make test` need nothing but a Debian 12 machine and this folder.
.PHONY: help packages packages-checks build demo test bench format format-check lint asan tsan install deb clean

PRESET ?= release
BUILD  := build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# Further flags for cmake, e.g. CMAKE_FLAGS=-DPDEGCN_TORCH=OFF
CMAKE_FLAGS ?=

help:
	@echo "make demo      install what is missing, build, train the three networks on generated data"
	@echo "make test      install what is missing, build, run all tests"
	@echo "make build     build the program: $(BUILD)/pdegcn"
	@echo "make install   install program and library to PREFIX ($(PREFIX))"
	@echo "make deb       build a Debian package"
	@echo "make bench     run the benchmarks"
	@echo "make asan      all tests under the address and undefined-behaviour sanitizers"
	@echo "make tsan      the tests of the torch-free floors under the thread sanitizer"
	@echo "make lint      clang-tidy and the format check;  make format rewrites"

packages:
	@tools/install-packages.sh

packages-checks: packages
	@tools/install-packages.sh packages-checks.txt

$(BUILD)/build.ninja: | packages
	cmake --preset $(PRESET) $(CMAKE_FLAGS)

build: packages $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS) --target pdegcn_program

demo: build
	$(BUILD)/pdegcn train

test: packages $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)
	OMP_WAIT_POLICY=passive ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: packages $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS) --target benchmarks
	for program in $(BUILD)/benchmarks/*_benchmark; do $$program || exit 1; done

asan: packages-checks
	cmake --preset asan-ubsan $(CMAKE_FLAGS)
	cmake --build build-asan-ubsan -j $(JOBS)
	ctest --test-dir build-asan-ubsan --output-on-failure -j $(JOBS)

tsan: packages-checks
	cmake --preset tsan $(CMAKE_FLAGS)
	cmake --build build-tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

SOURCES := $(shell git ls-files '*.h' '*.cpp' 2>/dev/null)

format: packages
	clang-format -i $(SOURCES)

format-check: packages
	clang-format --dry-run -Werror $(SOURCES)

lint: packages-checks format-check $(BUILD)/build.ninja
	run-clang-tidy -quiet -p $(BUILD) -j $(JOBS) 'src/(graph|kernels|data|report)/'

install: build
	cmake --build $(BUILD) -j $(JOBS)
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: packages $(BUILD)/build.ninja
	cmake --build $(BUILD) -j $(JOBS)
	cd $(BUILD) && cpack -G DEB

clean:
	rm -rf build build-asan-ubsan build-tsan build-debug
