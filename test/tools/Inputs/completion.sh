# Asks the function of the script $1 what the last word of some command lines may become.
. "$1"
ask() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _heddle
  echo "$* : ${COMPREPLY[*]}"
}
ask heddle bu
ask heddle b
ask heddle --v
ask heddle build --e
ask heddle build --emit l
ask heddle build m --emit = lo
ask heddle build m --emit =
ask heddle build -o x
ask heddle build mod
ask heddle build --inj
ask heddle completion f
ask heddle man e
