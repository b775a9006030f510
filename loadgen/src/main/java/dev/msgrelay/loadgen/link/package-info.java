/**
 * What a link could give: payload bytes and messages a second, from arithmetic alone. Immutable values, no sockets, no
 * clock, no system.
 *
 * <p>The bytes of one segment on an Ethernet wire (IPv4, TCP time stamps, MTU 1500):
 *
 * <pre>{@code
 *  |<------------------------ 1,538 bytes of the link's time ------------------------>|
 *
 *             |<--------------------- frame: at least 64 -------------------->|
 *                   |<------------------- MTU: 1,500 ------------------>|
 *  +----------+-----+----+-----+--------+-------------------------------+-----+-------+
 *  | preamble | MAC | IP | TCP | stamps |            payload            | FCS |  gap  |
 *  |    8     |  14 | 20 |  20 |   12   |             1,448             |  4  |   12  |
 *  +----------+-----+----+-----+--------+-------------------------------+-----+-------+
 *                                       |..body|type 4|length 4|body|type 4|length 4|..
 *                                        Relay's frames back to back, cut anywhere
 *
 *  payload bytes a second = speed / 8 * 1,448 / 1,538      1 Gbit/s: 117.7 MB/s, 941.5 Mbit/s
 *  messages a second      = payload bytes a second / (8 + body)
 * }</pre>
 *
 * That is <em>batched</em>: the stream fills every segment. <em>Single</em> is one message a segment: each has headers
 * of its own, and what is shorter than Ethernet's least frame is padded. A message that is longer than a segment takes
 * several, the last one short.
 *
 * <p>An emulated link, whose rate Linux' traffic control keeps, counts neither preamble nor checksum nor gap, and pads
 * nothing: 1,514 bytes instead of 1,538; see {@link dev.msgrelay.loadgen.link.Framing}.
 *
 * <p>Not in it: what the other direction's acknowledgements take (a pure one is 90 bytes on the wire; one for every
 * second full segment is 2.9 % of the direction it goes in), losses, and anything that a host does slower than the
 * link.
 */
package dev.msgrelay.loadgen.link;
