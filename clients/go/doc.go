// Package relay is a client of the Relay message relay: docs/protocol.md of its repository describes the protocol.
//
// Close every [Publisher], and look at the error: a program that ends without [Publisher.Close], also by os.Exit or
// log.Fatal, loses what the relay does not have yet, and nothing tells it.
//
// A [Subscriber] gives the messages of the stream and everything that it misses, in order, over as many connections as
// it takes. A [Publisher] sends messages; with acknowledgements it keeps each one until the relay has it, and sends it
// again after a cut; without, its Flush and Close wait until the relay has read them, or say how many are in doubt.
// Both connect in the background as soon as they are made, and all of their methods may be called by several
// goroutines, except that one goroutine at a time reads a subscriber's items.
package relay
