// Which instruction sets the native kernels are compiled for: AVX2 with FMA and AVX-512, picked at
// run time, above the compiler's baseline. Include before <hwy/...>.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
