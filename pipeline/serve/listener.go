package serve

import (
	"io"
	"net"
	"sync"
	"time"
)

// unwanted is how many bodies of the largest size a client may go on to send after its
// request was refused.
const unwanted = 8

// A listener limits the number of connections at once; others wait until one is closed.
type listener struct {
	net.Listener
	limits Limits
	room   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newListener(l net.Listener, limits Limits) *listener {
	return &listener{Listener: l, limits: limits, room: make(chan struct{}, 2*limits.Open), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &connection{Conn: c, listener: l}, nil
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A connection is one of a listener.
type connection struct {
	net.Conn
	listener *listener
	once     sync.Once
}

func (c *connection) Close() error {
	c.once.Do(func() { <-c.listener.room })
	return c.Conn.Close()
}

// CloseWrite ends what is sent, and reads what still comes, up to a limit. net/http
// calls it where it has refused a request itself and is about to close the connection,
// which would take the answer from a client that still sends.
func (c *connection) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	c.SetReadDeadline(time.Now().Add(c.listener.limits.Read))
	io.CopyN(io.Discard, c.Conn, unwanted*c.listener.limits.Body)
	return err
}
