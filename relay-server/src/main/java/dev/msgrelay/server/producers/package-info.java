/**
 * Publishers that said HELLO: their names, the numbers of their messages, and acknowledgements.
 *
 * <pre>
 *   Producer --> its PublisherName of the NameTable: the last number in the stream
 *           '--> Levels: up to which number the journal has written and forced
 *           '--> Replies: sends acknowledgements
 *   NameRules    which connection may have a name
 * </pre>
 *
 * <p>Everything here is owned by the core's thread. Internal.
 */
package dev.msgrelay.server.producers;
