# How much would go, and then as much, so that the cache keeps 10 GiB:
kiln bake ship.obj -o ship.kiln --cache cache --quiet
kiln cache gc cache --max-size 10G --dry-run
kiln cache gc cache --max-size 10G
