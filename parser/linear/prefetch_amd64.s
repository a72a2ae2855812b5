#include "textflag.h"

// func prefetch(table unsafe.Pointer, places uint64, shift int, keys *hash.Key, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-40
	MOVQ table+0(FP), DI
	MOVQ places+8(FP), R8
	MOVQ shift+16(FP), CX
	MOVQ keys+24(FP), SI
	MOVQ n+32(FP), BX

next:
	MOVQ       (SI), AX
	MULQ       R8
	SHLQ       CX, DX
	PREFETCHT0 (DI)(DX*1)
	ADDQ       $8, SI
	DECQ       BX
	JNZ        next
	RET

// func prefetchCells(cells *uint32, rows *uint64, n int)
TEXT ·prefetchCells(SB), NOSPLIT, $0-24
	MOVQ cells+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ n+16(FP), BX
	XORL R8, R8

next:
	MOVQ       (SI), AX
	MOVL       AX, DX
	ANDL       $0x3fffffff, DX
	MOVQ       $0xfffc0000000, CX
	TESTQ      CX, AX
	CMOVQEQ    R8, DX             // the cell is in the row itself
	PREFETCHT0 (DI)(DX*4)
	ADDQ       $8, SI
	DECQ       BX
	JNZ        next
	RET
