# Shared by ./check and ./quickstart: installing what is missing, steps with their time. To be sourced.

# installed PACKAGE
installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

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
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# step LOG TITLE COMMAND... : runs it with its output in LOG, which is shown if it fails
step() {
    local log=$1 title=$2 started=$SECONDS

    shift 2
    printf '%-52s' "$title"
    if "$@" >"$log" 2>&1; then
        printf '%5d s\n' $((SECONDS - started))
        return 0
    fi
    printf '%5d s  FAILED\n' $((SECONDS - started))
    tail -n 60 "$log" | sed 's/^/    /'
    echo "    (all of it: $log)"
    return 1
}
