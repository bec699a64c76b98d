# Shared by ./check and ./quickstart: installing what is missing, steps with their time. To be sourced.

# installed PACKAGE
installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# For sh, as root, with packages as arguments: none of their services begins, neither now (policy-rc.d, which containers have
# already) nor at the next start of the machine. Tests start daemons of their own.
install_without_services='
    services="munge slurmctld slurmd" # the first comes with the others
    policy=/usr/sbin/policy-rc.d
    for service in $services; do
        [ -e "/etc/init.d/$service" ] || new="${new:-} $service"
    done
    if [ ! -e "$policy" ]; then
        trap "rm -f $policy" EXIT
        trap "exit 1" HUP INT TERM
        printf "#!/bin/sh\nexit 101\n" >"$policy"
        chmod 755 "$policy"
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
    for service in ${new:-}; do
        [ ! -e "/etc/init.d/$service" ] || update-rc.d "$service" disable
    done
'

# install_missing KIND... : the packages of these kinds of packages.txt
install_missing() {
    local kind package missing=() as_root=()

    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "no apt here; what is needed is listed in cmake/packages.txt" >&2
        return 0
    fi
    while read -r kind package; do
        [[ " $* " == *" $kind "* ]] || continue
        [[ " ${missing[*]} " != *" $package "* ]] || continue
        installed "$package" || missing+=("$package")
    done < <(grep -v '^#' cmake/packages.txt)
    if [ ${#missing[@]} -eq 0 ]; then
        echo "all packages are there"
        return 0
    fi
    echo "installing: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "no sudo here; as root run: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" sh -euc "$install_without_services" sh "${missing[@]}"
}

# excerpt LOG: what a step that failed is judged by: what ctest's failed tests printed, then the end of all.
excerpt() {
    awk '
        /^ *[0-9]+\/[0-9]+ Test +#/ { shown = /\*\*\*/ && !/\*\*\*Skipped/ }
        /^ +Start +[0-9]+:/ || /\.\.\.passed$/ || /^ *$/ { next }
        shown && lines++ < 150' "$1"
    tail -n 60 "$1"
}

# step LOG TITLE COMMAND... : runs it with its output in LOG, of which an excerpt is shown if it fails
step() {
    local log=$1 title=$2 started=$SECONDS

    shift 2
    printf '%-52s' "$title"
    if "$@" >"$log" 2>&1; then
        printf '%5d s\n' $((SECONDS - started))
        return 0
    fi
    printf '%5d s  FAILED\n' $((SECONDS - started))
    excerpt "$log" | sed 's/^/    /'
    echo "    (all of it: $log)"
    return 1
}
