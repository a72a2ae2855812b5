package segment

import "strings"

// Names are what stands between slashes and periods in a name.
type names struct {
	at, slash int  // the first of @ and of /, -1 if none
	slashes   int  // and backslashes
	rooted    bool // begins with /x, ~/, ./ or ../
	marked    bool // a digit, a period or an underscore, and a letter first
	dotted    bool // periods, each between two names
	lower     bool // no letter is upper case
	letters   bool // one is lower case
	long      bool // no name between periods is of one letter
	parts     int  // names between periods, of the last between slashes
	scored    bool // the last has an underscore
	humped    bool // the last has a capital behind a lower-case letter
	suffix    bool // the last ends like a file or a domain
	domain    bool // what is before the first slash is a domain
	ended     bool // it ends with a slash
	called    bool // ( follows
	folder    bool // what is before the first slash is a folder that many have
	module    bool // there are two, the first a lower-case letter or a module that many use
}

// names takes apart characters [i, j).
func (c *chunk) names(i, j int) (n names) {
	n = names{at: -1, slash: -1, lower: true, long: true, dotted: true, parts: 1}
	part, empty := i, false
	for k := i; k < j; k++ {
		r := c.norm[k]
		switch {
		case r == '@' && n.at < 0:
			n.at = k
		case r == '/' || r == '\\':
			if n.slash < 0 && r == '/' {
				n.slash = k
				n.domain = n.dotted && n.parts > 1 && k > part && c.suffix(part, k, domains)
				n.folder = n.parts == 1 && c.is(i, k, folders)
			}
			n.slashes++
			part, n.parts, n.dotted, n.scored = k+1, 1, true, false
		case r == '.':
			n.marked = true
			if k == part {
				n.dotted = false
			}
			n.long = n.long && k-part > 1
			part, n.parts, n.humped = k+1, n.parts+1, false
		case r == '_':
			inner := k > i && k+1 < j && isWordly(c.class[k-1]) && isWordly(c.class[k+1])
			n.marked, n.scored = n.marked || inner, n.scored || inner
		case c.class[k] == classDigit:
			n.marked = true
		case c.class[k] == classUpper:
			n.lower = false
			n.humped = n.humped || k > part && c.class[k-1] == classLower
		case c.class[k] == classLower:
			n.letters = true
		}
		empty = part == k+1
	}
	n.dotted = n.dotted && n.parts > 1 && !empty
	n.long = n.long && j-part > 1
	n.ended = j > i && c.norm[j-1] == '/' && isLetter(c.class[i])
	n.marked = n.marked && i < j && (isLetter(c.class[i]) || n.slashes > 1 && c.norm[i] == '.')
	first := part - 1 - i // characters before the one period
	n.module = n.dotted && c.opens(i) && n.parts == 2 && (first == 1 && c.class[i] == classLower && j-part > 1 || c.is(i, part-1, modules))
	n.rooted = c.rooted(i, j)
	n.suffix = n.dotted && (c.suffix(part, j, files) || c.suffix(part, j, domains))
	n.called = c.has(j, "(") && isLetter(c.class[max(j-1, 0)]) && j > i
	return n
}

// rooted reports whether a path begins at i: from a root, a home or here.
func (c *chunk) rooted(i, j int) bool {
	for _, s := range [...]string{"../", "./", "~/", "/"} {
		if c.has(i, s) {
			k := i + len(s)
			return k < j && (isWordly(c.class[k]) || c.norm[k] == '.' || c.norm[k] == '_') && c.opens(i) && (j-k > 1 || len(s) > 1)
		}
	}
	return false
}

func (n *names) isPath() bool {
	return n.rooted || n.slashes > 1 && (n.marked || n.ended) || n.folder && n.lower && n.letters && !n.ended || n.slashes > 0 && n.suffix && !n.domain
}

func (n *names) isFile() bool {
	return n.slashes == 0 && n.dotted && (n.suffix || n.humped || n.module || n.called || n.scored || n.parts > 2 && n.lower && n.letters && n.long)
}

// suffix reports whether characters [i, j) are one of the list, all in lower or
// all in upper case. A word that begins a sentence after a period without a
// space has a capital only.
func (c *chunk) suffix(i, j int, list map[string]bool) bool {
	if j-i < 1 || j-i > maxSuffix || j-i == 1 && (c.class[i] == classUpper || i < 3 || !isWordly(c.class[i-3])) {
		return false
	}
	for k := i + 1; k < j; k++ {
		if (c.class[k] == classUpper) != (c.class[i] == classUpper) {
			return false
		}
	}
	if c.is(i, j, list) {
		return true
	}
	// A country behind what one of its domains ends in: x.co.uk.
	if j-i != 2 || i < 3 || c.norm[i-1] != '.' || !isLetter(c.class[i]) || !isLetter(c.class[i+1]) {
		return false
	}
	k := i - 1
	for k > 0 && isWordly(c.class[k-1]) && i-k < 5 {
		k--
	}
	return k > 0 && c.norm[k-1] == '.' && country[string(c.norm[k:i-1])]
}

// is reports whether characters [i, j) are one of the list, whatever their case.
func (c *chunk) is(i, j int, list map[string]bool) bool {
	if j-i < 1 || j-i > maxSuffix {
		return false
	}
	var b [maxSuffix]byte
	for k := range j - i {
		r := c.norm[i+k]
		if r >= 0x80 {
			return false
		}
		b[k] = byte(r)
	}
	return list[string(b[:j-i])]
}

const maxSuffix = 12

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(list) {
		m[s] = true
	}
	return m
}

// Suffixes of files and domains. Those that are words, and so may begin a
// sentence in lower case after a period without a space, are not here.
var (
	files = set(`txt md rst pdf doc docx odt rtf tex bib xls xlsx ods ppt pptx csv tsv json jsonl ndjson xml yaml yml toml ini cfg conf
		html htm xhtml css scss js mjs ts tsx jsx py pyc ipynb go rs c h cc cpp hpp hh cs java jar kt rb php pl sh bash zsh ps1 sql lua
		asp aspx jsp cgi log bak tmp exe dll bin dat db sqlite parquet avro proto conllu conll tbm onnx safetensors
		jpg jpeg png gif bmp tiff tif svg webp ico psd eps mp3 mp4 m4a ogg wav flac avi mov mkv webm
		zip gz bz2 xz tgz tar 7z rar iso img dmg deb rpm apk eml msg ics vcf url torrent srt epub mobi
		mod lock env gradle patch diff swift dart vue pages`)
	domains = set("com org net edu gov mil info biz io dev uk eu ru nl jp cn ai tv fm ly fr tr gr ch pl cz br")
	// Folders that a path begins with, and modules that names are of.
	folders = set("cmd src bin lib pkg usr var tmp opt docs srv internal vendor node_modules scripts testdata include static dist utils")
	modules = set(`fmt os io np pd plt sys std sql json xml http https strconv bufio stdlib regexp ctx cfg args argv req tf
		utf8 filepath numpy pandas stdout stderr stdin`)
	country = set("co com ac gov org net edu gob or ne")
)
