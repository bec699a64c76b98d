# From the text of `inflight COMMAND --help` what help2man wants: on standard output the text without usage and
# examples, in the file `include` the sections that help2man would not lay out well. command: "" for inflight itself.

function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    return text
}

# A line of an indented list, "  word   meaning".
function entry(line,    word, meaning) {
    match(line, /[^ ]+/)
    word = substr(line, RSTART, RLENGTH)
    meaning = substr(line, RSTART + RLENGTH)
    sub(/^ +/, "", meaning)
    return ".TP\n.B " roff(word) "\n" roff(meaning) "\n"
}

function add_usage(line) {
    sub(/^usage: /, "", line)
    if (line ~ /^ *inflight /) {
        sub(/^ *inflight */, "", line)
        sub("^" command " ?", "", line)
        synopsis = synopsis (synopsis ? ".br\n" : "") ".B inflight" (command ? " " command : "") "\n"
    }
    sub(/^ +/, "", line)
    if (line)
        synopsis = synopsis "\\&" roff(line) "\n"
}

/^usage: / { place = "usage" }
/^example: / { place = "example" }
/^options:$/ { place = "options"; print "Options:\n"; next }
!command && /^[A-Z].*:$/ { place = "commands"; next }
/Exit status:$/ { place = "exit"; next }
/^$/ && place != "options" { place = ""; print; next }

place == "usage" { add_usage($0); next }
place == "example" { example = example "\\&" roff(substr($0, 10)) "\n"; next }
place == "commands" { commands = commands entry($0); next }
place == "exit" && /^  / { status = status entry($0); next }
place == "exit" { status = status ".PP\n" roff(toupper(substr($0, 1, 1)) substr($0, 2)) ".\n"; next }
/^'inflight COMMAND/ { next }
{ print }

END {
    print "[=SYNOPSIS]\n.nh\n.ad l\n" synopsis ".hy\n.ad b\n" > include
    if (commands)
        print "[COMMANDS]\n" commands ".PP\nSee the page of each, such as\n.BR inflight\\-tune (1).\n" > include
    if (status)
        print status > statuses
    if (example)
        print "[EXAMPLES]\n.nf\n" example ".fi\n" > include
}
