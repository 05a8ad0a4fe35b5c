# tacod: Tacotron 2 text-to-speech server. `make help` lists the targets.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   ?= build
# One name for one folder: the headers that an object depends on are kept under its name.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
CC      ?= cc
AR      ?= ar
PYTHON  ?= /usr/bin/python3
V       ?= 0

VERSION := 0.1.0
SOVERSION := 0

ifeq ($(V),0)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
endif

# -- Debian packages ------------------------------------------------------------------------

DEBS_BUILD := gcc make pkg-config libc6-dev libmicrohttpd-dev libopenblas-dev libsndfile1-dev \
              libogg-dev libjansson-dev libfftw3-dev libsoxr-dev flite1-dev libespeak-ng-dev espeak-ng-data \
              libunistring-dev libpng-dev libgnutls28-dev libexpat1-dev libsystemd-dev \
              libzip-dev libebur128-dev
DEBS_TEST := check python3 python3-pip python3-torch python3-torchaudio python3-numpy python3-yaml python3-jsonschema \
             clang-format pocketsphinx pocketsphinx-en-us flite sox curl wget man-db valgrind \
             qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross wordnet-base fortunes espeak-ng python3-venv chromium \
             binutils wrk openssl speech-dispatcher prometheus haproxy lintian $(if $(shell command -v npm),,nodejs npm)

# -- what is installed, and where ---------------------------------------------------------

PACKAGES := libmicrohttpd gnutls libsystemd openblas sndfile ogg jansson fftw3f soxr libpng espeak-ng expat libzip libebur128
# Asked of pkg-config only when something is compiled, so that `make help` and the targets
# that install the packages work without them.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $(shell pkg-config --libs $(PACKAGES)))$(PKG_LIBS)
LIBS = $(PKG_LIBS) -lflite_usenglish -lflite_cmulex -lflite -lunistring -lm -pthread

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wdouble-promotion \
            -Wfloat-conversion -Wold-style-definition
# The tests build with WERROR=1. A compiler that we have not seen, or CFLAGS='-Og -g', may warn
# of what is no fault; that must not stop anybody's build.
ifneq ($(filter-out 0,$(WERROR)),)
WARNINGS += -Werror
endif
CFLAGS ?= -O2 -g
# -ffp-contract=off: a product and a sum are fused where a kernel says so and nowhere else, so
# that results do not depend on the compiler's mood.
TACO_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARNINGS) -ffp-contract=off -fvisibility=hidden \
              -fno-math-errno -fPIC -pthread -Iinclude -Icore \
              -DTACO_VERSION_STRING='"$(VERSION)"' $(PKG_CFLAGS)

# make SANITIZE=address (with undefined) or SANITIZE=thread
ifeq ($(SANITIZE),address)
override BUILD := $(BUILD)/asan
TACO_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
else ifeq ($(SANITIZE),thread)
override BUILD := $(BUILD)/tsan
TACO_CFLAGS += -fsanitize=thread -fno-omit-frame-pointer
LDFLAGS += -fsanitize=thread
else ifneq ($(SANITIZE),)
$(error SANITIZE is address or thread)
endif

MACHINE := $(shell $(CC) -dumpmachine)

# -- sources ----------------------------------------------------------------------------------

CORE_C := $(wildcard core/*/*.c)
ifneq ($(findstring x86_64,$(MACHINE)),)
CORE_C += $(wildcard core/kernels/x86/*.c)
else ifneq ($(findstring aarch64,$(MACHINE)),)
CORE_C += $(wildcard core/kernels/arm/*.c)
endif
SERVER_C := $(wildcard server/*.c server/*/*.c)
UNIT_C := $(wildcard tests/unit/check_*.c)
CHECKASM_C := $(wildcard tests/checkasm/*.c)
GOLDEN_C := $(wildcard tests/golden/*.c)
SUPPORT_C := $(wildcard tests/support/*.c)

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
# The pronunciations and the weights of the homographs, which the library carries.
TABLES_O := $(BUILD)/obj/core/text/tables.o
CORE_O := $(call obj,$(CORE_C)) $(TABLES_O)
SERVER_O := $(call obj,$(SERVER_C))
SUPPORT_O := $(call obj,$(SUPPORT_C))
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_C))
GOLDEN_BIN := $(patsubst tests/golden/%.c,$(BUILD)/tests/golden/%,$(GOLDEN_C))
CHECKASM_BIN := $(if $(CHECKASM_C),$(BUILD)/tests/checkasm/checkasm)

.PHONY: all
all: $(BUILD)/tacod $(BUILD)/libtaco.a $(BUILD)/libtaco.so $(BUILD)/taco.pc

# Instruction sets: those files only, and they include nothing that could carry their
# instructions elsewhere.
AVX512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma
AMX := $(AVX512) -mavx512vnni -mavx512bf16 -mamx-tile -mamx-int8 -mamx-bf16
DOTPROD := -march=armv8.2-a+dotprod
$(BUILD)/obj/core/kernels/x86/%_avx2.o: ISA := -mavx2 -mfma -mf16c
$(BUILD)/obj/core/kernels/x86/%_avx512.o: ISA := $(AVX512)
$(BUILD)/obj/core/kernels/x86/%_avx512bf16.o: ISA := $(AVX512) -mavx512bf16
$(BUILD)/obj/core/kernels/x86/%_vnni.o: ISA := $(AVX512) -mavx512vnni
$(BUILD)/obj/core/kernels/x86/%_amx.o: ISA := $(AMX)
$(BUILD)/obj/core/kernels/arm/%_dotprod.o: ISA := $(DOTPROD)

# Tests build with the others alone: Check's macros convert at will.
$(BUILD)/obj/core/%.o $(BUILD)/obj/server/%.o: WARNINGS += -Wconversion -Wsign-conversion

# The vocoder's loops are plain C that the compiler vectorises; no value depends on the traps that
# -fno-trapping-math gives up.
$(BUILD)/obj/core/vocoder/%.o: ISA := -O3 -fno-trapping-math

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(TACO_CFLAGS) $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<

$(TABLES_O): core/text/tables.S models/lexicon/dictionary.bin models/homographs/model.bin
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -c -o $@ $<

$(BUILD)/libtaco.a: $(CORE_O)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/libtaco.so: $(CORE_O)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libtaco.so.$(SOVERSION) $(LDFLAGS) -o $@ $^ $(LIBS)

# What a program needs that links the library. The libraries behind it matter to programs that
# take libtaco.a; they are named one by one, since some packages' own static needs (Fortran's
# run time) are not what anybody installs.
# Written anew whenever it would differ: PREFIX may be given to `make install` alone.
.PHONY: FORCE
$(BUILD)/taco.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' \
	    'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' \
	    'Name: taco' 'Description: Tacotron 2 text-to-speech inference' 'Version: $(VERSION)' \
	    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -ltaco' \
	    'Libs.private: $(filter-out -lmicrohttpd -lgnutls -lsystemd -lzip -lebur128,$(LIBS))' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# The daemon carries the default voice and the page; page_files.inc names the page's files.
EMBED_O := $(BUILD)/obj/server/voices/embedded.o
PAGE_FILES := $(sort $(wildcard web/*.html web/*.css web/*.js web/*.svg))
PAGE_INC := $(BUILD)/gen/page_files.inc
.PHONY: force
$(PAGE_INC): force
	@mkdir -p $(@D)
	@n=0; for f in $(PAGE_FILES); do echo "PAGE_FILE($$n, \"$${f#web/}\", \"$$f\")"; n=$$((n + 1)); done >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(EMBED_O): server/voices/embedded.S $(PAGE_INC) models/heart.safetensors server/api/openapi.json $(PAGE_FILES)
	@mkdir -p $(@D)
	$(call say,AS,$<)
	$(Q)$(CC) -I$(BUILD)/gen -c -o $@ $<
$(BUILD)/obj/server/%.o: TACO_CFLAGS += -Iserver
$(BUILD)/obj/server/api/handle_page.o: $(PAGE_INC)
$(BUILD)/obj/server/api/handle_page.o: TACO_CFLAGS += -I$(BUILD)/gen

$(BUILD)/tacod: $(SERVER_O) $(EMBED_O) $(BUILD)/libtaco.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# -- tests --------------------------------------------------------------------------------------

CHECK_CFLAGS = $(eval CHECK_CFLAGS := $(shell pkg-config --cflags check))$(CHECK_CFLAGS)
CHECK_LIBS = $(eval CHECK_LIBS := $(shell pkg-config --libs check))$(CHECK_LIBS)
$(BUILD)/obj/tests/%.o: TACO_CFLAGS += $(CHECK_CFLAGS) -Itests -Iserver
# Check's macros compare floats as doubles.
$(BUILD)/obj/tests/%.o: WARNINGS += -Wno-double-promotion -Wno-float-conversion

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(SUPPORT_O) $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

# The server's parts are tested without its main().
$(BUILD)/libserver.a: $(filter-out %/main.o,$(SERVER_O)) $(EMBED_O)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/tests/unit/check_server_%: $(BUILD)/obj/tests/unit/check_server_%.o $(SUPPORT_O) $(BUILD)/libserver.a $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

$(BUILD)/tests/golden/%: $(BUILD)/obj/tests/golden/%.o $(SUPPORT_O) $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(SUPPORT_O) $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/driver.o $(SUPPORT_O) $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

$(BUILD)/tests/checkasm/checkasm: $(call obj,$(CHECKASM_C)) $(SUPPORT_O) $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(LIBS)

# Prints the parts of the documents that are made from tables (make docs).
$(BUILD)/tests/documents/document: $(BUILD)/obj/tests/documents/document.o $(BUILD)/libserver.a $(BUILD)/libtaco.a
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

# The AMX kernels over tiles in plain C, for processors without them (but with AVX-512).
AMX_C := $(wildcard core/kernels/x86/*_amx.c)
AMX_O := $(patsubst %.c,$(BUILD)/amx/%.o,$(AMX_C) $(CHECKASM_C))
$(BUILD)/amx/core/%.o: ISA := $(AMX) -include tests/checkasm/amx_emulation.h -Wno-unused-function
$(BUILD)/amx/tests/%.o: ISA := -DCHECKASM_AMX_EMULATED -Itests
$(BUILD)/amx/%.o: %.c tests/checkasm/amx_emulation.h
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(TACO_CFLAGS) $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<
$(BUILD)/amx/checkasm: $(AMX_O) $(BUILD)/obj/tests/support/numbers.o $(BUILD)/libtaco.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
.PHONY: checkasm-amx
checkasm-amx: $(BUILD)/amx/checkasm
	$(Q)$< --isa amx --rounds 60

# The NEON kernels, by a cross compiler and under emulation; no library is needed for them.
NEON_CC ?= aarch64-linux-gnu-gcc
NEON_RUN ?= qemu-aarch64
NEON_O := $(patsubst %.c,$(BUILD)/neon/%.o,$(filter-out %/gemm.c,$(wildcard core/kernels/*.c core/kernels/arm/*.c)) \
            core/base/cpu.c core/base/log.c core/base/printable.c $(CHECKASM_C) tests/support/numbers.c)
$(BUILD)/neon/core/kernels/arm/%_dotprod.o: ISA := $(DOTPROD)
$(BUILD)/neon/%.o: %.c
	@mkdir -p $(@D)
	$(call say,NEON,$<)
	$(Q)$(NEON_CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -ffp-contract=off -fno-math-errno -pthread \
		-Iinclude -Icore -Itests $(CFLAGS) $(ISA) -MMD -MP -c -o $@ $<
$(BUILD)/neon/checkasm: $(NEON_O)
	$(call say,LD,$@)
	$(Q)$(NEON_CC) -static -pthread -o $@ $^ -lm
.PHONY: checkasm-neon
checkasm-neon: $(BUILD)/neon/checkasm
	$(Q)$(NEON_RUN) $< --rounds 40

# Every program that is built on the library's inner headers, so that none is forgotten when one changes.
PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/check_*.c tests/golden/*.c tests/bench/*.c tests/fuzz/fuzz_*.c)) \
            $(BUILD)/tests/checkasm/checkasm $(BUILD)/tests/documents/document
.PHONY: programs
programs: all $(PROGRAMS)
	$(Q)$(MAKE) --no-print-directory -s -C models/train BUILD=$(abspath $(BUILD))/train TACO=$(abspath $(BUILD)) $(abspath $(BUILD))/train/states

.SECONDARY:
-include $(wildcard $(foreach d,obj amx neon,$(BUILD)/$d/*/*.d $(BUILD)/$d/*/*/*.d $(BUILD)/$d/*/*/*/*.d))

# -- the two commands --------------------------------------------------------------------------

# Installs those of the named packages that are missing; asks for sudo only when it must.
install_debs = missing=; for p in $(1); do \
    dpkg-query -W -f '$${db:Status-Abbrev}\n' $$p 2>/dev/null | grep -q '^ii' || missing="$$missing $$p"; done; \
  if [ -n "$$missing" ]; then echo "installing$$missing"; sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
    $$sudo apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing; fi

.PHONY: deps deps-test run test check
deps:
	@$(call install_debs,$(DEBS_BUILD))
deps-test:
	@$(call install_debs,$(DEBS_BUILD))
	@$(call install_debs,$(DEBS_TEST))

run: deps
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) all
	$(BUILD)/tacod serve

test: deps-test
	@tests/run

# The fast path, for every change. It installs nothing; it needs DEBS_BUILD, check and python3.
check:
	@tests/run check

# -- upkeep ---------------------------------------------------------------------------------------

C_FILES = $(wildcard $(shell git ls-files -c -o --exclude-standard '*.c' '*.h'))

.PHONY: lint docs format bench soak install deb uninstall clean help
lint: $(BUILD)/libtaco.a $(BUILD)/libtaco.so $(BUILD)/tests/documents/document
	@tests/lint $(BUILD)

docs: $(BUILD)/tests/documents/document
	@tests/documents/update $<

format:
	clang-format -i $(C_FILES)

bench:
	@BUILD=$(BUILD) tests/bench/bench

# The long forms of the tests in tests/load.
soak: all
	SOAK=10000 MALFORMED=10000 WRK=30 tests/load/run $(BUILD)/tacod

LIBDIR ?= $(PREFIX)/lib
D := $(DESTDIR)$(PREFIX)
install: all
	install -d $(D)/bin $(D)/include/taco $(DESTDIR)$(LIBDIR)/pkgconfig $(D)/share/man/man1 \
	    $(D)/share/tacod/voices
	install -m 755 $(BUILD)/tacod $(D)/bin/tacod
	install -m 644 include/taco/*.h $(D)/include/taco/
	install -m 644 $(BUILD)/libtaco.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/libtaco.so $(DESTDIR)$(LIBDIR)/libtaco.so.$(VERSION)
	ln -sf libtaco.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libtaco.so.$(SOVERSION)
	ln -sf libtaco.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libtaco.so
	install -m 644 $(BUILD)/taco.pc $(DESTDIR)$(LIBDIR)/pkgconfig/taco.pc
	install -m 644 server/cli/tacod.1 $(D)/share/man/man1/tacod.1
	install -m 644 models/*.safetensors $(D)/share/tacod/voices/
	@# Without it a program linked with -ltaco may not find the library. A package (DESTDIR) and
	@# an unprivileged user cannot run it.
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; \
	 elif [ -z "$(DESTDIR)" ]; then echo "run ldconfig as root, or add $(LIBDIR) to LD_LIBRARY_PATH"; fi

# Debian packages in build/deb, from the files that git tracks.
DEB_TREE = $(BUILD)/deb/tacod-$(VERSION)
deb: deps
	@$(call install_debs,debhelper fakeroot)
	rm -rf $(BUILD)/deb
	mkdir -p $(DEB_TREE)
	git ls-files -z | xargs -0 tar -c | tar -x -C $(DEB_TREE)
	cp -r docker/debian docker/tacod.service docker/tacod.socket docker/tacod.default $(DEB_TREE)/
	cd $(DEB_TREE) && mv tacod.service tacod.socket tacod.default debian/
	printf 'tacod (%s) unstable; urgency=medium\n\n  * Built from the repository.\n\n -- tacod maintainers <maintainers@tacod.example>  %s\n' \
	    '$(VERSION)' "$$(git log -1 --format=%aD)" >$(DEB_TREE)/debian/changelog
	@# Neither our variables nor our flags: the package has a build folder of its own.
	cd $(DEB_TREE) && env -u BUILD -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS dpkg-buildpackage -b -us -uc

uninstall:
	rm -f $(D)/bin/tacod $(D)/share/man/man1/tacod.1 $(DESTDIR)$(LIBDIR)/pkgconfig/taco.pc
	rm -f $(DESTDIR)$(LIBDIR)/libtaco.a $(DESTDIR)$(LIBDIR)/libtaco.so*
	rm -rf $(D)/include/taco $(D)/share/tacod

clean:
	rm -rf $(BUILD)

help:
	@echo 'make              build build/tacod, build/libtaco.a and build/libtaco.so'
	@echo 'make run          install missing packages (apt), build, serve the built-in voice on port 8020'
	@echo 'make check        fast tests of the plain build: lint, unit and HTTP; needs only the build'"'"'s packages and Check'
	@echo 'make test         install the packages that the tests need (apt), then run all tests'
	@echo 'tests/run SUITE   run some suites of them; tests/run -l lists the suites'
	@echo 'make lint         check layers, symbol names, generated documents and format'
	@echo 'make docs         write the option tables into tacod.1 and API.md'
	@echo 'make format       run clang-format on all C files'
	@echo 'make bench        measure speed and quality side by side with torchaudio'
	@echo 'make soak         send 10,000 requests and as many malformed ones; memory must stay flat'
	@echo 'make install      install program, library, headers, manual page and voices (DESTDIR, PREFIX=/usr/local)'
	@echo 'make deb          build Debian packages in build/deb: tacod, libtaco0, libtaco-dev, tacod-voice-*'
	@echo 'make uninstall    remove them'
	@echo 'make clean        remove build/'
	@echo
	@echo 'SANITIZE=address or thread builds into build/asan or build/tsan. WERROR=1 makes warnings errors.'
	@echo 'V=1 shows the commands. CC, CFLAGS, LDFLAGS, BUILD, PREFIX, DESTDIR and LIBDIR as usual.'
