/**
 * The rights of connections: identities, and how a connection proves one.
 *
 * <pre>
 *   file --> AccessPolicy: Identity, Identity, ...        immutable; a reload makes a new one
 *                 ^
 *   AccessControl | the current policy, and what each identity uses: connections, bytes a second
 *                 |
 *   Rights        one connection: Peer (address, uid, certificate) and TokenHash -> Identity, or a Refusal;
 *                 its types, lag and rate; ends a connection that loses rights by a new policy
 * </pre>
 *
 * <p>Policies are immutable, any thread may use {@link dev.msgrelay.server.access.AccessControl}, and a {@link
 * dev.msgrelay.server.access.Rights} belongs to its connection's thread.
 *
 * <p><b>Public API:</b> {@code AccessPolicy} with its parts {@code Identity}, {@code Network}, {@code TokenHash} and
 * {@code User}. All other classes are internal.
 */
package dev.msgrelay.server.access;
