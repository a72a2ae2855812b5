#include "textflag.h"
#include "go_asm.h"

// func moveAVX2(u *update, w, slope, m, v *float32, n int)
TEXT ·moveAVX2(SB), NOSPLIT, $0-48
	MOVQ u+0(FP), AX
	MOVQ w+8(FP), DI
	MOVQ slope+16(FP), SI
	MOVQ m+24(FP), R8
	MOVQ v+32(FP), R9
	MOVQ n+40(FP), CX
	VBROADCASTSS update_scale(AX), Y7
	VBROADCASTSS update_rate(AX), Y8
	VBROADCASTSS update_second(AX), Y9
	VBROADCASTSS update_keep(AX), Y10
	VBROADCASTSS update_firstDecay(AX), Y11
	VBROADCASTSS update_firstGain(AX), Y12
	VBROADCASTSS update_secondDecay(AX), Y13
	VBROADCASTSS update_secondGain(AX), Y14
	VBROADCASTSS update_epsilon(AX), Y15
	XORQ BX, BX

loop:
	VMULPS (SI)(BX*4), Y7, Y0   // the gradient
	VMULPS (R8)(BX*4), Y11, Y1
	VMULPS Y0, Y12, Y2
	VADDPS Y2, Y1, Y1           // its mean
	VMOVUPS Y1, (R8)(BX*4)
	VMULPS (R9)(BX*4), Y13, Y3
	VMULPS Y0, Y14, Y4
	VMULPS Y0, Y4, Y4
	VADDPS Y4, Y3, Y3           // that of its square
	VMOVUPS Y3, (R9)(BX*4)
	VMULPS Y9, Y3, Y3
	VSQRTPS Y3, Y3
	VADDPS Y15, Y3, Y3
	VMULPS Y8, Y1, Y1
	VDIVPS Y3, Y1, Y1
	VMULPS (DI)(BX*4), Y10, Y5
	VSUBPS Y1, Y5, Y5
	VMOVUPS Y5, (DI)(BX*4)
	ADDQ $8, BX
	CMPQ BX, CX
	JLT  loop
	VZEROUPPER
	RET
