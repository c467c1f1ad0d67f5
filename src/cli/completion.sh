#!/bin/sh
# Completion of a program for a shell, out of its --help texts (which come from the option tables):
#     completion.sh bash|zsh PROGRAM ["WORDS that choose another table of options"...]
# WORDS are arguments before --help: "--model mps" (an option with its value) or "curve" (a subcommand).
# Of a value that --help shows as a|b the words in small letters are offered, of FILE files, of DIR folders.
set -eu
shell=$1 program=$2
shift 2
name=${program##*/}

# "OPTION<tab>VALUE<tab>first words of its help" a line, VALUE being - of a flag
rows() { # WORDS
    # shellcheck disable=SC2086 # several words each
    "$program" $1 --help | awk '
    function flush() {
        if (option == "") return
        sub(/ *(\[|;|:|\().*/, "", text) # the first words are enough
        gsub(/[][\x27\\"`$]/, "", text)
        print option "\t" value "\t" text
        option = ""
    }
    /^  --/ {
        flush()
        line = substr($0, 3)
        gap = match(line, /  +/)
        text = gap ? substr(line, gap + RLENGTH) : ""
        term = gap ? substr(line, 1, gap - 1) : line
        space = index(term, " ")
        option = space ? substr(term, 1, space - 1) : term
        value = space ? substr(term, space + 1) : "-"
        next
    }
    option != "" && /^ +[^ ]/ { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0; next }
    { flush() }
    END { flush() }'
}

# the words that a value offers; where it is a NAME, the help begins with their list
words() { # VALUE HELP
    {
        echo "$1" | tr '|' '\n'
        case $1 in *NAME*) echo "$2" | grep -xE '[a-z-]+(, [a-z-]+)+' | sed 's/, /\n/g' ;; esac
    } | grep -xE '[a-z0-9][a-z0-9-]*' | tr '\n' ' ' | sed 's/ $//' || true
}

bash_case() { # of rows on standard input
    while IFS='	' read -r option value text; do
        [ "$value" != - ] || continue
        choices=$(words "$value" "$text")
        case $value in
        *FILE*) echo "    $option) words='$choices' kind=file ;;" ;;
        *DIR*) echo "    $option) words='$choices' kind=directory ;;" ;;
        *) echo "    $option) words='$choices' kind=value ;;" ;;
        esac
    done
}

bash_table() { # WORDS: the options and their values
    rows "$1" >"$table"
    echo "        options='$(cut -f 1 "$table" | tr '\n' ' ' | sed 's/ $//')'"
    echo "        case \$option in"
    bash_case <"$table" | sed 's/^/    /'
    echo "        esac"
}

to_bash() {
    cat <<END
# bash completion of $name, made from its --help
_torre_$name()
{
    local word=\${COMP_WORDS[COMP_CWORD]} option='' options='' words='' kind=option
    if [ \$COMP_CWORD -gt 0 ]; then option=\${COMP_WORDS[COMP_CWORD - 1]}; fi
    if [ "\$word" = = ]; then # --option=
        word=''
    elif [ "\$option" = = ]; then # --option=word
        option=\${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case " \${COMP_WORDS[*]} " in
END
    for other; do
        printf '    *" %s "*%s)\n' "$other" "$(echo "$other" | sed -n 's/^\(--[a-z-]*\) \(.*\)/ | *" \1 = \2 "*/p')"
        bash_table "$other"
        echo "        ;;"
    done
    echo "    *)"
    bash_table ""
    subcommands=$(printf '%s\n' "$@" | grep -v '^-' | tr '\n' ' ' | sed 's/ $//')
    [ -z "$subcommands" ] || echo "        options='$subcommands --help --version'"
    cat <<END
        ;;
    esac
    COMPREPLY=()
    case \$kind in
    option) words=\$options ;;
    file) compopt -o filenames 2>/dev/null; COMPREPLY=(\$(compgen -f -- "\$word")) ;;
    directory) compopt -o filenames 2>/dev/null; COMPREPLY=(\$(compgen -d -- "\$word")) ;;
    esac
    COMPREPLY+=(\$(compgen -W "\$words" -- "\$word"))
}
complete -F _torre_$name $name
END
}

zsh_table() { # WORDS: arguments of _arguments
    rows "$1" | while IFS='	' read -r option value text; do
        choices=$(words "$value" "$text")
        case $value in
        -) printf " '%s[%s]'" "$option" "$text" ;;
        *FILE*) printf " '%s=[%s]:%s:_files'" "$option" "$text" "$value" ;;
        *DIR*) printf " '%s=[%s]:%s:_files -/'" "$option" "$text" "$value" ;;
        *) printf " '%s=[%s]:%s:(%s)'" "$option" "$text" "$(echo "$value" | tr ':' ' ')" "$choices" ;;
        esac
    done
    echo
}

to_zsh() {
    printf '#compdef %s\n# zsh completion of %s, made from its --help\n' "$name" "$name"
    printf "case \" \$words \" in\n"
    for other; do
        case $other in
        -*) printf '*" %s "* | *" %s "*)\n    _arguments' "$other" "$(echo "$other" | sed 's/ /=/')" ;;
        *) printf "*\" %s \"*)\n    _arguments '1:subcommand:(%s)'" "$other" "$other" ;;
        esac
        zsh_table "$other" | sed 's/$/ ;;/'
    done
    subcommands=$(printf '%s\n' "$@" | grep -v '^-' | tr '\n' ' ' | sed 's/ $//')
    printf '*)\n    _arguments'
    if [ -n "$subcommands" ]; then
        echo " '1:subcommand:($subcommands)' '--help[show a tutorial]' '--version[show the version]' ;;"
    else
        zsh_table "" | sed 's/$/ ;;/'
    fi
    echo "esac"
}

table=$(mktemp)
trap 'rm -f "$table"' EXIT
"to_$shell" "$@"
