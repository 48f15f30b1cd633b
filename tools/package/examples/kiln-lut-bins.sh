# Tables for up to 64 bins, in a moment; without --max-u up to 1024 bins
# in some 20 seconds:
kiln lut bins --max-u 64 -o bins.kiln --quiet
