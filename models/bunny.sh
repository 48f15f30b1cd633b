#!/bin/sh
# Writes the bunny that bench_separation measures on: models/bunny.sh OUT.obj [TRIANGLES, default 500].
#
# Stanford's bunny comes from the npm package `bunny` 1.0.1, which calls itself public domain; Stanford's own
# terms ask for credit and keep commercial use to themselves, so that it is not kept here. It is decimated by
# the npm package `meshoptimizer` 1.3.0 (MIT). Needs node, npm and a network.
set -e
out=$1 triangles=${2:-500}
case $out in /*) ;; *) out=$PWD/$out ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-save --prefix . bunny@1.0.1 meshoptimizer@1.3.0 >/dev/null
cat >decimate.mjs <<'END'
import { createRequire } from 'module';
import { writeFileSync } from 'fs';
import { MeshoptSimplifier } from 'meshoptimizer';
const bunny = createRequire(import.meta.url)('bunny');
const [out, triangles] = [process.argv[2], Number(process.argv[3])];
await MeshoptSimplifier.ready;
const positions = new Float32Array(bunny.positions.flat());
const all = new Uint32Array(bunny.cells.flat());
const [kept] = MeshoptSimplifier.simplify(all, positions, 3, Math.min(3 * triangles, all.length), 1);
const number = new Map();
let lines = '# the Stanford bunny, decimated\n', faces = '';
for (let i = 0; i < kept.length; i++) {
    if (!number.has(kept[i])) {
        number.set(kept[i], number.size + 1);
        lines += 'v ' + Array.from(positions.subarray(3 * kept[i], 3 * kept[i] + 3), x => x.toFixed(6)).join(' ') + '\n';
    }
    faces += (i % 3 ? ' ' : 'f ') + number.get(kept[i]) + (i % 3 === 2 ? '\n' : '');
}
writeFileSync(out, lines + faces);
console.log(`${out}: ${kept.length / 3} triangles, ${number.size} vertices`);
END
node decimate.mjs "$out" "$triangles"
