/* All words of the vocabulary but vec_fused and vec_load_two, which are to differ, applied to eight
 * lanes by one set; the results one after the other. */
static unsigned KILN_SIMD_NAME(words)(const words_input *in, uint64_t *out)
{
    unsigned used = 0;
    for (unsigned at = 0; at < 8; at += KILN_SIMD_LANES) {
        const vec a = vec_load(in->a + at), b = vec_load(in->b + at);
        const vec_int i = vec_int_load(in->i + at), j = vec_int_load(in->j + at);
        const vec floats[] = {vec_of(in->a[0]),
                              vec_from_int(i),
                              vec_abs(a),
                              vec_min(a, b),
                              vec_max(a, b),
                              vec_sqrt(vec_abs(a)),
                              vec_select(vec_less(a, b), a, b),
                              vec_select(vec_greater(a, b), a, b),
                              vec_of_bits(i),
                              a + b,
                              a * b,
                              a / b};
        const vec_int ints[] = {vec_int_of(in->i[0]),
                                vec_int_load_u8(in->bytes + at),
                                vec_int_load_i8((const int8_t *)in->bytes + at),
                                vec_int_load_u16(in->shorts + at),
                                vec_to_int(vec_load(in->small + at)),
                                vec_bits(a),
                                vec_int_min(i, j),
                                vec_int_max(i, j),
                                vec_less(a, b),
                                vec_greater(a, b)};
        enum { FLOATS = sizeof floats / sizeof floats[0], INTS = sizeof ints / sizeof ints[0] };
        for (unsigned k = 0; k < FLOATS + INTS; k++) {
            int32_t bits[KILN_SIMD_LANES];
            vec_int_store(bits, k < FLOATS ? vec_bits(floats[k]) : ints[k - FLOATS]);
            for (unsigned lane = 0; lane < KILN_SIMD_LANES; lane++) {
                out[8 * k + at + lane] = (uint32_t)bits[lane];
            }
        }
        used = 8 * (FLOATS + INTS);
        for (unsigned k = 0; k < 2; k++) {
            const vec_mask mask = k == 0 ? vec_less(a, b) : vec_greater(b, a);
            const uint32_t lanes = vec_lanes(mask);
            for (unsigned lane = 0; lane < KILN_SIMD_LANES; lane++) {
                out[used + 8 * k + at + lane] = lanes >> lane & 1u;
            }
        }
        used += 16;
    }
    const unsigned before = used;
    for (unsigned at = 0; at < 8; at += KILN_SIMD_DOUBLES) {
        const float *rows[KILN_SIMD_DOUBLES];
        for (unsigned k = 0; k < KILN_SIMD_DOUBLES; k++) {
            rows[k] = in->a + (at + k);
        }
        const vec_double x = vec_double_load(in->x + at), y = vec_double_load(in->y + at);
        const vec_double doubles[] = {vec_double_of(in->x[0]),
                                      vec_double_abs(x),
                                      vec_double_min(x, y),
                                      vec_double_max(x, y),
                                      vec_double_select(vec_double_less(x, y), x, y),
                                      vec_double_select(vec_double_greater(x, y), x, y),
                                      vec_double_gather(rows, 0),
                                      x - y};
        enum { DOUBLES = sizeof doubles / sizeof doubles[0] };
        const uint32_t less = vec_double_lanes(vec_double_less(x, y));
        for (unsigned lane = 0; lane < KILN_SIMD_DOUBLES; lane++) {
            for (unsigned k = 0; k < DOUBLES; k++) {
                double numbers[KILN_SIMD_DOUBLES];
                vec_double_store(numbers, doubles[k]);
                memcpy(&out[before + 8 * k + at + lane], &numbers[lane], sizeof(double));
            }
            out[before + 8 * DOUBLES + at + lane] = less >> lane & 1u;
        }
        used = before + 8 * (DOUBLES + 1);
    }
    return used;
}
