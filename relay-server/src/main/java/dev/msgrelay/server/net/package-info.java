/**
 * Sockets, as far as the relay knows them beyond Netty.
 *
 * <pre>
 *   Transport (epoll | NIO)
 *   Listener --accepted--> SocketOptions         RepeatedWarning: accepting that fails is told once a second
 *                          SocketReads     where it is read to;  ReadSwitch   reading off and on
 *                          SegmentSize     how much one segment carries
 *                          SocketWriter    one write in flight, which may point into the log
 *                          Wall            around a step of a connection: what it throws ends that connection alone
 * </pre>
 *
 * <p>Each object belongs to the thread of its channel's loop; a listener accepts on the core's.
 *
 * <p><b>Public API:</b> {@code Transport}. All else is internal.
 */
package dev.msgrelay.server.net;
