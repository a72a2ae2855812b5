//go:build !race

package finetune

const underRace = false
