package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// A controller is an engine that has no work for its workers, and soon closes the stream
// to them.
type controller struct {
	fnpb.UnimplementedBeamFnControlServer
	met chan bool
}

func (c *controller) Control(fnpb.BeamFnControl_ControlServer) error {
	c.met <- true
	return nil
}

// A worker ends when its starter is killed, as engines do with Beam's boot.
func TestWorkerEndsWithStarter(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	c := &controller{met: make(chan bool, 1)}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnControlServer(server, c)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	at := listener.Addr().String()
	starter := exec.Command("sh", "-c", `"$0" "$@" & wait`, os.Args[0], "--worker=true", "--id=1", "--logging_endpoint="+at, "--control_endpoint="+at)
	starter.Env = append(os.Environ(), asProgram+"=1")
	ends, into, err := os.Pipe() // ends when nobody has its other side
	must(t, err)
	starter.Stdout = into
	must(t, starter.Start())
	into.Close()
	gone := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, ends)
		gone <- err
	}()
	select {
	case <-c.met:
	case <-time.After(time.Minute):
		t.Fatal("the worker does not ask for work")
	}
	select {
	case <-gone:
		t.Fatal("the worker has ended before its starter")
	case <-time.After(2 * time.Second):
	}
	must(t, starter.Process.Kill())
	starter.Wait()
	select {
	case err := <-gone:
		must(t, err)
	case <-time.After(time.Minute):
		t.Error("the worker goes on without its starter")
	}
}
