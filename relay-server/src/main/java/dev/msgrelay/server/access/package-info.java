/**
 * The rights of connections: identities, and how a connection proves one.
 *
 * <pre>
 *   file --> AccessPolicy: Identity, Identity, ...        immutable; a reload makes a new one
 *                 ^
 *   AccessControl | the current policy, and what each identity uses: connections, bytes a second
 *                 |
 *   Rights        one connection: Peer (address, uid, certificate) and TokenHash -> Identity, or a Refusal;
 *                 its types, lag and rate; the rights that a new policy takes back
 * </pre>
 *
 * <p>Policies are immutable and {@link dev.msgrelay.server.access.AccessControl} belongs to any thread, a {@link
 * dev.msgrelay.server.access.Rights} to its connection's.
 *
 * <p><b>Public API:</b> {@code AccessPolicy} and what it is made of: {@code Identity}, {@code Network}, {@code
 * TokenHash} and {@code User}. All else is internal.
 */
package dev.msgrelay.server.access;
