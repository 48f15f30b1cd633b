"""Arrays: the only place that needs numpy, and only once it is needed."""

from . import _kiln

_dtypes = {}


def _numpy():
    try:
        import numpy
    except ImportError as error:
        raise ImportError("kiln needs numpy for arrays (Debian: python3-numpy)") from error
    return numpy


def _format(text):
    """The type of a field: numpy's own name of it, or "(n,)" before the name of a record."""
    count, _, name = text.rpartition(")")
    return (dtype(name), (int(count.strip("(,")),)) if name in _kiln.layouts else text


def dtype(name):
    """The numpy dtype of a record, by the name of its class: dtype("Hit")."""
    if name not in _dtypes:
        size, fields = _kiln.layouts[name]
        numpy = _numpy()
        if fields[0][0] == "":
            _dtypes[name] = numpy.dtype(fields[0][1])
        else:
            _dtypes[name] = numpy.dtype({
                "names": [field[0] for field in fields],
                "formats": [_format(field[1]) for field in fields],
                "offsets": [field[2] for field in fields],
                "itemsize": size,
            })
    return _dtypes[name]


def wrap(memory, name, shape):
    """A bytearray as an array of records; for the extension module."""
    numpy = _numpy()
    kind = dtype(name)
    if not memory:
        return numpy.zeros(shape, kind)
    return numpy.frombuffer(memory, kind).reshape(shape)


def convert(values, kind, name):
    """Whatever numpy can make numbers of, as a C-contiguous array; for the extension module."""
    numpy = _numpy()
    array = numpy.asarray(values)
    if kind == "uint32":
        if array.size == 0 and array.dtype.kind == "f":
            return numpy.zeros(array.shape, numpy.uint32)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{name} is to be of whole numbers, not {array.dtype}")
        if array.size and (array.min() < 0 or array.max() > 0xFFFFFFFF):
            raise ValueError(f"{name} is to be from 0 to 4294967295")
        return numpy.ascontiguousarray(array, numpy.uint32)
    if kind == "bool":
        if array.dtype.kind != "b" and array.size:
            raise TypeError(f"{name} is to be of bools, one for each triangle, or a function, not {array.dtype}")
        return numpy.ascontiguousarray(array, numpy.bool_)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} is to be of numbers, not {array.dtype}")
    result = numpy.array(array, numpy.float64, order="C", copy=True)
    return result
