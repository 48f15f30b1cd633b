#!/bin/sh
# The runtime as WebAssembly, under node: 20,000 queries of each kind have the answers of the library, to the bit; what
# is passed wrongly throws and leaves the module as it was. The package for npm.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
. tests/example_models.sh
today=tests/golden/today
flags='-std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
module=$KILN_BUILD/wasm
count=20000 calls=5000
[ -n "$KILN_TEST_QUICK" ] && count=1000 calls=1000

case_begin 'make wasm'
if ! command -v emcc >/dev/null || ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    case_skip 'emscripten, node or npm is not installed'
    cases_end
    exit
fi
make_here -j2 WERROR=-Werror wasm models >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; case_fail 'does not build'; }
# Another host has to give what is imported: a clock, and no more of a system.
node -e 'for (const { module, name } of WebAssembly.Module.imports(new WebAssembly.Module(require("fs").readFileSync(process.argv[1]))))
    console.log(`${module}.${name}`)' "$module/kiln.wasm" | sort >"$TMPDIR/imports"
printf '%s\n' env.emscripten_notify_memory_growth wasi_snapshot_preview1.clock_time_get | same - "$TMPDIR/imports"
case_end

# Of each set, this machine's too, against plain C.
case_begin 'the vocabulary of vectors: zeros, infinities, NaN'
# shellcheck disable=SC2086
emcc $flags -ffp-contract=off -msimd128 -sSTANDALONE_WASM --no-entry -sEXPORTED_FUNCTIONS=_words \
    tests/gate/wasm/words.c -o "$TMPDIR/words.wasm" || case_fail 'emcc'
expect 0 node -e 'const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
    process.exit(new WebAssembly.Instance(module, {}).exports.words() === 0 ? 0 : 1)' "$TMPDIR/words.wasm"
# shellcheck disable=SC2086
gcc $flags -ffp-contract=off tests/gate/wasm/words.c -lm -o "$TMPDIR/words" || case_fail 'gcc'
expect 0 "$TMPDIR/words"
case_end

# Every kind of tree, and some of a mesh that is larger, which are deeper.
case_begin "$count queries of each kind"
"$KILN_BUILD/release/models/shapes" knot 900 "$TMPDIR/knot.ply" &&
    "$KILN" bake -q --layout raw --bv obb,sphere,octree,aabb2 -o "$TMPDIR/knot.kiln" "$TMPDIR/knot.ply" || case_fail 'bake'
files="$TMPDIR/knot.kiln"
for name in torus binary soup dops dop14 sphere octree box; do
    files="$files $today/$name-raw.kiln"
done
# shellcheck disable=SC2086
gcc $flags tests/gate/wasm/answers.c "$KILN_BUILD/libkiln.a" -pthread -lz -lm -o "$TMPDIR/answers" || case_fail 'compile'
# shellcheck disable=SC2086
"$TMPDIR/answers" "$count" $files |
    node tests/gate/wasm/compare.mjs "$module" $files || case_fail 'answers differ'
case_end

node tests/gate/wasm/misuse.mjs "$module" $today/torus-raw.kiln $today/torus-packed.kiln "$calls" || any_bad=1

# Installed without a network into a project of its own, the package runs the example of its page.
case_begin 'make npm: installs, and prints what its page says'
make_models "$TMPDIR"
mkdir "$TMPDIR/project"
make_here npm >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; case_fail 'make npm'; }
for model in ship.obj rock.gltf; do
    "$KILN" bake -q --layout raw -o "$TMPDIR/project/${model%.*}.kiln" "$TMPDIR/$model" || case_fail 'bake'
done
printf '{ "name": "project", "private": true }\n' >"$TMPDIR/project/package.json"
(cd "$TMPDIR/project" && npm install --silent --offline --no-audit --no-fund --cache "$TMPDIR/cache" "$KILN_BUILD"/npm/libkiln-*.tgz) ||
    case_fail 'npm install'
page=$TMPDIR/project/node_modules/libkiln/README.md
block() { # block LANGUAGE
    awk -v begin="^\`\`\`$1\$" '$0 ~ begin { on = 1; next } /^```/ { on = 0 } on' "$page"
}
block js >"$TMPDIR/project/example.mjs"
block text >"$TMPDIR/printed"
(cd "$TMPDIR/project" && node example.mjs) >"$TMPDIR/prints" || case_fail 'the example'
[ -s "$TMPDIR/printed" ] || case_fail 'the page has no output'
same "$TMPDIR/printed" "$TMPDIR/prints"
case_end

# Each member of a class has a type, and each type is of a member.
case_begin 'types name what is there'
cat >"$TMPDIR/project/types.mjs" <<'END'
import { readFileSync } from 'node:fs';
import * as kiln from 'libkiln';
const text = readFileSync('node_modules/libkiln/index.d.ts', 'utf8').replace(/\/\*[^]*?\*\//g, '');
for (const [name, made] of Object.entries(kiln)) {
  if (name === 'KilnError') continue; // its members are those of single errors
  const body = text.match(new RegExp(`export class ${name}\\b[^{]*\\{([^]*?)\\n\\}`))[1];
  const typed = [...body.matchAll(/^  (?:static |readonly |private )*(\w+)[(:]/gm)].map((m) => m[1]);
  const here = [...Object.getOwnPropertyNames(made.prototype), ...Object.getOwnPropertyNames(made)];
  const names = new Set(here.filter((n) => !['length', 'name', 'prototype'].includes(n)));
  console.log(name, [...names].filter((n) => !typed.includes(n)), typed.filter((n) => !names.has(n)));
}
END
(cd "$TMPDIR/project" && node types.mjs) >"$TMPDIR/out" || case_fail 'types'
exactly out <<'END'
Kiln [] []
KilnFile [] []
KilnTree [] []
END
case_end

cases_end
