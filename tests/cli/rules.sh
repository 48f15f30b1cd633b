#!/bin/sh
# Names of side files and models in depfiles and plans, read by the real make and ninja: a name that is refused
# writes nothing; with any other the second build does nothing, a touched side file is noticed, a renamed one stops
# nothing. No name runs a command.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS
mkdir -p "$TMPDIR/r" && cp models/tiny/cube.obj "$TMPDIR/r/cube.obj"
cd "$TMPDIR/r" || exit 1

# A name a line, with \t and \r for themselves: each character where names begin, in the middle and where they end,
# pairs with what quotes it, and lines that are meant for make or a shell.
names() {
    for c in ':' ';' '|' '*' '?' '&' "'" '"' '<' '>' '^' '#' '\' '%' '=' '[' ']' '~' '$' ' ' '\t' '\r' '`' '!' '(' ')' \
        '{' '}' '@' '+' ',' '-' 'é' '.'; do
        printf '%s\n' "a${c}b.mtl" "${c}b.mtl" "a.mtl${c}" "a\\${c}b.mtl" "a ${c} b.mtl" "a${c}${c}b.mtl"
    done | sed '/^-/d;/\\t\\t/d'
    cat <<'END'
x;id>PWNED;.mtl
ship.obj;id>PWNED;.mtl
a$(shell id>PWNED)b.mtl
a$$(shell id>PWNED)b.mtl
a`id>PWNED`b.mtl
a|id>PWNED;.mtl
a&&id>PWNED;.mtl
a b;id>PWNED
${shell id>PWNED}
$(id>PWNED).mtl
a: ;id>PWNED
x:\tid>PWNED
x\r\tid>PWNED
x=$(shell id>PWNED)
.PHONY
.DEFAULT
.SHELLFLAGS=x
~root.mtl
-include.mtl
lib(member)
ship (1).mtl
@list.mtl
100%.mtl
two  blanks.mtl
a\ b.mtl
a\\ b.mtl
END
}
names | sort -u >names
total=$(wc -l <names)

# one NAME: a model that refers to it, and the file itself, in a folder of its own; false where there is no such name.
one() {
    rm -rf w && mkdir w
    printf 'mtllib %s\n' "$1" | cat - cube.obj >w/m.obj
    echo '# nothing' >"w/$1" 2>/dev/null
}

# The command, whose runs are counted.
cat >kiln.sh <<END
#!/bin/sh
echo run >>../runs
exec "$KILN" "\$@"
END
chmod +x kiln.sh
runs() {
    [ -e runs ] && wc -l <runs || echo 0
}

# build TOOL: in w, with the Makefile or build.ninja there.
build() {
    if [ "$1" = make ]; then
        (cd w && make -s) >log 2>&1
    else
        (cd w && ninja) >log 2>&1
    fi
}

case_begin 'names of side files under make and ninja'
printf 'all: m.kiln\nm.kiln: m.obj\n\t../kiln.sh bake -q --if-changed --depfile m.d -o m.kiln m.obj\n\t@touch -c m.kiln\n-include m.d\n' >Makefile
# The second of every two as careless users write it: all prerequisites go to a shell, everything is expanded twice.
printf '.SECONDEXPANSION:\nall: m.kiln\nm.kiln: m.obj\n\t@: $^\n\t../kiln.sh bake -q --depfile m.d -o m.kiln m.obj\n-include m.d\n' >careless
printf 'builddir = b\nrule bake\n command = ../kiln.sh bake -q --if-changed --depfile $out.d -o $out $in\n depfile = $out.d\n restat = 1\nbuild m.kiln: bake m.obj\n' >build.ninja
taken=0 refused=0 number=0
tools=make
command -v ninja >/dev/null && tools='make ninja'
while IFS= read -r name; do
    number=$((number + 1))
    case $name in
    *PWNED*) ;; # always
    *) [ -z "$KILN_TEST_QUICK" ] || [ $((number % 4)) -eq 0 ] || continue ;;
    esac
    name=$(printf '%s' "$name" | awk '{ gsub(/\\t/, "\t"); gsub(/\\r/, "\r"); printf "%s|", $0 }')
    name=${name%|}
    # Every name is tried under one of the two, what means to run a command under both.
    these=$tools
    case $name in
    *PWNED*) ;;
    *) [ "$tools" = make ] || these=$([ $((number % 2)) -eq 0 ] && echo make || echo ninja) ;;
    esac
    for tool in $these; do
        one "$name" || continue
        cp Makefile build.ninja w
        rm -f runs
        touch -d '2020-01-01' w/*
        if ! build $tool; then
            refused=$((refused + 1))
            # Behind a CR is a line of the model, which is no record of OBJ.
            grep -qE "can't stand in a depfile|a line must begin with a word of the format" log || case_fail "$tool: $name: $(cat log)"
            [ ! -e w/m.kiln ] || case_fail "$tool: $name: written without a rule"
            continue
        fi
        taken=$((taken + 1))
        build $tool || case_fail "$tool: $name: second: $(cat log)"
        [ "$(runs)" -eq 1 ] || case_fail "$tool: '$name': the second build does something"
        if [ -f "w/$name" ] && grep -q 'nothing' "w/$name"; then
            "$KILN" info --json w/m.kiln >info
            grep -q '"side_files": \[\]' info && continue # a name that OBJ cuts
            sleep 0.01
            echo '# more' >"w/$name"
            build $tool || case_fail "$tool: $name: touched: $(cat log)"
            [ "$(runs)" -eq 2 ] || case_fail "$tool: '$name': a touched side file is not noticed"
            rm "w/$name"
            sed 's/^mtllib.*//' w/m.obj >w/n && mv w/n w/m.obj
            build $tool || case_fail "$tool: $name: it is stuck without the file: $(cat log)"
            [ "$(runs)" -eq 3 ] || case_fail "$tool: '$name': a file that is gone is not noticed"
            build $tool
            [ "$(runs)" -eq 3 ] || case_fail "$tool: '$name': not done after the file is gone"
        fi
    done
    one "$name" || continue
    cp careless w/Makefile
    build make
    cp w/m.d d 2>/dev/null
    touch w/m.obj
    build make
    find . -name 'PWNED*' | grep . && case_fail "'$name' ran a command"
done <names
echo "names: $total, taken $taken, refused $refused"
[ "$total" -ge 200 ] && [ "$taken" -ge 20 ] && [ "$refused" -ge 20 ] ||
    case_fail "$total names, $taken builds, $refused refusals are too few"
case_end

case_begin 'names of models and outputs in plans: refused, or the second build does nothing'
made=0 refused=0 number=0
while IFS= read -r name; do
    name=${name%.mtl}.obj
    number=$((number + 1))
    [ -z "$KILN_TEST_QUICK" ] || [ $((number % 4)) -eq 0 ] || continue
    these=$tools
    [ "$tools" = make ] || these=$([ $((number % 2)) -eq 0 ] && echo make || echo ninja)
    for tool in $these; do
        rm -rf w runs && mkdir w && cp cube.obj "w/$name" 2>/dev/null || continue
        touch -d '2020-01-01' "w/$name"
        if ! (cd w && "$KILN" plan --format $tool -o out/ -- "./$name" >../plan 2>../said); then
            refused=$((refused + 1))
            grep -q "can't stand in a plan for $tool" said || case_fail "$tool: $name: $(cat said)"
            continue
        fi
        made=$((made + 1))
        if [ $tool = make ]; then
            sed 's|^KILN ?= .*|KILN = ../kiln.sh|' plan >w/Makefile
        else
            sed 's|^kiln = .*|kiln = ../kiln.sh|' plan >w/build.ninja
        fi
        build $tool || case_fail "$tool: $name: $(cat log)"
        [ "$(find w/out -name '*.kiln' | wc -l)" -eq 1 ] || case_fail "$tool: '$name': not baked"
        build $tool || case_fail "$tool: $name: second: $(cat log)"
        [ "$(runs)" -eq 1 ] || case_fail "$tool: '$name': the second build does something"
        touch "w/$name"
        build $tool
        [ "$(runs)" -eq 2 ] || case_fail "$tool: '$name': a touched model is not noticed"
        build $tool
        [ "$(runs)" -eq 2 ] || case_fail "$tool: '$name': an output that stays as it was is made again for ever"
        find . -name 'PWNED*' | grep . && case_fail "'$name' ran a command"
    done
done <names
echo "made $made, refused $refused"
[ $made -ge 10 ] && [ $refused -ge 10 ] || case_fail 'too few of them'
case_end

cases_end
