package source

import (
	"errors"
	"fmt"
	"io/fs"
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
	if err != nil || isWild(bucket) {
		return &InputError{p, "names no bucket; write it between the first slashes, without * ? [ {"}
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
	root, g := name, glob{"**"}
	if isWild(object) {
		_, rest := splitPattern(object)
		root = strings.TrimSuffix(name, "/"+strings.Join(rest, "/"))
		if g, err = newGlob(p, rest); err != nil {
			return err
		}
	}
	// The beginning of the first segment narrows the listing.
	narrow := g[0][:max(0, strings.IndexAny(g[0]+"*", wildOnly))]
	for info, err := range s.List(l.ctx, root+"/"+narrow) {
		if err != nil {
			return &InputError{p, fmt.Sprintf("cannot be listed: %v; check the name of the bucket and your right to list it", err)}
		}
		parts := strings.Split(relative(root, info.Name), "/")
		folder := parts[len(parts)-1] == "" && info.Size == 0 // so consoles show one that is empty
		if !folder && g.matches(parts) {
			l.addRemote(root, &info)
		}
	}
	return l.ctx.Err()
}

func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')] }

// addRemote adds an object, which was found below root.
func (l *lister) addRemote(root string, info *store.Info) {
	for _, prefix := range l.skipRemote {
		if strings.HasPrefix(info.Name, prefix) {
			return
		}
	}
	if l.excludesAny(root, info.Name) {
		return
	}
	l.matches++
	l.insert(info.Name, Input{
		URI: info.Name, DocID: idOf(relative(root, info.Name)), Size: info.Size, Version: info.Version, Gzip: info.Gzip,
	})
}
