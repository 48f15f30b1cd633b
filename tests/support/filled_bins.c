#include "filled_bins.h"

void filled_bins_init(filled_bins *f, uint32_t max_u)
{
    const mp_bitcnt_t precision = max_u + 128; /* all <= 2^u, and 53 bits of a double */
    mpz_inits(f->all, f->term, f->part, NULL);
    for (uint32_t x = 0; x <= FILLED_BINS_X; x++) {
        mpz_init(f->ways[x]);
    }
    mpf_init2(f->left, precision);
    mpf_init2(f->right, precision);
    mpf_init2(f->none, precision);
    mpf_init2(f->keep, precision);
}

void filled_bins_clear(filled_bins *f)
{
    mpz_clears(f->all, f->term, f->part, NULL);
    for (uint32_t x = 0; x <= FILLED_BINS_X; x++) {
        mpz_clear(f->ways[x]);
    }
    mpf_clears(f->left, f->right, f->none, f->keep, NULL);
}

static uint32_t least_filled(uint32_t u, uint32_t v, uint32_t w)
{
    return v + w > u ? v + w - u : 0;
}

/* term = C(w, t) C(u - w, v - t), the throws of v balls that meet t of w, for the least t. */
static void first_term(filled_bins *f, uint32_t u, uint32_t v, uint32_t w)
{
    const uint32_t t = least_filled(u, v, w);
    mpz_bin_uiui(f->term, w, t);
    mpz_bin_uiui(f->part, u - w, v - t);
    mpz_mul(f->term, f->term, f->part);
}

/* The term of t + 1 from that of t. */
static void next_term(filled_bins *f, uint32_t u, uint32_t v, uint32_t w, uint32_t t)
{
    mpz_mul_ui(f->term, f->term, (unsigned long)(w - t) * (v - t));
    mpz_divexact_ui(f->term, f->term, (unsigned long)(t + 1) * (u - w - v + t + 1));
}

void filled_bins_count(filled_bins *f, uint32_t u, uint32_t v, uint32_t w)
{
    const uint32_t least = least_filled(u, v, w), most = v < w ? v : w;
    mpz_bin_uiui(f->all, u, v);
    first_term(f, u, v, w);
    mpz_set(f->ways[0], f->all);
    for (uint32_t t = 0; t < FILLED_BINS_X; t++) {
        if (t < least || t > most) {
            mpz_set(f->ways[t + 1], f->ways[t]);
            continue;
        }
        mpz_sub(f->ways[t + 1], f->ways[t], f->term);
        next_term(f, u, v, w, t);
    }
}

/* left = p all - ways[x] */
static void difference(filled_bins *f, uint32_t x, double p)
{
    mpf_set_d(f->left, p);
    mpf_set_z(f->right, f->all);
    mpf_mul(f->left, f->left, f->right);
    mpf_set_z(f->right, f->ways[x]);
    mpf_sub(f->left, f->left, f->right);
}

double filled_bins_excess(filled_bins *f, uint32_t x, double p)
{
    difference(f, x, p);
    mpf_set_z(f->right, f->all);
    mpf_div(f->left, f->left, f->right);
    return mpf_get_d(f->left);
}

double filled_bins_relative_excess(filled_bins *f, uint32_t x, double p)
{
    difference(f, x, p);
    mpf_set_z(f->right, f->ways[x]);
    mpf_div(f->left, f->left, f->right);
    return mpf_get_d(f->left);
}

double filled_bins_expected_excess(filled_bins *f, uint32_t u, uint32_t v, uint32_t w, double lb,
                                   double p)
{
    const uint32_t most = v < w ? v : w;
    mpz_bin_uiui(f->all, u, v);
    mpf_set_d(f->left, lb);
    mpf_ui_sub(f->keep, 1, f->left);
    mpf_pow_ui(f->none, f->keep, least_filled(u, v, w));
    mpf_set_d(f->left, p);
    mpf_ui_sub(f->left, 1, f->left);
    mpf_set_z(f->right, f->all);
    mpf_mul(f->left, f->left, f->right); /* (1 - p) all, less each term (1 - lb)^t below */
    first_term(f, u, v, w);
    for (uint32_t t = least_filled(u, v, w); t <= most; t++) {
        mpf_set_z(f->right, f->term);
        mpf_mul(f->right, f->right, f->none);
        mpf_sub(f->left, f->left, f->right);
        mpf_mul(f->none, f->none, f->keep);
        next_term(f, u, v, w, t);
    }
    mpf_set_z(f->right, f->all);
    mpf_div(f->left, f->left, f->right);
    return -mpf_get_d(f->left);
}
