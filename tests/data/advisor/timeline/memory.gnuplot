kind = 'svg'
panels = 6
height = 108
rows = 0
title = './invented'
step = 'begin'
load 'picture.gnuplot'
set title 'busy cores' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b0 << EOD
 0 2
 0.1 2
 0.2 2
 0.3 2
 0.4 0
 0.5 0
 0.6 0
 0.7 0
 0.8 4
 0.9 4
 1 4
 1.1 4
 1.2 4
 1.3 4
 1.4 4
 1.5 4
 1.6 2
 1.7 2
 1.8 2
 1.9 2
 2 2
 2.1 2
 2.2 0.02
 2.3 0.02
 2.4 0.02
 2.5 0.02
 2.6 0.02
 2.7 0.02
 2.8 2
 2.9 2
 3 2
 3.1 2
 3.2 2
 3.3 2
 3.4 0.02
 3.5 0.02
 3.6 0.02
 3.7 0.02
 3.8 0.02
 3.9 0.02
 4 2
 4.1 2
 4.2 2
 4.3 2
 4.4 2
 4.5 2
 4.6 0.02
 4.7 0.02
 4.8 0.02
 4.9 0.02
 5 0.02
 5.1 0.02
 5.2 2
 5.3 2
EOD
plot $b0 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
set title 'memory read, GB/s' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b1 << EOD
 0 16
 0.1 16
 0.2 16
 0.3 16
 0.4 0.1
 0.5 0.1
 0.6 0.1
 0.7 0.1
 0.8 30
 0.9 30
 1 30
 1.1 30
 1.2 70
 1.3 70
 1.4 70
 1.5 70
 1.6 16
 1.7 16
 1.8 16
 1.9 16
 2 16
 2.1 16
 2.2 0.1
 2.3 0.1
 2.4 0.1
 2.5 0.1
 2.6 0.1
 2.7 0.1
 2.8 16
 2.9 16
 3 16
 3.1 16
 3.2 16
 3.3 16
 3.4 0.1
 3.5 0.1
 3.6 0.1
 3.7 0.1
 3.8 0.1
 3.9 0.1
 4 16
 4.1 16
 4.2 16
 4.3 16
 4.4 16
 4.5 16
 4.6 0.1
 4.7 0.1
 4.8 0.1
 4.9 0.1
 5 0.1
 5.1 0.1
 5.2 16
 5.3 16
EOD
plot $b1 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
set title 'memory written, GB/s' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b2 << EOD
 0 4
 0.1 4
 0.2 4
 0.3 4
 0.4 0
 0.5 0
 0.6 0
 0.7 0
 0.8 10
 0.9 10
 1 10
 1.1 10
 1.2 20
 1.3 20
 1.4 20
 1.5 20
 1.6 4
 1.7 4
 1.8 4
 1.9 4
 2 4
 2.1 4
 2.2 0
 2.3 0
 2.4 0
 2.5 0
 2.6 0
 2.7 0
 2.8 4
 2.9 4
 3 4
 3.1 4
 3.2 4
 3.3 4
 3.4 0
 3.5 0
 3.6 0
 3.7 0
 3.8 0
 3.9 0
 4 4
 4.1 4
 4.2 4
 4.3 4
 4.4 4
 4.5 4
 4.6 0
 4.7 0
 4.8 0
 4.9 0
 5 0
 5.1 0
 5.2 NaN
 5.3 NaN
EOD
plot $b2 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
set title 'page faults, /s' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b3 << EOD
 0 0
 0.1 0
 0.2 0
 0.3 0
 0.4 0
 0.5 0
 0.6 0
 0.7 0
 0.8 0
 0.9 0
 1 0
 1.1 0
 1.2 0
 1.3 0
 1.4 0
 1.5 0
 1.6 0
 1.7 0
 1.8 0
 1.9 0
 2 0
 2.1 0
 2.2 0
 2.3 0
 2.4 0
 2.5 0
 2.6 0
 2.7 0
 2.8 0
 2.9 0
 3 0
 3.1 0
 3.2 0
 3.3 0
 3.4 0
 3.5 0
 3.6 0
 3.7 0
 3.8 0
 3.9 0
 4 0
 4.1 0
 4.2 0
 4.3 0
 4.4 0
 4.5 0
 4.6 0
 4.7 0
 4.8 0
 4.9 0
 5 0
 5.1 0
 5.2 1000
 5.3 1000
EOD
plot $b3 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
set title 'resident memory, MiB' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b4 << EOD
 0 100
 0.1 100
 0.2 100
 0.3 100
 0.4 100
 0.5 100
 0.6 100
 0.7 100
 0.8 120
 0.9 120
 1 120
 1.1 120
 1.2 120
 1.3 120
 1.4 120
 1.5 120
 1.6 140
 1.7 140
 1.8 140
 1.9 140
 2 140
 2.1 140
 2.2 140
 2.3 140
 2.4 140
 2.5 140
 2.6 140
 2.7 140
 2.8 140
 2.9 140
 3 140
 3.1 140
 3.2 140
 3.3 140
 3.4 140
 3.5 140
 3.6 140
 3.7 140
 3.8 140
 3.9 140
 4 140
 4.1 140
 4.2 140
 4.3 140
 4.4 140
 4.5 140
 4.6 140
 4.7 140
 4.8 140
 4.9 140
 5 140
 5.1 140
 5.2 NaN
 5.3 NaN
EOD
plot $b4 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
set title 'GPU power, W' offset 0,-0.6
axis = 'x'
label = 'time since the start, s'
scale = 0
low = 0
high = 5.3
words = 0
step = 'axis'
load 'picture.gnuplot'
axis = 'y'
label = ''
scale = 0
low = 0
high = 0
words = 0
step = 'axis'
load 'picture.gnuplot'
entries = 0
columns = 2
step = 'legend'
load 'picture.gnuplot'
$b5 << EOD
 0 40
 0.1 40
 0.2 40
 0.3 40
 0.4 250
 0.5 250
 0.6 250
 0.7 250
 0.8 40
 0.9 40
 1 40
 1.1 40
 1.2 40
 1.3 40
 1.4 40
 1.5 40
 1.6 40
 1.7 40
 1.8 40
 1.9 40
 2 40
 2.1 40
 2.2 250
 2.3 250
 2.4 250
 2.5 250
 2.6 250
 2.7 250
 2.8 40
 2.9 40
 3 40
 3.1 40
 3.2 40
 3.3 40
 3.4 250
 3.5 250
 3.6 250
 3.7 250
 3.8 250
 3.9 250
 4 40
 4.1 40
 4.2 40
 4.3 40
 4.4 40
 4.5 40
 4.6 250
 4.7 250
 4.8 250
 4.9 250
 5 250
 5.1 250
 5.2 40
 5.3 40
EOD
plot $b5 using 1:2 with steps linewidth 1.3 dashtype 1 linecolor rgb '#0072b2' notitle
step = 'end'
load 'picture.gnuplot'
