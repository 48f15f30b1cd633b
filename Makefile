# bootstrap Makefile, replaced soon
CC ?= gcc
CONFIG ?= release
CFLAGS_release = -O3 -g
CFLAGS_debug = -O0 -g
CFLAGS_asan = -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
ALL_CFLAGS = -std=c11 -ffp-contract=off $(WARN) $(CFLAGS_$(CONFIG)) -MMD -MP
O = build/$(CONFIG)
SRC = $(wildcard formats/*.c runtime/*.c tools/*.c tools/*/*.c)
OBJ = $(SRC:%.c=$O/%.o)
all: build/kiln
$O/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@
build/kiln: $(OBJ)
	$(CC) $(CFLAGS_$(CONFIG)) $^ -o $@ -lassimp -ljansson -lz -lm -lpthread
-include $(OBJ:.o=.d)
