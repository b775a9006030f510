/**
 * Where a relay is reached, and how many bytes a write to it best has; of the JDK's sockets alone. Values and static
 * methods without state.
 */
package dev.msgrelay.protocol.net;
