#!/bin/sh
# The committed tables of lut/ are what their generators write.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'make check-lut'
make_here check-lut || case_fail 'differ'
case_end

cases_end
