#!/bin/sh
# The man page of a program, out of its --help texts and its --examples:
#     man.sh VERSION PROGRAM "what it is, in a few words" ["ARGUMENTS of a further --help"...]
# Groups of options become subsections; indented lines stay as they are.
set -eu
version=$1 program=$2 about=$3
shift 3
name=${program##*/}
to_roff() { # OPTIONS_HEADING
    awk -v heading="$1" '
    function escaped(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        return text ~ /^[.\x27]/ ? "\\&" text : text
    }
    function section(kind, title) { verbatim(0); print kind " \"" title "\""; where = title }
    function verbatim(on) { if (on != kept) print on ? ".PP\n.nf" : ".fi"; kept = on }
    NR == 1 {
        sub(/^Usage: /, "")
        section(".SH", heading == "OPTIONS" ? "SYNOPSIS" : heading)
        print escaped($0)
        blank = 1
        next
    }
    NR == 2 && heading == "OPTIONS" { section(".SH", "DESCRIPTION") }
    /^Examples \(/ { while ((getline) > 0 && $0 != "") continue } # all of them follow
    /^Exit codes: / { section(".SH", "EXIT STATUS"); sub(/^Exit codes: /, "") }
    /^[A-Z].*:$/ { # a group, or the end of a sentence
        held = $0
        if ((getline following) <= 0) following = ""
        if (following ~ /^  --/) {
            if (!options++ && heading == "OPTIONS") section(".SH", heading)
            sub(/:$/, "", held)
            section(".SS", escaped(held))
        } else {
            verbatim(0)
            print escaped(held)
        }
        $0 = following
    }
    /^  --/ {
        verbatim(0)
        split_at = match(substr($0, 3), /  +/)
        term = split_at ? substr($0, 3, split_at - 1) : substr($0, 3)
        print ".TP\n.B " escaped(term)
        if (split_at) { sub(/^ +/, "", $0); print escaped(substr($0, split_at + RLENGTH)) }
        in_option = 1
        next
    }
    in_option && /^ +/ { sub(/^ +/, ""); print escaped($0); next }
    /^$/ { in_option = 0; blank = 1; next }
    /^ / { if (kept && blank) print ""; verbatim(1); print escaped($0); blank = 0; next }
    {
        if (options && where != "NOTES" && where != "EXIT STATUS" && heading == "OPTIONS") section(".SH", "NOTES")
        verbatim(0)
        if (blank) print ".PP"
        blank = in_option = 0
        print escaped($0)
    }
    END { verbatim(0) }'
}
examples() { # WORDS before --examples
    echo ".SH ${1:+$name $1 }EXAMPLES" | sed 's/ \(.*\)/ "\1"/'
    # shellcheck disable=SC2086 # several words each
    "$program" $1 --examples | sed 's/\\/\\e/g; s/-/\\-/g; s/^# \(.*\)/.fi\n.PP\n\1:\n.PP\n.nf/; /^$/d; s/^\([a-z ].*\)/    \1/'
    echo .fi
}
printf '.TH %s 1 "" "Torre %s" "User Commands"\n.SH NAME\n%s \\- %s\n' \
    "$(echo "$name" | tr '[:lower:]' '[:upper:]')" "$version" "$name" "$about"
"$program" --help | to_roff OPTIONS
examples ""
for further; do
    # shellcheck disable=SC2086 # several words each
    "$program" $further --help | to_roff "$name $further"
    case $further in -*) examples "$further" ;; esac # subcommands have none of their own
done
echo '.SH "SEE ALSO"'
for other in wave md locality roofline doctor; do
    [ $other = "$name" ] || echo ".BR $other (1),"
done | sed '$s/,$//'
