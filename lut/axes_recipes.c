/* Written by search_axes.c; see axes_recipes.h. */
#include "axes_recipes.h"

/* 54.7356103 degrees, by C2: 6 spherical 60 1 all */
static const double spherical_6[][3] = {
    {-0x1.e7c9f7045b739p-1, -0x1.372a5277dc6dp-2, -0x0p+0},
    {0x1.372a5277dc6dp-2, -0x1.e7c9f7045b739p-1, -0x0p+0},
};

/* 48.1395294 degrees, by D2: 8 spherical 60 1 all */
static const double spherical_8[][3] = {
    {-0x1.bef49eb1086eap-2, 0x1.92d076bc2b7a5p-1, -0x1.bef49eb1086dcp-2},
    {0x1.64ac352e81762p-1, -0x1.5f4c8f50bc368p-3, 0x1.64ac352e81784p-1},
};

/* 34.9379271 degrees, by C6: 14 spherical 60 1 all */
static const double spherical_14[][3] = {
    {-0x1.31b08c1eb364dp-1, 0x1.4f03a7f885abbp-1, -0x1.db3d73e3f30bp-2},
    {0x1.b03dfc6fb5642p-1, -0x1.129276682482cp-2, 0x1.db3d73e4077ap-2},
};

/* 29.6230963 degrees, by C2: 20 spherical 40 1 C2 */
static const double spherical_20[][3] = {
    {-0x1.2a129f7c37e98p-1, 0x1.adf111689f284p-2, 0x1.647d1a0560f96p-1},
    {-0x1.ff0ec2212453bp-1, -0x1.b92f90d00ad5p-5, 0x1.c8c496e1b7aep-6},
    {0x1.734fb7b2edb54p-3, 0x1.849c2eba2f472p-2, 0x1.d08363008b248p-1},
    {0x1.6c374c3d972b2p-1, -0x1.887359e4a8388p-4, -0x1.647d19fa13f41p-1},
    {-0x1.093ce54a4e68p-3, -0x1.99c0ef5802eb2p-2, -0x1.d08363052a451p-1},
    {0x1.ad2e0b0bf0d54p-3, -0x1.acc368b5e6811p-1, -0x1.0271ea63f16a6p-1},
    {-0x1.b9e5f9be0ba3p-5, -0x1.e742a9c8628d5p-1, 0x1.35921ba2b3b2ep-2},
    {0x1.5feb9aa3b9511p-1, -0x1.739b96e29b3ecp-1, -0x1.c8c49345af4cp-6},
    {0x1.3b2e3fd1c2ca9p-1, 0x1.749f0e2cc1249p-1, -0x1.35921bb5c9684p-2},
    {-0x1.74d8d7479c80ap-1, -0x1.dab37a3bb2244p-2, 0x1.0271ea59ba202p-1},
};

/* 22.6904804 degrees, by I: 32 spherical 10 1 I */
static const double spherical_32[][3] = {
    {0, 0, 0},
};

/* 18.6892571 degrees, by D2: 48 spherical 120 1 D2 */
static const double spherical_48[][3] = {
    {0x1.749f6ef165a5fp-1, -0x1.3b5beda1a2ae9p-1, -0x1.34d5fc44db718p-2},
    {0x1.5ec5235119eaep-1, 0x1.224018d77527cp-2, -0x1.5792ec4d5f993p-1},
    {0x1.3033249b672b8p-2, -0x1.6edb353457222p-1, -0x1.432677b73768fp-1},
    {0x1.4016563ca9391p-1, 0x1.70359eff26399p-1, -0x1.368c2c77b191ep-2},
    {-0x1.523ffbaabebdcp-1, 0x1.15a03b71e704p-2, -0x1.666a7765b7371p-1},
    {-0x1.2be408d0a827cp-2, 0x1.efadd942da0bp-4, 0x1.e59d49fe40ec7p-1},
    {-0x1.20d7dd03f5b4cp-3, -0x1.5b95c786e74c4p-2, 0x1.dc284361c701p-1},
    {0x1.434f86441411p-4, -0x1.e65a73efbca22p-1, 0x1.35a706a6996ccp-2},
    {0x1.19a11279ce63p-2, -0x1.51074953e3e89p-1, 0x1.66c9194f26accp-1},
    {-0x1.86a633a6fe4c4p-2, 0x1.d7746a5324fd8p-1, -0x1.4c0b84628a288p-4},
    {0x1.d4f79760551f1p-1, -0x1.844c9b82576b4p-2, 0x1.0cea73314cb84p-3},
    {-0x1.e6dd3837c6c47p-1, 0x1.1088a81c1632p-4, -0x1.357eaf9e509dp-2},
};

/* 16.2033553 degrees, by D2: 64 spherical 200 2 D2 */
static const double spherical_64[][3] = {
    {0x1.cc576b02p-21, 0x1.1052574e6610ep-2, 0x1.ed901330bddd2p-1},
    {0x1.949790b9p-21, -0x1.ddc31e14ff604p-1, -0x1.702b8a336fc4ep-2},
    {0x1.86e41e888p-20, -0x1.63f03e5ae003fp-1, -0x1.7009acf3f152dp-1},
    {0x1.4bb2c281bad67p-1, 0x1.8606a56c10393p-1, -0x1.85c01909p-20},
    {-0x1.9d27a4393f1a8p-2, 0x1.e9ac6e5f72a3ep-2, 0x1.8f67cc047318dp-1},
    {0x1.ed707aee0cf1dp-1, -0x1.3c2a548cp-23, 0x1.1136fd79a462ap-2},
    {0x1.8e990faa5b9ep-1, 0x1.ef05a03a23ed4p-2, -0x1.99e34f56fe0f4p-2},
    {-0x1.72d320611766ep-1, 0x1.b9d6cc8d7d75cp-3, 0x1.4f4eee618198bp-1},
    {-0x1.9d28304d1328p-2, 0x1.e9ac751f1cd34p-2, -0x1.8f67a5b95059dp-1},
    {0x1.72d32eb047ccep-1, -0x1.b9d6ebb7ad8d4p-3, -0x1.4f4edbfd3e8f6p-1},
    {-0x1.8e992ec3f4626p-1, 0x1.ef05bb0a84162p-2, -0x1.99e2b5fb8af6p-2},
    {-0x1.c5d1620823178p-2, 0x1.8dc609188a6f1p-1, -0x1.c9f6822fd5802p-2},
    {-0x1.113161d8c2c7ep-2, 0x1.ed7141a5735d8p-1, 0x1.8593df19p-21},
    {-0x1.ddc684b56002bp-1, -0x1.7019e294e5d6p-2, -0x1.cd9185c5p-21},
    {-0x1.72dc38abd7cp-2, 0x1.e3710b2p-24, -0x1.dd3de223ee9a6p-1},
    {-0x1.c5d0ebd6ba34p-2, 0x1.8dc60292b979cp-1, 0x1.c9f70df8a8f32p-2},
};

/* 15.1445323 degrees, by I: 72 spherical 20 1 I */
static const double spherical_72[][3] = {
    {-0x1.f3118f5d52c72p-2, 0x1.abc2d1df7f2ccp-2, 0x1.88989f792ded3p-1},
};

/* 13.2201882 degrees, by T: 96 spherical 60 1 T */
static const double spherical_96[][3] = {
    {0x1.06559bebfdd3p-2, 0x1.bb3aea24457p-2, 0x1.ba85b10431decp-1},
    {0x1.1de4d00c1d5c8p-3, -0x1.b64c3046e8359p-1, -0x1.fda1587d67bacp-2},
    {0x1.5c13daf07cb8p-5, 0x1.4ff6937664d63p-1, -0x1.81bece401b56ap-1},
    {0x1.86820abb59c1cp-2, -0x1.53a7dfba91553p-1, -0x1.49a077df373abp-1},
    {-0x1.f6a6bab816cc5p-1, 0x1.6cc4cec302e84p-3, -0x1.119a6d81bc6a8p-4},
    {0x1.e773df6352d28p-4, -0x1.53ea51a09560cp-2, 0x1.df1bfc43a8541p-1},
    {-0x1.b9818f76543dap-1, 0x1.c7e7550a9337p-2, 0x1.ee08a5060b8a4p-3},
    {0x1.6a370556e557p-1, -0x1.8d329021e670cp-2, 0x1.2e7e932c35d88p-1},
};

/* 11.3444831 degrees, by C3: 130 spherical 100 1 C3 */
static const double spherical_130[][3] = {
    {0x1.3e3a7a8a542c5p-1, -0x1.8ad125e57eebap-1, 0x1.1aadd307e3d58p-3},
    {-0x1.5743e86035d5ap-2, -0x1.213bb74fb7a23p-1, 0x1.820b647a543e5p-1},
    {-0x1.7699896763fcp-3, -0x1.2c6bae7eeb2ap-2, 0x1.e06d6e6a4bf53p-1},
    {0x1.60ff4121976dp-3, 0x1.1d22444ab2db8p-2, 0x1.e3c4697c594a6p-1},
    {-0x1.7de088e9a08p-12, 0x1.21c368195740bp-1, 0x1.a61d79c9496d4p-1},
    {0x1.ffbe42e2fe6c4p-2, 0x1.0d5c8f809d71p-2, 0x1.a688a6e1a6372p-1},
    {-0x1.6b89f26be11b4p-1, -0x1.40134150aa82cp-1, 0x1.4be028c9bd278p-2},
    {-0x1.0746395ae39acp-2, 0x1.37b78ccaa5b02p-1, -0x1.804009ac630e3p-1},
    {0x1.cfcc5debb8858p-1, 0x1.1b7c72b698f88p-2, 0x1.484af21e86718p-2},
    {-0x1.d514d53b9f01cp-1, 0x1.3ef7da8b6712p-6, 0x1.99e9e637d041ap-2},
    {0x1.75fc9cd3a5068p-1, -0x1.4c78e3f969d0cp-2, 0x1.33a44a4babc93p-1},
    {-0x1.da55243b1224cp-2, 0x1.b2855282db192p-1, -0x1.0570dd2a16f34p-2},
    {-0x1.f3ba592253ddbp-1, 0x1.8b9b0f8e5dc88p-3, 0x1.9a9eb30eedefp-4},
    {-0x1.746170692381p-2, -0x1.dcd93cfd1ac67p-1, 0x1.33ebe54bfbe8p-6},
    {0x1.fe42cf5f5190cp-2, 0x1.b36c909a02f18p-1, -0x1.597224bbcde58p-3},
    {0x1.2a8e37b95cc1cp-3, 0x1.d9136652a7bfp-1, 0x1.6a100ac6110a4p-2},
    {-0x1.f1de1ab1d254p-3, 0x1.2e99d21cb2b96p-2, -0x1.d9086f554a27dp-1},
    {0x1.3dc0288662a8p-2, 0x1.052274e5f1a95p-1, 0x1.9abeb0a4759a3p-1},
    {0x1.36fd87711e5dp-5, 0x1.8b48858bc889p-3, -0x1.f5ff2578c36d5p-1},
    {0x1.63c38b04543cdp-1, -0x1.8ee3cbf20cd5ap-2, -0x1.35832104316ep-1},
    {0x1.eec2f0b549bdp-4, -0x1.dbb63ee0f5eap-1, 0x1.65de30c2d8584p-2},
    {-0x1.73a63ed906a44p-1, 0x1.468cde61dec3ep-1, -0x1.07b594830b86ap-2},
    {-0x1.156651ca261c4p-2, -0x1.9b15cbee3c30ep-1, -0x1.0fdfb0d7007dbp-1},
    {-0x1.8854228c10407p-1, -0x1.599b1071ac388p-3, 0x1.3d6c26b32c579p-1},
    {0x1.7c79462847cefp-1, 0x1.37a8bc64ae034p-2, 0x1.311fd7bdac38ap-1},
    {0x1.f2031ea2e74fdp-1, -0x1.1faf1f549944p-5, 0x1.d5f8b10a2f968p-3},
    {-0x1.b3f6484d63423p-1, 0x1.0b66d5437559ep-1, 0x1.807a520e562dp-5},
    {0x1.bb3e30f3e36d5p-1, -0x1.fc1b5f0ba6298p-2, 0x1.0db37238ba728p-4},
    {-0x1.61b360ccc62a2p-1, 0x1.7d8fe646c6c18p-3, -0x1.65b00ac4116fp-1},
    {-0x1.94764e2fe58a8p-4, 0x1.e6a6e3224eeb7p-1, -0x1.2db6c9f015c04p-2},
    {0x1.7508930038c83p-1, 0x1.e6da23aba591p-2, -0x1.f8e934ba5e93p-2},
    {0x1.861c3c5640b34p-2, -0x1.a0d516d4b397ap-1, -0x1.c0c4b22e24b48p-2},
    {0x1.47c5204bc04bcp-3, -0x1.ee45f8365e828p-1, -0x1.a5de53296cc4p-3},
    {-0x1.bc48ca8700458p-1, -0x1.f50b82f3e01f4p-3, -0x1.bb033b5436eb8p-2},
    {-0x1.ab2b4ae32a878p-4, -0x1.4d5a6053b2064p-1, -0x1.80ed3ff0ca94p-1},
    {-0x1.149b878617efcp-1, -0x1.5c3c82c9f85eap-1, -0x1.fb66692fc39b2p-2},
    {0x1.051f2f044aa8p-6, 0x1.0ce0daa0a699bp-1, -0x1.b3a3bc492557fp-1},
    {0x1.f29161441e963p-1, -0x1.cc6eaa11e2dfp-3, -0x1.2015b2639eadp-5},
    {0x1.ab04e8d14ffb4p-3, -0x1.822fc6cda35e3p-1, 0x1.3ec24e1ad43b9p-1},
    {-0x1.df79ac2936cb8p-2, 0x1.492708966dcap-4, -0x1.c2879bccf8bep-1},
    {0x1.11e03d54267a8p-2, 0x1.56c6af4028032p-1, -0x1.62d1aaad15247p-1},
    {0x1.9a392820abbe8p-3, 0x1.ef76dc42205efp-1, -0x1.39781cfc56348p-3},
    {-0x1.c1a438b73e3e4p-2, -0x1.78789120b87e8p-1, 0x1.0853f2162f72dp-1},
};

/* 11.5466378 degrees, by C5: 130 antipodal 150 1 C5 */
static const double antipodal_130[][3] = {
    {0x1.9af7e51b13afp-2, -0x1.d4f4e12bda0dcp-1, 0x1.6da242f2p-22},
    {0x1.cf42ce4171c15p-1, 0x1.95f9f509b46c4p-2, -0x1.3e38d0787e67p-3},
    {-0x1.2496470fca651p-1, -0x1.00682fa5525eep-2, -0x1.9020381011878p-1},
    {0x1.8a98880fc03fep-1, 0x1.9ea8f3a7858cp-6, 0x1.45fdbb1db0e32p-1},
    {0x1.3704c7df62068p-1, -0x1.532a240c99e58p-1, -0x1.c0e77ae8786bp-2},
    {-0x1.bcfb42f37babp-2, -0x1.7c29e5f2ff677p-1, 0x1.04fe4311991p-1},
    {0x1.f4cfcbb9841ap-3, -0x1.196d7c4b39024p-2, 0x1.dc18b1dc22b0cp-1},
    {-0x1.61269b00d477fp-1, 0x1.6108a951bbc9cp-2, -0x1.45fdc1ea48c2cp-1},
    {-0x1.07ed0b306e736p-1, -0x1.ce94895828198p-3, 0x1.a737c2455649bp-1},
    {0x1.fd017982cfe1cp-2, 0x1.b2dcfa482145ep-1, -0x1.6bad2df204c8p-3},
    {-0x1.68c48de6c9935p-1, -0x1.409705aff765bp-1, 0x1.55d59e93b4a44p-2},
    {-0x1.a0b139364b267p-1, 0x1.e706ceb16494ep-2, -0x1.55d5cd14c7438p-2},
    {0x1.9e1f836ad81ap-4, 0x1.61cd2aefb1608p-3, 0x1.f5a360beb92b5p-1},
};

/* 11.2595475 degrees, by C3: 132 antipodal 150 1 C3 */
static const double antipodal_132[][3] = {
    {-0x1.f5228756ff9ecp-2, 0x1.ad2e0e6b15d7p-1, 0x1.ec93f561ca608p-3},
    {0x1.8ba15f041621cp-3, -0x1.be695072efde8p-2, -0x1.c20b858cea285p-1},
    {-0x1.e71d4852b1dp-3, 0x1.ebeaa97fcf4ecp-1, 0x1.2414ed333265cp-3},
    {0x1.2f19b1565a4c4p-1, 0x1.92966f0ed3c3cp-2, -0x1.6837158110ee2p-1},
    {-0x1.6c01e24ff4cb4p-2, 0x1.6cf3ffbb749d2p-2, -0x1.ba6753d268c5fp-1},
    {-0x1.be4108c19987ep-1, 0x1.7cc9dc5a77dap-3, -0x1.d07ea69675e1ap-2},
    {-0x1.b0f90ee7497d2p-1, -0x1.6637d808823d8p-3, -0x1.022ed9d25cb44p-1},
    {0x1.55470e8dece7cp-2, -0x1.49914ba1253f9p-1, -0x1.60b86757778b9p-1},
    {0x1.9054ebc605fd7p-1, -0x1.d4dbf7f23511cp-2, 0x1.b139f0791da8cp-2},
    {-0x1.5baa44ac7a51p-5, 0x1.9082c29b2cf0ap-2, -0x1.d6b63a6c4d6efp-1},
    {-0x1.4f01d442187e1p-1, 0x1.832e34438377fp-1, -0x1.2bc599fe464p-8},
    {0x1.8899705bb0549p-1, 0x1.3c008a75e72f8p-3, -0x1.3f0311deb9af1p-1},
    {-0x1.37ef329c88ae2p-2, -0x1.ca5fe9cf4046fp-1, -0x1.4cee8f11c205p-2},
    {0x1.288350a58d188p-3, 0x1.ea7f487508c27p-1, -0x1.faef989fb2e18p-3},
    {0x1.5bfe404ed4c0ep-2, -0x1.a6e2fc507d6b8p-1, 0x1.cc9757b8677cp-2},
    {0x1.4ea1509b72e54p-3, -0x1.5359eb04ef23p-4, 0x1.f755be157a06p-1},
    {-0x1.561473624e9cap-1, 0x1.c738bf612b4e8p-4, 0x1.78adf2a81552bp-1},
    {-0x1.0f54478cdc1p-3, 0x1.f07eda7c1f174p-1, -0x1.a430a20d2e5c4p-3},
    {-0x1.b001828aa7e2p-5, 0x1.b1522241e0d5cp-1, -0x1.0f61b7e83f6c5p-1},
    {-0x1.fa8b09a2cbbp-1, 0x1.44cfa87576ca8p-4, 0x1.f436d9c35c46p-4},
    {-0x1.41c423c68f8dp-4, -0x1.4d26d623160fp-1, 0x1.82b2fb5c2c216p-1},
    {0x1.53b503c4b977p-5, 0x1.fcef2eb82db82p-1, 0x1.9e1443e4f3d88p-4},
};

/* 10.9969321 degrees, by C5: 140 antipodal 100 1 C5 */
static const double antipodal_140[][3] = {
    {-0x1.45237c0da38ap-1, 0x1.71e7baab2b93ep-1, 0x1.17fe3ae59cdb8p-2},
    {0x1.3995c8f67cc55p-1, -0x1.44bb73791c39p-2, 0x1.72bc92372f0f9p-1},
    {0x1.da40aa3f36109p-1, -0x1.aafef7fc71d6cp-3, -0x1.41742804b78eep-2},
    {-0x1.883f17904e105p-1, 0x1.db831e6865918p-2, -0x1.c702d34dbb584p-2},
    {-0x1.a5352ed6fb9d9p-1, 0x1.68f791bc2abap-3, -0x1.14bd2d397a4d1p-1},
    {-0x1.79247d30a50c5p-1, -0x1.5226b5b08d17dp-1, -0x1.2a4baddecf0dcp-3},
    {-0x1.857d4e1f8683p-5, 0x1.05ac1ddd050b7p-1, 0x1.b76855f5a4541p-1},
    {-0x1.87c39769ce578p-2, 0x1.d321f6b7d649dp-1, -0x1.2a4bee8d7ce8cp-3},
    {-0x1.8ebb6f15c255p-4, -0x1.4ff836f0aec9cp-3, 0x1.f6992d609cee9p-1},
    {0x1.60e90b15007d6p-1, 0x1.8b0f75e86d4p-6, 0x1.72bca8e12cb5cp-1},
    {0x1.9a45f86f1662p-2, 0x1.59b1465abc7dap-1, -0x1.3d1c86bf8e322p-1},
    {-0x1.c849b0d15a7a9p-1, -0x1.7615392f8479p-4, -0x1.c702f092a0ep-2},
    {-0x1.d5e3b4e4cd43ep-1, -0x1.95051b739e22p-2, -0x1.25fa15a7c745p-5},
    {-0x1.c8fcb608f8a58p-2, 0x1.9b728a81e0288p-4, -0x1.c74a65d2cbe02p-1},
};

const kiln_lut_recipe kiln_lut_recipes[] = {
    {6, false, 1, 3, 2, spherical_6},
    {8, false, 10, 0, 2, spherical_8},
    {14, false, 5, 3, 2, spherical_14},
    {20, false, 1, 0, 10, spherical_20},
    {32, false, 21, 3, 0, spherical_32},
    {48, false, 10, 0, 12, spherical_48},
    {64, false, 10, 0, 16, spherical_64},
    {72, false, 21, 2, 1, spherical_72},
    {96, false, 19, 0, 8, spherical_96},
    {130, false, 2, 1, 43, spherical_130},
    {130, true, 4, 0, 13, antipodal_130},
    {132, true, 2, 0, 22, antipodal_132},
    {140, true, 4, 0, 14, antipodal_140},
};
const unsigned kiln_lut_recipe_count = sizeof kiln_lut_recipes / sizeof kiln_lut_recipes[0];
