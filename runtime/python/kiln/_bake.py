"""Baking: models to trees."""

import os
import shutil

from . import _errors, _kiln


class Mesh:
    """A part of a model in memory.

    vertices: float32 or float64 [n, 3]. Trees hold float32; a loss that is large beside the
        mesh is a warning.
    triangles: whole numbers [m, 3], each less than n.
    values: whole numbers [m], the user values (materials) of the triangles; None: 0.
    materials: names of the values 0, 1, ...
    name: of the mesh and its node.
    """

    __slots__ = ("vertices", "triangles", "values", "materials", "name")

    def __init__(self, vertices, triangles, values=None, materials=None, name=None):
        self.vertices = vertices
        self.triangles = triangles
        self.values = values
        self.materials = materials
        self.name = name

    def __repr__(self):
        return f"kiln.Mesh(name={self.name!r})"

    def _tuple(self):
        materials = None if self.materials is None else tuple(self.materials)
        return (self.vertices, self.triangles, self.values, materials, self.name)


class BakeReport:
    """What a bake did: its attributes are those of `kiln_bake_report` (kiln_bake.h).

    Among them faces, degenerate, duplicate, faces_dropped, warnings (list of str), dropped (list of str),
    trees (list of dict: name, kind, triangles, nodes, depth, bytes_raw, bytes_packed, sah_cost),
    bytes_file, seconds_import, seconds_build, seconds_write and outcome ("baked", "up to date", "cached").
    """

    def __init__(self, values):
        self.__dict__.update(values)

    def __repr__(self):
        return (f"<kiln.BakeReport: {self.outcome}, faces: {self.faces}, warnings: {len(self.warnings)}, "
                f"bytes: {self.bytes_file}>")


def importer_folder():
    """The folder of the programs that read models, or None: that which libkilnbake finds by itself.

    Looked for beside this package (a wheel has those of kiln's own formats), then where kiln is installed.
    """
    command = shutil.which("kiln")
    here = os.path.dirname(os.path.abspath(__file__))
    # Beside the package in a wheel; PREFIX/libexec of PREFIX/lib/python3/dist-packages/kiln.
    candidates = [os.path.join(here, "libexec"), os.path.join(os.path.normpath(here + "/../../../.."), "libexec", "kiln")]
    if command:
        root = os.path.dirname(os.path.dirname(os.path.realpath(command)))
        candidates += [os.path.join(root, "libexec", "kiln"),
                       os.path.join(os.path.dirname(os.path.realpath(command)), "libexec", "kiln")]
    candidates += ["/usr/local/libexec/kiln", "/usr/libexec/kiln"]
    for folder in candidates:
        if os.access(os.path.join(folder, "kiln-import"), os.X_OK):
            return folder
    return None


def _is_array_pair(model):
    return isinstance(model, tuple) and 2 <= len(model) <= 5 and not isinstance(model[0], (Mesh, str, os.PathLike))


def _run(model, output, progress, format, options):
    path = data = meshes = None
    options = dict(options)
    if isinstance(model, Mesh):
        meshes = (model._tuple(),)
    elif isinstance(model, list) or isinstance(model, tuple) and model and isinstance(model[0], Mesh):
        if not model or not all(isinstance(part, Mesh) for part in model):
            raise TypeError("a list of models is to be of kiln.Mesh")
        meshes = tuple(part._tuple() for part in model)
    elif _is_array_pair(model):
        meshes = (Mesh(*model)._tuple(),)
    elif isinstance(model, (str, os.PathLike)):
        path = model
    elif isinstance(model, (bytes, bytearray, memoryview)):
        data = model
        if format is None:
            raise TypeError("the bytes of a model need format='obj' or the like")
    else:
        raise TypeError("a model is a path, bytes, a kiln.Mesh, a list of these, or (vertices, triangles)")
    if meshes is None and options.get("importer") is None:
        options["importer"] = importer_folder()
    if progress is not None and not callable(progress):
        raise TypeError("progress is to be callable")
    if path is not None and not os.path.lexists(path):
        raise _errors.make(10, None, os.fspath(path))
    return _kiln.bake(path, data, format, meshes, output, progress, options)


def bake(model, *, progress=None, format=None, **options):
    """Bakes a model and opens the result, a kiln.File. For the report see bake_bytes and bake_file.

    model: a path; the bytes of a model, with format="obj" or the like; or arrays:
        (vertices [n, 3], triangles [m, 3]), also with (..., values [m], materials, name) behind them,
        a kiln.Mesh, or a list of kiln.Mesh.
    progress: called with (stage, part), part from 0 to 1; bake is cancelled if it returns False.
    options: those of `kiln bake` and of `kiln_bake_options`, among them
        bv="obb"             kinds of tree, separated by commas; "auto" measures
        builder="sah"        how trees are cut
        leaf=4               most triangles in a leaf, 1 to 15
        layout="packed"      or "raw", which is used in place
        quality="default"    "fast", "best"
        scale=1.0            multiplies what comes out of a file
        up="keep"            "x", "y" or "z"
        on_bad="error"       "drop": faces that can't be used are left out
        drop="nothing"       "degenerate", "duplicate", "both"
        strict=False         a warning is an error
        threads=0            one for each processor
        adb=0                4, 8, 16: with counts for kiln.collide_counted
        lossy_grid=0         4 to 24: vertices on a grid
        cache=None           a folder in which bakes are kept
        side_files=None      further folders that a model may refer to; "any"
        importer=None        the folder of the programs that read models

    Raises kiln.Error, with what is wrong, where and what to do.
    """
    data, _ = _run(model, None, progress, format, {"layout": "raw", **options})
    return _kiln.open(data)


def bake_bytes(model, *, progress=None, format=None, **options):
    """Bakes a model as kiln.bake does; returns (bytes of the file, kiln.BakeReport)."""
    data, report = _run(model, None, progress, format, options)
    return data, BakeReport(report)


def bake_file(model, output, *, progress=None, format=None, **options):
    """Bakes a model as kiln.bake does, into the file `output`, which is replaced as a whole or not changed.

    if_changed=True: not if it would be written again the same. Returns a kiln.BakeReport.
    """
    if output is None:
        raise TypeError("output is to be a path")
    return BakeReport(_run(model, output, progress, format, options)[1])
