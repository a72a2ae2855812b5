package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/store"
)

// remote lists what a URI of an object store names: an object, the objects
// below it, or those that a pattern matches. Object stores have no folders:
// slashes in names stand for them.
func (l *lister) remote(p string) error {
	for strings.HasSuffix(p, "/") && !strings.HasSuffix(p, "://") {
		p = p[:len(p)-1]
	}
	s, name, err := store.Of(l.ctx, p)
	if err != nil {
		return &InputError{store.Redact(p), err.Error()}
	}
	bucket, object, err := store.Split(name)
	if err != nil || strings.ContainsAny(bucket, "*?[") {
		return &InputError{p, "names no bucket; write it between the first slashes, without * ? ["}
	}
	if object != "" {
		info, err := s.Stat(l.ctx, name)
		if err == nil {
			l.addRemote(folderOf(name), &info)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return &InputError{p, fmt.Sprintf("cannot be examined: %v; check its spelling and your rights", err)}
		}
	}
	root, segs := name, []string{"**"}
	if strings.ContainsAny(object, "*?[") {
		all := strings.Split(object, "/")
		fixed := slices.IndexFunc(all, func(s string) bool { return strings.ContainsAny(s, "*?[") })
		root = strings.TrimSuffix(name, "/"+strings.Join(all[fixed:], "/"))
		segs = slices.CompactFunc(all[fixed:], func(a, b string) bool { return a == "**" && b == "**" })
		if err := checkPattern(p, segs); err != nil {
			return err
		}
	}
	// The beginning of the first segment narrows the listing.
	narrow := segs[0][:max(0, strings.IndexAny(segs[0]+"*", `*?[\`))]
	for info, err := range s.List(l.ctx, root+"/"+narrow) {
		if err != nil {
			return &InputError{p, fmt.Sprintf("cannot be listed: %v; check the name of the bucket and your right to list it", err)}
		}
		parts := strings.Split(relative(root, info.Name), "/")
		folder := parts[len(parts)-1] == "" && info.Size == 0 // so consoles show one that is empty
		if !folder && matches(segs, parts) {
			l.addRemote(root, &info)
		}
	}
	return l.ctx.Err()
}

// matches reports whether a pattern takes the file parts, whose last element
// is its name and the others its folders: as glob does on a disk.
func matches(segs, parts []string) bool {
	seg, name := segs[0], parts[0]
	lastSeg, isFile := len(segs) == 1, len(parts) == 1
	if seg == "**" && lastSeg {
		return visible(parts)
	}
	if seg == "**" {
		return matches(segs[1:], parts) || !isFile && !isHidden(name) && matches(segs, parts[1:])
	}
	if isHidden(name) && (seg == "" || name[0] != seg[0]) {
		return false
	}
	if ok, _ := path.Match(seg, name); !ok {
		return false
	}
	switch {
	case isFile:
		return lastSeg
	case lastSeg:
		return visible(parts[1:])
	}
	return matches(segs[1:], parts[1:])
}

// visible reports that no name of a path is skipped in folders.
func visible(parts []string) bool { return !slices.ContainsFunc(parts, isHidden) }

func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')] }

// addRemote adds an object, which was found below root.
func (l *lister) addRemote(root string, info *store.Info) {
	for _, prefix := range l.skipRemote {
		if strings.HasPrefix(info.Name, prefix) {
			return
		}
	}
	l.matches++
	l.insert(info.Name, Input{
		URI: info.Name, DocID: idOf(relative(root, info.Name)), Size: info.Size, Version: info.Version, Gzip: info.Gzip,
	})
}
