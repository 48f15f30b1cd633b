"""Exceptions of kiln. Each is a kiln.Error, and the built-in exception that fits where there is one."""

import errno as _errno

from . import _kiln


class Error(Exception):
    """What kiln refuses, in kiln's words.

    status: the number of the status (`kiln_status` in kiln.h; 1 to 5: `kiln_bake_status`).
    """

    status = 0


class InvalidError(Error, ValueError):
    """An argument that is out of range, a pose that is none, a mesh that is not closed."""


class FormatError(Error, ValueError):
    """A file that is damaged, of another version, or no kiln file."""


class MissingFileError(Error, FileNotFoundError):
    """There is no such file."""


class FileError(Error, OSError):
    """A file that can't be read or written."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class LimitError(Error):
    """A limit that the caller has set was reached, or a bake failed or was cancelled."""


class UnsupportedError(Error, NotImplementedError):
    """A format or a feature that this build does not know."""


_CLASSES = {
    1: InvalidError, 2: FileError, 3: FormatError, 4: LimitError, 5: UnsupportedError,
    10: MissingFileError, 11: FileError, 12: FileError, 13: OutOfMemoryError, 14: LimitError,
    20: FormatError, 21: FormatError, 22: FormatError, 23: FormatError, 24: FormatError, 25: UnsupportedError,
    26: FormatError, 27: InvalidError, 28: InvalidError,
    30: InvalidError, 31: InvalidError, 32: InvalidError, 36: InvalidError,
}
_BAKE = {1: "an option is out of range", 2: "a file can't be read or written", 3: "the model is refused",
         4: "the bake failed", 5: "this build can't read the format"}
_ERRNO = {10: _errno.ENOENT, 11: _errno.EIO, 12: _errno.EINVAL, 2: _errno.EIO}


def make(status, detail, path):
    """The exception of a status; for the extension module."""
    text = _BAKE.get(status) or _kiln.status_text(status)
    if status in _BAKE:
        text = detail or text
    elif detail and detail != text:
        # kiln's own message about a file says more than the text of its status.
        text = detail if status < 30 and status not in (10, 13) else f"{text}: {detail}"
    kind = _CLASSES.get(status, Error)
    if issubclass(kind, OSError):
        error = kind(_ERRNO.get(status, 0), text, path) if path is not None else kind(_ERRNO.get(status, 0), text)
    else:
        error = kind(f"{path}: {text}" if path is not None else text)
    error.status = status
    return error
