# After shipping: a packed file becomes one that is used in place, with
# the same content:
kiln unpack level.kiln -o level.raw.kiln
kiln diff level.kiln level.raw.kiln --quiet
