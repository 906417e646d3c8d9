n=$1; shift
if [ "$n" -gt 0 ]; then sh ./nest.sh $((n-1)) "$@"; exit $?; fi
"$@"; exit $?
