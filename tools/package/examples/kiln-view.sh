# The volumes of a tree, level by level:
kiln view level.kiln -o level.html

# Two meshes that can be dragged against each other; the page says
# whether they meet and how far apart they are:
kiln view ship.kiln rock.kiln -o meet.html
