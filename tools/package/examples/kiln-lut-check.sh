# Every value anew, from exact integers:
kiln lut bins --max-u 64 -o bins.kiln --quiet
kiln lut check bins.kiln

# A thousand of them, for a first look:
kiln lut check bins.kiln --sample 1000
