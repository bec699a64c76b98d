#define it 5
#define a 3
#define b_0 b
#define simd 4
