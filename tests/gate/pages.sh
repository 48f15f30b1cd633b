#!/bin/sh
# The code in pages runs: EXAMPLES of the manual pages, commands and C, and the recipes of the cookbook. What a page says
# that it prints is what it prints. Commands are taken from the pages as they are rendered, so that they can be copied.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
. tests/page_models.sh
top=$PWD

make_here man python || exit 1
make_page_models "$TMPDIR/work"
mkdir "$TMPDIR/code"

# The text under EXAMPLES of a page.
examples_of() {
    mandoc -T ascii -O width=80 "$1" | sed -e 's/.\x08//g' | sed -n '/^EXAMPLES$/,/^BUGS$/p' | sed -e '1d' -e '$d' -e 's/^       //'
}

# Without blanks, in which a rendered page and its source may differ.
squeezed() {
    tr -d ' \n\t' <"$1"
}

for script in tools/package/examples/*.sh; do
    name=$(basename "$script" .sh)
    case_begin "$name(1)"
    examples_of "$KILN_BUILD/man/$name.1" >"$TMPDIR/page"
    sed -e 's/^#:* *//' "$script" >"$TMPDIR/source"
    [ "$(squeezed "$TMPDIR/page")" = "$(squeezed "$TMPDIR/source")" ] || case_fail 'the page has other code than the file'
    # Block by block, in one folder; what "#:" says is what the block prints last.
    awk -v "to=$TMPDIR/code" '
        BEGIN { n = 1 }
        /^$/ { n++; next }
        /^#:/ { print substr($0, 4) >(to "/" n ".wanted"); next }
        { print >(to "/" n ".sh") }' "$script"
    (cd "$TMPDIR/work" && for block in 1 2 3 4 5 6 7 8 9; do
        code=$TMPDIR/code/$block
        [ -e "$code.sh" ] || break
        sh -e "$code.sh" >"$code.out" 2>"$code.err" </dev/null || case_fail "block $block: $(cat "$code.sh" "$code.err")"
        [ ! -e "$code.wanted" ] || tail -n "$(wc -l <"$code.wanted")" "$code.out" | cmp -s - "$code.wanted" ||
            case_fail "block $block prints $(cat "$code.out")"
    done)
    rm -f "$TMPDIR"/code/*
    case_end
done

# compile FILE PROGRAM
compile() {
    gcc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I runtime -I tools "$1" -o "$2" \
        "$KILN_BUILD/libkilnbake.a" "$KILN_BUILD/libkiln.a" -ljansson -lgmp -lz -lm -pthread || case_fail "$1 does not compile"
}

for source in tools/package/examples/*.c; do
    name=$(basename "$source" .c)
    case_begin "$name(3)"
    examples_of "$KILN_BUILD/man/$name.3" >"$TMPDIR/page"
    sed -n '/^#include/,/^}$/p' "$source" | tr -d ' \n\t' >"$TMPDIR/code/source"
    case $(squeezed "$TMPDIR/page") in *"$(cat "$TMPDIR/code/source")"*) ;; *) case_fail 'the page has other code than the file' ;; esac
    compile "$source" "$TMPDIR/work/$name"
    (cd "$TMPDIR/work" && expect 0 "./$name")
    sed -n '/^\/\* Prints:$/,$p' "$source" | sed -n 's/^ \*     //p' >"$TMPDIR/wanted"
    same "$TMPDIR/out" "$TMPDIR/wanted"
    case_end
done

# Blocks of a recipe, in its order: one headed by a file's name becomes that file, sh is run, and text is what the commands
# before it print. What a console shows is not run.
make_page_compiler "$TMPDIR/work"
for recipe in tools/package/cookbook/*.md; do
    name=$(basename "$recipe" .md)
    [ "$name" != README ] || continue
    case_begin "recipe: $name"
    rm -rf "$TMPDIR/recipe" "$TMPDIR/code" && mkdir "$TMPDIR/code"
    cp -R "$TMPDIR/work" "$TMPDIR/recipe"
    awk -v "to=$TMPDIR/code" -v "work=$TMPDIR/recipe" '
        /^```/ && inside { inside = 0; next }
        /^```/ {
            inside = 1
            sub(/^```/, "")
            file = "/dev/null"
            if ($2 != "") file = work "/" $2
            else if ($1 == "sh") file = to "/" ++n ".sh"
            else if ($1 == "text") file = to "/" n ".wanted"
            printf "" >file
            next
        }
        inside { print >file }' "$recipe"
    [ -e "$TMPDIR/code/1.sh" ] || case_fail 'nothing is run'
    (PATH=$TMPDIR/recipe/bin:$PATH && cd "$TMPDIR/recipe" && for block in 1 2 3 4 5 6 7 8 9; do
        code=$TMPDIR/code/$block
        [ -e "$code.sh" ] || break
        sh -e "$code.sh" >"$code.out" 2>"$code.err" </dev/null || case_fail "block $block: $(cat "$code.sh" "$code.err")"
        [ ! -e "$code.wanted" ] || cmp -s "$code.out" "$code.wanted" || case_fail "block $block prints $(cat "$code.out")"
    done)
    case_end
done
for recipe in tools/package/cookbook/*.md; do
    grep -q "](${recipe##*/})" tools/package/cookbook/README.md || [ "${recipe##*/}" = README.md ] || case_fail "no link to $recipe"
done

cases_end
