// Package segment cuts a block of raw text (a paragraph) into sentences,
// tokens and words, as it learned from a treebank of Universal Dependencies.
// Nothing in it knows a language.
//
// Four decisions are taken, all by binary log-linear classifiers that share
// one read-only table of quantised weights:
//
//   - token: at each gap between two characters of a chunk (a run without
//     white space), from left to right, whether a token ends there;
//   - join: at white space between two chunks that were seen inside a token
//     with spaces, whether the token goes on ("10 000");
//   - sentence: at each gap between two tokens, whether a sentence ends there;
//   - multiword: whether a token is split into several words, which a table
//     or the best suffix rule then spells out.
//
// Scores are int32 sums of int16 weights, so the result depends on the model
// and the text alone, on any machine. Time is linear in the block.
package segment
