#!/bin/sh
# tests/examples/farm on hosts over ssh, one of which is lost in mid-run: what comes out is what kiln bake makes here. A
# host is a network namespace with an sshd that is the first process of a PID namespace: when that is killed, the
# kernel kills all that ran on the host, and its link goes down first, so that nobody is told. All of it stands in
# namespaces of this test, keys, known hosts and the home folder too; nothing of it is seen outside.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

# missing: what the test needs and has not, or nothing.
missing() {
    for command in ssh ssh-keygen parallel rsync ip unshare; do
        command -v $command >/dev/null 2>&1 || { echo "$command is not installed"; return; }
    done
    [ -x /usr/sbin/sshd ] || { echo 'sshd is not installed'; return; }
    parallel --version 2>/dev/null | grep -q '^GNU parallel' || { echo 'parallel is not that of GNU'; return; }
    unshare --mount --net --pid --fork --kill-child --mount-proc \
        ip link add name here type veth peer name there 2>/dev/null ||
        echo 'network namespaces can not be made: needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN'
}

if [ "$1" != inside ]; then
    why=$(missing)
    if [ -n "$why" ]; then
        case_begin 'a farm of hosts'
        case_skip "$why"
        cases_end
    fi
    KILN_RESULTS=${KILN_RESULTS:-none} unshare --mount --net --pid --fork --kill-child --mount-proc \
        sh tests/gate/farm.sh inside
    exit
fi

farm=$TMPDIR/farm
HOME=$TMPDIR/home
project=$HOME/project
export HOME
unset SSH_AUTH_SOCK PARALLEL_HOME PARALLEL XDG_CONFIG_HOME
mkdir -p "$farm" "$project"
mount -t tmpfs tmpfs /run && mkdir /run/sshd || exit 1
# root as these hosts know it: at home in this folder, with a plain shell, not locked.
sed "s|^root:.*|root:x:0:0:root:$HOME:/bin/sh|" /etc/passwd >"$farm/passwd"
echo 'root:*:19000:0:99999:7:::' >"$farm/shadow"
sed '/^root:/d' /etc/shadow >>"$farm/shadow"
mount --bind "$farm/passwd" /etc/passwd && mount --bind "$farm/shadow" /etc/shadow || exit 1
ip link set lo up
ssh-keygen -q -t ed25519 -N '' -C farm -f "$farm/key" || exit 1
cat >"$farm/ssh_config" <<END
User root
IdentityFile $farm/key
IdentitiesOnly yes
UserKnownHostsFile $farm/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
BatchMode yes
LogLevel ERROR
ConnectTimeout 2
ServerAliveInterval 1
ServerAliveCountMax 3
ControlMaster auto
ControlPath /run/%C
ControlPersist 60
END
PARALLEL_SSH="ssh -F $farm/ssh_config"
export PARALLEL_SSH

# A host's kiln: keeps a journal, is of another version than the plan on host e, and on the host that $farm/frail names
# stops its second bake as if the host hung.
cat >"$farm/kiln" <<END
#!/bin/sh
for input; do :; done
note() { echo "\$1 \$FARM_HOST \$input \$2" >>'$farm/journal'; }
note begin
if [ "\$FARM_HOST" = e ]; then
    for word; do
        shift
        case \$word in --need-version=*) word=\$word.1 ;; esac
        set -- "\$@" "\$word"
    done
fi
if [ "\$FARM_HOST" = "\$(cat '$farm/frail')" ] && [ "\$(grep -c "^begin \$FARM_HOST " '$farm/journal')" -ge 2 ]; then
    '$KILN' "\$@" &
    while read -r name </proc/\$!/comm 2>/dev/null && [ "\$name" != kiln ]; do :; done
    kill -STOP \$! && echo "\$input" >'$farm/hangs'
    wait \$!
else
    '$KILN' "\$@"
fi
status=\$?
note end \$status
exit \$status
END
chmod +x "$farm/kiln"

# host NAME NUMBER [own]: a host at 10.77.NUMBER.2; `own`: with a home, and a /tmp, on a disk of its own.
host() {
    ip netns add "$1" &&
        ip link add name "to-$1" type veth peer name eth0 netns "$1" &&
        ip address add "10.77.$2.1/30" dev "to-$1" && ip link set "to-$1" up &&
        ip -n "$1" address add "10.77.$2.2/30" dev eth0 && ip -n "$1" link set eth0 up &&
        ip -n "$1" link set lo up && ssh-keygen -q -t ed25519 -N '' -f "$farm/host-$1" || case_fail "host $1"
    echo "10.77.$2.2 $(cut -d' ' -f1,2 "$farm/host-$1.pub")" >>"$farm/known_hosts"
    cat >"$farm/sshd-$1" <<END
ListenAddress 10.77.$2.2
HostKey $farm/host-$1
AuthorizedKeysFile $farm/key.pub
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PermitRootLogin prohibit-password
StrictModes no
PermitUserRC no
PrintMotd no
MaxStartups 100
SetEnv FARM_HOST=$1 PATH=$farm:$PATH
END
    ip netns exec "$1" unshare --mount --pid --fork --kill-child --mount-proc sh -c '
        [ "$1" = shared ] || mount -t tmpfs tmpfs "$HOME" || exit 1
        exec /usr/sbin/sshd -D -e -f "$2"' sh "${3:-shared}" "$farm/sshd-$1" >"$farm/log-$1" 2>&1 &
    echo $! >"$farm/pid-$1"
}

answers() { # answers NUMBER: does the host?
    for _ in $(seq 600); do
        $PARALLEL_SSH "10.77.$1.2" true 2>/dev/null && return
        sleep 0.1
    done
    case_fail "10.77.$1.2 does not answer"
    cat "$farm"/log-*
}

# lose HOST: its link, then all its processes, as soon as the bake on it hangs.
lose() {
    for _ in $(seq 6000); do
        [ -s "$farm/hangs" ] && break
        sleep 0.1
    done
    [ -s "$farm/hangs" ] || case_fail "no bake was under way on $1"
    ip link set "to-$1" down
    kill -KILL "$(cat "$farm/pid-$1")"
}

# The bake that was under way on HOST never ended there, and did on OTHER.
taken_over() { # taken_over HOST OTHER
    asset=$(cat "$farm/hangs")
    grep -qx "begin $1 $asset " "$farm/journal" || case_fail "$asset was not begun on $1"
    grep -q "^end $1 $asset " "$farm/journal" && case_fail "$asset ended on $1"
    grep -qx "end $2 $asset 0" "$farm/journal" || case_fail "$asset was not baked on $2"
    [ "$(grep -c "^end $1 .* 0$" "$farm/journal")" -ge 1 ] || case_fail "$1 has never baked anything"
}

# Models with a material library, with a buffer, with options of their own, one that no host can bake.
mkdir -p "$project/models/in dir"
cd "$project" || exit 1
tiny=$OLDPWD/models/tiny
cp "$OLDPWD"/tests/examples/farm/*.sh .
cp "$tiny/cube.obj" "$tiny/painted.obj" "$tiny/painted.mtl" "$tiny/tetrahedron.obj" "$tiny/nan.obj" models
cp "$tiny/cube.obj" "models/in dir/it's \$5 a #1.obj"
cp "$tiny/tetrahedron.obj" ./-5:.obj
head -c 144 /dev/zero >models/rock.bin
cat >models/rock.gltf <<'END'
{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [ { "nodes": [ 0 ] } ],
  "nodes": [ { "name": "rock", "mesh": 0 } ],
  "meshes": [ { "primitives": [ { "attributes": { "POSITION": 0 } } ] } ],
  "buffers": [ { "uri": "rock.bin", "byteLength": 144 } ],
  "bufferViews": [ { "buffer": 0, "byteLength": 144 } ],
  "accessors": [ { "bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3" } ] }
END
for k in 1 2 3; do
    sed "s/^v /v $k/" "$tiny/cube.obj" >models/cube$k.obj
done
cat >kiln.yaml <<'END'
kiln: 1
output: out
defaults: {bv: [obb, aabb]}
assets:
  - "models/**/*.obj"
  - models/*.gltf
  - "-5:.obj"
  - {path: models/tetrahedron.obj, options: {leaf: 2, scale: 0.1, adb: 8}}
END
"$KILN" bake -m kiln.yaml -q 2>"$farm/said"
if [ $? -ne 3 ] || ! [ -s out/models/rock.kiln ] || ! mv out "$farm/wanted"; then
    cat "$farm/said"
    exit 1
fi

# These hosts share the disk: lines are enough.
case_begin 'a host of two is lost: the other bakes all, and the same bytes'
host a 1 && host b 2
answers 1 && answers 2
echo a >"$farm/frail" && : >"$farm/journal"
printf '1/10.77.1.2\n1/10.77.2.2\n' >hosts
sh shared.sh >"$farm/said" 2>&1 &
batch=$!
lose a
wait $batch
[ $? -eq 1 ] || case_fail 'not one failure'
grep -q '^kiln: models/nan.obj: ' "$farm/said" || case_fail "what failed is not named: $(cat "$farm/said")"
diff -r "$farm/wanted" out || case_fail 'files differ'
taken_over a b
case_end

case_begin 'a second run leaves alone what is done, whatever the clocks say, and to others what it might not do alike'
host e 5 && answers 5
find out -name '*.kiln' -exec ls -i {} + >"$farm/before"
find out -name '*.kiln' -exec touch -d 2001-01-01 {} + && find models -type f -exec touch -d 2100-01-01 {} +
echo '# more' >>models/painted.obj
grep -e painted.obj -e cube1.obj -e rock.gltf jobs >some
expect 0 parallel --sshlogin 1/10.77.2.2,1/10.77.5.2 --retries 2 --workdir . -a some
grep -q '^end e .* 5$' "$farm/journal" || case_fail 'another version was not refused'
grep -q '^end e .* 0$' "$farm/journal" && case_fail 'another version has baked'
find out -name '*.kiln' -exec ls -i {} + | diff "$farm/before" - | grep '^>' >"$farm/changed"
[ "$(sed 's/.* //' "$farm/changed")" = out/models/painted.kiln ] || case_fail "baked again: $(cat "$farm/changed")"
case_end

# These have a disk of their own, and nothing on it: the farm's script brings what an asset is made from.
case_begin 'hosts without a shared disk, one of which is lost: the same bytes'
kill -KILL "$(cat "$farm/pid-b")" "$(cat "$farm/pid-e")"
host c 3 own && host d 4 own
answers 3 && answers 4
$PARALLEL_SSH 10.77.3.2 "ls $project" >"$farm/said" 2>&1 && case_fail 'the disk is shared'
rm -rf out "$farm/wanted" "$farm/hangs"
"$KILN" bake -m kiln.yaml -q 2>"$farm/said"
mv out "$farm/wanted" && mkdir -p out/models && cp "$farm/wanted/models/cube.kiln" out/models
echo c >"$farm/frail" && : >"$farm/journal"
printf '1/10.77.3.2\n1/10.77.4.2\n' >hosts
sh apart.sh >"$farm/said" 2>&1 &
batch=$!
lose c
wait $batch
[ $? -eq 1 ] || case_fail 'not one failure'
diff -r "$farm/wanted" out || case_fail 'files differ'
taken_over c d
[ "$(awk '$7 != 0 { print $NF }' joblog)" = "$(printf 'Command\nmodels/nan.obj')" ] ||
    case_fail "the hosts have left more than what can't be baked: $(cat joblog "$farm/said")"
[ "$(grep -c ' models/cube.obj ' "$farm/journal")" -eq 0 ] || case_fail 'what is up to date was sent'
$PARALLEL_SSH 10.77.4.2 'find . -type f' >"$farm/left" && [ ! -s "$farm/left" ] ||
    case_fail "left on the host: $(cat "$farm/left")"
case_end

case_begin 'what no host has done is baked here'
rm out/models/painted.kiln out/models/rock.kiln
expect 0 "$KILN" plan models/painted.obj models/rock.gltf -o out/models --format farm
cp "$TMPDIR/out" two
expect 0 sh two --sshlogin 1/10.77.3.2 --retries 1
"$KILN" bake models/painted.obj models/rock.gltf -o "$farm"
cmp out/models/painted.kiln "$farm/painted.kiln" && cmp out/models/rock.kiln "$farm/rock.kiln" || case_fail 'no'
case_end

case_begin 'this host among the others'
rm out/models/painted.kiln out/models/rock.kiln
expect 0 sh two --sshlogin 1/:,1/10.77.4.2 --joblog log
[ "$(cut -f 2 log | LC_ALL=C sort -u)" = "$(printf '10.77.4.2\n:\nHost')" ] || case_fail "others have baked: $(cat log)"
awk 'NR > 1 && $7 != 0' log | grep . && case_fail 'a host has failed'
cmp out/models/painted.kiln "$farm/painted.kiln" && cmp out/models/rock.kiln "$farm/rock.kiln" || case_fail 'no'
case_end

cases_end
