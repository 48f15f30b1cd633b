/* Written by search_axes.c; see axes_recipes.h. */
#include "axes_recipes.h"

/* 54.7356103 degrees, by C2: 6 spherical 100 1 all */
static const double spherical_6[][3] = {
    {-0x1.e7aed68710fedp-1, -0x1.37d438a1e064p-2, 0x1.538p-43},
    {0x1.37d438a1e064p-2, -0x1.e7aed68710feep-1, -0x1.52cp-43},
};

/* 48.1395294 degrees, by C1: 8 spherical 100 1 all */
static const double spherical_8[][3] = {
    {0x1.6f3893b26d5dbp-1, 0x1.980885a426654p-2, -0x1.24b1bc8481185p-1},
    {-0x1.a8ec8074558fap-2, -0x1.cb18c4a76a7f4p-1, 0x1.3bd3508d2de18p-3},
    {-0x1.d2f589c9eadacp-2, 0x1.bb7ab3ffffacp-1, -0x1.a2b5d5ac5683p-3},
    {0x1.814ddd472c38cp-2, 0x1.43e2464d75d23p-1, 0x1.5a986f5bcefp-1},
    {-0x1.4f9ab43b2b41cp-1, 0x1.79199a914ff8p-6, -0x1.827d8ea1e8898p-1},
    {0x1.58817f56df50ep-1, -0x1.662e9f4e17bf4p-2, 0x1.4dbede58d83bep-1},
    {0x1.fa942cf7154e4p-2, -0x1.344435a60b029p-1, -0x1.40dfce1404bbcp-1},
    {-0x1.781f5ece218ebp-1, -0x1.25adfffc8e6c8p-4, 0x1.59706ccd9164fp-1},
};

/* 34.9379271 degrees, by C6: 14 spherical 100 1 all */
static const double spherical_14[][3] = {
    {-0x1.c3912fee6ad17p-1, -0x1.505dae6b1722p-4, 0x1.db3d73c3a4e34p-2},
    {0x1.9c176b80b8ef8p-1, -0x1.7abde4f3f7ab6p-2, -0x1.db3d73c3a4e2cp-2},
};

/* 22.6904804 degrees, by I: 32 spherical 100 1 I */
static const double spherical_32[][3] = {
    {0, 0, 0},
};

/* 15.1445323 degrees, by I: 72 spherical 60 1 I */
static const double spherical_72[][3] = {
    {-0x1.d044aea981b45p-1, -0x1.0b21fe25f52cap-2, -0x1.532b5f08d472ep-2},
};

/* 10.9969321 degrees, by C5: 140 antipodal 800 1 C5 */
static const double antipodal_140[][3] = {
    {-0x1.fbaa37a573a58p-3, 0x1.cc3fbec72392p-2, 0x1.b7685469dc8bep-1},
    {0x1.91f2414ac287cp-3, -0x1.f078fdb563399p-1, 0x1.2a4c7b0f4bd98p-3},
    {-0x1.bde60327d3b11p-1, 0x1.a22f32bc2e0e4p-2, 0x1.17fe2b75e9724p-2},
    {0x1.6ab253753fefcp-3, -0x1.f25bbc042167fp-1, -0x1.2a4afc7dca7p-3},
    {-0x1.6b11e7416c2e4p-3, 0x1.c19b8026d0588p-1, 0x1.c7027369f441cp-2},
    {-0x1.7fa65255dd29p-3, -0x1.26e5f40e3c59p-5, 0x1.f6992d609a9eap-1},
    {-0x1.93b383e5a72bep-1, -0x1.b37a62a348b0ep-2, 0x1.c70320879f4c4p-2},
    {-0x1.9e742204c429ep-2, 0x1.77c0e4541d885p-1, -0x1.174da8992af78p-1},
    {0x1.4031c75649b48p-2, 0x1.55e581861f9d8p-2, -0x1.c74a67da642a5p-1},
    {0x1.e6bdba1f68a88p-2, -0x1.ffbd5a82ec4e8p-2, 0x1.72bc7dc413207p-1},
    {-0x1.60585db87b3ddp-1, 0x1.779678cfff92p-5, -0x1.72bca42db98a2p-1},
    {0x1.6bf2ae9d446a3p-1, -0x1.5553ddf65fbf2p-2, 0x1.3d1c8eaec9ad2p-1},
    {0x1.e23a355dcb44p-4, 0x1.e25dd251d9c82p-1, -0x1.41741587ce2dp-2},
    {-0x1.cf43f69744e77p-1, 0x1.b278d6bea45fap-2, -0x1.25fc631f538ep-5},
};

const kiln_lut_recipe kiln_lut_recipes[] = {
    {6, false, 1, 3, 2, spherical_6},
    {8, false, 0, 0, 8, spherical_8},
    {14, false, 5, 3, 2, spherical_14},
    {32, false, 21, 3, 0, spherical_32},
    {72, false, 21, 2, 1, spherical_72},
    {140, true, 4, 0, 14, antipodal_140},
};
const unsigned kiln_lut_recipe_count = sizeof kiln_lut_recipes / sizeof kiln_lut_recipes[0];
