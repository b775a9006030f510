/**
 * Who may do what: identities, and how a connection is found to be one of them.
 *
 * <pre>
 *   file --> AccessPolicy: Identity, Identity, ...        immutable; a reload is another one
 *                 ^
 *   AccessControl | which policy holds, and what each identity uses: connections, bytes a second
 *                 |
 *   Standing      one connection: Peer (address, uid, certificate) and TokenHash -> Identity, or a Refusal;
 *                 which types it may have, how far behind it may be, how fast; what another policy takes back
 * </pre>
 *
 * <p>Policies are immutable and {@link dev.msgrelay.server.access.AccessControl} belongs to any thread, a {@link
 * dev.msgrelay.server.access.Standing} to its connection's.
 *
 * <p><b>Public API:</b> {@code AccessPolicy} and what it is made of: {@code Identity}, {@code Network}, {@code TokenHash} and
 * {@code User}. All else is internal.
 */
package dev.msgrelay.server.access;
