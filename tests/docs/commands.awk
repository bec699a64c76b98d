# What a page of Markdown says to do: its commands, the output that it promises, the files that it shows.
#
#   C <line> <command>      a command; "+" in front of the line: in a block where every line is one
#   O <line of output>      of the command before it, to be compared ("..." alone stands for any lines)
#   F <name>, L <line>      a file, and its lines
#
# Fields are separated by tabs. The convention is described in CONTRIBUTING.md.

BEGIN {
	OFS = "\t"
	split("inflight inflight-exchange inflight-plot cmake ctest cpack git make ninja gcc clang cc patch diff cat cp mv rm mkdir ls cd man sudo apt " \
	      "apt-get dpkg pip python3 perf sysctl taskset echo export source " \
	      "likwid-perfctr pkg-config bash sh env gunzip numactl", words)
	for (i in words)
		known[words[i]] = 1
}

function is_command(line,    first)
{
	sub(/^([A-Z_]+=[^ ]* +)+/, "", line)
	first = line
	sub(/ .*/, "", first)
	return (first in known) || first ~ /^(\.\/|bench\/|build\/|tests\/|clang-[0-9])/
}

# Lines of a block: code[1..n], the first of them line `at` of the page.
function end_block(    i, text, line, prompts, margin)
{
	match(code[1], /^ */)
	margin = RLENGTH
	for (i = 1; i <= n; i++) {
		if (!named)
			code[i] = substr(code[i], margin + 1)
		prompts += code[i] ~ /^\$ /
	}
	if (named)
		print "F", named
	for (i = 1; i <= n; i++) {
		text = code[i]
		if (named) {
			print "L", text
		} else if (prompts && text !~ /^\$ /) {
			if (language == "console")
				print "O", text
		} else if (prompts || (language == "sh" && text !~ /^ *(#|$)/) || is_command(text)) {
			line = at + i - 1
			while (text ~ /\\$/ && i < n) {
				sub(/\\$/, "", text)
				text = text code[++i]
			}
			sub(/^\$ /, "", text)
			sub(/[ \t]+# .*$/, "", text)
			gsub(/[ \t]+/, " ", text)
			print "C", line, text
		}
	}
	n = 0
	named = language = ""
}

/^ *```/ {
	if (fenced) {
		if (language == "" || language ~ /^(sh|console|text)$/ || named)
			end_block()
		n = fenced = 0
		named = language = ""
	} else {
		if (n)
			end_block()
		fenced = 1
		language = $1
		sub(/^```/, "", language)
		named = $2
		at = NR + 1
	}
	next
}
fenced { code[++n] = $0; next }
/^    / || (n && /^[ \t]*$/) {
	if (!n)
		at = NR
	code[++n] = $0
	next
}
n { end_block() }
END { if (n) end_block() }
