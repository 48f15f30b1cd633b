# Is a point inside, outside or on the surface?
echo '0.5 0.5 0.5' | kiln query ship.kiln --points -
#: inside

# What does a ray meet first: triangle, t and side.
echo '-1 0.25 0.5  1 0 0' | kiln query ship.kiln --rays -

# Does a sphere of radius 0.3 touch it? Only 1 or 0:
echo '1.2 0.5 0.5  0.3' | kiln query ship.kiln --shapes - --mode any
#: 1
