/**
 * The relay's own parts around Netty's sockets.
 *
 * <pre>
 *   Transport (epoll | NIO)
 *   Listener --accepted--> AcceptedSocket
 *                          SocketReads     reads into the relay's memory;  ReadSwitch   reading off and on
 *                          CongestionControl  of connections within this host, and of all others
 *                          SegmentSize     payload of one segment
 *                          Stranger        other protocols, by the first bytes of a connection
 * </pre>
 *
 * <p>Each object belongs to the thread of its channel's loop; a listener accepts on the core's thread.
 *
 * <p><b>Public API:</b> {@code Transport}, {@code CongestionControl}. All else is internal.
 */
package dev.msgrelay.server.net;
