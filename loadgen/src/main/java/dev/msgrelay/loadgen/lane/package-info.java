/**
 * The way between the two sites of a run: this host's loopback, a link that is emulated between two network
 * namespaces, or a real one. A lane gives the sites and what is known about the link; it knows nothing of loads and
 * results.
 *
 * <pre>
 *  near site: the relay      LaneSpec: which one, MTU       far site: publishers, subscribers, or both
 *  +---------------------+                                  +---------------------+
 *  | namespace, held by  |  veth --- tc tbf, both ways ---  | namespace, held by  |
 *  | a process of ours   |                                  | a process of ours   |
 *  +---------------------+                                  +---------------------+
 * </pre>
 *
 * The controller's thread.
 */
package dev.msgrelay.loadgen.lane;
