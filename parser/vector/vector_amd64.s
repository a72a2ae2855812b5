#include "textflag.h"

// Eight copies of each constant of functions.go.
DATA least<>+0(SB)/8, $0xc2ae0000c2ae0000 // -87.0
DATA least<>+8(SB)/8, $0xc2ae0000c2ae0000
DATA least<>+16(SB)/8, $0xc2ae0000c2ae0000
DATA least<>+24(SB)/8, $0xc2ae0000c2ae0000
GLOBL least<>(SB), RODATA|NOPTR, $32

DATA log2e<>+0(SB)/8, $0x3fb8aa3b3fb8aa3b // 1.44269504
DATA log2e<>+8(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2e<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2e<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
GLOBL log2e<>(SB), RODATA|NOPTR, $32

DATA magic<>+0(SB)/8, $0x4b4000004b400000 // 12582912.0
DATA magic<>+8(SB)/8, $0x4b4000004b400000
DATA magic<>+16(SB)/8, $0x4b4000004b400000
DATA magic<>+24(SB)/8, $0x4b4000004b400000
GLOBL magic<>(SB), RODATA|NOPTR, $32

DATA ln2High<>+0(SB)/8, $0x3f3180003f318000 // 0.693359375
DATA ln2High<>+8(SB)/8, $0x3f3180003f318000
DATA ln2High<>+16(SB)/8, $0x3f3180003f318000
DATA ln2High<>+24(SB)/8, $0x3f3180003f318000
GLOBL ln2High<>(SB), RODATA|NOPTR, $32

DATA ln2Low<>+0(SB)/8, $0xb95e8083b95e8083 // -0.00021219444
DATA ln2Low<>+8(SB)/8, $0xb95e8083b95e8083
DATA ln2Low<>+16(SB)/8, $0xb95e8083b95e8083
DATA ln2Low<>+24(SB)/8, $0xb95e8083b95e8083
GLOBL ln2Low<>(SB), RODATA|NOPTR, $32

DATA exp7<>+0(SB)/8, $0x3950696739506967 // 0.000198756915
DATA exp7<>+8(SB)/8, $0x3950696739506967
DATA exp7<>+16(SB)/8, $0x3950696739506967
DATA exp7<>+24(SB)/8, $0x3950696739506967
GLOBL exp7<>(SB), RODATA|NOPTR, $32

DATA exp6<>+0(SB)/8, $0x3ab743ce3ab743ce // 0.0013981999507
DATA exp6<>+8(SB)/8, $0x3ab743ce3ab743ce
DATA exp6<>+16(SB)/8, $0x3ab743ce3ab743ce
DATA exp6<>+24(SB)/8, $0x3ab743ce3ab743ce
GLOBL exp6<>(SB), RODATA|NOPTR, $32

DATA exp5<>+0(SB)/8, $0x3c0889083c088908 // 0.0083334519073
DATA exp5<>+8(SB)/8, $0x3c0889083c088908
DATA exp5<>+16(SB)/8, $0x3c0889083c088908
DATA exp5<>+24(SB)/8, $0x3c0889083c088908
GLOBL exp5<>(SB), RODATA|NOPTR, $32

DATA exp4<>+0(SB)/8, $0x3d2aa9c13d2aa9c1 // 0.041665795894
DATA exp4<>+8(SB)/8, $0x3d2aa9c13d2aa9c1
DATA exp4<>+16(SB)/8, $0x3d2aa9c13d2aa9c1
DATA exp4<>+24(SB)/8, $0x3d2aa9c13d2aa9c1
GLOBL exp4<>(SB), RODATA|NOPTR, $32

DATA exp3<>+0(SB)/8, $0x3e2aaaaa3e2aaaaa // 0.16666665459
DATA exp3<>+8(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA exp3<>+16(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA exp3<>+24(SB)/8, $0x3e2aaaaa3e2aaaaa
GLOBL exp3<>(SB), RODATA|NOPTR, $32

DATA exp2<>+0(SB)/8, $0x3f0000003f000000 // 0.50000001201
DATA exp2<>+8(SB)/8, $0x3f0000003f000000
DATA exp2<>+16(SB)/8, $0x3f0000003f000000
DATA exp2<>+24(SB)/8, $0x3f0000003f000000
GLOBL exp2<>(SB), RODATA|NOPTR, $32

DATA one<>+0(SB)/8, $0x3f8000003f800000 // 1.0
DATA one<>+8(SB)/8, $0x3f8000003f800000
DATA one<>+16(SB)/8, $0x3f8000003f800000
DATA one<>+24(SB)/8, $0x3f8000003f800000
GLOBL one<>(SB), RODATA|NOPTR, $32

DATA geluP<>+0(SB)/8, $0x3e6d33893e6d3389 // 0.2316419
DATA geluP<>+8(SB)/8, $0x3e6d33893e6d3389
DATA geluP<>+16(SB)/8, $0x3e6d33893e6d3389
DATA geluP<>+24(SB)/8, $0x3e6d33893e6d3389
GLOBL geluP<>(SB), RODATA|NOPTR, $32

DATA gelu1<>+0(SB)/8, $0x3ea385fa3ea385fa // 0.31938153
DATA gelu1<>+8(SB)/8, $0x3ea385fa3ea385fa
DATA gelu1<>+16(SB)/8, $0x3ea385fa3ea385fa
DATA gelu1<>+24(SB)/8, $0x3ea385fa3ea385fa
GLOBL gelu1<>(SB), RODATA|NOPTR, $32

DATA gelu2<>+0(SB)/8, $0xbeb68f87beb68f87 // -0.356563782
DATA gelu2<>+8(SB)/8, $0xbeb68f87beb68f87
DATA gelu2<>+16(SB)/8, $0xbeb68f87beb68f87
DATA gelu2<>+24(SB)/8, $0xbeb68f87beb68f87
GLOBL gelu2<>(SB), RODATA|NOPTR, $32

DATA gelu3<>+0(SB)/8, $0x3fe407783fe40778 // 1.781477937
DATA gelu3<>+8(SB)/8, $0x3fe407783fe40778
DATA gelu3<>+16(SB)/8, $0x3fe407783fe40778
DATA gelu3<>+24(SB)/8, $0x3fe407783fe40778
GLOBL gelu3<>(SB), RODATA|NOPTR, $32

DATA gelu4<>+0(SB)/8, $0xbfe91eeabfe91eea // -1.821255978
DATA gelu4<>+8(SB)/8, $0xbfe91eeabfe91eea
DATA gelu4<>+16(SB)/8, $0xbfe91eeabfe91eea
DATA gelu4<>+24(SB)/8, $0xbfe91eeabfe91eea
GLOBL gelu4<>(SB), RODATA|NOPTR, $32

DATA gelu5<>+0(SB)/8, $0x3faa466f3faa466f // 1.330274429
DATA gelu5<>+8(SB)/8, $0x3faa466f3faa466f
DATA gelu5<>+16(SB)/8, $0x3faa466f3faa466f
DATA gelu5<>+24(SB)/8, $0x3faa466f3faa466f
GLOBL gelu5<>(SB), RODATA|NOPTR, $32

DATA rootTwoPi<>+0(SB)/8, $0x3ecc422a3ecc422a // 0.39894228
DATA rootTwoPi<>+8(SB)/8, $0x3ecc422a3ecc422a
DATA rootTwoPi<>+16(SB)/8, $0x3ecc422a3ecc422a
DATA rootTwoPi<>+24(SB)/8, $0x3ecc422a3ecc422a
GLOBL rootTwoPi<>(SB), RODATA|NOPTR, $32

DATA minusHalf<>+0(SB)/8, $0xbf000000bf000000 // -0.5
DATA minusHalf<>+8(SB)/8, $0xbf000000bf000000
DATA minusHalf<>+16(SB)/8, $0xbf000000bf000000
DATA minusHalf<>+24(SB)/8, $0xbf000000bf000000
GLOBL minusHalf<>(SB), RODATA|NOPTR, $32

// ABSMASK sets a register to the bits of a float32 but its sign.
#define ABSMASK(y) \
	VPCMPEQD y, y, y; \
	VPSRLD   $1, y, y

// TOTAL adds the lanes of the low half in lo and of the high half in hi, in the
// order of the package, into x, the low part of lo.
#define TOTAL(lo, hi, x, xhi) \
	VADDPS       hi, lo, lo; \
	VEXTRACTF128 $1, lo, xhi; \
	VADDPS       xhi, x, x; \
	VMOVHLPS     x, x, xhi; \
	VADDPS       xhi, x, x; \
	VMOVSHDUP    x, xhi; \
	VADDSS       xhi, x, x

// EXP sets p to the exponentials of x; x, t and k are lost.
#define EXP(x, t, k, p) \
	VMAXPS least<>(SB), x, x; \
	VMULPS log2e<>(SB), x, t; \
	VADDPS magic<>(SB), t, t; \
	VSUBPS magic<>(SB), t, k; \
	VMULPS ln2High<>(SB), k, p; \
	VSUBPS p, x, x; \
	VMULPS ln2Low<>(SB), k, p; \
	VSUBPS p, x, x; \
	VMULPS exp7<>(SB), x, p; \
	VADDPS exp6<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS exp5<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS exp4<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS exp3<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS exp2<>(SB), p, p; \
	VMULPS x, p, p; \
	VMULPS x, p, p; \
	VADDPS x, p, p; \
	VADDPS one<>(SB), p, p; \
	VPSLLD $23, t, t; \
	VPADDD t, p, p

// func maxAbsTwo(x *float32, n int, found *float32)
TEXT ·maxAbsTwo(SB), NOSPLIT, $0-24
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	MOVQ   found+16(FP), DI
	ABSMASK(Y3)
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VANDPS (SI), Y3, Y2
	VMINPS Y2, Y0, Y4
	VMAXPS Y2, Y0, Y0
	VMAXPS Y4, Y1, Y1
	ADDQ   $32, SI
	SUBQ   $8, CX
	JNZ    loop

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET

// func indexAbs(x *float32, n int, value float32) int
TEXT ·indexAbs(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS value+16(FP), Y0
	ABSMASK(Y3)
	XORQ         AX, AX

loop:
	VANDPS    (SI)(AX*4), Y3, Y1
	VANDPS    32(SI)(AX*4), Y3, Y2
	VCMPPS    $0, Y1, Y0, Y1
	VCMPPS    $0, Y2, Y0, Y2
	VMOVMSKPS Y1, R8
	VMOVMSKPS Y2, R9
	SHLQ      $8, R9
	ORQ       R8, R9
	JNZ       found
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop
	XORQ      AX, AX // there is none
	MOVQ      $1, R9

found:
	BSFQ       R9, R9
	ADDQ       R9, AX
	VZEROUPPER
	MOVQ       AX, ret+24(FP)
	RET

// func quantize(dst *int8, x *float32, n int, inverse float32)
TEXT ·quantize(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS inverse+24(FP), Y7

loop:
	VMULPS       (SI), Y7, Y0
	VMULPS       32(SI), Y7, Y1
	VCVTPS2DQ    Y0, Y0
	VCVTPS2DQ    Y1, Y1
	VPACKSSDW    Y1, Y0, Y0
	VPERMQ       $0xD8, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSWB    X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $64, SI
	ADDQ         $16, DI
	SUBQ         $16, CX
	JNZ          loop
	VZEROUPPER
	RET

// func dequantize(dst *float32, sums *int32, n int, scale float32, scales, bias *float32)
TEXT ·dequantize(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         sums+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y7
	MOVQ         scales+32(FP), R8
	MOVQ         bias+40(FP), R9
	XORQ         AX, AX

loop:
	VCVTDQ2PS (SI)(AX*4), Y0
	VCVTDQ2PS 32(SI)(AX*4), Y1
	VMULPS    Y7, Y0, Y0
	VMULPS    Y7, Y1, Y1
	VMULPS    (R8)(AX*4), Y0, Y0
	VMULPS    32(R8)(AX*4), Y1, Y1
	VADDPS    (R9)(AX*4), Y0, Y0
	VADDPS    32(R9)(AX*4), Y1, Y1
	VMOVUPS   Y0, (DI)(AX*4)
	VMOVUPS   Y1, 32(DI)(AX*4)
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func dequantizeWith(dst *float32, sums *int32, n int, rest int32, scale float32, column *int8, scales, bias *float32)
TEXT ·dequantizeWith(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         sums+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVL         rest+24(FP), AX
	VMOVD        AX, X6
	VPBROADCASTD X6, Y6
	VBROADCASTSS scale+28(FP), Y7
	MOVQ         column+32(FP), R10
	MOVQ         scales+40(FP), R8
	MOVQ         bias+48(FP), R9
	XORQ         AX, AX

loop:
	VPMOVSXBD (R10)(AX*1), Y0
	VPMOVSXBD 8(R10)(AX*1), Y1
	VPMULLD   Y6, Y0, Y0
	VPMULLD   Y6, Y1, Y1
	VPADDD    (SI)(AX*4), Y0, Y0
	VPADDD    32(SI)(AX*4), Y1, Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS    Y7, Y0, Y0
	VMULPS    Y7, Y1, Y1
	VMULPS    (R8)(AX*4), Y0, Y0
	VMULPS    32(R8)(AX*4), Y1, Y1
	VADDPS    (R9)(AX*4), Y0, Y0
	VADDPS    32(R9)(AX*4), Y1, Y1
	VMOVUPS   Y0, (DI)(AX*4)
	VMOVUPS   Y1, 32(DI)(AX*4)
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func expand(dst *float32, q *int8, n int, scale float32)
TEXT ·expand(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         q+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y7
	XORQ         AX, AX

loop:
	VPMOVSXBD (SI)(AX*1), Y0
	VPMOVSXBD 8(SI)(AX*1), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS    Y7, Y0, Y0
	VMULPS    Y7, Y1, Y1
	VMOVUPS   Y0, (DI)(AX*4)
	VMOVUPS   Y1, 32(DI)(AX*4)
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func multiply(x *float32, n int, factor float32)
TEXT ·multiply(SB), NOSPLIT, $0-20
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS factor+16(FP), Y7
	XORQ         AX, AX

loop:
	VMULPS  (DI)(AX*4), Y7, Y0
	VMULPS  32(DI)(AX*4), Y7, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addScaled(x *float32, factor float32, y *float32, n int)
TEXT ·addScaled(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	VBROADCASTSS factor+8(FP), Y7
	MOVQ         y+16(FP), SI
	MOVQ         n+24(FP), CX
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y7, Y0
	VMULPS  32(SI)(AX*4), Y7, Y1
	VADDPS  (DI)(AX*4), Y0, Y0
	VADDPS  32(DI)(AX*4), Y1, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addSum(x, y *float32, n int) float32
TEXT ·addSum(SB), NOSPLIT, $0-28
	MOVQ   x+0(FP), DI
	MOVQ   y+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS 32(SI)(AX*4), Y1
	VADDPS  (DI)(AX*4), Y0, Y0
	VADDPS  32(DI)(AX*4), Y1, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	VADDPS  Y0, Y2, Y2
	VADDPS  Y1, Y3, Y3
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop

	TOTAL(Y2, Y3, X2, X3)
	VZEROUPPER
	MOVSS X2, ret+24(FP)
	RET

// func sumSquares(x *float32, n int, mean float32) float32
TEXT ·sumSquares(SB), NOSPLIT, $0-28
	MOVQ         x+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS mean+16(FP), Y7
	VXORPS       Y2, Y2, Y2
	VXORPS       Y3, Y3, Y3

loop:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VSUBPS  Y7, Y0, Y0
	VSUBPS  Y7, Y1, Y1
	VMULPS  Y0, Y0, Y0
	VMULPS  Y1, Y1, Y1
	VADDPS  Y0, Y2, Y2
	VADDPS  Y1, Y3, Y3
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	TOTAL(Y2, Y3, X2, X3)
	VZEROUPPER
	MOVSS X2, ret+24(FP)
	RET

// func normalize(x *float32, n int, mean, inverse float32, gain, bias *float32)
TEXT ·normalize(SB), NOSPLIT, $0-40
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS mean+16(FP), Y6
	VBROADCASTSS inverse+20(FP), Y7
	MOVQ         gain+24(FP), R8
	MOVQ         bias+32(FP), R9
	XORQ         AX, AX

loop:
	VMOVUPS (DI)(AX*4), Y0
	VMOVUPS 32(DI)(AX*4), Y1
	VSUBPS  Y6, Y0, Y0
	VSUBPS  Y6, Y1, Y1
	VMULPS  Y7, Y0, Y0
	VMULPS  Y7, Y1, Y1
	VMULPS  (R8)(AX*4), Y0, Y0
	VMULPS  32(R8)(AX*4), Y1, Y1
	VADDPS  (R9)(AX*4), Y0, Y0
	VADDPS  32(R9)(AX*4), Y1, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func maximum(x *float32, n int) float32
TEXT ·maximum(SB), NOSPLIT, $0-20
	MOVQ    x+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1

loop:
	VMAXPS (SI), Y0, Y0
	VMAXPS 32(SI), Y1, Y1
	ADDQ   $64, SI
	SUBQ   $16, CX
	JNZ    loop

	VMAXPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMAXSS       X1, X0, X0
	VZEROUPPER
	MOVSS        X0, ret+16(FP)
	RET

// func expSum(x *float32, n int, top float32) float32
TEXT ·expSum(SB), NOSPLIT, $0-28
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS top+16(FP), Y7
	VXORPS       Y8, Y8, Y8
	VXORPS       Y9, Y9, Y9

loop:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y10
	VSUBPS  Y7, Y0, Y0
	VSUBPS  Y7, Y10, Y10
	EXP(Y0, Y1, Y2, Y3)
	EXP(Y10, Y11, Y12, Y13)
	VMOVUPS Y3, (DI)
	VMOVUPS Y13, 32(DI)
	VADDPS  Y3, Y8, Y8
	VADDPS  Y13, Y9, Y9
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     loop

	TOTAL(Y8, Y9, X8, X9)
	VZEROUPPER
	MOVSS X8, ret+24(FP)
	RET

// func gelu(x *float32, n int)
TEXT ·gelu(SB), NOSPLIT, $0-16
	MOVQ    x+0(FP), DI
	MOVQ    n+8(FP), CX
	ABSMASK(Y9)
	VMOVUPS one<>(SB), Y8
	VXORPS  Y7, Y7, Y7

loop:
	VMOVUPS (DI), Y0
	VANDPS  Y9, Y0, Y1
	VMULPS  geluP<>(SB), Y1, Y2
	VADDPS  Y8, Y2, Y2
	VDIVPS  Y2, Y8, Y2
	VMULPS  gelu5<>(SB), Y2, Y3
	VADDPS  gelu4<>(SB), Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  gelu3<>(SB), Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  gelu2<>(SB), Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  gelu1<>(SB), Y3, Y3
	VMULPS  Y2, Y3, Y3
	VMULPS  rootTwoPi<>(SB), Y3, Y3
	VMULPS  minusHalf<>(SB), Y1, Y4
	VMULPS  Y1, Y4, Y4
	EXP(Y4, Y5, Y6, Y10)
	VMULPS  Y10, Y3, Y3
	VMULPS  Y3, Y1, Y1
	VMAXPS  Y7, Y0, Y0
	VSUBPS  Y1, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET

// STEP adds the products of a broadcast element and the two vectors of b.
#define STEP(from, lo, hi) \
	VBROADCASTSS from, Y10; \
	VMULPS       Y8, Y10, Y11; \
	VADDPS       Y11, lo, lo; \
	VMULPS       Y9, Y10, Y12; \
	VADDPS       Y12, hi, hi

// func product(c *float32, sc int, a *float32, sa int, b *float32, sb, rows, inner, cols int)
//
// A tile of four rows, or one, by 16 columns stays in registers.
TEXT ·product(SB), NOSPLIT, $0-72
	MOVQ c+0(FP), DI
	MOVQ sc+8(FP), R9
	SHLQ $2, R9
	MOVQ a+16(FP), SI
	MOVQ sa+24(FP), R10
	SHLQ $2, R10
	MOVQ sb+40(FP), R11
	SHLQ $2, R11

four:
	CMPQ rows+48(FP), $4
	JLT  single
	MOVQ b+32(FP), DX
	MOVQ DI, R8
	MOVQ cols+64(FP), R12

column4:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, AX
	LEAQ   (SI)(R10*2), BX
	MOVQ   DX, R13
	MOVQ   inner+56(FP), CX

inner4:
	VMOVUPS (R13), Y8
	VMOVUPS 32(R13), Y9
	STEP((AX), Y0, Y1)
	STEP((AX)(R10*1), Y2, Y3)
	STEP((BX), Y4, Y5)
	STEP((BX)(R10*1), Y6, Y7)
	ADDQ    $4, AX
	ADDQ    $4, BX
	ADDQ    R11, R13
	DECQ    CX
	JNZ     inner4

	LEAQ    (R8)(R9*2), BX
	VMOVUPS Y0, (R8)
	VMOVUPS Y1, 32(R8)
	VMOVUPS Y2, (R8)(R9*1)
	VMOVUPS Y3, 32(R8)(R9*1)
	VMOVUPS Y4, (BX)
	VMOVUPS Y5, 32(BX)
	VMOVUPS Y6, (BX)(R9*1)
	VMOVUPS Y7, 32(BX)(R9*1)
	ADDQ    $64, R8
	ADDQ    $64, DX
	SUBQ    $16, R12
	JNZ     column4

	LEAQ (DI)(R9*4), DI
	LEAQ (SI)(R10*4), SI
	SUBQ $4, rows+48(FP)
	JMP  four

single:
	CMPQ rows+48(FP), $0
	JLE  done
	MOVQ b+32(FP), DX
	MOVQ DI, R8
	MOVQ cols+64(FP), R12

column1:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	MOVQ   SI, AX
	MOVQ   DX, R13
	MOVQ   inner+56(FP), CX

inner1:
	VMOVUPS (R13), Y8
	VMOVUPS 32(R13), Y9
	STEP((AX), Y0, Y1)
	ADDQ    $4, AX
	ADDQ    R11, R13
	DECQ    CX
	JNZ     inner1

	VMOVUPS Y0, (R8)
	VMOVUPS Y1, 32(R8)
	ADDQ    $64, R8
	ADDQ    $64, DX
	SUBQ    $16, R12
	JNZ     column1

	ADDQ R9, DI
	ADDQ R10, SI
	SUBQ $1, rows+48(FP)
	JMP  single

done:
	VZEROUPPER
	RET

// func geluSlope(y, x *float32, n int)
TEXT ·geluSlope(SB), NOSPLIT, $0-24
	MOVQ    y+0(FP), SI
	MOVQ    x+8(FP), DI
	MOVQ    n+16(FP), CX
	ABSMASK(Y9)
	VMOVUPS one<>(SB), Y8
	VXORPS  Y7, Y7, Y7
	VSUBPS  minusHalf<>(SB), Y7, Y11 // 1/2

loop:
	VMOVUPS  (DI), Y0
	VANDPS   Y9, Y0, Y1
	VMULPS   geluP<>(SB), Y1, Y2
	VADDPS   Y8, Y2, Y2
	VDIVPS   Y2, Y8, Y2
	VMULPS   gelu5<>(SB), Y2, Y3
	VADDPS   gelu4<>(SB), Y3, Y3
	VMULPS   Y2, Y3, Y3
	VADDPS   gelu3<>(SB), Y3, Y3
	VMULPS   Y2, Y3, Y3
	VADDPS   gelu2<>(SB), Y3, Y3
	VMULPS   Y2, Y3, Y3
	VADDPS   gelu1<>(SB), Y3, Y3
	VMULPS   Y2, Y3, Y3
	VMULPS   minusHalf<>(SB), Y1, Y4
	VMULPS   Y1, Y4, Y4
	EXP(Y4, Y5, Y6, Y10)
	VMULPS   rootTwoPi<>(SB), Y10, Y10 // the density
	VMULPS   Y10, Y3, Y3               // the tail
	VMULPS   Y3, Y1, Y1
	VMAXPS   Y7, Y0, Y12
	VSUBPS   Y1, Y12, Y12
	VMOVUPS  Y12, (SI)
	VMULPS   Y10, Y0, Y10
	VSUBPS   Y3, Y11, Y3
	VANDNPS  Y0, Y9, Y0                // the sign
	VXORPS   Y0, Y3, Y3
	VADDPS   Y11, Y3, Y3
	VADDPS   Y10, Y3, Y3
	VMOVUPS  Y3, (DI)
	ADDQ     $32, DI
	ADDQ     $32, SI
	SUBQ     $8, CX
	JNZ      loop
	VZEROUPPER
	RET
