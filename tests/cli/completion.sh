#!/bin/sh
# kiln --completion: what bash, zsh and fish offer, asked of the shells themselves.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

# bash_offers WORD...: what bash would offer for the last word, a line each, into $TMPDIR/offered
bash_offers() {
    bash -c 'eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kiln
        printf "%s\n" "${COMPREPLY[@]}"' bash "$("$KILN" --completion bash)" "$@" 2>"$TMPDIR/err" |
        sort >"$TMPDIR/offered"
    [ ! -s "$TMPDIR/err" ] || case_fail "bash says: $(cat "$TMPDIR/err")"
}

# fish_offers LINE
fish_offers() {
    HOME=$TMPDIR fish -c 'source $argv[1]; complete -C $argv[2]' "$TMPDIR/kiln.fish" "$1" 2>"$TMPDIR/err" |
        cut -f1 | sort >"$TMPDIR/offered"
    [ ! -s "$TMPDIR/err" ] || case_fail "fish says: $(cat "$TMPDIR/err")"
}

# offered WORD...: exactly these, sorted
offered() {
    printf '%s\n' "$@" | sort | cmp -s - "$TMPDIR/offered" ||
        case_fail "offered: $(tr '\n' ' ' <"$TMPDIR/offered"), not $*"
}

# among WORD: besides others
among() {
    grep -qxF -e "$1" "$TMPDIR/offered" ||
        case_fail "$1 is not offered: $(tr '\n' ' ' <"$TMPDIR/offered")"
}

case_begin 'bash: verbs, of two words too'
bash_offers kiln ba
offered bake
bash_offers kiln lut b
offered bins
bash_offers kiln --v
offered --version
case_end

case_begin 'bash: options and their values'
bash_offers kiln bake --layo
offered --layout
bash_offers kiln bake --layout r
offered raw
bash_offers kiln bake --layout = p
offered packed
bash_offers kiln bake --layout =
offered packed raw
bash_offers kiln bake --adb = 1
offered 16
bash_offers kiln lut bins --prof
offered --profile
case_end

case_begin 'bash: a value that may be left out is not offered after a blank'
mkdir -p "$TMPDIR/place" && : >"$TMPDIR/place/16 models.obj"
bash_offers kiln bake --adb "$TMPDIR/place/1"
offered "$TMPDIR/place/16 models.obj"
case_end

case_begin 'bash: files, names with blanks among them'
bash_offers kiln bake "$TMPDIR/place/"
offered "$TMPDIR/place/16 models.obj"
bash_offers kiln bake -o "$TMPDIR/place/"
offered "$TMPDIR/place/16 models.obj"
case_end

case_begin 'bash: every option of every verb'
"$KILN" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]* \{0,1\}[a-z]*\)  .*/\1/p' | sed 's/ *$//' >"$TMPDIR/verbs"
[ -s "$TMPDIR/verbs" ] || case_fail 'no verbs'
while read -r verb; do
    # shellcheck disable=SC2086
    bash_offers kiln $verb --
    # shellcheck disable=SC2086
    "$KILN" $verb --help | sed -n 's/^  .\{4\}--\([a-z0-9-]*\).*/--\1/p;s/^  -., --\([a-z0-9-]*\).*/--\1/p' |
        sort -u | cmp -s - "$TMPDIR/offered" || case_fail "options of $verb"
done <"$TMPDIR/verbs"
case_end

case_begin 'zsh takes the script'
if command -v zsh >/dev/null 2>&1; then
    "$KILN" --completion zsh >"$TMPDIR/_kiln"
    zsh -f -c 'autoload -U compinit && compinit -D && . "$1" && echo "${_comps[kiln]}"' zsh \
        "$TMPDIR/_kiln" >"$TMPDIR/out" 2>"$TMPDIR/err"
    silent err
    [ "$(cat "$TMPDIR/out")" = _kiln ] || case_fail 'not registered'
    case_end
else
    case_skip 'zsh is not installed'
fi

case_begin 'fish: verbs, options, values'
if command -v fish >/dev/null 2>&1; then
    "$KILN" --completion fish >"$TMPDIR/kiln.fish"
    fish_offers 'kiln ba'
    offered bake
    fish_offers 'kiln bake --layo'
    among --layout
    fish_offers 'kiln bake --layout '
    offered packed raw
    HOME=$TMPDIR fish -c 'source $argv[1]; complete -C "kiln bake --layout "' "$TMPDIR/kiln.fish" | cut -sf2 |
        grep . && case_fail 'each value is said to be what the option is'
    HOME=$TMPDIR fish -c 'source $argv[1]; complete -C "kiln bake --layo"' "$TMPDIR/kiln.fish" | cut -sf2 |
        grep -q . || case_fail 'of the option nothing is said'
    fish_offers 'kiln lut '
    among bins
    case_end
else
    case_skip 'fish is not installed'
fi

case_begin 'another shell: status 1, the names of those there are'
expect 1 "$KILN" --completion csh
says err 'bash, zsh, fish'
silent out
expect 1 "$KILN" --completion
case_end

cases_end
