# The tuning step of a build, for GNU make (docs/build.md):
#
#     include $(shell pkg-config --variable=makefile inflight)
#     $(eval $(call inflight_tune,build/gather.o,src/gather.c,SET n=1000000 BUDGET 60s))
#
# is the rule for build/gather.o: the C that was tuned for this machine's CPU if the record src/gather.inflight.json holds it
# and it still fits, else src/gather.c as it is, and a line that says why. The third argument takes the words of the CMake
# function inflight_tune but TARGET and KERNEL. `make inflight-tune` tunes, `make inflight-check` checks; these two need the
# program inflight, a build needs cmake alone. CC, CPPFLAGS and CFLAGS are used as make's own rule uses them.
#
# This file and inflight-tune.cmake may also be copied into a project, side by side.

inflight_folder := $(dir $(lastword $(MAKEFILE_LIST)))
inflight_script := $(firstword $(wildcard $(inflight_folder)inflight-tune.cmake \
	$(inflight_folder)../../lib*/cmake/inflight/inflight-tune.cmake \
	$(inflight_folder)../../lib/*/cmake/inflight/inflight-tune.cmake))
ifeq ($(inflight_script),)
$(error inflight-tune.cmake is not beside $(inflight_folder)inflight.mk, nor where it is installed: install inflight anew, or copy it there)
endif
INFLIGHT_CMAKE ?= cmake

.PHONY: inflight-tune inflight-check

# $(call inflight_run,MODE,OBJECT,SOURCE,WORDS)
inflight_run = $(INFLIGHT_CMAKE) -DINFLIGHT_MODE=$(1) '-DINFLIGHT_SOURCE=$(3)' '-DINFLIGHT_OUTPUT=$(2).inflight.c' \
	'-DINFLIGHT_WORDS=$(4)' '-DINFLIGHT_COMPILER=$(CC)' '-DINFLIGHT_FLAGS=$(CPPFLAGS) $(CFLAGS)' \
	'-DINFLIGHT_PROGRAM=$(INFLIGHT_PROGRAM)' '-DINFLIGHT_CHECK_STRICT=$(INFLIGHT_CHECK_STRICT)' -P '$(inflight_script)'

# $(call inflight_tune,OBJECT,SOURCE,WORDS)
define inflight_tune
inflight_goal := $$(.DEFAULT_GOAL)

$(1).inflight.c: $(2) $(inflight_script)
	@mkdir -p $$(dir $(1))
	@$$(call inflight_run,select,$(1),$(2),$(3))

$(1): $(1).inflight.c
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -iquote $$(dir $(2)) @$(1).inflight.c.options -MMD -MP -MF $(1).d -c -o $(1) $(1).inflight.c

-include $(1).inflight.c.d $(1).d

inflight-tune::
	@$$(call inflight_run,tune,$(1),$(2),$(3))

inflight-check::
	@$$(call inflight_run,check,$(1),$(2),$(3))

.DEFAULT_GOAL := $$(inflight_goal)
endef
