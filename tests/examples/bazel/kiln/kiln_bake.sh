#!/bin/sh
# kiln_bake.sh KILN DECLARED DEPFILE OUT IN [OPTION...]
#
# Bakes IN into OUT and fails, with exit status 3, when IN refers to a file that DECLARED does not have a line
# for: "read PATH" for one that was read, "absent NAME" for one that was looked for and is not there. A sandbox
# hides what is not declared, and kiln bakes an OBJ without its materials; this makes it an error. What was read
# is in the depfile, what was not there in the meta document of OUT.
kiln=$1 declared=$2 depfile=$3 out=$4 in=$5
shift 5
# Sandboxes make links of inputs, which lead out of their folders; what is read is compared below.
"$kiln" bake -q -j1 --side-files=any "$@" -o "$out" --depfile "$depfile" -- "$in" || exit
"$kiln" info --json "$out" >"$out.info" || exit
# A line a file, which begins with two blanks, behind that of OUT and IN; blanks in it and "#" are behind a
# backslash, "$" is doubled. A folder stands there for a file that is not.
sed -n '/^  /{s/^  //;s/ \\$//;s/\\ / /g;s/\\#/#/g;s/[$][$]/$/g;p;}' "$depfile" | while IFS= read -r file; do
    [ -d "$file" ] || printf '%s\n' "$file"
done >"$out.read"
awk -v model="$in" '
    # The path without ".", and without ".." where a folder stands before it.
    function tidy(path,    parts, n, i, kept, k, text) {
        n = split(path, parts, "/")
        k = 0
        for (i = 1; i <= n; i++) {
            if (parts[i] == ".." && k > 0 && kept[k] != "..") {
                k--
            } else if (parts[i] != "." && (parts[i] != "" || i == 1)) {
                kept[++k] = parts[i]
            }
        }
        text = kept[1]
        for (i = 2; i <= k; i++) {
            text = text "/" kept[i]
        }
        return text
    }
    # A string of JSON as the bytes that it stands for; names from Windows have backslashes.
    function plain(text,    parts, n, i) {
        n = split(text, parts, /\\\\/)
        text = ""
        for (i = 1; i <= n; i++) {
            gsub(/\\"/, "\"", parts[i])
            text = text (i > 1 ? "\\" : "") parts[i]
        }
        return text
    }
    function refuse(name, what) {
        printf "kiln_bake: %s: refers to %s, which is %s\n", model, name, what >"/dev/stderr"
        bad = 3
    }
    FILENAME == ARGV[1] {
        known[$1, $1 == "read" ? tidy(substr($0, 6)) : substr($0, 8)] = 1
        next
    }
    FILENAME == ARGV[2] {
        if (!(("read", tidy($0)) in known)) {
            refuse($0, "not declared; add it to side_files")
        }
        next
    }
    /^ *"absent_files": \[$/ {
        inside = 1
        next
    }
    inside && /^ *\]/ {
        inside = 0
    }
    inside {
        gsub(/^ *"|",?$/, "")
        if (!(("absent", plain($0)) in known)) {
            refuse(plain($0), "not there; add it to side_files, or, if it is not to be there, to absent")
        }
    }
    END { exit bad }
' "$declared" "$out.read" "$out.info"
status=$?
rm -f "$out.info" "$out.read"
[ $status -eq 0 ] || rm -f "$out" "$depfile"
exit $status
