set terminal svg size 900,808 dynamic background '#ffffff' font 'sans,10'
set output 'picture'
set encoding utf8
$t << EOD
0 2 16 4 0 100 40
0.1 2 16 4 0 100 40
0.2 2 16 4 0 100 40
0.3 2 16 4 0 100 40
0.4 0 0.1 0 0 100 250
0.5 0 0.1 0 0 100 250
0.6 0 0.1 0 0 100 250
0.7 0 0.1 0 0 100 250
0.8 4 30 10 0 120 40
0.9 4 30 10 0 120 40
1 4 30 10 0 120 40
1.1 4 30 10 0 120 40
1.2 4 70 20 0 120 40
1.3 4 70 20 0 120 40
1.4 4 70 20 0 120 40
1.5 4 70 20 0 120 40
1.6 2 16 4 0 140 40
1.7 2 16 4 0 140 40
1.8 2 16 4 0 140 40
1.9 2 16 4 0 140 40
2 2 16 4 0 140 40
2.1 2 16 4 0 140 40
2.2 0.02 0.1 0 0 140 250
2.3 0.02 0.1 0 0 140 250
2.4 0.02 0.1 0 0 140 250
2.5 0.02 0.1 0 0 140 250
2.6 0.02 0.1 0 0 140 250
2.7 0.02 0.1 0 0 140 250
2.8 2 16 4 0 140 40
2.9 2 16 4 0 140 40
3 2 16 4 0 140 40
3.1 2 16 4 0 140 40
3.2 2 16 4 0 140 40
3.3 2 16 4 0 140 40
3.4 0.02 0.1 0 0 140 250
3.5 0.02 0.1 0 0 140 250
3.6 0.02 0.1 0 0 140 250
3.7 0.02 0.1 0 0 140 250
3.8 0.02 0.1 0 0 140 250
3.9 0.02 0.1 0 0 140 250
4 2 16 4 0 140 40
4.1 2 16 4 0 140 40
4.2 2 16 4 0 140 40
4.3 2 16 4 0 140 40
4.4 2 16 4 0 140 40
4.5 2 16 4 0 140 40
4.6 0.02 0.1 0 0 140 250
4.7 0.02 0.1 0 0 140 250
4.8 0.02 0.1 0 0 140 250
4.9 0.02 0.1 0 0 140 250
5 0.02 0.1 0 0 140 250
5.1 0.02 0.1 0 0 140 250
5.2 2 16 NaN 1000 NaN 40
5.3 2 16 NaN 1000 NaN 40
EOD
set xrange [0:5.3]
set yrange [*<0:*]
set grid
set ytics nomirror font ',8'
set multiplot layout 6,1 margins screen 0.09, screen 0.97, screen 0.0569, screen 0.9356 spacing screen 0, screen 0.0421 title './invented' noenhanced
set format x ''
set object 1 rectangle from first 0, graph 0 to first 0.4, graph 1 behind fillcolor rgb '#E3EEF7' fillstyle solid noborder
set object 2 rectangle from first 0.4, graph 0 to first 0.8, graph 1 behind fillcolor rgb '#FBE9DD' fillstyle solid noborder
set object 3 rectangle from first 0.8, graph 0 to first 1.2, graph 1 behind fillcolor rgb '#DFF1EA' fillstyle solid noborder
set object 4 rectangle from first 1.2, graph 0 to first 1.6, graph 1 behind fillcolor rgb '#F6E6F0' fillstyle solid noborder
set object 5 rectangle from first 1.6, graph 0 to first 2.2, graph 1 behind fillcolor rgb '#E3EEF7' fillstyle solid noborder
set object 6 rectangle from first 2.2, graph 0 to first 2.8, graph 1 behind fillcolor rgb '#FBE9DD' fillstyle solid noborder
set object 7 rectangle from first 2.8, graph 0 to first 3.4, graph 1 behind fillcolor rgb '#E3EEF7' fillstyle solid noborder
set object 8 rectangle from first 3.4, graph 0 to first 4, graph 1 behind fillcolor rgb '#FBE9DD' fillstyle solid noborder
set object 9 rectangle from first 4, graph 0 to first 4.6, graph 1 behind fillcolor rgb '#E3EEF7' fillstyle solid noborder
set object 10 rectangle from first 4.6, graph 0 to first 5.3, graph 1 behind fillcolor rgb '#FBE9DD' fillstyle solid noborder
set label 1 'A' at first 0.2, graph 0.9 center
set label 2 'B' at first 0.6, graph 0.9 center
set label 3 'C' at first 1, graph 0.9 center
set label 4 'D' at first 1.4, graph 0.9 center
set label 5 'A' at first 1.9, graph 0.9 center
set label 6 'B' at first 2.5, graph 0.9 center
set label 7 'A' at first 3.1, graph 0.9 center
set label 8 'B' at first 3.7, graph 0.9 center
set label 9 'A' at first 4.3, graph 0.9 center
set label 10 'B' at first 4.95, graph 0.9 center
set label 10000 'busy cores' at graph 0, graph 1.1 left noenhanced
plot $t using 1:2 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
set label 10000 'memory read, GB/s' at graph 0, graph 1.1 left noenhanced
plot $t using 1:3 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
set label 10000 'memory written, GB/s' at graph 0, graph 1.1 left noenhanced
plot $t using 1:4 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
set label 10000 'page faults, /s' at graph 0, graph 1.1 left noenhanced
plot $t using 1:5 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
set label 10000 'resident memory, MiB' at graph 0, graph 1.1 left noenhanced
plot $t using 1:6 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
set label 10000 'GPU power, W' at graph 0, graph 1.1 left noenhanced
set format x '%g'
set xlabel 'time since the start, s'
plot $t using 1:7 with steps linewidth 1.3 linecolor rgb '#0072B2' notitle
unset label
unset multiplot
