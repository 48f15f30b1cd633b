/* The fuzz target of scenes, which libFuzzer's main and test_scene.c both call. */
#ifndef KILN_FUZZ_SCENE_H
#define KILN_FUZZ_SCENE_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
