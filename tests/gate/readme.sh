#!/bin/sh
# What README.md shows is what happens: each of its blocks of code is taken out of it, as a reader
# would copy it, and run in a project of the files that it names, with kiln installed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

source=$(pwd)
models=/usr/share/assimp/models
root=$TMPDIR/root
project=$TMPDIR/project

# block KIND N: the lines of the Nth block of README.md that is marked KIND.
block() {
    awk -v kind="$1" -v wanted="$2" '
        /^```/ && inside { inside = 0; next }
        /^```/ { inside = 1; taken = substr($0, 4) == kind && ++count == wanted; next }
        inside && taken' "$source/README.md"
}

# run_block N: the Nth block of shell commands, in the project, as one script that ends at the first
# failure. Paths that a test may not write are replaced by some of its own.
run_block() {
    block sh "$1" | sed "s|/shared/|$TMPDIR/shared/|" >"$TMPDIR/script"
    [ -s "$TMPDIR/script" ] || case_fail "README has no block $1 of commands"
    (cd "$project" && expect 0 sh -e "$TMPDIR/script")
}

case_begin 'set up'
make_here "PREFIX=$root" install >"$TMPDIR/out" 2>&1 || case_fail 'make install'
export PATH="$root/bin:$PATH" PKG_CONFIG_PATH="$root/lib/pkgconfig" LD_LIBRARY_PATH="$root/lib"
mkdir -p "$project/levels/one" "$project/heroes" "$TMPDIR/shared"
cp models/hard/C015_plain.gltf "$project/levels/one/room.gltf"
cp models/tiny/tetrahedron.obj "$project/rock.obj"
case_end

case_begin 'the program: baked, compiled and run'
if [ -e $models/glTF2/BoxTextured-glTF-Binary/BoxTextured.glb ]; then
    cp $models/glTF2/BoxTextured-glTF-Binary/BoxTextured.glb "$project/ship.glb"
    block c 1 >"$project/program.c"
    run_block 1
    # What the last command prints stands behind it as a comment.
    says out "$(block sh 1 | sed -n 's/^\.\/program *# //p')"
    case_end
else
    case_skip 'no assimp-testmodels'
fi

case_begin 'in a build: a list, a manifest'
if [ -e $models/FBX/box.fbx ]; then
    cp $models/FBX/box.fbx "$project/heroes/hero.fbx"
    cp $models/FBX/box.fbx "$project/heroes/hero_lod1.fbx"
    block yaml 1 >"$project/kiln.yaml"
    mkdir -p "$project/assets/props"
    cp "$project/rock.obj" "$project/assets/props/boulder.obj"
    printf 'rock.obj\nlevels/one/room.gltf\n' >"$project/models.txt"
    run_block 2
    for file in rock.kiln levels/one/room.kiln props/boulder.kiln characters/heroes/hero.kiln; do
        [ -s "$project/build/collision/$file" ] || case_fail "build/collision/$file was not baked"
    done
    [ -n "$(find "$TMPDIR/shared/kiln-cache" -type f)" ] || case_fail 'nothing is in the cache'
    [ -z "$(find "$project" -name '*lod1*.kiln')" ] || case_fail 'what is excluded was baked'
    case_end
else
    case_skip 'no assimp-testmodels'
fi

# All but times, which differ, on a terminal, where a bake reports.
untimed() {
    tr -d '\r' | sed -E 's/.*\x1b\[K//
        s/ in [0-9.e-]+ (m?s)/ in T \1/;s/trusted [0-9.e-]+/trusted T/;s/took [0-9.e-]+/took T/'
}

case_begin 'the report of a bake'
if [ -e $models/Collada/duck.dae ]; then
    cp $models/Collada/duck.dae "$project"
    block '' 1 >"$TMPDIR/shown"
    command=$(sed -n 's/^\$ //p' "$TMPDIR/shown")
    (cd "$project" && expect 0 script -qec "$command" /dev/null)
    untimed <"$TMPDIR/out" >"$TMPDIR/printed"
    sed 1d "$TMPDIR/shown" | untimed >"$TMPDIR/expected"
    diff "$TMPDIR/expected" "$TMPDIR/printed" || case_fail 'the report is not as README shows it'
    case_end
else
    case_skip 'no assimp-testmodels'
fi

case_begin 'options that README names'
grep -o -e '`kiln [a-z]*[^`]*`' README.md | tr -d '`' | sort -u >"$TMPDIR/commands"
while read -r kiln verb rest; do
    [ "$kiln $verb" = "kiln " ] && continue
    "$kiln" "$verb" --help >"$TMPDIR/help" </dev/null || case_fail "kiln $verb is no verb"
    for option in $(printf '%s\n' "$rest" | grep -oE -e '--[a-z-]+'); do
        grep -q -e "$option" "$TMPDIR/help" || case_fail "kiln $verb has no $option"
    done
done <"$TMPDIR/commands"
case_end

case_begin 'CITATION.cff is of this version and names the papers that README names'
/usr/bin/python3 - "$(sed -n 's/^#define KILN_VERSION_STRING "\(.*\)"/\1/p' runtime/kiln.h)" <<'END' || case_fail 'CITATION.cff'
import re, sys, yaml
cited = yaml.safe_load(open('CITATION.cff'))
titles = re.findall(r'^  title = \{(.*)\},?$', open('README.md').read(), re.M)
assert cited['version'] == sys.argv[1], cited['version']
assert [r['title'] for r in cited['references']] == [re.sub('[{}]', '', t) for t in titles], titles
for field in ('cff-version', 'message', 'title', 'authors', 'license'):
    assert cited[field], field
END
case_end

cases_end
