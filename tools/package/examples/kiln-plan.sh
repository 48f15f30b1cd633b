# Rules for make, which bakes what has changed:
kiln plan assets -o collision --format make >baked.mk
make -f baked.mk

# A line of shell a model, for a queue of jobs:
kiln plan assets -o collision --format parallel >jobs.txt
