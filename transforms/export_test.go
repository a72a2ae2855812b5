package transforms

// PlainList is what travels of a list, by its number.
var PlainList = plainList
