#!/usr/bin/python3
"""Edits a project at random and builds it after each edit: builds.py PREFIX ASSETS EDITS SEED [DRIVER...]

PREFIX is where kiln is installed. Each DRIVER, of those in DRIVERS below, has a project of its own with OBJ (with
and without materials), glTF with a .bin, STL, PLY and OFF in two folders that have options of their own. Edits
touch, change, rename, delete and restore models and the files that they refer to, change options, put another
version of kiln in the place of this one, and take outputs away. After each build every output has the bytes of a
fresh bake of what is there now, a model that can't be baked fails the build, outputs of deleted models are as they
were, and a second build does nothing.

What a driver may miss is said once, in may_miss(): make, ninja and CMake compare times, so they see an input that
is younger than the last bake of its output, one that is gone, one that comes into a folder that was watched for it,
and a rule with other options or of another version; not other bytes under an old time, as after `cp -p`, or under
the time of the bake itself. A plan is written again before each build, as users have to after other options or
another version. kiln bake compares bytes and may miss nothing.

Prints a line for each driver; for the first fault the edits that led to it, and the status is 1. The same arguments
make the same edits."""
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

KINDS = ("obj", "gltf", "bare", "obj", "gltf", "stl", "ply", "off")  # in turn; "bare" is an OBJ without materials
FOLDERS = ("plain", "special")
OPTIONS = ({}, {"leaf": 2}, {"bv": "aabb"}, {"layout": "raw"}, {"scale": 2}, {"bv": "dop14", "leaf": 3},
           {"bv": "sphere", "leaf": 3}, {"bv": "dop24,dop26"}, {"bv": "octree"})


class Fault(Exception):
    """What is wrong after an edit."""


# ------------------------------------------------------------------------------------- models --


def corners(number):
    """Five points, in text of one length whatever the number is."""
    rng = random.Random(number)
    return [[rng.randrange(100, 1000) / 100 for _ in range(3)] for _ in range(5)]


FACES = ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (1, 2, 3), (1, 3, 4))


def text_of(kind, stem, number):
    """A model of the kind; its size is the same for each number."""
    points = ["%.2f %.2f %.2f" % tuple(p) for p in corners(number)]
    if kind in ("obj", "bare"):
        lines = ["mtllib %s.mtl" % stem, "usemtl m"] if kind == "obj" else []
        lines += ["v " + p for p in points] + ["f %d %d %d" % tuple(i + 1 for i in f) for f in FACES]
    elif kind == "off":
        lines = ["OFF", "5 6 0"] + points + ["3 %d %d %d" % f for f in FACES]
    elif kind == "ply":
        lines = ["ply", "format ascii 1.0", "element vertex 5", "property float x", "property float y",
                 "property float z", "element face 6", "property list uchar int vertex_indices",
                 "end_header"] + points + ["3 %d %d %d" % f for f in FACES]
    elif kind == "stl":
        lines = ["solid s"]
        for face in FACES:
            lines += ["facet normal 0 0 1", "outer loop"] + ["vertex " + points[i] for i in face]
            lines += ["endloop", "endfacet"]
        lines += ["endsolid s"]
    else:
        return json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "translation": [float(points[0].split()[0]), 0, 0]}],
            "buffers": [{"uri": stem + ".bin", "byteLength": 96}],
            "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 60},
                            {"buffer": 0, "byteOffset": 60, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3",
                           "min": [1, 1, 1], "max": [10, 10, 10]},
                          {"bufferView": 1, "componentType": 5123, "count": 18, "type": "SCALAR"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]}).encode()
    return ("\n".join(lines) + "\n").encode()


def side_of(name, number):
    """The bytes of a file that a model refers to."""
    if name.endswith(".bin"):
        points = [x for p in corners(number) for x in p]
        return struct.pack("<15f18H", *points, *[i for f in FACES for i in f])
    return ("newmtl m\nKd %.2f 0.50 0.25\n" % (number % 100 / 100)).encode()


def kind_of(path):
    """The kind of a model; an OBJ refers to materials or not."""
    end = path.rsplit(".", 1)[1]
    return end if end != "obj" else "obj" if sides(path) else "bare"


def sides(path):
    """The files that a model refers to, there or not."""
    with open(path, "rb") as file:
        found = re.findall(rb'^mtllib (.*)$|"uri": "([^"]*)"', file.read(), re.M)
    return [os.path.join(os.path.dirname(path), (a or b).decode()) for a, b in found]


def read(path):
    """The bytes of a file, None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


# ------------------------------------------------------------------------------------ drivers --


def run(command, **more):
    """Runs a command; its status and both outputs."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          check=False, **more)
    return done.returncode, done.stdout.decode(errors="replace")


def write_if_other(path, text):
    """Writes a file of rules only where it changes, as a configure step does."""
    if read(path) != text.encode():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def manifest(options):
    """A manifest of both folders."""
    def written(some):
        return "{%s}" % ", ".join("%s: %s" % pair for pair in some.items())
    assets = ["  - path: [%s]\n    options: %s\n" % (
        ", ".join("models/%s/*.%s" % (folder, end) for end in ("obj", "gltf", "stl", "ply", "off")),
        written(options[folder])) for folder in FOLDERS]
    return "kiln: 1\noutput: out\nassets:\n" + "".join(assets)


class Bake:
    """kiln bake --if-changed over a manifest."""
    by_time = False
    names_program = True
    more = ["--if-changed"]
    out = "out/models"

    def __init__(self, project):
        self.project = project

    def prepare(self):
        write_if_other("kiln.yaml", manifest(self.project.options))

    def command(self):
        return [self.project.tool, "bake", "-q", "-j2", "--allow-empty", "-m", "kiln.yaml"] + self.more

    def idle(self, said):
        return said == ""


class Cache(Bake):
    """The same with a cache."""
    more = ["--if-changed", "--cache", "cache"]


class Make(Bake):
    """kiln plan --format make."""
    by_time = True
    names_program = False
    form, rules = "make", "rules.mk"

    def prepare(self):
        super().prepare()
        status, plan = run([self.project.tool, "plan", "--format", self.form, "--allow-empty"])
        if status != 0:
            raise Fault("kiln plan: status %d: %s" % (status, plan))
        write_if_other(self.rules, plan.replace("kiln = kiln\n", "kiln = %s\n" % self.project.tool))

    def command(self):
        return ["make", "-j2", "-k", "-f", self.rules, "KILN=" + self.project.tool]

    def idle(self, said):
        return "Nothing to be done for 'bake'" in said


class Ninja(Make):
    """kiln plan --format ninja."""
    form, rules = "ninja", "build.ninja"

    def command(self):
        return ["ninja", "-j2", "-k0"]

    def idle(self, said):
        return "ninja: no work to do." in said


class CMake(Bake):
    """kiln_bake() with models, under the policies of CMake 3.16."""
    by_time = True
    generator = "Ninja"
    out = "build/out"
    native = ["ninja", "-C", "build", "-j2", "-k0"]

    def lists(self):
        """The calls of kiln_bake()."""
        calls = []
        for folder in FOLDERS:
            models = [m for m in self.project.models() if m.startswith("models/%s/" % folder)]
            if models:
                calls.append("kiln_bake(%s ALL MODELS %s BASE_DIRECTORY models OUTPUT_DIRECTORY out OPTIONS %s)\n" % (
                    folder, " ".join(models), " ".join(as_options(self.project.options[folder]))))
        return calls

    def prepare(self):
        write_if_other("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(soak NONE)\n"
                       "find_package(kiln REQUIRED)\n" + "".join(self.lists()))
        if not os.path.exists("build/CMakeCache.txt"):
            status, said = run(["cmake", "-S", ".", "-B", "build", "-G", self.generator,
                                "-DCMAKE_PREFIX_PATH=" + self.project.prefix])
            if status != 0:
                raise Fault("cmake: " + said)

    def command(self):
        return self.native

    def idle(self, said):
        return "ninja: no work to do." in said


class CMakeMake(CMake):
    """The same with Unix Makefiles."""
    generator = "Unix Makefiles"
    native = ["make", "-C", "build", "-j2", "-k"]

    def idle(self, said):
        return "Baking" not in said


class CMakeMulti(CMake):
    """The same with Ninja Multi-Config, of which one configuration is built."""
    generator = "Ninja Multi-Config"
    native = ["ninja", "-C", "build", "-f", "build-Release.ninja", "-j2", "-k0"]


class CMakeManifest(CMake):
    """kiln_bake() with a manifest, which kiln bake reads in each build."""
    by_time = False
    out = "build/out/models"

    def lists(self):
        write_if_other("kiln.yaml", manifest(self.project.options))
        return ["kiln_bake(all_of_it ALL MANIFEST kiln.yaml OUTPUT_DIRECTORY out OPTIONS --allow-empty)\n"]

    def idle(self, said):
        return " 0 baked" in said or "up to date" in said


DRIVERS = {"bake": Bake, "cache": Cache, "make": Make, "ninja": Ninja, "cmake-ninja": CMake,
           "cmake-make": CMakeMake, "cmake-multi": CMakeMulti, "cmake-manifest": CMakeManifest}


# ------------------------------------------------------------------------------------ project --


def as_options(options):
    """The options as words of a command."""
    return ["--%s=%s" % pair for pair in sorted(options.items())]


class Project:
    """The files of a project in the working folder, and what was made of them."""

    def __init__(self, prefix, driver, assets, seed):
        self.rng = random.Random("%s %d" % (driver, seed))
        self.prefix = os.path.abspath("prefix")
        shutil.copytree(prefix, self.prefix)
        self.tool = self.prefix + "/bin/kiln"
        self.make_versions()
        self.options = {folder: OPTIONS[i] for i, folder in enumerate(FOLDERS)}
        self.driver = DRIVERS[driver](self)
        self.reference = {}  # bytes of fresh bakes, by all that they are made from
        self.made = {}  # of each output: when it was made, from which files, with which options
        self.kept = []  # (path, bytes, time) of files as they once were
        self.story = []
        self.bakes = self.missed = 0
        for folder in FOLDERS:
            os.makedirs("models/" + folder)
        self.assets = assets
        self.first = self.rng.sample([edit for edit, _ in self.EDITS], len(self.EDITS))
        for number in range(assets):
            kind, folder = KINDS[number % len(KINDS)], FOLDERS[number // len(KINDS) % len(FOLDERS)]
            stem = "%s%02d" % (kind, number)
            path = "models/%s/%s.%s" % (folder, stem, "obj" if kind == "bare" else kind)
            self.put(path, text_of(kind, stem, number))
            for side in sides(path):
                if side.endswith(".bin") or number % 3:  # some materials are not there yet
                    self.put(side, side_of(side, number))

    def make_versions(self):
        """Of each program two, which differ in the version that they print and put into their files."""
        version = run([self.tool, "--version"])[1].split()[1].encode()
        other = version[:-1] + (b"8" if version.endswith(b"9") else b"9")
        self.version, self.programs = 0, {}
        for folder, _, names in os.walk(self.prefix):
            for path in (os.path.join(folder, name) for name in names):
                data = read(path)
                if os.access(path, os.X_OK) and data.startswith(b"\x7fELF"):
                    self.programs[path] = (data, data.replace(version, other))
        self.set_version()
        if other.decode() not in run([self.tool, "--version"])[1]:
            raise Fault("the other version does not say so")
        self.set_version()

    def put(self, path, data, when=None):
        """Writes a file, in its place or under another name first, and sets its time."""
        to = path if self.rng.random() < 0.5 else path + ".new"
        with open(to, "wb") as file:
            file.write(data)
        if when is not None:
            os.utime(to, ns=(when, when))
        os.replace(to, path)

    def models(self):
        """All models."""
        return sorted("models/%s/%s" % (f, n) for f in FOLDERS for n in os.listdir("models/" + f)
                      if n.endswith((".obj", ".gltf", ".stl", ".ply", ".off")))

    def output(self, model):
        """The output of a model."""
        return self.driver.out + model[len("models"):].rsplit(".", 1)[0] + ".kiln"

    def options_of(self, model):
        """Options and version that a model is baked with."""
        return as_options(self.options[model.split("/")[1]]), self.version

    # ----------------------------------------------------------------------------- fresh --

    def key(self, model):
        """A hash of all that a bake is made from."""
        sha = hashlib.sha256(repr((model, self.options_of(model))).encode())
        for path in [model] + sides(model):
            sha.update(repr(read(path)).encode())
        return sha.hexdigest()

    def fresh(self):
        """The bytes of a fresh bake of each model, None for one that can't be baked."""
        keys = {model: self.key(model) for model in self.models()}
        for folder in FOLDERS:
            new = [m for m, key in keys.items() if key not in self.reference and m.split("/")[1] == folder]
            if not new:
                continue
            shutil.rmtree("fresh", ignore_errors=True)
            with open("list", "w", encoding="utf-8") as file:
                file.write("\n".join(new))
            run([self.tool, "bake", "-q", "-j2", "--folders", "tree"] + self.options_of(new[0])[0] +
                ["-o", "fresh/", "@list"])
            for model in new:
                self.reference[keys[model]] = read("fresh/" + model.rsplit(".", 1)[0] + ".kiln")
            self.bakes += len(new)
        return {model: self.reference[key] for model, key in keys.items()}

    # ----------------------------------------------------------------------------- edits --

    def now(self):
        """A time that files get now."""
        with open("clock", "w", encoding="utf-8") as file:
            file.write("x")
        return os.stat("clock").st_mtime_ns

    def later(self, when):
        """Waits until files get a later time."""
        while self.now() <= when:
            time.sleep(0.001)

    def keep(self, path):
        """Keeps a file as it is, to be restored."""
        self.kept.append((path, read(path), os.stat(path).st_mtime_ns))
        self.kept = self.kept[-200:]

    def other_bytes(self, path):
        """Other bytes of the same size."""
        number, stem = self.rng.randrange(10 ** 6), os.path.basename(path).rsplit(".", 1)[0]
        if path.endswith((".mtl", ".bin")):
            return side_of(path, number)
        found = sides(path)
        return text_of(kind_of(path), os.path.basename(found[0]).rsplit(".", 1)[0] if found else stem, number)

    def draw_file(self):
        """A model or a file that one refers to, which is there."""
        model = self.rng.choice(self.models())
        return self.rng.choice([model] + [side for side in sides(model) if os.path.exists(side)])

    def touch(self):
        path = self.draw_file()
        os.utime(path)
        return path

    def change(self):
        path = self.draw_file()
        self.keep(path)
        data = self.other_bytes(path)
        if path.endswith((".obj", ".mtl")) and self.rng.random() < 0.5:
            data += b"# longer\n"
        self.put(path, data)
        return path

    def change_unseen(self):
        """Same size, and the time that it had, or that of the last build."""
        path = self.draw_file()
        self.keep(path)
        when = self.rng.choice([os.stat(path).st_mtime_ns, self.built])
        self.put(path, self.other_bytes(path), when)
        return path

    def restore(self):
        """A file as it once was, with its old time (cp -p) or a new one (git checkout)."""
        if not self.kept:
            return self.touch()
        path, data, when = self.rng.choice(self.kept)
        if any(m != path and m.rsplit(".", 1)[0] == path.rsplit(".", 1)[0] for m in self.models()) and \
                not path.endswith((".mtl", ".bin")):
            return self.touch()
        old = self.rng.random() < 0.5
        self.put(path, data, when if old else None)
        return path + (" with its old time" if old else "")

    def free_name(self, model):
        """A name for a model that no other has, sometimes one that was in use before."""
        folder, end = self.rng.choice(FOLDERS), model.rsplit(".", 1)[1]
        used = {m.rsplit(".", 1)[0] for m in self.models()}
        while True:
            stem = "models/%s/renamed%02d" % (folder, self.rng.randrange(40))
            if stem not in used:
                return "%s.%s" % (stem, end)

    def rename(self):
        model = self.rng.choice(self.models())
        to = self.free_name(model)
        os.rename(model, to)
        for side in sides(to):  # they come along, or not
            come = os.path.join(os.path.dirname(model), os.path.basename(side))
            if os.path.exists(come) and come != side and self.rng.random() < 0.5:
                os.rename(come, side)
        return "%s to %s" % (model, to)

    def rename_over(self):
        """One model in the place of another of its kind."""
        model = self.rng.choice(self.models())
        others = [m for m in self.models() if m != model and m.rsplit(".", 1)[1] == model.rsplit(".", 1)[1]]
        if not others:
            return self.rename()
        to = self.rng.choice(others)
        self.keep(to)
        os.rename(model, to)
        return "%s to %s" % (model, to)

    def delete(self):
        if len(self.models()) < self.assets * 5 // 6:
            return self.arrive()
        model = self.rng.choice(self.models())
        self.keep(model)
        os.remove(model)
        return model

    def delete_side(self):
        there = [s for m in self.models() for s in sides(m) if os.path.exists(s)]
        if not there:
            return self.arrive()
        path = self.rng.choice(there)
        self.keep(path)
        os.remove(path)
        return path

    def arrive(self):
        """A model that was deleted, or a file that was not there, with a time of its own."""
        gone = [s for m in self.models() for s in sides(m) if not os.path.exists(s)]
        if gone and self.rng.random() < 0.7:
            path = self.rng.choice(gone)
            old = self.rng.choice([None, 10 ** 18])
            self.put(path, side_of(path, self.rng.randrange(10 ** 6)), old)
            return path + (" with an old time" if old else "")
        if len(self.models()) < self.assets:
            number, kind = self.rng.randrange(10 ** 6), self.rng.choice(KINDS)
            path = self.free_name("x." + ("obj" if kind == "bare" else kind))
            self.put(path, text_of(kind, os.path.basename(path).rsplit(".", 1)[0], number))
            for side in sides(path):
                self.put(side, side_of(side, number))
            return path
        return self.touch()

    def set_options(self):
        folder = self.rng.choice(FOLDERS)
        self.options[folder] = self.rng.choice(OPTIONS)
        return "%s %s" % (folder, self.options[folder])

    def set_version(self):
        """Other programs in the place of the present ones."""
        self.version = 1 - self.version
        for path, data in self.programs.items():
            with open(path + ".new", "wb") as file:
                file.write(data[self.version])
            shutil.copymode(path, path + ".new")
            os.replace(path + ".new", path)
        return str(self.version)

    def remove_outputs(self):
        if self.rng.random() < 0.2:
            shutil.rmtree(self.driver.out, ignore_errors=True)
            self.made = {}
            return "all"
        path = self.output(self.rng.choice(self.models()))
        if os.path.exists(path):
            os.remove(path)
        return path

    EDITS = ((touch, 10), (change, 25), (change_unseen, 8), (restore, 12), (rename, 8), (rename_over, 3),
             (delete, 6), (delete_side, 8), (arrive, 14), (set_options, 3), (set_version, 1), (remove_outputs, 2))

    def edit(self):
        """One edit at random: first one of each kind, then by their weights."""
        chosen = self.first.pop() if self.first else \
            self.rng.choices([e for e, _ in self.EDITS], [w for _, w in self.EDITS])[0]
        self.story.append("%s %s" % (chosen.__name__, chosen(self)))

    # ---------------------------------------------------------------------------- builds --

    def inputs(self, model):
        """What a bake reads, and the folders of what is not there; the program, where rules name it."""
        return [self.tool] * self.driver.names_program + [model] + [side if os.path.exists(side) else os.path.dirname(side) for side in sides(model)]

    def may_miss(self, model):
        """Can a tool that compares times not see that the output is not of today?"""
        made = self.made.get(self.output(model))
        return (self.driver.by_time and made is not None and os.path.exists(self.output(model))
                and made["options"] == self.options_of(model)[0]
                and made["version"] == self.version
                and all(os.path.exists(path) and os.stat(path).st_mtime_ns <= made["when"]
                        for path in made["inputs"]))

    def stamps(self):
        """What shows that outputs were written anew."""
        found = {}
        for folder, _, names in os.walk(self.driver.out):
            for name in names:
                if name.endswith(".kiln"):
                    info = os.stat(os.path.join(folder, name))
                    found[os.path.join(folder, name)] = (info.st_ino, info.st_mtime_ns)
        return found

    def build(self):
        """Builds twice, and holds the outputs against fresh bakes."""
        self.driver.prepare()
        before, bytes_before = self.stamps(), {}
        wanted = self.fresh()
        missing = {model for model in wanted if self.may_miss(model)}
        for model in missing:
            bytes_before[model] = read(self.output(model))
        status, said = run(self.driver.command())
        fails = [m for m, data in wanted.items() if data is None and m not in missing]
        possibly = [m for m, data in wanted.items() if data is None and m in missing]
        if (status != 0) != bool(fails) and not (status != 0 and possibly):
            raise Fault("status %d, and %s can't be baked: %s" % (status, fails, said))
        self.built = self.now()
        after = self.stamps()
        for model, data in wanted.items():
            output = self.output(model)
            found = read(output)
            if model in missing and found == bytes_before[model] and found != data:
                self.missed += 1
                continue
            if data is None:
                continue
            if found != data:
                raise Fault("%s is %s: %s" % (output, "not there" if found is None else "stale", said))
            if model not in missing or before.get(output) != after[output]:
                self.made[output] = {"when": self.built, "options": self.options_of(model)[0],
                                     "version": self.version, "inputs": self.inputs(model)}
        gone = set(before) - {self.output(model) for model in wanted}
        if any(before[path] != after.get(path) for path in gone):
            raise Fault("outputs of models that are gone were touched: %s" % sorted(gone))
        status, said = run(self.driver.command())
        if self.stamps() != after:
            raise Fault("a second build writes again: " + said)
        if not fails and not possibly and (status != 0 or not self.driver.idle(said)):
            raise Fault("a second build does something: status %d: %s" % (status, said))


def soak(prefix, driver, assets, edits, seed):
    """All edits of one driver; False after a fault."""
    start, done = time.time(), 0
    project = Project(prefix, driver, assets, seed)
    project.built = project.now()
    try:
        project.build()
        while done < edits:
            project.later(project.built)
            for _ in range(min(project.rng.choice([1, 1, 1, 2, 3]), edits - done)):
                project.edit()
                done += 1
            project.build()
    except Fault as fault:
        print("%s, seed %d: fault after %d edits: %s" % (driver, seed, done, fault))
        print("the last edits:\n  " + "\n  ".join(project.story[-12:]))
        return False
    print("%s, seed %d: %d edits, %d reference bakes, %d outputs left for their times, %.0f s, no fault" % (
        driver, seed, done, project.bakes, project.missed, time.time() - start), flush=True)
    return True


def main():
    prefix = os.path.abspath(sys.argv[1])
    assets, edits, seed = (int(word) for word in sys.argv[2:5])
    for name in ("MAKEFLAGS", "MAKELEVEL", "KILN"):  # of a make that calls this
        os.environ.pop(name, None)
    good = True
    for driver in sys.argv[5:] or DRIVERS:
        folder = tempfile.mkdtemp(prefix="kiln-soak-")
        os.chdir(folder)
        if soak(prefix, driver, assets, edits, seed):
            os.chdir("/")
            shutil.rmtree(folder)
        else:
            print("its folder: " + folder)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
