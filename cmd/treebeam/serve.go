package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/serve"
	"github.com/treebeam/treebeam/transforms"
)

const serveAbout = `
Answers HTTP requests until ctrl-C or SIGTERM: a page on which you type a sentence and
see its tree, and UDPipe's REST interface under /process and /models, so that programs
made for UDPipe work with it. /healthz says whether it is running, and /metrics has counts
for Prometheus. See docs/serve.md.

Your own models come before the English ones in the program, accurate and fast, and the
first model is the default.
Only programs on this machine can connect, unless --listen names another address. In that
case, put a proxy in front that authenticates your users: the server has no passwords and
no TLS.

With --edit, it serves a page on which you correct the trees of a CoNLL-U file instead, to
this machine alone. Every change is saved at once. With --model FILE, the page offers
heads, relations and tags by their probability; with --adapt FILE, it can also teach the
model, or the built-in one, the corrected sentences. See docs/serve.md.`

const serveExample = `
  treebeam serve
  curl -F data=@letter.txt -F tokenizer= -F tagger= -F parser= localhost:8080/process
  treebeam serve --model german=de_gsd.tbm --listen localhost:9000
  treebeam serve --listen :8080 --parallel 8 --max-body 1000000
  treebeam serve --edit trees.conllu               a page to correct trees on
  treebeam serve --edit parsed --edit-to trees.conllu --adapt english-mine.tbm`

// forParsing are the flags that have nothing to do when --edit is given.
var forParsing = []string{"parallel", "max-body", "max-time", "abbreviations", "keep-together", "exceptions", "unconstrained"}

// newServe is treebeam serve.
func newServe() *cobra.Command {
	cmd := newCommand("serve", "serve a page that draws trees, and UDPipe's REST interface", serveAbout)
	cmd.Example = serveExample
	fs := cmd.Flags()
	limits := serve.DefaultLimits()
	listen := fs.String("listen", "localhost:8080", "listen on `ADDRESS` and port; port 0 means any free one, :8080 all addresses of the machine")
	var models list
	fs.VarP(&models, "model", "m", "also serve the model in `FILE`, under NAME if you give NAME=FILE; repeatable")
	group(fs, "Server")
	var desk desk
	desk.define(fs)
	group(fs, "Correcting")
	fs.IntVar(&limits.Parallel, "parallel", limits.Parallel, "parse up to `N` requests at once; others wait")
	fs.Int64Var(&limits.Body, "max-body", limits.Body, "refuse requests of more than `N` bytes")
	fs.DurationVar(&limits.Parse, "max-time", limits.Parse, "stop requests that take longer than `TIME` to parse")
	fs.IntVar(&limits.Open, "max-open", limits.Open, "refuse requests while `N` are open")
	fs.DurationVar(&limits.Wait, "max-wait", limits.Wait, "refuse requests that have waited for `TIME`")
	last := fs.Duration("grace", 30*time.Second, "after the signal to stop, give open requests `TIME` to finish")
	group(fs, "Limits")
	var files transforms.CustomFiles
	var unconstrained bool
	customFlags(fs, &files, &unconstrained)
	noArguments(cmd, "serve takes no files; --model names models, treebeam parse parses files")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limits.Parallel < 1 || limits.Body < 1 || limits.Open < 1 || limits.Parse <= 0 || limits.Wait <= 0 || *last <= 0 {
			return refuse("--parallel, --max-body, --max-open, --max-time, --max-wait and --grace must be above 0")
		}
		boundMemory()
		var page page
		var err error
		if given := fs.Changed; desk.file != "" || given("edit-to") || given("by") || given("adapt") {
			if idle := namesGiven(fs, forParsing, true); idle != "" {
				return refuse("%s: the page of --edit parses nothing; leave --edit out, or what is for parsing", idle)
			}
			if len(models) > 1 {
				return refuse("--edit with %d models: one offers heads and is adapted", len(models))
			}
			for _, arg := range models {
				source, err := servedModel(arg)
				if err != nil {
					return err
				}
				desk.model = source.Path
			}
			page, err = desk.open(cmd.Context(), limits)
		} else {
			page, err = openServer(cmd.Context(), models, &files, unconstrained, limits)
		}
		if err != nil {
			return err
		}
		return page.run(cmd.Context(), *listen, *last)
	}
	return cmd
}

// A page is a server, to parse or to correct, and what is said when it listens: an address
// that it must not have is an error.
type page struct {
	*serve.Server
	announce func(net.Listener) error
}

// run serves the page until a signal comes. Open requests then have a time to finish.
func (p *page) run(ctx context.Context, address string, grace time.Duration) error {
	ctx, stop := interruptibleFor(ctx, max(grace, grace+time.Second)) // the sum may be too large
	defer stop()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return cannotListen(address, err)
	}
	if err := p.announce(l); err != nil {
		l.Close()
		return err
	}
	err = p.Serve(ctx, l, grace)
	if err != nil && ctx.Err() != nil {
		say(os.Stderr, "treebeam serve: %v\n", err)
		return exitCode(exitInterrupted)
	}
	return err
}

// openServer opens the models, and the page that parses with them.
func openServer(ctx context.Context, named []string, files *transforms.CustomFiles, unconstrained bool, limits serve.Limits) (p page, err error) {
	models, err := servedModels(named)
	if err != nil {
		return p, err
	}
	custom, err := readCustom(ctx, files, unconstrained)
	if err != nil {
		return p, err
	}
	p.announce = func(l net.Listener) error { return announce(l, models) }
	if p.Server, err = serve.New(serve.Config{Models: models, Custom: custom, Version: pipeline.Version(), Limits: limits, Log: spoken{os.Stderr}}); err != nil {
		return p, &refusal{err}
	}
	return p, nil
}

// servedModels are the models that --model names, then the embedded ones.
func servedModels(named []string) (sources []serve.Source, err error) {
	for _, arg := range named {
		source, err := servedModel(arg)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	if model.Default() == model.EmbeddedAccurate {
		sources = append(sources, serve.Source{Name: "english-accurate", Path: model.EmbeddedAccurate})
	} else if len(named) == 0 {
		sayIfNotAccurate()
	}
	return append(sources, serve.Source{Name: "english-fast", Path: model.Embedded}), nil
}

// servedModel is the model that a value of --model names.
func servedModel(arg string) (serve.Source, error) {
	name, file, ok := strings.Cut(arg, "=")
	if !ok || strings.ContainsAny(name, `/\`) {
		name, file = "", arg
	}
	if file == "" {
		return serve.Source{}, refuse("--model %s: must be NAME=FILE or FILE", arg)
	}
	return serve.Source{Name: cmp.Or(name, strings.TrimSuffix(filepath.Base(file), ".tbm")), Path: file}, nil
}

// cannotListen says why an address cannot be used, and what to do.
func cannotListen(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return refuse("--listen %s: another program has this port; name another one, or port 0 for any that is free", address)
	case errors.Is(err, os.ErrPermission):
		return refuse("--listen %s: not permitted; ports below 1024 are often reserved, name a higher one", address)
	}
	return refuse("--listen %s: %v; give an address of this machine and a port, such as localhost:8080", address, err)
}

// announce says where the page is, and who can see it.
func announce(l net.Listener, models []serve.Source) error {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	say(os.Stderr, "serving %s on %s until ctrl-C\n", strings.Join(names, ", "), addressOf(l))
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		say(os.Stderr, "warning: whoever reaches this machine can use the server; it has no passwords and no TLS\n")
	}
	return nil
}

// addressOf is the address of the page for a browser.
func addressOf(l net.Listener) string {
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return l.Addr().String()
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() || host == "127.0.0.1" {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(at.Port)) + "/"
}
