#!/bin/sh
# What may not be read, searched or written, as a user who is not root: root runs it as nobody.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

mkdir "$TMPDIR/p" && cp models/tiny/cube.obj models/tiny/painted.* "$TMPDIR/p" && chmod 777 "$TMPDIR/p"
cd "$TMPDIR/p" || exit 1
if [ "$(id -u)" -eq 0 ]; then
    chown 65534:65534 . ./*
    chmod 711 "$TMPDIR"
    as='setpriv --reuid 65534 --regid 65534 --clear-groups'
else
    as=
fi
if ! $as "$KILN" --version >/dev/null 2>&1 || ! $as test -r cube.obj; then
    case_begin 'permissions'
    case_skip 'the user nobody may not run kiln here'
    cases_end
fi
locked() { # what follows may be reached by nobody at all
    $as chmod 0 "$@"
}

case_begin 'inputs, lists and manifests that may not be read'
$as cp cube.obj no.obj
$as cp cube.obj list
$as cp cube.obj no.yaml
locked no.obj list no.yaml
exact 2 $as "$KILN" bake no.obj -o out <<'END'
stderr:
kiln: no.obj: can't be opened; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" bake @list -o out <<'END'
stderr:
kiln: list: can't be opened; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" bake -m no.yaml -o out <<'END'
stderr:
kiln: no.yaml: can't be opened; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" info no.obj <<'END'
stderr:
kiln: no.obj: can't be opened; Permission denied; check the path and its permissions
END
case_end

case_begin 'a folder that may not be searched is an error, not one without files'
$as mkdir -p d/open d/shut
$as cp cube.obj d/open
$as cp cube.obj d/shut
for mode in 0 400; do
    $as chmod $mode d/shut
    for pattern in 'd/**/*.obj' 'd/*/*.obj' 'd/shut/*.obj'; do
        printf 'kiln: 1\noutput: out\nassets: ["%s"]\n' "$pattern" >d.yaml
        chmod 644 d.yaml
        expect 2 $as "$KILN" bake -m d.yaml
        says err "can't be searched; Permission denied"
        [ ! -e out ] || case_fail "$pattern: something was baked"
    done
done
$as chmod 755 d/shut
case_end

case_begin 'a library of materials that may not be read is as good as absent, until it may'
locked painted.mtl
expect 0 $as "$KILN" bake painted.obj -o p.kiln
expect 0 $as "$KILN" bake painted.obj -o p.kiln --if-changed
says err 'up to date'
$as chmod 644 painted.mtl
expect 0 $as "$KILN" bake painted.obj -o p.kiln --if-changed
silent err
case_end

if [ -n "$as" ]; then
    case_begin 'below a folder that may not be searched: side files are found from within, and those outside are refused'
    mkdir -p closed/inner/deep && cp cube.obj painted.obj closed/inner && cp painted.mtl closed/inner/deep
    cp painted.mtl closed && ln -s deep/painted.mtl closed/inner/painted.mtl
    chown -R 65534:65534 closed/inner && chmod 700 closed
    cd closed/inner || exit 1
    expect 0 $as "$KILN" bake --strict painted.obj -o p.kiln
    silent err
    $as ln -sf ../painted.mtl painted.mtl
    expect 0 $as "$KILN" bake painted.obj -o p.kiln # beyond what may be searched: as absent as any
    says err "not there: 'painted.mtl'"
    cd "$TMPDIR/p" || exit 1
    rm -r closed
    case_end
fi

case_begin 'C061: read-only folders: what is up to date stays, what is not is an error and the old file'
$as mkdir shut
expect 0 $as "$KILN" bake cube.obj -o shut/c.kiln
expect 0 $as "$KILN" bake cube.obj -o leaf.kiln --leaf 2
cp shut/c.kiln before.kiln
$as chmod a-w shut
exact 0 $as "$KILN" bake cube.obj -o shut/c.kiln --if-changed <<'END'
stderr:
kiln: shut/c.kiln: up to date: made from the same bytes by the same options
END
exact 2 $as "$KILN" bake cube.obj -o shut/c.kiln --if-changed --leaf 2 <<'END'
stderr:
kiln: shut/c.kiln: can't be written; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" bake cube.obj -o shut/new.kiln <<'END'
stderr:
kiln: shut/new.kiln: can't be written; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" bake cube.obj painted.obj -o shut -j1 --if-changed <<'END'
stderr:
kiln: shut/cube.kiln: can't be written; Permission denied; check the path and its permissions
kiln: shut/painted.kiln: can't be written; Permission denied; check the path and its permissions
kiln: failed: cube.obj
kiln: failed: painted.obj
kiln: 2 failed in T s
END
exact 2 $as "$KILN" bake cube.obj -o d.kiln --depfile shut/d <<'END'
stderr:
kiln: shut/d: can't be written; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" unpack leaf.kiln -o shut/c.kiln <<'END'
stderr:
kiln: shut/c.kiln: can't be written; Permission denied; check the path and its permissions
END
exact 0 ls -A shut <<'END'
c.kiln
END
same before.kiln shut/c.kiln
$as chmod u+w shut
$as chmod a-w shut/c.kiln # the file, not the folder: it is replaced
exact 0 $as "$KILN" bake cube.obj -o shut/c.kiln --if-changed --leaf 2 <<'END'
END
same leaf.kiln shut/c.kiln
case_end

case_begin 'folders that may not be written: output, cache'
$as mkdir locked cache
expect 0 $as "$KILN" bake cube.obj -o c.kiln --cache cache
$as chmod -R a-w locked cache
exact 2 $as "$KILN" bake cube.obj -o locked/c.kiln <<'END'
stderr:
kiln: locked/c.kiln: can't be written; Permission denied; check the path and its permissions
END
exact 2 $as "$KILN" bake cube.obj painted.obj -o locked/new <<'END'
stderr:
kiln: locked/new: the folder can't be made; Permission denied; check the path and its permissions
END
expect 0 $as "$KILN" bake cube.obj -o d.kiln --cache cache
same c.kiln d.kiln
exact 0 $as "$KILN" bake cube.obj -o d.kiln --cache cache --leaf 2 <<'END'
stderr:
kiln: cache: not kept: the folder can't be made; Permission denied; check the path and its permissions
END
expect 2 $as "$KILN" cache gc cache --max-size 0
$as chmod -R u+w locked cache
case_end

cases_end
