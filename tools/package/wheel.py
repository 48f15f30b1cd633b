#!/usr/bin/python3
"""wheel.py FOLDER VERSION OUTPUT: the wheel of the Python package in FOLDER, the same bytes of the same files.

The tag is linux_ARCHITECTURE: the module needs the system's libc, zlib and jansson, and the programs that read
models libexpat, libpng and libseccomp besides, so that it is no manylinux wheel.
"""
import base64
import hashlib
import os
import platform
import sys
import zipfile

DEPENDENT = """\
Metadata-Version: 2.1
Name: kiln
Version: {version}
Summary: Exact collision queries on hierarchies baked in advance
License: MIT
Requires-Python: >=3.11
Requires-Dist: numpy
Description-Content-Type: text/markdown
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: C
Classifier: Operating System :: POSIX :: Linux

{readme}"""


def main(folder, version, output):
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tag = f"cp311-abi3-linux_{platform.machine()}"
    os.makedirs(output, exist_ok=True)
    info = f"kiln-{version}.dist-info"
    with open(os.path.join(top, "runtime/python/README.md"), encoding="utf-8") as file:
        readme = file.read()
    with open(os.path.join(top, "LICENSE"), "rb") as file:
        license_text = file.read()
    entries = []  # (name, bytes, executable)
    for root, folders, names in os.walk(os.path.join(folder, "kiln")):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                entries.append((os.path.relpath(path, folder), file.read(), os.access(path, os.X_OK)))
    entries += [
        (f"{info}/LICENSE", license_text, False),
        (f"{info}/METADATA", DEPENDENT.format(version=version, readme=readme).encode(), False),
        (f"{info}/WHEEL",
         f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), False),
    ]
    record = ""
    for name, data, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    entries.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), False))
    path = os.path.join(output, f"kiln-{version}-{tag}.whl")
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, executable in entries:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)
    os.replace(path + ".part", path)
    print(path)


main(*sys.argv[1:])
