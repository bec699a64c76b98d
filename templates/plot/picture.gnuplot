# What all pictures of `inflight ... --plot` look like. The script of a picture sets the variables of a step and loads this file: `begin`
# once; for each panel `axis`, twice, and `legend`, then its data and its plot command; `end`.

if (step eq 'begin') {
    # kind: dumb (the terminal), svg or pngcairo; title; panels, one above the other, of so many pixels `height`; `rows` of the
    # longest legend
    text = kind eq 'dumb'
    stack = panels > 1 && !text
    gap = 18 + 20 * (rows > 1 ? rows : 1) # above each panel of a stack: its title or legend
    tall = stack ? (height + gap) * panels + 100 : height + 20 * rows + 80
    panel = 0
    set encoding utf8
    if (text) {
        set terminal dumb size 79, 25 + rows noenhanced
    } else {
        eval sprintf("set terminal %s size 960, %d noenhanced font 'DejaVu Sans,%d' background '#ffffff'", \
                     kind, tall, kind eq 'svg' ? 13 : 10)
        set bars 0.5
        set grid linetype 1 linewidth 0.5 linecolor rgb '#dddddd'
    }
    set output 'picture'
    if (stack) {
        set multiplot layout panels,1 margins screen 0.09, screen 0.97, screen 50.0 / tall, screen 1 - (30.0 + gap) / tall \
            spacing screen 0, screen 1.0 * gap / tall title title
    } else {
        set title title
    }
}

if (step eq 'axis') {
    # axis: x or y; label; scale: 0 linear, 1 logarithmic, 2 logarithmic in powers of two; low, high, both 0 = what the data need;
    # words = 1: `set xtics add` for each of them follows
    if (axis eq 'x') {
        panel = panel + 1
        unset logscale
        unset arrow
        unset label
    }
    # panels of a stack share the last one's x axis
    shown = axis eq 'y' || !stack || panel == panels
    eval sprintf("set %slabel %s", axis, shown ? 'label' : "''")
    if (scale) {
        eval sprintf("set logscale %s %d", axis, scale == 2 ? 2 : 10)
    }
    eval sprintf("set %srange [%s:%s]", axis, low < high ? sprintf('%.7g', low) : scale ? '*' : '*<0', \
                 low < high ? sprintf('%.7g', high) : '*')
    eval sprintf("set format %s '%s'", axis, !shown ? '' : scale == 2 ? '%.0b%BB' : '%g')
    own = words || (scale == 1 && low < high)
    eval sprintf("set %stics %s nomirror textcolor rgb '#000000' font '%s'", axis, own ? '()' : 'autofreq', \
                 stack && height < 150 ? ',8' : '')
    # 1, 2 and 5 of each decade where there are few decades, else powers of ten
    if (own && !words) {
        do for [decade = floor(log10(low)) : ceil(log10(high))] {
            do for [digit in high < 300 * low ? '1 2 5' : '1'] {
                at = digit * 10.0**decade
                if (at >= low && at <= high) {
                    eval sprintf("set %stics add ('%s' %.6g)", axis, shown ? sprintf('%g', at) : '', at)
                }
            }
        }
    }
}

# entries in so many columns; below the axis, or above a panel of a stack
if (step eq 'legend' && entries) {
    each = (entries + columns - 1) / columns
    if (text) {
        set key below left vertical maxcols 1 Left reverse
    } else {
        if (stack) {
            set key at graph 1, graph 1 right bottom vertical maxcols columns maxrows each Left reverse
        } else {
            set bmargin 4.5 + 1.2 * each
            set key at screen 0.5, screen 0.01 center bottom vertical maxcols columns maxrows each Left reverse
        }
    }
}

if (step eq 'end') {
    if (stack) {
        unset multiplot
    }
    unset output
}
