# kiln: `make help` lists what this file does.
#
# CONFIG picks the flags: release (default), debug, asan, ubsan, tsan, coverage. Objects and tests go
# to build/CONFIG/; what release makes for use goes to build/ itself. CC, CFLAGS, CPPFLAGS, LDFLAGS
# and AR are yours: CFLAGS come last, so yours win, and changed flags rebuild. V=1 shows commands.
# LIBDEFLATE=1 inflates with libdeflate, which is faster: the same files, the same bytes.

CONFIG ?= release
BUILD ?= build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
V ?= 0
FUZZ_SECONDS ?= 1800
LIBDEFLATE ?= 0

ifeq ($(origin CC),default)
CC = gcc
endif

# A folder in this one is named from here, so that what is known of headers, by the names of objects, holds however
# it was named.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))

O = $(BUILD)/$(CONFIG)
OUT = $(if $(filter release,$(CONFIG)),$(BUILD),$(O))

VERSION := $(shell sed -n 's/^\#define KILN_VERSION_STRING "\(.*\)"/\1/p' runtime/kiln.h)
SONAME = libkiln.so.$(firstword $(subst ., ,$(VERSION)))

# ---------------------------------------------------------------------------------------- flags --

FLAGS_release = -O3 -g
FLAGS_debug = -O0 -g
FLAGS_asan = -O2 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
             -fno-omit-frame-pointer
FLAGS_ubsan = -O3 -g -fsanitize=undefined -fno-sanitize-recover=undefined
FLAGS_tsan = -O1 -g -fsanitize=thread
FLAGS_coverage = -O0 -g --coverage
FLAGS_fuzz = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
# A shared library with something undefined fails to link; sanitizers leave their own to the program.
FLAGS_whole = $(if $(filter release debug,$(CONFIG)),-Wl$(comma)-z$(comma)defs)
comma = ,
ifndef FLAGS_$(CONFIG)
$(error CONFIG is one of release debug asan ubsan tsan coverage, not '$(CONFIG)')
endif

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
           -Wmissing-prototypes -Wundef -Wvla
# -Werror for a build that fails of warnings; what comes out is the same, so it is no change of flags.
WERROR =
ALL_CFLAGS = -std=c11 -O3 -ffp-contract=off -fvisibility=hidden -pthread $(WARNINGS) \
             $(FLAGS_$(CONFIG)) $(CFLAGS)
# Asserts (formats/assert.h) are on in every build that is not for use.
ALL_CPPFLAGS = $(if $(filter debug asan ubsan tsan fuzz,$(CONFIG)),-DKILN_ASSERTS) \
               $(if $(filter 1,$(LIBDEFLATE)),-DKILN_LIBDEFLATE) -D_FILE_OFFSET_BITS=64 $(CPPFLAGS)
ALL_LDFLAGS = -pthread $(FLAGS_$(CONFIG)) $(CFLAGS) $(LDFLAGS)
ALL_CXXFLAGS = -std=c++17 -O3 -ffp-contract=off $(FLAGS_$(CONFIG)) $(CFLAGS) $(CXXFLAGS)

LIBS_runtime = $(if $(filter 1,$(LIBDEFLATE)),-ldeflate) -lz -lm
LIBS_bake = -ljansson -lgmp $(LIBS_runtime)
# Decompress geometry of glTF, where they are installed.
DRACO := $(wildcard /usr/include/draco/compression/decode.h /usr/local/include/draco/compression/decode.h)
MESHOPT := $(wildcard /usr/include/meshoptimizer.h /usr/local/include/meshoptimizer.h)
LIBS_gltf = $(if $(DRACO),-ldraco -lstdc++) $(if $(MESHOPT),-lmeshoptimizer)
# Of the importing programs; only these are linked with what reads models.
LIBS_import = -Wl,--as-needed -lexpat -lpng -ljansson -lseccomp $(LIBS_runtime)
LIBS_import_gltf := $(LIBS_gltf) $(LIBS_import)
LIBS_import_assimp := -lassimp $(LIBS_import)
# Some tests run readers in their own process.
LIBS_test = -lcmocka $(LIBS_bake) -Wl,--as-needed -lassimp -lexpat -lpng -lseccomp $(LIBS_gltf)
LIBS_bench = -lfcl -lccd $(LIBS_test)

# Embree is compared with where it is installed.
EMBREE := $(wildcard /usr/include/embree3/rtcore.h /usr/local/include/embree3/rtcore.h)

# Bullet's broad phase, too.
BULLET := $(wildcard /usr/include/bullet/btBulletCollisionCommon.h /usr/local/include/bullet/btBulletCollisionCommon.h)

# And CGAL, which is headers alone.
CGAL := $(wildcard /usr/include/CGAL/Polygon_mesh_processing/self_intersections.h \
                   /usr/local/include/CGAL/Polygon_mesh_processing/self_intersections.h)

# What pages of kiln view are made of besides their own files: three.js, to draw, and libkiln as WebAssembly, to
# answer. THREE= and VIEW_WASM= leave them out; a command without the first makes no pages.
THREE ?= $(firstword $(wildcard /usr/share/javascript/three/three.min.js))
VIEW_WASM ?= $(if $(shell command -v $(EMCC) 2>/dev/null),$(WASM)/kiln.wasm)

# -------------------------------------------------------------------------------------- sources --

# What a program includes: a header that is put there is installed, documented and checked.
PUBLIC_HEADERS = $(sort $(wildcard runtime/kiln*.h))
FORMAT_SOURCES = $(wildcard formats/*.c)
LIBRARY_SOURCES = $(FORMAT_SOURCES) $(wildcard lut/embedded_*.c) $(filter-out runtime/wasm/%,$(wildcard runtime/*/*.c))
# What of tools/import is in the library; the rest is of the importing programs.
IMPORT_SOURCES = $(patsubst %,tools/import/%.c,affine child flatten formats grid import mesh model names polygon \
                   program scene source weld)
IMPORT_MAINS = $(wildcard tools/import/main_*.c)
READER_SOURCES = $(filter-out $(IMPORT_SOURCES) $(IMPORT_MAINS),$(wildcard tools/import/*.c)) \
                 $(wildcard $(foreach d,collada fbx gltf threemf x3d,tools/import/$d/*.c) \
                   $(if $(DRACO),tools/import/gltf/*.cpp))
BAKE_SOURCES = $(wildcard lut/bins*.c lut/axes_*.c) $(IMPORT_SOURCES) \
               $(foreach d,common tree count encode bake export,$(wildcard tools/$d/*.c))
BENCH_SOURCES = $(wildcard tests/bench/adb/*.c tests/bench/figure/*.c) tests/support/tally.c
# The program kiln-bench: verbs of its own over the kit of the command, its reader of tables and its costs.
BENCH_PROGRAM_SOURCES = $(wildcard tests/bench/program/*.c tools/cmd/kit/*.c) $(addprefix tools/cmd/verbs/,costs.c table.c)
COMMAND_SOURCES = $(wildcard tools/cmd/*.c tools/cmd/*/*.c tools/view/*.c)

LIBRARY_OBJECTS = $(LIBRARY_SOURCES:%.c=$O/%.o)
BAKE_OBJECTS = $(BAKE_SOURCES:%.c=$O/%.o) $(FORMAT_SOURCES:%.c=$O/%.o)
COMMAND_OBJECTS = $(COMMAND_SOURCES:%.c=$O/%.o) $O/tools/view/embedded.o

TEST_FOLDERS = unit cases property bad fuzz golden cli models
TEST_SOURCES = $(foreach d,$(TEST_FOLDERS),$(wildcard tests/$d/test_*.c))
TEST_PROGRAMS = $(TEST_SOURCES:%.c=$O/%)
SUPPORT_SOURCES = $(wildcard tests/support/*.c tests/property/oracle.c models/shape/*.c)
FUZZ_SOURCES = $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_PROGRAMS = $(FUZZ_SOURCES:tests/fuzz/%.c=$O/%)
BENCH_PROGRAMS = $(patsubst %.cpp,$O/%,$(patsubst %.c,$O/%,$(wildcard tests/bench/bench_*.c*)))
BENCH_HELPERS = $(filter-out tests/bench/bench_% tests/bench/peer_%, \
                  $(wildcard tests/bench/*.c tests/bench/*.cpp))
PEER = $(OUT)/bench/peer_kiln
TABLE_PROGRAMS = $(patsubst %.c,$O/%,$(wildcard lut/generate_*.c))
SEARCH_PROGRAM = $O/lut/search_axes
MODEL_PROGRAMS = $(patsubst %.c,$O/%,$(wildcard models/*.c))
DEMO_SOURCES = $(wildcard tests/demo/*.c)

# WebAssembly, built once and not for each CONFIG.
EMCC ?= emcc
WASM = $(BUILD)/wasm
WASM_OBJECTS = $(patsubst %.c,$(WASM)/objects/%.o,$(LIBRARY_SOURCES) runtime/wasm/calls.c)
WASM_CFLAGS = -std=c11 -O3 -ffp-contract=off -fvisibility=hidden -msimd128 -DKILN_NO_ZLIB \
              $(filter-out -Wmissing-prototypes,$(WARNINGS))
WASM_LDFLAGS = -O3 -msimd128 -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_malloc,_free -sMALLOC=emmalloc \
               -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=4MB -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB
CCACHE ?= $(shell command -v ccache 2>/dev/null)

PYTHON_LOOPS = $O/tests/bench/python/loops.so
PRODUCT_LIBRARIES = $(OUT)/libkilnbake.a $(OUT)/libkiln.a
BENCH = $O/tests/libbench.a
READERS = $O/tools/import/libreaders.a
IMPORTERS = $(addprefix $(OUT)/libexec/kiln/,kiln-import kiln-import-gltf kiln-import-assimp)
LIBRARIES = $(BENCH) $(READERS) $(PRODUCT_LIBRARIES)
SUPPORT = $O/tests/libsupport.a
PRODUCTS = $(OUT)/kiln $(IMPORTERS) $(OUT)/libkiln.a $(OUT)/libkiln.so $(OUT)/libkilnbake.a

# Helpers of a test program: the other sources of its folder, and what it needs of tests/support. In
# tests/fuzz a program test_X.c gets fuzz_X.c where there is one, else every harness.
helpers = $(filter-out tests/$1/test_% tests/fuzz/fuzz_% $(SUPPORT_SOURCES), \
            $(wildcard tests/$1/*.c)) \
          $(if $(filter fuzz,$1),$(or $(wildcard tests/fuzz/fuzz_$2.c),$(FUZZ_SOURCES)))
objects = $(patsubst %.cpp,$O/%.o,$(patsubst %.c,$O/%.o,$1))

ifeq ($V,1)
Q =
say = @:
else
Q = @
say = @printf '%-5s %s\n'
endif

# -------------------------------------------------------------------------------------- targets --

.DEFAULT_GOAL = all
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all demo check test bench bench-large bench-page soak soak-builds campaign properties fuzz fuzz-campaign tests test-objects thread-tests kiln-bench models man mutants amalgamation wasm npm bench-wasm check-lut \
        adb-weights likely-weights axes-recipes format lint validator docs install install-docs uninstall deb clean help deps FORCE

## all: the kiln command with its importers, libkiln (static and shared) and libkilnbake, in build/
all: $(PRODUCTS)

## demo: installs what is missing, bakes real models and shows what the files do, in build/demo/
demo: deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all models demo-program
	$(Q)$O/demo $(BUILD)/demo

## test: installs what is missing, then the full gate: sanitizers, both compilers, install, symbols
test: deps lint
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) WERROR=-Werror \
	  all tests models man docs python demo-program bench-syntax $(PEER)
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) WERROR=-Werror CONFIG=asan all tests models python
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) CONFIG=tsan thread-tests models
	$(Q)tests/run.sh --build $(BUILD) gate

## check: the part of the tests that takes less than a minute
check: all tests models lint amalgamation
	$(Q)$(CC) -std=gnu11 -fsyntax-only $(OUT)/amalgamation/kiln.c
	$(Q)$(CXX) -std=c++17 -fsyntax-only -x c++ $(OUT)/amalgamation/kiln.c
	$(Q)tests/run.sh --build $(BUILD) --config $(CONFIG) check

## bench: measures against libfcl in the same run and prints ratios
bench: all models bench-programs
	$(Q)set -e; for bench in $(BENCH_PROGRAMS); do \
	  case $$bench in *_adb|*_build|*_separation|*_versus) $$bench --quick ;; *) $$bench ;; esac; done

## bench-wasm: times the module of make wasm under node beside the library, and prints ratios
bench-wasm: all models wasm
	$(Q)CC='$(CC)' tests/bench/wasm/run.sh $(BUILD)

## soak: kills batches 200 times; bakes a thousand assets and holds times to their sum
soak: all models $O/tests/soak/peak $O/tests/cases/test_large
	$(Q)KILN=$(abspath $(OUT))/kiln tests/soak/kills.sh 200
	$(Q)KILN=$(abspath $(OUT))/kiln tests/soak/thousand.sh
	$(Q)KILN_TEST_TIMES=1 $O/tests/cases/test_large

## campaign: opens CAMPAIGN crafted files and a hundredth as many that are written to, under sanitizers
CAMPAIGN = 1000000
campaign:
	+$(Q)$(MAKE) --no-print-directory CONFIG=asan campaign-programs
	$(Q)$(BUILD)/asan/tests/soak/writers $$(($(CAMPAIGN) / 100))
	$(Q)$(BUILD)/asan/tests/soak/mutants $(CAMPAIGN)

## properties: PROPERTY_SCALE times the random cases of the tests that draw them, in full
PROPERTY_SCALE = 1
properties: all models tests
	$(Q)KILN_PROPERTY_SCALE=$(PROPERTY_SCALE) KILN_TEST_SECONDS=86400 tests/run.sh --build $(BUILD) \
	  release/property/ release/cases/test_answers release/cases/test_files

## soak-builds: SOAK_EDITS random edits of a project of sixty assets under each program that builds it
SOAK_EDITS = 2000
SOAK_SEED = 1
SOAK_DRIVERS =
soak-builds: all
	$(Q)$(MAKE) --no-print-directory -s PREFIX=$(abspath $O)/soak DESTDIR= install
	$(Q)/usr/bin/python3 tests/soak/builds.py $O/soak 60 $(SOAK_EDITS) $(SOAK_SEED) $(SOAK_DRIVERS)

## bench-large: bakes ten million triangles within 4 GB, in two to four minutes
bench-large: all models
	$(Q)tests/bench/large.sh $(BUILD)

## bench-page: opens a page of a million triangles, and one of two such meshes, in Chromium
bench-page: all models
	$(Q)mkdir -p $O/page
	$(Q)$O/models/shapes knot 1000000 $O/page/knot.ply && $O/models/shapes torus 1000000 $O/page/torus.ply
	$(Q)$(OUT)/kiln bake -q $O/page/knot.ply $O/page/torus.ply -o $O/page
	$(Q)$(OUT)/kiln view $O/page/knot.kiln -o $O/page/one.html
	$(Q)$(OUT)/kiln view $O/page/knot.kiln $O/page/torus.kiln -o $O/page/two.html
	$(Q)node tests/bench/page.mjs $O/page/one.html $O/page/two.html

## fuzz: builds the libFuzzer harnesses with clang, in build/fuzz/
fuzz:
	+$(Q)$(MAKE) --no-print-directory CC=clang CONFIG=fuzz fuzz-programs

## fuzz-campaign: runs libFuzzer over each harness for FUZZ_SECONDS, from what earlier campaigns kept
fuzz-campaign: fuzz tests
	$(Q)for harness in open bake import scene; do tests/fuzz/campaign.sh $$harness $(FUZZ_SECONDS) $(BUILD) || exit; done

## tests: builds the test programs of this CONFIG without running them
tests: $(TEST_PROGRAMS) $O/tests/soak/peak $O/tests/cli/pty $(OUT)/kiln-bench

## test-objects: compiles all that tests, models and demo are made of, and links none of it
test-objects: $(call objects,$(wildcard $(TEST_FOLDERS:%=tests/%/*.c)) $(MODEL_PROGRAMS:$O/%=%.c) $(DEMO_SOURCES) \
                tests/soak/peak.c $(BENCH_PROGRAM_SOURCES)) $(SUPPORT) $(BENCH)

## thread-tests: builds those of the test programs that start threads, which tests/run.sh runs under tsan
thread-tests: $(filter %threads %thread_pool,$(TEST_PROGRAMS))

## kiln-bench: the program that compares time-critical queries and draws tables; not installed
kiln-bench: $(OUT)/kiln-bench

.PHONY: python wheel bench-python fuzz-python
## python: the Python package kiln, in build/python (PYTHONPATH=build/python)
python: $(OUT)/python/done

## wheel: the package as a wheel for any Python from 3.11 on, in build/wheel/
wheel: $(OUT)/python/done
	$(Q)$(PYTHON) tools/package/wheel.py $(OUT)/python $(VERSION) $(OUT)/wheel

## bench-python: what calls from Python cost, and an arm of 7 links beside FCL
bench-python: python $(PYTHON_LOOPS)
	$(Q)PYTHONPATH=$(OUT)/python $(PYTHON) tests/bench/python/overhead.py $(PYTHON_LOOPS)
	$(Q)PYTHONPATH=$(OUT)/python $(PYTHON) tests/bench/python/arm.py $(PYTHON_LOOPS)

## fuzz-python: FUZZ_CALLS calls of the Python package at random, under sanitizers and without
FUZZ_CALLS = 1000000
fuzz-python: python
	+$(Q)$(MAKE) --no-print-directory CONFIG=asan python
	$(Q)PYTHONPATH=$(OUT)/python $(PYTHON) tests/python/fuzz.py $(FUZZ_CALLS)
	$(Q)LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
	  PYTHONPATH=$(BUILD)/asan/python $(PYTHON) tests/python/fuzz.py $$(($(FUZZ_CALLS) / 10))

## models: builds the generators of procedural models
models: $(MODEL_PROGRAMS)

## validator: asks Khronos' gltf-validator (npm) once more about the models of tests/cases/gltf
validator:
	$(Q)[ -d $(BUILD)/npm/node_modules/gltf-validator ] || \
	  npm install --silent --no-audit --no-fund --prefix $(BUILD)/npm gltf-validator@2.0.0-dev.3.10
	$(Q)NODE_PATH=$(BUILD)/npm/node_modules node tests/cases/gltf/validate.js tests/cases/gltf \
	  >tests/cases/gltf/validator.txt
	$(Q)git diff --stat tests/cases/gltf/validator.txt

## amalgamation: the runtime as one source and its headers for a program's own sources, in build/amalgamation/
amalgamation: $(addprefix $(OUT)/amalgamation/,kiln.c $(notdir $(PUBLIC_HEADERS)))

## wasm: libkiln for JavaScript, in build/wasm/ (needs emscripten)
wasm: $(WASM)/kiln.wasm $(addprefix $(WASM)/,kiln.mjs index.d.ts)

## npm: the same as a package for npm, in build/npm/; it is not published
npm: $(BUILD)/npm/libkiln-$(VERSION).tgz

## man: the manual pages, from the tables of --help, the headers and formats/*.md, in build/man/
man: $(OUT)/man/done

## check-lut: generates the tables of lut/ again and compares
check-lut: $(TABLE_PROGRAMS)
	$(Q)set -e; for table in $(TABLE_PROGRAMS:$O/lut/generate_%=%); do \
	  $O/lut/generate_$$table | cmp - lut/embedded_$$table.c; done

## axes-recipes: searches for the spherical coverings of lut/axes_searches.txt again
axes-recipes: $(SEARCH_PROGRAM)
	$(Q)$(SEARCH_PROGRAM) <lut/axes_searches.txt >$(SEARCH_PROGRAM).c && mv $(SEARCH_PROGRAM).c lut/axes_recipes.c

## likely-weights: fits the weights of time-critical queries again, into runtime/query/likely_weights.c
likely-weights: $(OUT)/kiln models
	$(Q)models/likely_weights.sh $(BUILD) runtime/query/likely_weights.c

## adb-weights: fits the weights of counted queries again, into runtime/adb/adb_weights.c
adb-weights: $(OUT)/kiln models
	$(Q)models/adb_weights.sh $(BUILD) runtime/adb/adb_weights.c

## format: runs clang-format over every source
format:
	$(Q)clang-format -i $$(find formats lut runtime tools tests models -name '*.[ch]' | grep -v 'embedded_\|_weights\.c\|axes_recipes\.c')

## lint: checks includes, names, style, the pages that name files, and the lines of mutants
lint:
	$(Q)tests/check_includes.sh
	$(Q)tests/check_pages.sh
	$(Q)tests/check_style.sh
	$(Q)tests/check_names.sh $(LIBRARY_SOURCES)
	$(Q)tests/mutants/run.sh --check

## mutants: applies each one-line change of tests/mutants/list.txt to a copy; its test must notice it
mutants:
	$(Q)tests/mutants/run.sh --build $(BUILD)

# The command finds its importers by this place from its own.
LIBEXECDIR = $(PREFIX)/libexec/kiln

## docs: the manual as pages of HTML, from the manual pages and all documents, in build/docs/ (needs mandoc)
docs: $(OUT)/docs/index.html

## install-docs: that manual, into share/doc/kiln/html (PREFIX, DESTDIR)
install-docs: docs
	$(Q)rm -rf '$(DESTDIR)$(DATADIR)/doc/kiln/html' && install -d '$(DESTDIR)$(DATADIR)/doc/kiln'
	$(Q)cp -R $(OUT)/docs '$(DESTDIR)$(DATADIR)/doc/kiln/html'

## install: command, libraries, headers, pkg-config, manual, schema, completion (PREFIX, DESTDIR)
install: all man
	$(Q)install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig' \
	  '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(DATADIR)/kiln'
	$(Q)install -m 755 $(OUT)/kiln '$(DESTDIR)$(BINDIR)/kiln'
	$(Q)install -m 755 $(IMPORTERS) '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)install -m 644 $(OUT)/libkiln.a $(OUT)/libkilnbake.a '$(DESTDIR)$(LIBDIR)'
	$(Q)$(CC) $(ALL_CPPFLAGS) -DKILN_LIBEXECDIR='"$(PREFIX)/libexec"' $(ALL_CFLAGS) -c tools/import/program.c \
	  -o '$(DESTDIR)$(LIBDIR)/program.o'
	$(Q)$(AR) r '$(DESTDIR)$(LIBDIR)/libkilnbake.a' '$(DESTDIR)$(LIBDIR)/program.o' && \
	  rm '$(DESTDIR)$(LIBDIR)/program.o'
	$(Q)install -m 755 $(OUT)/libkiln.so '$(DESTDIR)$(LIBDIR)/libkiln.so.$(VERSION)'
	$(Q)ln -sf libkiln.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	$(Q)ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libkiln.so'
	$(Q)install -m 644 $(PUBLIC_HEADERS) tools/kiln_bake.h '$(DESTDIR)$(INCLUDEDIR)'
	$(Q)$(call pkgconfig,runtime/kiln.pc.in) >'$(DESTDIR)$(LIBDIR)/pkgconfig/kiln.pc'
	$(Q)$(call pkgconfig,tools/kilnbake.pc.in) >'$(DESTDIR)$(LIBDIR)/pkgconfig/kilnbake.pc'
	$(Q)install -d '$(DESTDIR)$(LIBDIR)/cmake/kiln'
	$(Q)install -m 644 tools/package/kilnConfig.cmake tools/package/kilnBake.cmake \
	  '$(DESTDIR)$(LIBDIR)/cmake/kiln'
	$(Q)$(call pkgconfig,tools/package/kilnConfigVersion.cmake.in) \
	  >'$(DESTDIR)$(LIBDIR)/cmake/kiln/kilnConfigVersion.cmake'
	$(Q)set -e; for page in $(OUT)/man/*.[0-9]; do section=man$${page##*.}; \
	  install -d "$(DESTDIR)$(MANDIR)/$$section"; \
	  install -m 644 "$$page" "$(DESTDIR)$(MANDIR)/$$section"; done
	$(Q)install -m 644 $(SCHEMAS) '$(DESTDIR)$(DATADIR)/kiln'
	$(Q)set -e; for shell in bash zsh fish; do case $$shell in \
	    bash) to='$(DATADIR)/$(COMPLETION_bash)' ;; zsh) to='$(DATADIR)/$(COMPLETION_zsh)' ;; \
	    fish) to='$(DATADIR)/$(COMPLETION_fish)' ;; esac; \
	  install -d "$(DESTDIR)$${to%/*}"; $(OUT)/kiln --completion $$shell >"$(DESTDIR)$$to"; done

SCHEMAS = $(wildcard tools/cmd/kit/*.schema.json)
COMPLETION_bash = bash-completion/completions/kiln
COMPLETION_zsh = zsh/site-functions/_kiln
COMPLETION_fish = fish/vendor_completions.d/kiln.fish

# Paths in .pc files are relative to the file, so that the installed tree may be moved as a whole.
below = $$(realpath -m -s --relative-to='$1' '$2')
pkgconfig = sed -e "s|@UP@|$(call below,$(LIBDIR)/pkgconfig,$(PREFIX))|" \
                -e "s|@LIB@|$(call below,$(PREFIX),$(LIBDIR))|" \
                -e "s|@INCLUDE@|$(call below,$(PREFIX),$(INCLUDEDIR))|" -e 's|@VERSION@|$(VERSION)|' \
                -e 's|@LIBS@|$(LIBS_runtime)|' $1

## uninstall: removes what install put there
uninstall: man
	$(Q)for page in $(OUT)/man/*.[0-9]; do \
	  rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}"; done
	$(Q)rm -f '$(DESTDIR)$(BINDIR)/kiln' \
	  $(foreach f,libkiln.a libkilnbake.a libkiln.so $(SONAME) libkiln.so.$(VERSION) \
	    pkgconfig/kiln.pc pkgconfig/kilnbake.pc cmake/kiln/kilnConfig.cmake \
    cmake/kiln/kilnConfigVersion.cmake cmake/kiln/kilnBake.cmake,'$(DESTDIR)$(LIBDIR)/$f') \
	  $(foreach f,$(notdir $(PUBLIC_HEADERS)) kiln_bake.h,'$(DESTDIR)$(INCLUDEDIR)/$f') \
	  $(SCHEMAS:tools/cmd/kit/%='$(DESTDIR)$(DATADIR)/kiln/%') \
	  '$(DESTDIR)$(DATADIR)/$(COMPLETION_bash)' '$(DESTDIR)$(DATADIR)/$(COMPLETION_zsh)' \
	  '$(DESTDIR)$(DATADIR)/$(COMPLETION_fish)'
	$(Q)rm -f $(IMPORTERS:$(OUT)/libexec/kiln/%='$(DESTDIR)$(LIBEXECDIR)/%')
	$(Q)rm -rf '$(DESTDIR)$(DATADIR)/doc/kiln/html'
	$(Q)rmdir '$(DESTDIR)$(DATADIR)/doc/kiln' '$(DESTDIR)$(LIBEXECDIR)' '$(DESTDIR)$(DATADIR)/kiln' '$(DESTDIR)$(LIBDIR)/cmake/kiln' 2>/dev/null || :

## deb: Debian packages of the sources, in build/deb/ (DEBEMAIL: the maintainer's address)
deb:
	$(Q)JOBS=$(JOBS) tools/package/deb.sh $(VERSION) $(OUT)/deb

## deps: names what build, tests and bench need and installs it on Debian and Ubuntu
deps:
	$(Q).ci/deps

## clean: removes build/
clean:
	$(Q)rm -rf $(BUILD)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' Makefile | expand -t 12

# ---------------------------------------------------------------------------------------- rules --

export FLAGS_LINE = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) | $(LDFLAGS) | $(AR) | -fPIC
$O/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS_LINE" | cmp -s - $@ || printf '%s\n' "$$FLAGS_LINE" >$@

# To look at a type, UBSan opens a pipe, which the sandbox forbids.
$O/tools/import/gltf/draco.o: private CXXFLAGS += -fno-sanitize=vptr
$O/tools/import/gltf/%.o: private LIBRARY_FLAGS = $(if $(DRACO),-DKILN_DRACO) $(if $(MESHOPT),-DKILN_MESHOPT)

$(LIBRARY_OBJECTS): private LIBRARY_FLAGS = -fPIC -DKILN_SHARED
# Plugins and modules link it into shared objects.
$(filter-out $(LIBRARY_OBJECTS),$(BAKE_OBJECTS)): private LIBRARY_FLAGS = -fPIC
# What hardly a machine runs, and what takes no part in a query's inner loops, is to be small; what is
# asked once an opening, or less, smaller still. No table of unwinding: nothing of ours throws.
SMALL = $(addprefix runtime/,bins/bins bins/bins_lookup query/contact_geometry query/contacts exact/expansion kernel/kernel_scalar \
          query/interruptible query/locate walk/frontier_walk walk/pair_filter open/partial query/shape exact/shape_triangle \
          winding/half_angle winding/moments continuous/all_pairs continuous/dynamic_world scene/scene scene/scene_bounds scene/scene_pairs scene/scene_query scene/scene_ray sweep/sweep walk/once \
          walk/shape_walk self/self exact/triangle_relation exact/convex_exact exact/wide_integer query/signed_distance query/shape_distance walk/shape_near_walk \
          exact/point_triangle walk/affine_point_walk pose/pose pose/affine) \
        $(addprefix formats/,arrival axes_check bins_check part reader)
SMALLEST = $(addprefix runtime/,adb/adb_hints adb/adb_pick adb/adb_read \
             adb/adb_weights axes/axes_open bins/bins_open open/facts open/open open/opening open/ray_accel query/query) \
           $(addprefix formats/,adb format_error os sections weights)
ifeq ($(CONFIG),release)
$(LIBRARY_OBJECTS): private LIBRARY_FLAGS += -fno-asynchronous-unwind-tables
$(SMALL:%=$O/%.o): private LIBRARY_FLAGS += -O2 $(CFLAGS)
$(SMALLEST:%=$O/%.o): private LIBRARY_FLAGS += -Os $(CFLAGS)
endif
# What takes longer to optimise than to run is not optimised as the rest is: of a test, all but oracles and three
# tests that look at every box; under asan and tsan the command too, and readers, which run as long as a model of
# some triangles takes.
TEST_CODE = $(patsubst %.c,$O/%.o,$(filter-out %/test_build.c %/test_count.c %/test_partial.c, \
              $(wildcard tests/unit/*.c tests/bad/*.c tests/cases/*.c tests/golden/*.c tests/fuzz/*.c)))
READER_CODE = $(call objects,$(READER_SOURCES) $(IMPORT_MAINS))
COMMAND_CODE = $(COMMAND_OBJECTS) $(BENCH_PROGRAM_SOURCES:%.c=$O/%.o)
ifeq ($(CONFIG),release)
$(TEST_CODE): private LIBRARY_FLAGS += -O1 $(CFLAGS)
endif
ifeq ($(CONFIG),asan)
$(TEST_CODE) $(COMMAND_CODE): private LIBRARY_FLAGS += -O0 $(CFLAGS)
$(READER_CODE): private LIBRARY_FLAGS += -O1 $(CFLAGS)
endif
ifeq ($(CONFIG),tsan)
$(READER_CODE): private LIBRARY_FLAGS += -O0 $(CFLAGS)
endif

$O/%.o: %.c $O/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIBRARY_FLAGS) $(WERROR) -MMD -MP -c $< -o $@

$O/%.o: %.cpp $O/flags
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) $(LIBRARY_FLAGS) -I/usr/include/eigen3 -MMD -MP -c $< -o $@

# Headers of FCL and Eigen take longer than what is checked: those that a source names anyway are read once, ahead.
FCL_MODEL = tests/bench/fcl_model.hpp
FCL_CHECKED := $(patsubst %.cpp,$O/%.checked,$(shell grep -l '"fcl_model.hpp"' tests/bench/*.cpp))
CHECK_CXX = $(CXX) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS) -g0 -I/usr/include/eigen3
$O/$(FCL_MODEL).gch: $(FCL_MODEL) $(wildcard tests/bench/*.h tests/support/meshes.h) $O/flags
	@mkdir -p $(@D)
	$(say) CHECK $<
	$(Q)$(CHECK_CXX) -x c++-header $< -o $@

$(FCL_CHECKED): private AHEAD = -include $O/$(FCL_MODEL)
$(FCL_CHECKED): $O/$(FCL_MODEL).gch
$O/%.checked: %.cpp $O/flags
	@mkdir -p $(@D)
	$(say) CHECK $<
	$(Q)$(CHECK_CXX) $(AHEAD) $(LIBRARY_FLAGS) -fsyntax-only $<
	@touch $@

# Of a source that is gone no object tells: libraries are made anew, too, when the list of their sources changes.
export SOURCES_LINE = $(LIBRARY_SOURCES) | $(BAKE_SOURCES) | $(READER_SOURCES) | $(BENCH_SOURCES) | $(SUPPORT_SOURCES)
$O/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$SOURCES_LINE" | cmp -s - $@ || printf '%s\n' "$$SOURCES_LINE" >$@

$(OUT)/libkiln.a: $(LIBRARY_OBJECTS)
$(OUT)/libkilnbake.a: $(BAKE_OBJECTS)
$(READERS): $(call objects,$(READER_SOURCES))
$(BENCH): $(BENCH_SOURCES:%.c=$O/%.o)
$(SUPPORT): $(SUPPORT_SOURCES:%.c=$O/%.o)
$(OUT)/libkiln.a $(OUT)/libkilnbake.a $(READERS) $(BENCH) $(SUPPORT): $O/sources
	@mkdir -p $(@D)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(OUT)/libkiln.so: $(LIBRARY_OBJECTS) $O/sources
	$(say) LD $@
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) $(FLAGS_whole) $(ALL_LDFLAGS) $(filter %.o,$^) $(LIBS_runtime) -o $@
	$(Q)ln -sf libkiln.so $(@D)/$(SONAME)

$(OUT)/libexec/kiln/kiln-import: $O/tools/import/main_own.o
$(OUT)/libexec/kiln/kiln-import-gltf: $O/tools/import/main_gltf.o
$(OUT)/libexec/kiln/kiln-import-gltf: private LIBS_import = $(LIBS_import_gltf)
$(OUT)/libexec/kiln/kiln-import-assimp: $O/tools/import/main_assimp.o
$(OUT)/libexec/kiln/kiln-import-assimp: private LIBS_import = $(LIBS_import_assimp)
$(IMPORTERS): $O/tools/import/main_memory.o $(READERS) $(PRODUCT_LIBRARIES)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS_import) -o $@

# Whatever bakes runs the importers, which it is not linked with.
$(OUT)/kiln $(OUT)/kiln-bench $(TEST_PROGRAMS) $(BENCH_PROGRAMS) $(MODEL_PROGRAMS) $(PEER) $(FUZZ_PROGRAMS) $O/demo \
  $O/tests/soak/mutants $O/tests/soak/writers: | $(IMPORTERS)

# The files of pages as a table, made again when one is changed, added or left out.
VIEW_FILES = $(filter-out %/live.js,$(wildcard tools/view/*.html tools/view/*.css tools/view/*.js))
VIEW_LIVE = $(if $(VIEW_WASM),$O/tools/view/live.mjs)
$O/tools/view/embedded.c: tools/view/embed.sh $(VIEW_FILES) $(THREE) $(VIEW_WASM) $(VIEW_LIVE) $O/tools/view/lists
	$(say) EMBED $@
	$(Q)tools/view/embed.sh $(foreach f,$(VIEW_FILES),$(notdir $f)=$f) three.js=$(THREE) kiln.wasm=$(VIEW_WASM) \
	  live.mjs=$(VIEW_LIVE) >$@

$O/tools/view/live.mjs: runtime/wasm/kiln.mjs tools/view/live.js
	@mkdir -p $(@D)
	$(Q)cat $^ >$@

$O/tools/view/lists: FORCE
	@mkdir -p $(@D)
	@echo '$(VIEW_FILES) $(THREE) $(notdir $(VIEW_WASM))' | cmp -s - $@ || \
	  echo '$(VIEW_FILES) $(THREE) $(notdir $(VIEW_WASM))' >$@

$O/tools/view/embedded.o: $O/tools/view/embedded.c $O/flags
	$(say) CC $<
	$(Q)$(CC) -Itools/view $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(WERROR) -MMD -MP -c $< -o $@

$(OUT)/kiln: $(COMMAND_OBJECTS) $(PRODUCT_LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ -lfyaml $(LIBS_bake) -o $@

$(OUT)/kiln-bench: $(BENCH_PROGRAM_SOURCES:%.c=$O/%.o) $(SUPPORT) $(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ -lfyaml $(LIBS_bake) -o $@

MAN_SCRIPTS = $(addprefix tools/package/,manuals.sh header_to_man.awk families.txt markdown_to_man.awk add_sections.awk bugs.txt) $(wildcard tools/package/examples/*.sh tools/package/examples/*.c)
$(OUT)/man/done: $(OUT)/kiln $(MAN_SCRIPTS) $(PUBLIC_HEADERS) tools/kiln_bake.h \
                 formats/hierarchy.md formats/bins.md formats/axes.md tools/package/cmake.md
	$(say) MAN $(@D)
	$(Q)rm -rf $(@D) && tools/package/manuals.sh $(OUT)/kiln $(VERSION) $(@D) && touch $@

DOCUMENTS = README.md CHANGELOG.md $(shell find formats lut models runtime tests tools -name '*.md' | LC_ALL=C sort)
$(OUT)/docs/index.html: $(OUT)/man/done tools/package/html.sh $(wildcard tools/package/html/*) $(DOCUMENTS)
	$(say) HTML $(@D)
	$(Q)rm -rf $(@D) && tools/package/html.sh $(OUT)/kiln $(VERSION) $(OUT)/man $(@D)

AMALGAMATE = tools/package/amalgamate.awk
$(OUT)/amalgamation/kiln.c: $(AMALGAMATE) tools/package/amalgamation.h $(LIBRARY_SOURCES) \
                            $(wildcard formats/*.h lut/*.h runtime/*.h runtime/*/*.h)
	@mkdir -p $(@D)
	$(say) AWK $@
	$(Q){ sed 's|@VERSION@|$(VERSION)|' tools/package/amalgamation.h && \
	      awk -f $(AMALGAMATE) $(filter-out %/os.c,$(LIBRARY_SOURCES)) formats/os.c; } >$@

$(OUT)/amalgamation/%.h: runtime/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

export WASM_LINE = $(EMCC) $(WASM_CFLAGS) | $(WASM_LDFLAGS)
$(WASM)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$WASM_LINE" | cmp -s - $@ || printf '%s\n' "$$WASM_LINE" >$@

# emcc takes a quarter of a second of its own for each file, so that it is asked once what it calls.
$(WASM)/compile: $(WASM)/flags
	$(Q)$(EMCC) -v -c formats/node_kinds.c -o $@.o 2>$@.log || { cat $@.log; exit 1; }
	$(Q)sed -n '/^ *"[^"]*clang[^"]*" /{s/ -v .*//;s|^|exec $(CCACHE)|;s|$$| "$$@"|;p;q}' $@.log >$@
	$(Q)[ -s $@ ] && rm $@.o $@.log

$(WASM)/objects/%.o: %.c $(WASM)/compile
	@mkdir -p $(@D)
	$(say) EMCC $<
	$(Q)sh $(WASM)/compile $(WASM_CFLAGS) $(WERROR) -MMD -MP -c $< -o $@

$(WASM)/kiln.wasm: $(WASM_OBJECTS)
	$(say) EMLD $@
	$(Q)$(EMCC) $(WASM_LDFLAGS) $^ -o $@

NPM_FILES = $(WASM)/kiln.wasm runtime/wasm/kiln.mjs runtime/wasm/index.d.ts LICENSE
$(BUILD)/npm/libkiln-$(VERSION).tgz: $(NPM_FILES) runtime/wasm/package.json.in runtime/wasm/usage.md
	$(say) NPM $@
	$(Q)rm -rf $(BUILD)/npm/package && mkdir -p $(BUILD)/npm/package
	$(Q)cp $(NPM_FILES) $(BUILD)/npm/package && chmod 644 $(BUILD)/npm/package/*
	$(Q)cp runtime/wasm/usage.md $(BUILD)/npm/package/README.md
	$(Q)sed 's|@VERSION@|$(VERSION)|' runtime/wasm/package.json.in >$(BUILD)/npm/package/package.json
	$(Q)cd $(BUILD)/npm && npm pack --silent --offline ./package >/dev/null

$(WASM)/%: runtime/wasm/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

.SECONDEXPANSION:

$(TEST_PROGRAMS): $O/tests/%: \
            $$(call objects,tests/$$*.c $$(call helpers,$$(*D),$$(subst test_,,$$(*F)))) \
            $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_test) -o $@

$O/tests/soak/peak $O/tests/cli/pty: %: %.o
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ -o $@

$(addprefix $O/tests/soak/,mutants writers): $O/%: $O/%.o $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_test) -o $@

$(TABLE_PROGRAMS) $(SEARCH_PROGRAM): $O/%: $O/%.o $(OUT)/libkilnbake.a
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_bake) -o $@

$(MODEL_PROGRAMS): $O/%: $O/%.o $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_bake) -o $@

$O/demo: $$(call objects,$$(DEMO_SOURCES)) $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_test) -o $@

$(addprefix $O/tests/bench/bench_,ray.o inside.o nearest.o): private LIBRARY_FLAGS = $(if $(EMBREE),-DKILN_BENCH_EMBREE)
$(addprefix $O/tests/bench/bench_,ray inside nearest): private LIBS_bench += $(if $(EMBREE),-lembree3)

$(foreach b,scene continuous regions,$O/tests/bench/bench_$b.o $O/tests/bench/bench_$b.checked): private LIBRARY_FLAGS = \
  $(if $(BULLET),-DKILN_BENCH_BULLET -isystem $(dir $(firstword $(BULLET))))
$(addprefix $O/tests/bench/bench_,scene continuous regions): private LIBS_bench += $(if $(BULLET),-lBulletCollision -lLinearMath)

$(addprefix $O/tests/bench/bench_self.,o checked): private LIBRARY_FLAGS = $(if $(CGAL),-DKILN_BENCH_CGAL)
$O/tests/bench/bench_self: private LIBS_bench += $(if $(CGAL),-lmpfr -lgmp)

$(BENCH_PROGRAMS): $O/%: $O/%.o $$(call objects,$$(BENCH_HELPERS)) $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CXX) $(ALL_LDFLAGS) $^ $(LIBS_bench) -o $@

# The stable interface of Python 3.11: whichever Python is asked for its headers, the module serves all later ones.
PYTHON ?= /usr/bin/python3
PYTHON_SOURCES = $(wildcard runtime/python/extension/*.c)
PYTHON_FILES = $(wildcard runtime/python/kiln/*)
$(PYTHON_SOURCES:%.c=$O/%.o): private LIBRARY_FLAGS = -fPIC \
  -isystem $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')
$(OUT)/python/kiln/_kiln.abi3.so: $(PYTHON_SOURCES:%.c=$O/%.o) $(PRODUCT_LIBRARIES)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) -shared -Wl,--exclude-libs,ALL $(ALL_LDFLAGS) $^ $(LIBS_bake) -o $@

$O/tests/bench/python/loops.o: private LIBRARY_FLAGS = -fPIC
$(PYTHON_LOOPS): $O/tests/bench/python/loops.o $(OUT)/libkiln.a
	$(say) LD $@
	$(Q)$(CXX) -shared -Wl,--exclude-libs,ALL $(ALL_LDFLAGS) $^ -lfcl -lccd $(LIBS_runtime) -o $@

$(OUT)/python/done: $(OUT)/python/kiln/_kiln.abi3.so $(PYTHON_FILES) $(IMPORTERS)
	$(Q)cp $(PYTHON_FILES) $(OUT)/python/kiln
	$(Q)mkdir -p $(OUT)/python/kiln/libexec && cp $(filter-out %-assimp,$(IMPORTERS)) $(OUT)/python/kiln/libexec
	$(Q)touch $@

$(PEER): $O/tests/bench/peer_kiln.o $(SUPPORT) $(LIBRARIES)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS_bake) -o $@

.PHONY: demo-program fuzz-programs bench-programs bench-syntax campaign-programs
campaign-programs: $O/tests/soak/mutants $O/tests/soak/writers
bench-programs: $(BENCH_PROGRAMS) $(PEER) $(OUT)/kiln-bench
# What is not run is not optimised: the templates of the libraries that kiln is compared with take a minute.
bench-syntax: $(patsubst %.cpp,$O/%.checked,$(wildcard tests/bench/*.cpp))
demo-program: $O/demo
fuzz-programs: $(FUZZ_PROGRAMS)

$(FUZZ_PROGRAMS): $O/%: $O/tests/fuzz/%.o $$(SUPPORT) $$(LIBRARIES)
	$(say) LD $@
	$(Q)$(CC) -fsanitize=fuzzer $(ALL_LDFLAGS) $^ $(LIBS_bake) -o $@

-include $(shell find $O $(WASM)/objects -name '*.d' 2>/dev/null)
