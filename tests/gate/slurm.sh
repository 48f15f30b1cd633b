#!/bin/sh
# kiln plan --format slurm under Slurm itself: a cluster of this one machine, with a key, a socket and ports of its
# own, is started here and ended with the test. What its tasks bake is what kiln bake makes, a bad asset fails its
# task alone, and a task that is killed, or put back in the queue, leaves no half file.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

PATH=$PATH:/usr/sbin:/sbin
cluster=$TMPDIR/cluster
munged_pid='' slurmctld_pid='' slurmd_pid=''
SLURM_CONF=$cluster/slurm.conf
export PATH SLURM_CONF

# Jobs first, then the daemons, of which slurmctld needs munged to the end.
# shellcheck disable=SC2317
stop_cluster() {
    [ -z "$slurmd_pid" ] || timeout 5 scancel --full --signal=KILL --user="$(id -un)" 2>/dev/null
    for pid in $slurmd_pid $slurmctld_pid $munged_pid; do
        kill "$pid" 2>/dev/null
        for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null
    done
    [ -n "$KILN_RESULTS" ] || rm -rf "$TMPDIR"
}
trap stop_cluster EXIT
trap 'exit 1' HUP INT TERM

# configure PORT: says more CPUs than there are, so that all tasks run at once, and waits for nothing.
configure() {
    host=$(hostname -s)
    cat >"$SLURM_CONF" <<END
ClusterName=kiln
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
KillWait=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=32 State=UNKNOWN
PartitionName=one Nodes=$host Default=YES MaxTime=10 State=UP
END
}

# Is the node there to work? Asked for two minutes, as long as the daemons live.
answers() {
    for _ in $(seq 1200); do
        [ "$(timeout 60 sinfo --noheader --format=%t 2>"$cluster/sinfo.log")" = idle ] && return 0
        kill -0 "$slurmctld_pid" 2>/dev/null && kill -0 "$slurmd_pid" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

start_cluster() {
    mkdir "$cluster" "$cluster/state" "$cluster/spool" || return 1
    head -c 64 /dev/urandom >"$cluster/munge.key" && chmod 400 "$cluster/munge.key"
    configure $((20000 + $$ % 5000 * 2))
    munged --force --foreground --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
        --pid-file="$cluster/munge.pid" --seed-file="$cluster/munge.seed" >"$cluster/munged.log" 2>&1 &
    munged_pid=$!
    for _ in $(seq 1200); do [ -S "$cluster/munge.socket" ] && break; sleep 0.1; done
    slurmctld -D -c >"$cluster/slurmctld.log" 2>&1 &
    slurmctld_pid=$!
    slurmd -D >"$cluster/slurmd.log" 2>&1 &
    slurmd_pid=$!
    answers
}

case_begin 'a cluster of one machine'
for program in munged slurmctld slurmd sbatch; do
    if ! command -v $program >/dev/null 2>&1; then
        case_skip "there is no $program"
        cases_end
    fi
done
if ! start_cluster; then
    case_skip "Slurm does not start here: $(cat "$cluster"/*.log | grep -i -E 'fatal|error' | tail -1)"
    cases_end
fi
case_end

# plan FOLDER: the folder's kiln.yaml as a script of jobs.
plan() {
    (cd "$1" && "$KILN" plan -m kiln.yaml --format slurm >job.sh) || case_fail "$1: no plan"
}

# finish FOLDER: has the plan done, and keeps the status of sbatch, which is the worst of all tasks.
finish() {
    (cd "$1" && sbatch --wait --parsable job.sh >job 2>log; echo $? >status)
}

# state_of FOLDER TASK: "COMPLETED 0:0", its state with its exit status and signal.
state_of() {
    scontrol --oneliner show job "$(cat "$1/job")_$2" |
        sed 's/.* JobState=\([A-Z]*\) .* ExitCode=\([0-9:]*\) .*/\1 \2/'
}

ended() { # ended FOLDER TASK STATE
    [ "$(state_of "$1" "$2")" = "$3" ] || case_fail "task $2 is $(state_of "$1" "$2"), not $3"
}

# bakes_of JOB: the processes of kiln, one or, while a model is read, two.
bakes_of() {
    for pid in $(scontrol listpids "$1" | awk '$1 + 0 > 0 { print $1 }'); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != kiln ] || echo "$pid"
    done
}

# holds FOLDER FILE...: these files and no others.
holds() {
    (cd "$1" && find . -type f | sort) >"$TMPDIR/found"
    shift
    printf './%s\n' "$@" | sort | diff - "$TMPDIR/found" || case_fail 'other files'
}

cd "$TMPDIR" || exit 1
mkdir good bad slow
for folder in good bad; do cp "$OLDPWD"/models/tiny/* $folder; done
cp good/cube.obj "good/it's \$5 a #1.obj"
cat >good/kiln.yaml <<'END'
kiln: 1
output: out
defaults: {bv: [obb, aabb]}
assets:
  - path: [cube.obj, painted.obj, "it's*.obj"]
  - path: tetrahedron.obj
    output: deep/er.kiln
    options: {leaf: 2, scale: 0.1, adb: 8}
END
cat >bad/kiln.yaml <<'END'
kiln: 1
output: out
assets:
  - path: [cube.obj, nan.obj, painted.obj]
END
awk -v n=240 'BEGIN {
    for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) print "v", i, j, 20 * sin(i * 0.7) * cos(j * 0.9)
    for (i = 0; i < n; i++) for (j = 1; j <= n; j++) {
        a = i * (n + 1) + j
        print "f", a, a + 1, a + n + 2, a + n + 1
    }
}' >slow/a.obj
cat >slow/kiln.yaml <<'END'
kiln: 1
output: out
assets:
  - {path: a.obj, output: cancelled.kiln}
  - {path: a.obj, output: killed.kiln}
  - {path: a.obj, output: requeued.kiln}
END
for folder in good bad slow; do plan $folder; done

case_begin 'tasks that are killed or put back in the queue'
mkdir slow/out && "$KILN" bake -q good/cube.obj -o old.kiln && cp old.kiln slow/out/cancelled.kiln
(cd slow && sbatch --parsable job.sh >job) || case_fail 'sbatch'
for _ in $(seq 1200); do
    [ "$(squeue --noheader --array --states=RUNNING --job="$(cat slow/job)" 2>/dev/null | wc -l)" -eq 3 ] && break
    sleep 0.1
done
requeued=$(cat slow/job)_2
killed=$(scontrol --oneliner show job "$(cat slow/job)_1" | sed 's/^JobId=\([0-9]*\) .*/\1/')
for _ in $(seq 1200); do
    [ -n "$(bakes_of "$killed")" ] && break
    sleep 0.1
done
sleep 0.2
# shellcheck disable=SC2046
scancel "$(cat slow/job)_0" && kill -9 $(bakes_of "$killed") && scontrol requeue "$requeued" ||
    case_fail 'not killed'
finish good &
finish_good=$!
finish bad
wait $finish_good
"$KILN" bake -q slow/a.obj -o want.kiln
for _ in $(seq 1200); do
    # Slurm would wait two minutes.
    scontrol update "JobId=$requeued" StartTime=now 2>/dev/null
    [ -z "$(squeue --noheader --job="$(cat slow/job)" 2>/dev/null)" ] && break
    sleep 0.1
done
ended slow 0 'CANCELLED 0:15'
ended slow 1 'FAILED 137:0'
ended slow 2 'COMPLETED 0:0'
scontrol show job "$requeued" | grep -q Restarts=1 || case_fail 'not begun again'
holds slow/out cancelled.kiln requeued.kiln
same slow/out/cancelled.kiln old.kiln
same slow/out/requeued.kiln want.kiln
case_end

case_begin 'all tasks done: the bytes of kiln bake'
[ "$(cat good/status)" = 0 ] || case_fail "sbatch --wait ends in $(cat good/status): $(cat good/log)"
for task in 0 1 2 3; do ended good $task 'COMPLETED 0:0'; done
mv good/out slurm && (cd good && "$KILN" bake -q -m kiln.yaml) || case_fail 'kiln bake'
holds slurm cube.kiln deep/er.kiln "it's \$5 a #1.kiln" painted.kiln
diff -r slurm good/out || case_fail 'other bytes'
case_end

case_begin 'one asset fails, and its task alone'
[ "$(cat bad/status)" = 3 ] || case_fail "sbatch --wait ends in $(cat bad/status), not 3: $(cat bad/log)"
ended bad 0 'COMPLETED 0:0'
ended bad 1 'FAILED 3:0'
ended bad 2 'COMPLETED 0:0'
holds bad/out cube.kiln painted.kiln
grep -q nan.obj bad/slurm-*_1.out || case_fail 'the log of the task does not name it'
case_end

cases_end
