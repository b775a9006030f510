/**
 * The network path between the two sites of a run: this host's loopback, a link that is emulated between two network
 * namespaces, or a real link. A lane provides the sites and describes the link. It does not depend on loads or results.
 *
 * <pre>
 *  near site: the relay      LaneSpec: kind and MTU         far site: publishers, subscribers, or both
 *  +---------------------+                                  +---------------------+
 *  | namespace, held by  |  veth --- tc tbf, both ways ---  | namespace, held by  |
 *  | a process of ours   |                                  | a process of ours   |
 *  +---------------------+                                  +---------------------+
 * </pre>
 *
 * All code runs on the controller's thread.
 */
package dev.msgrelay.loadgen.lane;
